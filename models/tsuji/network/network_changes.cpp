// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/network/loaded_network.h"

// Changes of a network's routes in the middle of a run.

namespace tsuji::network {

/// Returns the last cycle that has been simulated.
Cycle LoadedNetwork::begin_route_change() {
  const router::RouterKind& kind = network_->router_kind();
  if (!kind.routes_again || !kind.purges)
    throw ModelError("network", now(), "", std::string("a ") + kind.name + " cannot route heads again");
  if (network_->has_pins()) throw ModelError("network", now(), "", "no packet is purged across pins");
  if (!sc_core::sc_start_of_simulation_invoked())
    throw ModelError("network", now(), "", "routes change after the first call of run_to()");
  // The routing promised nothing for ways that are not its own.
  supervisor_->expect_heads_without_route();
  lookahead_ = 1;
  domain_->run_groups(lookahead_);
  return now() == 0 ? 0 : now() - 1;
}

void LoadedNetwork::change_route(graph::RouterId router, NodeId destination, lookup::RouteEntry entry) {
  const Cycle last = begin_route_change();
  if (!lookup_) return views_->change_route(router, destination, {entry.port, entry.vcs, 0}, last);
  lookup_->at(router).change_route(last, destination, entry);
  network_->rerouting(router, last).route_all_again(last);
}

void LoadedNetwork::exchange_routing(graph::RouterId router, const routing::RoutingView& view) {
  views_->exchange(router, view, begin_route_change());
}

}  // namespace tsuji::network
