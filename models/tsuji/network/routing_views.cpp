// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/routing_views.h"

#include <string>
#include <utility>

#include "tsuji/core/error.h"

namespace tsuji::network {

routing::RoutingView RoutingViews::of(graph::RouterId router) const {
  const auto own = exchanged_.find(router);
  return own == exchanged_.end() ? first_ : own->second.view;
}

void RoutingViews::exchange(graph::RouterId router, const routing::RoutingView& view, Cycle now) {
  check(router, view, now);
  network_.rerouting(router, now).exchange_routing(view, now);
  const auto tell = [&](End end) {
    if (traffic::FlitNode* const node = node_at_(end)) node->state().exchange_routing(*view.routing, now);
  };
  const graph::Topology& topology = network_.topology();
  for (unsigned port = 0; port < topology.ports(router); ++port) {
    const graph::Topology::Far& far = topology.far(router, port);
    if (far.kind == graph::Topology::Far::Kind::node && far.receives) tell(far.node);
  }
  tell(End::of_router(router));
  renewed_.erase(router);
  exchanged_[router] = {view, nullptr};  // the changed routes before it are read no more
}

void RoutingViews::change_route(graph::RouterId router, NodeId destination,
                                const routing::RouteCandidate& entry, Cycle now) {
  const auto own = exchanged_.find(router);
  const bool first = own == exchanged_.end() || !own->second.changed;
  const routing::RoutingView before = of(router);
  auto changed = std::make_unique<const routing::ChangedRoutes>(
      first ? routing::ChangedRoutes(*before.routing) : *own->second.changed, destination, entry);
  exchange(router, {changed.get(), before.generation + 1}, now);
  exchanged_[router].changed = std::move(changed);
}

void RoutingViews::check(graph::RouterId router, const routing::RoutingView& view, Cycle now) const {
  const auto fail = [&](const std::string& what) {
    throw ModelError("router " + std::to_string(router), now, "",
                     "a routing of generation " + std::to_string(view.generation) + " " + what);
  };
  if (view.generation <= of(router).generation && renewed_.count(router) == 0)
    fail("comes after one of generation " + std::to_string(of(router).generation));
  const VcNetworkConfig& config = network_.config();
  if (view.routing->vcs_needed() > config.vcs)
    fail("needs " + std::to_string(view.routing->vcs_needed()) + " virtual channels, and links have " +
         std::to_string(config.vcs));
  if (view.routing->promises().needs_atomic_vcs && !config.router.atomic_vcs &&
      config.router.switching == router::Switching::wormhole)
    fail("needs virtual channels that are taken only when they are empty (router.atomic_vcs)");
  if (view.routing->decisions() != nullptr && !network_.router_kind().shows_credits)
    fail(std::string("decides by credits, which a ") + network_.router_kind().name + " cannot show");
}

}  // namespace tsuji::network
