// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/recycled_nodes.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/observe/packet_fates.h"
#include "tsuji/results/results.h"
#include "tsuji/traffic/retry_source.h"

namespace tsuji::network {

/// Accounts of the messages of a network with retry. Each message is born once, and is then delivered once
/// (by its first packet that arrives), lost (its sender has given it up, and its last packet has ended
/// without delivery), or in flight. The counts do not depend on the order of modules or groups. Throws
/// ModelError for a message that is delivered twice or was never born.
class RetryAccounts final : public traffic::RetryEvents {
 public:
  /// Called for each message that is lost (RetrySource::lost), in an undefined order within a cycle.
  using OnLost = std::function<void(const Packet& packet, const char* cause, Cycle now)>;

  /// Called for each packet of a message when it is made, before any of its flits leaves.
  using OnPacket = std::function<void(const Packet& packet, traffic::RetryState::Kind kind)>;
  /// Called for each message whose last try has ended without an acknowledgement.
  using OnGivenUp = std::function<void(NodeId source, const traffic::RetryKey& key, Cycle now)>;

  /// `measurement` counts messages; `measurement` and `on_lost` may be null.
  RetryAccounts(const traffic::RetryConfig& config, unsigned nodes, observe::LoadMeasurement* measurement,
                OnLost on_lost = nullptr);

  /// Wraps a node's source in a source with retry. This object must outlive it.
  std::unique_ptr<traffic::EmissionSource> wrap(std::unique_ptr<traffic::EmissionSource> messages,
                                                NodeId node, PacketPool& pool, bool has_channels = false) {
    return wrap(std::move(messages), node, pool, has_channels, *this);
  }
  /// Likewise; the source reports to `events` instead of to this object.
  std::unique_ptr<traffic::EmissionSource> wrap(std::unique_ptr<traffic::EmissionSource> messages,
                                                NodeId node, PacketPool& pool, bool has_channels,
                                                traffic::RetryEvents& events);
  /// Only sources for which `is_here` is true run in this process.
  void divide(std::function<bool(NodeId)> is_here) { is_here_ = std::move(is_here); }
  /// True if a source of messages uses data of other nodes than its own.
  bool sources_share() const;
  /// Sets listeners for records. Call it before the simulation starts.
  void tell_of_tries(OnPacket on_packet, OnGivenUp on_given_up) {
    on_packet_ = std::move(on_packet);
    on_given_up_ = std::move(on_given_up);
  }
  traffic::RetrySource& source(NodeId node) { return *sources_[node]; }

  void on_message_born(NodeId source, const traffic::RetryKey& key,
                       const traffic::Emission& emission) override;
  void on_packet(const Packet& packet, traffic::RetryState::Kind kind) override;
  const char* on_given_up(const Packet& message, const traffic::RetryKey& key, Cycle now) override;
  void on_lost(const Packet& packet, const char* cause, Cycle now) override;

  /// Outcome of a packet's arrival.
  struct End {
    PacketArrival arrival = PacketArrival::first;
    /// If not null, the packet was the last of a message that is now lost for this cause, and the caller
    /// reports the loss to the message's source.
    const char* lost = nullptr;
  };
  /// Kind of a packet that arrives. Called before the sink passes the packet to its source.
  PacketArrival judge(const Packet& packet) const {
    return sources_[packet.destination.node()]->state().judge(packet);
  }
  /// Counts the arrival of a packet, whose kind is that of judge().
  End delivered(const Packet& packet, const observe::DeliveredPacket& record, PacketArrival arrival);
  /// Counts a dropped packet. If the result is not null, the packet was the last of a message that is now
  /// lost for that cause, and the caller reports the loss to the message's source.
  const char* dropped(const Packet& packet, const char* cause, Cycle now);

  std::uint64_t messages_born() const { return born_; }
  /// Messages that have been lost.
  std::uint64_t messages_lost() const { return lost_; }
  /// Messages that senders of this process keep: neither acknowledged nor given up.
  std::uint64_t messages_kept() const;
  std::uint64_t messages_flits() const { return born_flits_; }
  /// Flits of acknowledgements and duplicates that sinks ejected in the cycles [from, to); a packet that
  /// arrived across a boundary counts in proportion.
  std::uint64_t other_flits_in_window() const { return other_flits_; }
  void count_window(Cycle from, Cycle to) {
    window_from_ = from;
    window_to_ = to;
  }
  observe::PacketFates fates() const;
  /// Checks that messages born = delivered + lost + in flight, that each message in flight is kept by its
  /// sender or has a packet in the network, and every sender's timers. Throws ModelError otherwise.
  void check(Cycle now) const;
  /// Adds the metrics packets_repeated, acks_sent, duplicates, given_up and packets_lost, and the table
  /// `given_up`.
  void add_to(observe::Results& results) const;

 private:
  /// A message that is not delivered.
  struct Message {
    std::uint32_t serial = 0;  ///< Number among all messages of its source.
    Cycle created = 0;
    /// Packets of the message in the network; the first one counts from the message's birth on, as no message
    /// ends before it leaves.
    std::uint32_t packets = 1;
    bool given_up = false;
    const char* last_drop = "given_up";  ///< Cause of the last drop among its packets.
  };
  struct PairCount {
    std::uint64_t given_up = 0, lost = 0;
  };
  using Key = std::pair<NodeId, traffic::RetryKey>;  ///< source, and number at its destination
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      constexpr std::uint64_t spread = 0x9e37'79b9'7f4a'7c15;
      return ((std::uint64_t{key.first} << 32U | key.second.peer) * spread) ^ key.second.sequence;
    }
  };
  using Messages = std::unordered_map<Key, Message, HashOfKey>;

  static Key key_of(const Packet& packet) {
    return {packet.source.node(), {packet.destination.node(), packet.order}};
  }
  const char* lose(Messages::iterator place, Cycle now);
  void count_other(const observe::DeliveredPacket& record);
  const char* end_one(const Packet& packet, const char* drop, Cycle now);

  const traffic::RetryConfig config_;
  observe::LoadMeasurement* const measurement_;
  const OnLost on_lost_;
  OnPacket on_packet_;
  OnGivenUp on_given_up_;
  std::vector<traffic::RetrySource*> sources_;
  std::function<bool(NodeId)> is_here_;  ///< empty: all are
  std::vector<std::uint32_t> serials_;
  Messages messages_;
  RecycledNodes<Messages> memory_;  ///< of messages that have ended
  std::map<std::pair<NodeId, NodeId>, PairCount> given_up_of_pair_;
  Cycle window_from_ = 0, window_to_ = 0;
  std::uint64_t born_ = 0, born_flits_ = 0, delivered_ = 0, lost_ = 0;
  std::uint64_t repeated_ = 0, acks_sent_ = 0, duplicates_ = 0, given_up_ = 0, other_flits_ = 0;
};

}  // namespace tsuji::network
