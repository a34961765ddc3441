// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

/// Configuration of the end-to-end retry of nodes of a flit network.
struct RetryConfig {
  static constexpr unsigned largest_most_tries = 20;
  /// Time from the last flit of a packet's first try to its second try; 0: no retry.
  Cycle timeout_cycles = 0;
  unsigned ack_flits = 1;       ///< length of an acknowledgement
  unsigned most_tries = 8;      ///< Largest number of tries of a packet, including the first.
  unsigned window_packets = 0;  ///< Size of a sender's retry memory, and range of sequence numbers of a pair
                                ///< in flight; 0: unlimited.

  void add_keys(config::KeyTable& keys);  ///< Adds the keys retry.*.
  bool on() const { return timeout_cycles != 0; }
  /// Time from the last flit of a try to the next try or to giving up: the timeout, doubled `doublings`
  /// times, at most most_tries - 1 times (rooms/traffic.md, Retry).
  Cycle wait_cycles(unsigned doublings) const {
    return timeout_cycles << (doublings < most_tries ? doublings : most_tries - 1);
  }
  /// Longest time that a message is kept after its first departure, excluding the times in which its repeats
  /// wait and leave.
  Cycle longest_cycles() const { return most_tries * wait_cycles(most_tries); }
};

/// Identity of a message of a network with retry: its number among the messages of its source to its
/// destination, from 0.
struct RetryKey {
  NodeId peer = 0;  ///< Node at the other end.
  std::uint32_t sequence = 0;
  bool operator==(const RetryKey& other) const { return peer == other.peer && sequence == other.sequence; }
  bool operator<(const RetryKey& other) const {
    return peer != other.peer ? peer < other.peer : sequence < other.sequence;
  }
};

/// Both ends of the retry protocol at one node, without a simulation kernel (rooms/traffic.md, Retry).
///
/// As a sender, a node numbers messages by destination and keeps each until its acknowledgement arrives or it
/// is given up. As a receiver, a node distinguishes the first copy of a message from repeats and acknowledges
/// all of them. One packet leaves at a time: acknowledgements before repeats before new messages.
///
/// Packet::order is the number of a packet's message, or the number that an acknowledgement confirms.
/// Packet::oldest is the lowest number that the sender still keeps or will send, so that the receiver can
/// forget messages that were given up. The memory of a node holds the messages that it keeps as a sender and,
/// as a receiver, one number for each source plus the numbers received out of order. With
/// RetryConfig::window_packets a new message leaves only if the memory has a free entry and its number is
/// less than window_packets above the oldest kept number of its destination: no receiver gets more than
/// window_packets - 1 messages of a source ahead of one that its sender has not given up.
///
/// Contract:
/// - sender: add() for each new message; next() while waits(), then left() for the packet that next()
///   returned, before the next call of next(); expire() in the cycle alarm() or later;
/// - receiver: take() for each packet that arrives; its acknowledgement waits until the next cycle.
class RetryState {
 public:
  enum class Kind : std::uint8_t { acknowledgement, repeat, message };
  using Arrival = PacketArrival;
  /// A packet that leaves next.
  struct Departure {
    Kind kind = Kind::message;
    RetryKey key;       ///< Identity of the message; for an acknowledgement, its identity at its source.
    Emission emission;  ///< `created` is the birth of the message; for an acknowledgement, the cycle after
                        ///< the arrival.
    std::uint32_t oldest = 0;
  };
  struct GivenUp {
    RetryKey key;
    Emission emission;
  };

  RetryState(const RetryConfig& config, NodeId node) : config_(config), node_(node) {}

  /// Adds a message that waits for its departure. Throws ModelError after 2^32 - 1 messages of one pair.
  RetryKey add(const Emission& message);
  /// Selects the packet that leaves in cycle `now`. Returns false if no packet waits or the one before has
  /// not left.
  bool next(Cycle now, Departure& departure);
  /// True if a packet waits for its departure and none is leaving.
  bool waits() const {
    return !leaving_ && (!acknowledgements_.empty() || repeats_waiting_ != 0 || may_begin());
  }
  /// Reports the end of the departure that next() returned: its last flit is sent in cycle `now`, or it has
  /// been `dropped` before that. The timeout of a message begins. Returns true for the first departure of a
  /// complete message.
  bool left(Cycle now, bool dropped);
  /// Handles timeouts that end by `now`: the messages wait for their next departure, or are given up after
  /// the last try. Returns the messages given up, ordered by end of the timeout, then destination, then
  /// number.
  std::vector<GivenUp> expire(Cycle now);
  /// Cycle in which expire() must be called: never later than the end of a timeout.
  Cycle alarm() const { return alarm_; }

