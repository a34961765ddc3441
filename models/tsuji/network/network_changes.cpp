// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_changes.h"

#include "tsuji/core/error.h"

namespace tsuji::network {

/// Returns the last cycle that has been simulated.
Cycle NetworkChanges::begin_route_change() {
  const router::RouterKind& kind = modules_.network->router_kind();
  if (!kind.routes_again || !kind.purges)
    throw ModelError("network", run_.now(), "", std::string("a ") + kind.name + " cannot route heads again");
  if (modules_.network->has_pins())
    throw ModelError("network", run_.now(), "", "packets cannot be purged across pins");
  if (!sc_core::sc_start_of_simulation_invoked())
    throw ModelError("network", run_.now(), "", "routes change after the first call of run_to()");
  // The routing promised nothing for routes that are not its own.
  modules_.supervisor->expect_heads_without_route();
  modules_.lookahead = 1;
  modules_.domain->run_groups(modules_.lookahead);
  return run_.now() == 0 ? 0 : run_.now() - 1;
}

void NetworkChanges::change_route(graph::RouterId router, NodeId destination, lookup::RouteEntry entry) {
  const Cycle last = begin_route_change();
  if (!modules_.lookup)
    return modules_.views->change_route(router, destination, {entry.port, entry.vcs, 0}, last);
  modules_.lookup->at(router).change_route(last, destination, entry);
  modules_.network->rerouting(router, last).route_all_again(last);
}

void NetworkChanges::exchange_routing(graph::RouterId router, const routing::RoutingView& view) {
  modules_.views->exchange(router, view, begin_route_change());
}

}  // namespace tsuji::network
