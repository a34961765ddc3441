// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/units.h"

namespace tsuji::network {

class NetworkSupervisor;

/// Observer of links that fail and return, for a mechanism outside the routers that depends on them.
///
/// Contract: attach() once before the simulation starts; all functions with `now` are called between cycle
/// `now` and the next one.
class FaultObserver {
 public:
  virtual ~FaultObserver() = default;
  /// Passes the supervisor, which outlives the observer's last call.
  virtual void attach(NetworkSupervisor& supervisor) = 0;
  /// Reports that a link has failed or returned; flits on a failed link will be purged.
  virtual void link_changed(std::uint32_t link, bool lives, Cycle now) = 0;
  /// Called after a cycle passed to NetworkSupervisor::observe_after(), and after the events of that cycle.
  virtual void between_cycles(Cycle now) = 0;
  /// Latest cycle in which the observer acts on its own; 0: none. The watchdog reports no standstill before
  /// that cycle.
  virtual Cycle last_event() const = 0;
};

}  // namespace tsuji::network