  /// Classifies a packet for this node as take() will, without changing the state.
  Arrival judge(const Packet& packet) const;
  /// Receives a packet for this node. Throws ModelError for an acknowledgement of a message that was never
  /// sent, or for a packet that no sender makes.
  Arrival take(Cycle now, const Packet& packet);

  /// True if the message is neither acknowledged nor given up.
  bool keeps(const RetryKey& key) const;
  std::uint64_t kept() const { return kept_; }
  /// Kept messages that have begun to leave: used entries of the retry memory.
  std::uint64_t begun() const { return begun_; }
  /// Numbers that the receiver remembers in addition to one number for each source.
  std::uint64_t received_out_of_order() const;
  /// Checks that each kept message waits for its departure, is leaving, or has a timeout that ends in `now`
  /// or later. Throws ModelError otherwise.
  void check(Cycle now) const;

 private:
  enum class Place : std::uint8_t { queued, leaving, timed, ended };
  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
  struct Message {
    Emission emission;
    unsigned tries = 0;
    unsigned doublings = 0;  ///< Doublings of its timeout.
    Cycle left_at = 0;
    Cycle deadline = never;
    Place place = Place::queued;
    bool has_left = false;  ///< True after the first departure of the complete message.
  };
  struct Destination {
    std::uint32_t next = 0;
    unsigned doublings = 0;  ///< Initial doublings of a new message's timeout.
    /// Slots in slots_ of the numbers before `next`; of those from `begin` on the first one is kept.
    std::vector<std::uint32_t> slots;
    std::size_t begin = 0;

    /// Lowest number that is kept; `next`: none.
    std::uint32_t oldest() const { return next - static_cast<std::uint32_t>(slots.size() - begin); }
    /// Slot of a number; no_slot: it is not kept.
    std::uint32_t slot_of(std::uint32_t sequence) const {
      const std::uint32_t behind = sequence - oldest();
      return behind < slots.size() - begin ? slots[begin + behind] : no_slot;
    }
    void remove(std::uint32_t sequence);
  };
  struct Source {
    std::uint32_t next = 0;         ///< All numbers below it are received or given up.
    std::set<std::uint32_t> later;  ///< Numbers above `next` that are received.
  };
  /// The timeout that a message waits for; without effect once the message has ended.
  struct Wait {
    Cycle deadline;
    RetryKey key;
    /// Order of a heap whose front is the first one to end.
    bool operator<(const Wait& other) const {
      return deadline != other.deadline ? deadline > other.deadline : other.key < key;
    }
  };
  static bool knows(const Source& source, const Packet& packet) {
    return packet.order < source.next || (!source.later.empty() && source.later.count(packet.order) != 0);
  }
  struct Acknowledgement {
    RetryKey key;
    Cycle created;
  };

  /// A message that is kept, and its destination.
  struct Kept {
    Destination* destination;
    Message* message;  ///< null: it is not kept
  };
  Kept find(const RetryKey& key);
  const Message* find(const RetryKey& key) const;
  bool may_begin() const { return !messages_.empty() && (config_.window_packets == 0 || has_room()); }
  bool has_room() const;
  bool holds(const Wait& wait) const;
  void pop_wait();
  void end_wait();
  void begin(Kind kind, const RetryKey& key, Destination* destination, Departure& departure);
  void acknowledged(Cycle now, const Packet& packet);
  unsigned doublings_for(Cycle round_trip) const;
  void remove(const RetryKey& key, const Kept& kept);
  [[noreturn]] void fail(Cycle now, const std::string& packet, const std::string& what) const;

  const RetryConfig config_;
  const NodeId node_;
  std::unordered_map<NodeId, Destination> destinations_;
  std::unordered_map<NodeId, Source> sources_;
  std::vector<Message> slots_;  ///< messages that are kept, and free slots
  std::vector<std::uint32_t> free_slots_;
  std::deque<Acknowledgement> acknowledgements_;
  std::deque<RetryKey> repeats_;       ///< Repeats that wait; may contain messages acknowledged since.
  std::uint64_t repeats_waiting_ = 0;  ///< Number of waiting repeats that are not acknowledged.
  std::deque<RetryKey> messages_;
  std::vector<Wait> waits_;  ///< a heap
  std::size_t timed_ = 0;    ///< messages that wait for the end of a timeout
  Cycle alarm_ = never;
  bool leaving_ = false;
  Kind leaving_kind_ = Kind::message;
  RetryKey leaving_key_;
  Destination* leaving_to_ = nullptr;  ///< of the message that is leaving
  std::uint64_t kept_ = 0, begun_ = 0;
};

}  // namespace tsuji::traffic
