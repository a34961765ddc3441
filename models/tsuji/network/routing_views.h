// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "tsuji/network/vc_network.h"
#include "tsuji/routing/checkers/changed_routes.h"
#include "tsuji/routing/routing_view.h"
#include "tsuji/traffic/flit_node.h"

namespace tsuji::network {

/// The routings that the routers of a network and their nodes use: initially one for all, exchanged between
/// two cycles for individual routers.
class RoutingViews {
 public:
  /// Returns the node that injects packets at an end; null: none.
  using NodeAt = std::function<traffic::FlitNode*(End)>;
  /// Network and routing must outlive this object.
  RoutingViews(VcNetwork& network, NodeAt node_at, const routing::Routing& first)
      : network_(network), node_at_(std::move(node_at)), first_{&first, 0} {}

  routing::RoutingView of(graph::RouterId router) const;
  /// Between cycle `now` and the next one, lets a router, the nodes that inject there, and the node at its
  /// control port use `view`. Heads of the router without an output request their route from it, as does a
  /// packet that has not begun to leave its node; all other packets are unaffected. Throws ModelError if the
  /// network lacks what the routing needs, or if its generation is not newer.
  void exchange(graph::RouterId router, const routing::RoutingView& view, Cycle now);
  /// Forgets the former routings of a router that returns: its next one may have any generation.
  void restart(graph::RouterId router) { renewed_.insert(router); }
  /// Exchanges the routing of a router for one in which a single entry of its table is changed.
  void change_route(graph::RouterId router, NodeId destination, const routing::RouteCandidate& entry,
                    Cycle now);

 private:
  void check(graph::RouterId router, const routing::RoutingView& view, Cycle now) const;

  VcNetwork& network_;
  const NodeAt node_at_;
  const routing::RoutingView first_;
  struct Own {
    routing::RoutingView view;
    std::unique_ptr<const routing::ChangedRoutes> changed;  ///< Null while no entry has been changed.
  };
  std::map<graph::RouterId, Own> exchanged_;
  std::set<graph::RouterId> renewed_;  ///< Routers that have returned and have no new routing yet.
};

}  // namespace tsuji::network
