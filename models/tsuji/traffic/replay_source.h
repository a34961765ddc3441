// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "tsuji/observe/latency_histogram.h"
#include "tsuji/traffic/emission.h"
#include "tsuji/workload/rank_replay.h"
#include "tsuji/workload/rank_wait.h"

namespace tsuji::traffic {

/// A network interface of the plainest kind in front of a FlitNode: cuts messages into packets.
struct PacketizerConfig {
  unsigned packet_bytes = 256;  ///< of payload at most
  unsigned flit_bytes = 16;
  unsigned header_flits = 1;  ///< in front of the payload of every packet
  Cycle local_cycles = 100;   ///< a message between two ranks of a node, without the network; at least 1

  std::uint64_t packets(std::uint64_t payload_bytes) const {
    return payload_bytes == 0 ? 1 : (payload_bytes + packet_bytes - 1) / packet_bytes;
  }
  /// Flits of a packet with this payload; at least 1.
  unsigned flits(std::uint64_t payload_bytes) const {
    const auto flits = header_flits + static_cast<unsigned>((payload_bytes + flit_bytes - 1) / flit_bytes);
    return flits == 0 ? 1 : flits;
  }
};

/// Which node a rank is on.
struct RankPlaces {
  std::vector<NodeId> node_of;                       ///< by rank
  std::vector<std::vector<std::uint16_t>> ranks_on;  ///< by node, rising
};

struct ReplayCounters {
  std::uint64_t messages = 0;        ///< sent through the network as eager or data
  std::uint64_t message_bytes = 0;   ///< of those
  std::uint64_t local_messages = 0;  ///< between ranks of a node
  std::uint64_t local_bytes = 0;
  std::uint64_t control_packets = 0;  ///< requests and their answers
  std::uint64_t data_packets = 0;
  std::uint64_t messages_arrived = 0;  ///< through the network
  std::uint64_t bytes_arrived = 0;
};

/// The ranks of one node as the source of its packets. A message's packets are born in the cycle of the send,
/// one after the other; it has arrived when all of them have, in any order. A rank reacts to an
/// arrival a cycle later. Packets carry no bytes: their two header words say which message they belong to.
class ReplaySource final : public EmissionSource, private workload::RankOutlet {
 public:
  struct Parts {
    const workload::Trace& trace;
    const workload::ReplayConfig& replay;
    const PacketizerConfig& nic;
    const RankPlaces& places;
    observe::LatencyHistogram* message_latency = nullptr;  ///< may be null: from the send to the last word
  };
  /// Largest message, in bytes, that a header word can tell.
  static constexpr std::uint64_t most_message_bytes = 0xFFFF'FFFF;

  /// All of `parts` outlives the source.
  ReplaySource(const Parts& parts, NodeId node);

  bool next(Emission& emission) override;
  /// Ranks know of each other by messages only, collectives included, and the histogram of all nodes'
  /// latencies counts in any order.
  Cycle lookahead_cycles() const override { return never; }
  void arrived(Cycle now, const Packet& packet) override;
  void departed(Cycle now, const Packet& packet) override;
  void dropped(Cycle now, const Packet& packet, const char* cause) override;
  Cycle next_event() const override { return event_; }
  void advance(Cycle now) override;

  const std::vector<std::unique_ptr<workload::RankReplay>>& ranks() const { return ranks_; }
  const ReplayCounters& counters() const { return counters_; }
  /// Messages from this node that lack a packet for good, each once, in the order of their first loss.
  const std::vector<workload::LostMessage>& lost() const { return lost_; }

 private:
  using Header = std::array<std::uint64_t, 2>;
  struct Event {
    Cycle cycle;  ///< from which it may be seen
    bool departure;
    workload::RankMessage message;
  };
  struct Outgoing {
    workload::RankMessage message;
    Cycle created;
    std::uint64_t left;  ///< payload bytes that have no packet yet
  };
  struct Incoming {
    Header header;
    std::uint64_t packets_left;
  };

  void send(const workload::RankMessage& message) override;
  bool is_local(std::uint16_t rank) const override { return places_.node_of[rank] == node_; }
  workload::RankReplay& replay_of(std::uint16_t rank);
  void take_events(std::deque<Event>& events, Cycle now);
  bool is_complete(const Packet& packet, const workload::RankMessage& message);

  const PacketizerConfig& nic_;
  const RankPlaces& places_;
  const NodeId node_;
  observe::LatencyHistogram* const message_latency_;
  std::vector<std::unique_ptr<workload::RankReplay>> ranks_;
  std::deque<Event> network_, local_;  ///< each by rising cycles
  std::deque<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;  ///< messages of several packets, some of which are here
  std::vector<workload::LostMessage> lost_;
  std::set<Header> lost_headers_;  ///< of lost_
  Cycle now_ = 0;
  Cycle event_ = never;
  ReplayCounters counters_;
};

}  // namespace tsuji::traffic
