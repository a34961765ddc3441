// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/routing/adaptive_threshold.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/far_routers.h"
#include "tsuji/routing/minimal_routing.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

struct UgalByPhaseConfig {
  unsigned adaptive_threshold = default_adaptive_threshold;

  void add_keys(config::KeyTable& keys) { add_adaptive_threshold(keys, adaptive_threshold); }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// UGAL on a dragonfly by the rules of BookSim2's ugal_dragonflynew. A packet to another group draws a router
/// and takes the path over it if that router lies in another group and the credits that the minimal path's
/// output lacks exceed twice those of the other output by more than a threshold. A path's hops do not count.
///
/// Its virtual channel is the number of its phase: 0 up to the intermediate router, 1 on to the last global
/// link, 2 from that link on and within the source's group. Up to three links of phase 0 follow each other
/// (local, global, local), so phase 0 has cycles of channels: the checker refutes freedom from deadlock.
class UgalByPhase final : public Routing, public RouteDecisions {
 public:
  std::string stands_for() const override {
    return "UGAL with one channel for each phase (BookSim2's ugal_dragonflynew), which may deadlock";
  }
  UgalByPhase(const graph::Topology& topology, unsigned vcs, unsigned threshold)
      : threshold_(threshold), far_(topology) {
    const auto* shape = topology.shape_as<graph::DragonflyShape>();
    if (shape == nullptr) refuse_topology("ugal_by_phase", topology, "a dragonfly");
    all_ = require_vcs("ugal_by_phase", vcs, vcs_needed());
    minimal_ = make_minimal("ugal_by_phase", topology);
    group_routers_ = shape->group_routers;
    node_of_.resize(topology.routers());
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      router_of_.push_back(topology.node(node).eject.router);
      node_of_[router_of_.back()] = node;
    }
    if (topology.routers() > most_routers)
      throw ConfigError("routing.kind", "ugal_by_phase",
                        "a packet has 16 bits for one of " + std::to_string(topology.routers()) + " routers",
                        "at most " + std::to_string(most_routers) + " routers");
  }

  void route(const RouteQuery& query, RouteSet& candidates) const override {
    const bool around = query.decision >= first_router;
    shortest(query, around ? node_of_[query.decision - first_router] : query.destination.node(), candidates);
    const VcMask vcs = vc_range(around ? 0 : query.decision, 1);
    for (unsigned i = 0; i < candidates.size(); ++i) candidates.set_vcs(i, vcs);
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return 3; }
  unsigned max_candidates() const override { return minimal_->max_candidates(); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = all.turns_back = true;
    return all;
  }
  const RouteDecisions* decisions() const override { return this; }

  /// ModelError for a packet that has made too many hops.
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const override {
    if (query.hops > most_hops)
      throw ModelError("UGAL by phase", "packet " + std::to_string(query.packet) + " has made " +
                                            std::to_string(query.hops) + " hops at " +
                                            router_name(query.router) + ", of at most " +
                                            std::to_string(most_hops));
    return phase(query, far_.comes_from_node(query) ? choose(query, outputs) : query.decision);
  }
  std::vector<Possible> possible(const RouteQuery& query) const override {
    if (!far_.comes_from_node(query)) return {{phase(query, query.decision), 1.0}};
    std::vector<Possible> all{{phase(query, before_global), unknown_share}};
    if (in_group(query.router, router_of_[query.destination.node()])) return all;
    for (RouterId middle = 0; middle < node_of_.size(); ++middle)
      if (!in_group(query.router, middle)) all.push_back({by(middle), unknown_share});
    return all;
  }

 private:
  static constexpr Decision before_global = 1, after_global = 2, first_router = 3;
  static constexpr unsigned most_routers = 0x10000U - first_router;
  static constexpr unsigned most_hops = 6;

  static Decision by(RouterId middle) { return static_cast<Decision>(first_router + middle); }
  bool in_group(RouterId one, RouterId other) const { return one / group_routers_ == other / group_routers_; }
  void shortest(const RouteQuery& query, NodeId to, RouteSet& candidates) const {
    RouteQuery leg = query;
    leg.destination = to;
    minimal_->route(leg, candidates);
  }
  /// Flits that have left for the next router on the shortest path to a node.
  unsigned queue(const RouteQuery& query, NodeId to, const OutputBuffers& outputs) const {
    RouteSet candidates;
    shortest(query, to, candidates);
    return outputs.unreturned(candidates[0].port, all_);
  }
  Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const {
    const NodeId to = query.destination.node();
    if (in_group(query.router, router_of_[to])) return before_global;
    const auto middle = static_cast<RouterId>(query.random(0) % node_of_.size());
    if (in_group(query.router, middle)) return before_global;
    const std::uint64_t direct = queue(query, to, outputs);
    const std::uint64_t around = queue(query, node_of_[middle], outputs);
    return direct <= 2 * around + threshold_ ? before_global : by(middle);
  }
  /// Decision at a router by that of the router before.
  Decision phase(const RouteQuery& query, Decision decision) const {
    if (decision >= first_router && decision != by(query.router)) return decision;
    if (decision == after_global) return after_global;
    const RouterId to = router_of_[query.destination.node()];
    if (far_.comes_from_node(query) && in_group(query.router, to)) return after_global;
    if (query.router == to) return before_global;
    RouteSet candidates;
    shortest(query, query.destination.node(), candidates);
    return in_group(query.router, far_.at(query.router, candidates[0].port)) ? before_global : after_global;
  }

  std::unique_ptr<const MinimalRouting> minimal_;
  std::uint64_t threshold_;
  VcMask all_ = 0;
  FarRouters far_;
  unsigned group_routers_ = 0;
  std::vector<NodeId> node_of_;      ///< per router: one of its nodes
  std::vector<RouterId> router_of_;  ///< per node
};

std::unique_ptr<const Routing> UgalByPhaseConfig::make(const RoutingParts& parts) const {
  return std::make_unique<UgalByPhase>(parts.topology, parts.vcs, adaptive_threshold);
}

}  // namespace

void add_ugal_by_phase(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"ugal_dragonflynew"};
  traits.turns_back = true;
  kinds.add<UgalByPhaseConfig>("ugal_by_phase", traits);
}

}  // namespace tsuji::routing
