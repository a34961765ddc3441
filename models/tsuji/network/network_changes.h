// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clocked_run.h"
#include "tsuji/network/network_modules.h"

namespace tsuji::network {

/// Changes a LoadedNetwork's routes during a run.
///
/// Contract: change_route() and exchange_routing() between two calls of run_to(), after the first one;
/// exchange_between_cycles() and restart_routing() by a FaultReaction, between cycle `now` and the next
/// one. The routers must be able to route heads again and to purge packets (ModelError otherwise).
class NetworkChanges {
 public:
  /// `run` simulates the cycles and provides the present cycle.
  NetworkChanges(NetworkModules& modules, const ClockedRun& run) : modules_(modules), run_(run) {}

  /// Routes packets for `destination` to another port in one switch, from every input, from the next cycle
  /// on. Heads without an output request their routes again. Look-up hardware empties its caches and repeats
  /// the look-up of heads that hold an output and have not begun to leave.
  void change_route(graph::RouterId router, NodeId destination, lookup::RouteEntry entry);
  /// Lets a router and the nodes that inject there use another routing from the next cycle on
  /// (RoutingViews::exchange). The routing must outlive the network. Not allowed with look-up hardware.
  /// Modules no longer run ahead afterwards, since no routing guarantees routes for heads that another
  /// routing has directed.
  void exchange_routing(graph::RouterId router, const routing::RoutingView& view);
  /// Exchanges the routing of a router on behalf of a FaultReaction.
  void exchange_between_cycles(graph::RouterId router, const routing::RoutingView& view, Cycle now) {
    modules_.views->exchange(router, view, now);
  }
  /// Forgets the former routings of a router that returns (RoutingViews::restart), on behalf of a
  /// FaultReaction.
  void restart_routing(graph::RouterId router) { modules_.views->restart(router); }
  /// The routing that a router and its nodes use. Changes of look-up hardware are not included.
  routing::RoutingView routing_view(graph::RouterId router) const { return modules_.views->of(router); }

 private:
  Cycle begin_route_change();

  NetworkModules& modules_;
  const ClockedRun& run_;
};

}  // namespace tsuji::network
