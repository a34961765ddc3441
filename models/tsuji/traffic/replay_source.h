// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "tsuji/observe/latency_histogram.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/traffic/rails.h"
#include "tsuji/workload/rank_replay.h"
#include "tsuji/workload/rank_wait.h"

namespace tsuji::traffic {

/// Minimal network interface in front of a FlitNode: divides messages into packets.
struct PacketizerConfig {
  unsigned packet_bytes = 256;  ///< Largest payload of a packet in bytes.
  unsigned flit_bytes = 16;
  unsigned header_flits = 1;  ///< Header flits of every packet, before its payload.
  /// Latency of a message between two ranks of one node, which bypasses the network; at least 1.
  Cycle local_cycles = 100;

  std::uint64_t packets(std::uint64_t payload_bytes) const {
    return payload_bytes == 0 ? 1 : (payload_bytes + packet_bytes - 1) / packet_bytes;
  }
  /// Flits of a packet with this payload, header included; at least 1.
  unsigned flits(std::uint64_t payload_bytes) const {
    const auto flits = header_flits + static_cast<unsigned>((payload_bytes + flit_bytes - 1) / flit_bytes);
    return flits == 0 ? 1 : flits;
  }
};

/// Placement of ranks on nodes.
struct RankPlaces {
  std::vector<NodeId> node_of;                       ///< Node of each rank.
  std::vector<std::vector<std::uint16_t>> ranks_on;  ///< Ranks of each node in ascending order.
};

struct ReplayCounters {
  std::uint64_t messages = 0;        ///< Messages sent through the network, as eager message or as data.
  std::uint64_t message_bytes = 0;   ///< Bytes of `messages`.
  std::uint64_t local_messages = 0;  ///< Messages between ranks of one node.
  std::uint64_t local_bytes = 0;
  std::uint64_t control_packets = 0;  ///< Requests and clear-to-send answers of the rendezvous.
  std::uint64_t data_packets = 0;
  std::uint64_t messages_arrived = 0;  ///< Messages that have arrived through the network.
  std::uint64_t bytes_arrived = 0;

  /// Adds the counters of other nodes.
  ReplayCounters& operator+=(const ReplayCounters& other) {
    messages += other.messages;
    message_bytes += other.message_bytes;
    local_messages += other.local_messages;
    local_bytes += other.local_bytes;
    control_packets += other.control_packets;
    data_packets += other.data_packets;
    messages_arrived += other.messages_arrived;
    bytes_arrived += other.bytes_arrived;
    return *this;
  }
};

/// Latencies of all messages, from the send to the last word. Nodes record them on any thread.
class MessageLatencies {
 public:
  void record(Cycle latency) {
    const std::lock_guard<std::mutex> lock(mutex_);
    histogram_.record(latency);
  }
  /// Read while no thread records.
  const observe::LatencyHistogram& histogram() const { return histogram_; }

 private:
  std::mutex mutex_;
  observe::LatencyHistogram histogram_;
};

/// Source of the packets of one node's ranks. The packets of a message are born one after the other in the
/// cycle of the send; the message has arrived when all of them have arrived, in any order. A rank reacts to
/// an arrival one cycle later. Packets carry no bytes: two header words identify their message.
class ReplaySource final : public EmissionSource, private workload::RankOutlet {
 public:
  struct Parts {
    const workload::Trace& trace;
    const workload::ReplayConfig& replay;
    const PacketizerConfig& nic;
    const RankPlaces& places;
    MessageLatencies* message_latencies = nullptr;  ///< May be null.
    Rails rails = {};                               ///< network ports of the nodes
  };
  /// Largest message in bytes that a header word can represent.
  static constexpr std::uint64_t most_message_bytes = 0xFFFF'FFFF;

  /// All references in `parts` must outlive the source.
  ReplaySource(const Parts& parts, NodeId node);

  bool next(Emission& emission) override { return next(0, emission); }
  bool births_may_wait() const override { return true; }
  /// Unlimited: ranks interact by messages only, in collectives as well, and MessageLatencies do not depend
  /// on the order of their samples.
  Cycle lookahead_cycles() const override { return never; }
  void arrived(Cycle now, const Packet& packet) override { arrived(0, now, packet); }
  void departed(Cycle now, const Packet& packet) override { departed(0, now, packet); }
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override { return event_; }
  void advance(Cycle now) override;

  /// next() for network port `rail` of the node.
  bool next(unsigned rail, Emission& emission);
  /// arrived() at network port `rail`. Arrivals of a cycle are seen in the order of the ports.
  void arrived(unsigned rail, Cycle now, const Packet& packet);
  /// departed() from network port `rail`.
  void departed(unsigned rail, Cycle now, const Packet& packet);

  NodeId node() const { return node_; }
  /// True if this node does nothing before a packet arrives: no rank computes, and no message waits to be
  /// sent.
  bool is_quiet() const;
  const std::vector<std::unique_ptr<workload::RankReplay>>& ranks() const { return ranks_; }
  const ReplayCounters& counters() const { return counters_; }
  /// Messages from this node that have permanently lost a packet, each listed once, in the order of their
  /// first loss.
  const std::vector<workload::LostMessage>& lost() const { return lost_; }

 private:
  using Header = std::array<std::uint64_t, 2>;
  struct Event {
    Cycle cycle;  ///< Cycle from which ranks may see the event.
    bool departure;
    std::uint8_t rail;  ///< Network port of the event.
    workload::RankMessage message;
  };
  /// Packets of a message on one network port.
  struct Outgoing {
    workload::RankMessage message;
    Cycle created;
    std::uint64_t bytes;  ///< Payload of the whole message.
    std::uint64_t at;     ///< First byte of the next packet.
  };
  struct Incoming {
    Header header;
    std::uint64_t packets_left;
  };
  /// A message that leaves on several network ports.
  struct Leaving {
    Header header;
    unsigned ports_left;  ///< Ports whose last packet of the message has not left.
  };

  void send(const workload::RankMessage& message) override;
  bool is_local(std::uint16_t rank) const override { return places_.node_of[rank] == node_; }
  workload::RankReplay& replay_of(std::uint16_t rank);
  void emit(const workload::RankMessage& message, std::uint64_t packets);
  void tell_ranks(const Event& event);
  void take_events(std::deque<Event>& events, Cycle now);
  bool has_left(const Packet& packet, const workload::RankMessage& message);
  bool is_complete(const Packet& packet, const workload::RankMessage& message);

  const PacketizerConfig& nic_;
  const RankPlaces& places_;
  const NodeId node_;
  const Rails rails_;
  const unsigned stripes_;     ///< Network ports among which the packets of a message are divided.
  std::uint64_t emitted_ = 0;  ///< Messages, or with RailChoice::packet packets, that ranks have sent.
  MessageLatencies* const message_latencies_;
  std::vector<std::unique_ptr<workload::RankReplay>> ranks_;
  std::deque<Event> network_, local_;  ///< Both by rising cycle, and `network_` of a cycle by network port.
  std::vector<std::deque<Outgoing>> outgoing_;  ///< [network port]
  std::vector<Leaving> leaving_;                ///< Messages that have left on some but not all ports.
  std::vector<Incoming> incoming_;              ///< Messages of which some but not all packets have arrived.
  std::vector<workload::LostMessage> lost_;
  std::set<Header> lost_headers_;  ///< Headers of the messages in `lost_`.
  Cycle now_ = 0;
  Cycle event_ = never;
  ReplayCounters counters_;
};

}  // namespace tsuji::traffic
