// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::router {

/// State of an input virtual channel of a router in a cycle. Each cycle of each one has exactly one.
///
///   empty         its buffer holds no flit, and no packet holds an output from here
///   no_flit       the packet's next flit has not arrived, or (store and forward) its last
///   routing       route computation, or the answer of the look-up
///   mispredicted  the same cycles of a head that prediction has let down: guessed wrong or lost its output
///   no_vc         the head waits for an output virtual channel
///   link_down     the head waits, and the links of all its route candidates have failed
///   recovery      a head in recovery waits for an output virtual channel
///   allocation    the cycles of virtual-channel allocation that it wins
///   no_credit     the buffer after its output is full
///   lost_switch   the flit has a credit, and others get the switch, or the output is still busy
///   moves         a flit leaves
///   paused        its router is suspended
enum class PortState : std::uint8_t {
  empty,
  no_flit,
  routing,
  mispredicted,
  no_vc,
  link_down,
  recovery,
  allocation,
  no_credit,
  lost_switch,
  moves,
  paused
};
constexpr std::size_t port_states = 12;
const char* name_of(PortState state);

/// Cycles by state, [PortState].
using StateCycles = std::array<std::uint64_t, port_states>;

/// Cycles of one input virtual channel by state, counted when a state ends: waiting takes no instruction.
/// Cycles in which flits move are those that no other state has. Size: two cache lines.
class alignas(128) InputWaits {
 public:
  /// Route computation begins in cycle `now`. The router can act on the head from cycle `ready` on.
  void begin(Cycle ready, Cycle now) {
    resume(now);
    count(PortState::empty, std::min(ready, now));
    count(PortState::no_flit, now);
    routes_as_ = PortState::routing;
  }
  /// Prediction has let the head down.
  void mispredicted() { routes_as_ = PortState::mispredicted; }
  /// The route is known in cycle `now`; the head's wait for an output counts as `waits_as`.
  void routed(Cycle now, PortState waits_as) {
    count(routes_as_, now);
    waits_as_ = waits_as;
  }
  /// The head gets an output virtual channel in cycle `won`, and may request the switch from `until` on.
  void granted(Cycle won, Cycle until) {
    count(waits_as_, won);
    count(PortState::allocation, until);
  }
  /// The head crosses by prediction, with or without a route request before.
  void crosses(Cycle ready, Cycle now) {
    resume(now);
    count(PortState::empty, std::min(ready, now));
    count(routes_as_, now);
  }
  /// The flit at the front leaves in cycle `now`. `ready()` is the first cycle in which the router may act on
  /// it, `credit()` that in which its credit is usable; both are called only if it did not leave at once.
  template <class Ready, class Credit>
  void leaves(Cycle now, const Ready& ready, const Credit& credit) {
    if (counted_to_ != now) holds(ready(), credit(), now);
    moves(now);
  }
  /// A flit leaves in cycle `now`, before which everything is counted.
  void moves(Cycle now) { counted_to_ = now + 1; }
  /// The router is suspended from cycle `now` on; up to it everything is counted.
  void pause() { paused_ = true; }
  void resume(Cycle now) {
    if (!paused_) return;
    count(PortState::paused, now);
    paused_ = false;
  }

  // States up to cycle `until`.

  /// No packet is at the front; `ready`: first cycle of the next one, `never`: none.
  void idles(Cycle ready, Cycle until) {
    count(PortState::empty, std::min(ready, until));
    count(PortState::no_flit, until);
  }
  void routes(Cycle until) { count(routes_as_, until); }
  void waits(Cycle until) { count(waits_as_, until); }
  /// The packet holds an output.
  void holds(Cycle ready, Cycle credit, Cycle until) {
    count(PortState::no_flit, std::min(ready, until));
    count(PortState::no_credit, std::min(credit, until));
    count(PortState::lost_switch, until);
  }
  bool paused() const { return paused_; }
  /// The cycles before it are counted; with allocations that take several cycles, some after the present one.
  Cycle counted_to() const { return counted_to_; }
  /// Sums over input virtual channels.
  class Sum {
   public:
    /// Adds the cycles before `end`, all of which must be counted.
    void add(const InputWaits& waits, Cycle end) {
      const StateCycles cycles = waits.cycles_;
      for (std::size_t state = 0; state < port_states; ++state) sums_[state] += cycles[state];
      ahead_ += waits.counted_to_ - std::min(waits.counted_to_, end);
      counted_ += waits.counted_to_;
    }
    /// Adds cycles by state, `all` together.
    void add(const StateCycles& cycles, std::uint64_t all) {
      for (std::size_t state = 0; state < port_states; ++state) sums_[state] += cycles[state];
      sums_[static_cast<std::size_t>(PortState::moves)] -= cycles[static_cast<std::size_t>(PortState::moves)];
      counted_ += all;
    }
    /// All sums.
    StateCycles by_state() const {
      StateCycles sums = sums_;
      sums[static_cast<std::size_t>(PortState::allocation)] -= ahead_;
      std::uint64_t others = ahead_;
      for (const std::uint64_t sum : sums) others += sum;
      sums[static_cast<std::size_t>(PortState::moves)] = counted_ - others;
      return sums;
    }

   private:
    StateCycles sums_{};
    std::uint64_t counted_ = 0, ahead_ = 0;
  };

 private:
  void count(PortState state, Cycle until) {
    if (until <= counted_to_) return;
    cycles_[static_cast<std::size_t>(state)] += until - counted_to_;
    counted_to_ = until;
  }

  Cycle counted_to_ = 0;
  StateCycles cycles_{};  ///< without those in which flits move
  PortState routes_as_ = PortState::routing, waits_as_ = PortState::no_vc;
  bool paused_ = false;
};

}  // namespace tsuji::router
