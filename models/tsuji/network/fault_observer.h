// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::network {

class NetworkSupervisor;

/// Observer of links that die and return, for a mechanism beside the routers that depends on them. Functions
/// with `now` are called between two cycles, of which `now` is the first.
class FaultObserver {
 public:
  virtual ~FaultObserver() = default;
  /// Before the simulation starts; the supervisor outlives the observer's last call.
  virtual void attach(NetworkSupervisor& supervisor) = 0;
  /// The link has died or returned, and flits on its wires are doomed.
  virtual void link_changed(std::uint32_t link, bool lives, Cycle now) = 0;
  /// After a cycle named to NetworkSupervisor::observe_after(), and its events.
  virtual void between_cycles(Cycle now) = 0;
  /// The latest cycle in which the observer has something to do by itself; 0: none. Nothing stands still
  /// before that.
  virtual Cycle last_event() const = 0;
};

}  // namespace tsuji::network
