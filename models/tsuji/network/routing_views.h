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

/// The routings that the routers of a network and their nodes read: one at first, exchanged between two
/// cycles for a router at a time.
class RoutingViews {
 public:
  /// The one that sends packets into a network as this end; null: nobody.
  using NodeAt = std::function<traffic::FlitNode*(End)>;
  /// Network and routing outlive it.
  RoutingViews(VcNetwork& network, NodeAt node_at, const routing::Routing& first)
      : network_(network), node_at_(std::move(node_at)), first_{&first, 0} {}

  routing::RoutingView of(graph::RouterId router) const;
  /// Between cycle `now` and the next one: the router, the nodes that inject there, and what stands behind
  /// its control port read `view`. Heads of the router without an output ask it, and so does a packet that
  /// has not begun to leave its node; all others stay as they are. ModelError where the network has not what
  /// the routing needs, or the generation is no newer one.
  void exchange(graph::RouterId router, const routing::RoutingView& view, Cycle now);
  /// A router that returns to life knows nothing of its former routings: its next one may be of any
  /// generation.
  void begin_anew(graph::RouterId router) { renewed_.insert(router); }
  /// The same with one entry of the router's own table changed.
  void change_route(graph::RouterId router, NodeId destination, const routing::RouteCandidate& entry,
                    Cycle now);

 private:
  void check(graph::RouterId router, const routing::RoutingView& view, Cycle now) const;

  VcNetwork& network_;
  const NodeAt node_at_;
  const routing::RoutingView first_;
  struct Own {
    routing::RoutingView view;
    std::unique_ptr<const routing::ChangedRoutes> changed;  ///< null: no entries were changed
  };
  std::map<graph::RouterId, Own> exchanged_;
  std::set<graph::RouterId> renewed_;  ///< until their next routing
};

}  // namespace tsuji::network
