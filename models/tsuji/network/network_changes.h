// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clocked_run.h"
#include "tsuji/network/network_modules.h"

namespace tsuji::network {

/// Changes of a LoadedNetwork's routes in the middle of a run.
class NetworkChanges {
 public:
  /// `run`: whose cycles are simulated.
  NetworkChanges(NetworkModules& modules, const ClockedRun& run) : modules_(modules), run_(run) {}

  /// Between two calls of run_to(): one switch routes packets for `destination` to another port from the next
  /// cycle on, from every input. Its heads without an output request their routes again; look-up hardware
  /// empties its caches, and repeats the look-up of heads that hold an output and have not begun to leave.
  void change_route(graph::RouterId router, NodeId destination, lookup::RouteEntry entry);
  /// Between two calls of run_to(), after the first: a router and the nodes that inject there read another
  /// routing from the next cycle on (RoutingViews::exchange), which outlives the network. Not with look-up
  /// hardware. Nothing runs ahead any more: no routing promises anything for heads that another one has led.
  void exchange_routing(graph::RouterId router, const routing::RoutingView& view);
  /// Between two cycles, of which `now` is the first, for a FaultReaction.
  void exchange_between_cycles(graph::RouterId router, const routing::RoutingView& view, Cycle now) {
    modules_.views->exchange(router, view, now);
  }
  /// RoutingViews::begin_anew, for a FaultReaction.
  void begin_routing_anew(graph::RouterId router) { modules_.views->begin_anew(router); }
  /// The routing that a router and its nodes read; look-up hardware has its own changes beside it.
  routing::RoutingView routing_view(graph::RouterId router) const { return modules_.views->of(router); }

 private:
  Cycle begin_route_change();

  NetworkModules& modules_;
  const ClockedRun& run_;
};

}  // namespace tsuji::network
