// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::traffic {

/// End-to-end retry of the nodes of a flit network.
struct RetryConfig {
  static constexpr unsigned largest_most_tries = 20;
  Cycle timeout_cycles = 0;     ///< from the last flit of a packet's first try to its second one; 0: no retry
  unsigned ack_flits = 1;       ///< length of an acknowledgement
  unsigned most_tries = 8;      ///< of a packet, the first one included
  unsigned window_packets = 0;  ///< retry memory of a sender, and span of the numbers of a pair; 0: no bound

  void add_keys(config::KeyTable& keys);  ///< retry.*
  bool on() const { return timeout_cycles != 0; }
  /// From the last flit of a try to the next one, or to giving up: doubled so often, most_tries - 1 times at
  /// most (rooms/traffic.md, Retry).
  Cycle wait_cycles(unsigned doublings) const {
    return timeout_cycles << (doublings < most_tries ? doublings : most_tries - 1);
  }
  /// No message is kept longer from its first departure on, but for the times in which its repeats wait and
  /// leave.
  Cycle longest_cycles() const { return most_tries * wait_cycles(most_tries); }
};

/// A message of a network with retry: number among those of its source to its destination, from 0.
struct RetryKey {
  NodeId peer = 0;  ///< the other end
  std::uint32_t sequence = 0;
  bool operator<(const RetryKey& other) const {
    return peer != other.peer ? peer < other.peer : sequence < other.sequence;
  }
};

/// Both ends of the retry protocol at one node, without a simulation kernel (rooms/traffic.md, Retry).
///
/// As a sender it numbers messages by destination and keeps each until its acknowledgement has come, or it is
/// given up. As a receiver it tells the first copy of a message from others, and acknowledges all of them.
/// One packet at a time leaves: acknowledgements before repeats before new messages.
///
/// A packet's Packet::order is its message's number, or the number that it acknowledges; Packet::oldest is
/// the first number that its sender keeps or will send, so that the receiver forgets those given up. The
/// memory is that of messages kept here, and at a receiver a number for each source and those received out of
/// order. With RetryConfig::window_packets a new message leaves when that memory has a place and its number
/// is less than so many above the oldest of its destination: no receiver gets more than window_packets - 1
/// messages of a source in front of one that its sender has not given up.
class RetryState {
 public:
  enum class Kind : std::uint8_t { acknowledgement, repeat, message };
  using Arrival = PacketArrival;
  /// A packet that is to leave.
  struct Departure {
    Kind kind = Kind::message;
    RetryKey key;       ///< of an acknowledgement: of the message at its source
    Emission emission;  ///< `created` is the birth of the message, or the cycle behind the arrival
    std::uint32_t oldest = 0;
  };
  struct GivenUp {
    RetryKey key;
    Emission emission;
  };

  RetryState(const RetryConfig& config, NodeId node) : config_(config), node_(node) {}

  /// A new message waits for its departure. ModelError after 2^32 - 1 of a pair.
  RetryKey add(const Emission& message);
  /// The next packet leaves in cycle `now`. False: there is none, or the one before has not left.
  bool next(Cycle now, Departure& departure);
  /// Something waits for its departure, and nothing is leaving.
  bool waits() const {
    return !leaving_ && (!acknowledgements_.empty() || repeats_waiting_ != 0 || may_begin());
  }
  /// The packet that next() has given is off, or will not be: its last flit goes on the wires in `now`, or it
  /// has been dropped before. The wait for its acknowledgement begins. Returns true for the first departure
  /// of a message as a whole (not `dropped`).
  bool left(Cycle now, bool dropped);
  /// Messages whose wait is over by `now` wait for their next departure; those without one are returned, by
  /// rising end of their waits, then destination, then number.
  std::vector<GivenUp> expire(Cycle now);
  /// The cycle in which expire() is to be called: not after the end of any wait.
  Cycle alarm() const { return alarm_; }

  /// The kind that take() will say of a packet for this node.
  Arrival judge(const Packet& packet) const;
  /// A packet for this node has arrived. ModelError for an acknowledgement of what was never sent, or a
  /// packet that no sender makes.
  Arrival take(Cycle now, const Packet& packet);

  /// A message is neither acknowledged nor given up.
  bool keeps(const RetryKey& key) const;
  std::uint64_t kept() const { return kept_; }
  /// Those of them that have begun to leave: places of the retry memory.
  std::uint64_t begun() const { return begun_; }
  /// Numbers that the receiver remembers beyond one a source.
  std::uint64_t received_out_of_order() const;
  /// Each message that is kept waits for its departure, leaves, or has a wait that ends in `now` or later.
  /// ModelError otherwise.
  void check(Cycle now) const;

 private:
  enum class Place : std::uint8_t { queued, leaving, timed };
  struct Message {
    Emission emission;
    unsigned tries = 0;
    unsigned doublings = 0;  ///< of its wait
    Cycle left_at = 0;
    Cycle deadline = never;
    Place place = Place::queued;
    bool has_left = false;  ///< as a whole
  };
  struct Destination {
    std::uint32_t next = 0;
    unsigned doublings = 0;  ///< that a wait begins with
    std::map<std::uint32_t, Message> kept;
    std::uint32_t oldest() const { return kept.empty() ? next : kept.begin()->first; }
  };
  struct Source {
    std::uint32_t next = 0;         ///< all before it are received, or given up
    std::set<std::uint32_t> later;  ///< received, beyond `next`
  };
  struct Acknowledgement {
    RetryKey key;
    Cycle created;
  };

  Message* find(const RetryKey& key);
  const Message* find(const RetryKey& key) const;
  bool may_begin() const;
  void begin(Kind kind, const RetryKey& key, Departure& departure);
  void acknowledged(Cycle now, const Packet& packet);
  unsigned doublings_for(Cycle round_trip) const;
  void remove(const RetryKey& key);
  [[noreturn]] void fail(Cycle now, const std::string& packet, const std::string& what) const;

  const RetryConfig config_;
  const NodeId node_;
  std::map<NodeId, Destination> destinations_;
  std::map<NodeId, Source> sources_;
  std::deque<Acknowledgement> acknowledgements_;
  std::deque<RetryKey> repeats_;       ///< with those that have been acknowledged since
  std::uint64_t repeats_waiting_ = 0;  ///< without them
  std::deque<RetryKey> messages_;
  std::set<std::pair<Cycle, RetryKey>> waits_;
  Cycle alarm_ = never;
  bool leaving_ = false;
  Kind leaving_kind_ = Kind::message;
  RetryKey leaving_key_;
  std::uint64_t kept_ = 0, begun_ = 0;
};

}  // namespace tsuji::traffic
