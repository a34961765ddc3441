// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "tsuji/core/units.h"
#include "tsuji/router/input_waits.h"

namespace tsuji::network::dense {

/// Cycles of an input virtual channel by its state (router::PortState), counted when a state ends. RC and VA
/// take the same time for each head, and flits move in a cycle, so heads and flits are counted. Others have
/// the switch in the cycles that no other state has.
///
/// `moved`: cycle of the last movement, or one before the first cycle.
class alignas(64) Waits {
 public:
  Waits() : let_down_(0), down_(0) {}

  /// Cycles of RC and VA.
  struct Stages {
    Cycle rc, va;
  };
  enum class Present : std::uint8_t { idle, heads, allocates, needs_flit, needs_credit, ready };

  /// RC begins, of a packet of `flits` flits.
  void starts(Cycle moved, unsigned flits, Cycle now) {
    empty_ += now - (moved + 1);
    flits_ += flits;
  }
  /// Likewise, where prediction may let the head down.
  void starts_predicted() { down_ = 0; }
  /// Prediction has let the head down, in the cycle in which RC began.
  void let_down() {
    ++let_down_;
    down_ = 1;
  }
  /// The head is granted a virtual channel. `began`: cycle in which RC began.
  void granted(Cycle began, const Stages& stages, Cycle now) {
    no_vc_ += now - began - stages.rc;
    since_ = now + stages.va;
    ++heads_;
  }
  /// The packet holds an output, and a flit arrives at the empty buffer.
  void gets_flit(Cycle moved, Cycle now) {
    no_flit_ += now - (moved + 1);
    since_ = now;
  }
  /// The flit at the front may request the switch, and gets the credit that it lacks.
  void gets_credit(Cycle moved, Cycle now) { no_credit_ += now - std::max(moved + 1, since_); }

  /// Adds the cycles before `end` of all states but lost_switch, which has the others. `since`: cycle of the
  /// last movement or, if the packet has no output, in which RC began. `left`: flits of the packet that have
  /// not left.
  void add_to(router::StateCycles& cycles, Present present, Cycle since, unsigned left, const Stages& stages,
              Cycle end) const {
    using router::PortState;
    const auto of = [&cycles](PortState state) -> std::uint64_t& {
      return cycles[static_cast<std::size_t>(state)];
    };
    of(PortState::empty) += empty_;
    of(PortState::no_flit) += no_flit_;
    of(PortState::routing) += heads_ * stages.rc;
    of(PortState::no_vc) += no_vc_;
    of(PortState::allocation) += heads_ * stages.va;
    of(PortState::no_credit) += no_credit_;
    of(PortState::moves) += flits_ - left;
    const Cycle routed = std::min(since + stages.rc, end);
    switch (present) {
      case Present::idle:
        of(PortState::empty) += end - (since + 1);
        break;
      case Present::heads:
        of(PortState::routing) += routed - since;
        of(PortState::no_vc) += end - routed;
        break;
      case Present::needs_flit:
        of(PortState::no_flit) += end - (since + 1);
        break;
      case Present::needs_credit:
        if (since_ < end) of(PortState::no_credit) += end - std::max(since + 1, since_);
        [[fallthrough]];
      case Present::allocates:
      case Present::ready:
        if (since_ > end) of(PortState::allocation) -= since_ - end;
        break;
    }
    if (let_down_ == 0) return;
    std::uint64_t mispredicted = let_down_ * stages.rc;
    if (present == Present::heads && down_ != 0) mispredicted -= since + stages.rc - routed;
    of(PortState::routing) -= mispredicted;
    of(PortState::mispredicted) += mispredicted;
  }

 private:
  /// Cycle from which the head may request the switch, or in which a flit arrived at the empty buffer.
  Cycle since_ = 0;
  std::uint64_t empty_ = 0, no_flit_ = 0, no_credit_ = 0, no_vc_ = 0;
  std::uint64_t heads_ = 0;  ///< heads that were granted a virtual channel
  std::uint64_t flits_ = 0;  ///< of all packets whose RC has begun
  /// Heads that prediction has let down; `down_`: the last one is one of them.
  std::uint64_t let_down_ : 63, down_ : 1;
};
static_assert(sizeof(Waits) == 64);

}  // namespace tsuji::network::dense
