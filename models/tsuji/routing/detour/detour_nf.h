// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tsuji/graph/living_network.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/detour/detour_tables.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Detour-NF on torus and mesh (Yoshinaga 2004, 4.2; rooms/routing.md, Where the paper is silent, 10):
/// Duato's protocol with one additional virtual channel for negative-first (NF) hops, which lead escape
/// channels around faults. Virtual channels are those of Duato's protocol, escape first, then the NF channel;
/// wrap-around links have no NF channel.
///   rank 0  all shortest paths by coordinates over living links, on adaptive channels. A head that came
///           by an escape or NF channel gets them only if no shortest path ahead ever needs a detour.
///   rank 1  the shortest of: dimension order over living links, in either direction of each ring, on escape
///           channels; NF hops to a router from where dimension order is possible.
/// A head on escape channels remains in dimension order, so dependencies go from NF to escape channels only,
/// and their union has no cycle. Without faults this is Duato's protocol.
class DetourNf final : public Routing {
 public:
  std::string stands_for() const override { return "Detour-NF (Yoshinaga 2004, section 4.2)"; }
  /// ConfigError: a fault set with a pair of living routers without such a path (faults.links or
  /// faults.routers, with the pair); those of LivingNetwork; no cube; more than 4,096 routers.
  DetourNf(const graph::Topology& topology, unsigned vcs, const graph::FaultSet& faults);

  /// Data of a router for a destination's router.
  struct Plan {
    std::uint8_t order_port = 0;  ///< next hop in dimension order
    bool clean = false;           ///< no shortest path from here needs a detour
    /// NF hops of a head that may still go to lower coordinates, and of one that may not; 0: dimension order.
    std::array<PortWord, 2> nf{};
  };

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  /// route() with the plan of another router, whose working links are those with lives(port).
  template <class Lives>
  void route_by(const RouteQuery& query, const Plan& plan, const Lives& lives, RouteSet& candidates) const;
  /// Plan of a router for a node that is neither dead nor cut off; null: it is one of these.
  const Plan* plan(RouterId router, NodeId destination) const {
    const RouterId to = node_[destination].router;
    return to == graph::none ? nullptr : &plans_[std::size_t{to} * network_.routers() + router];
  }
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return escapes_ + 2; }
  unsigned max_candidates() const override { return 4 * cube_.dimensions(); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = all.needs_atomic_vcs = true;
    all.turns_back = !network_.faults().empty();
    return all;
  }

  const graph::LivingNetwork& network() const { return network_; }

 private:
  class Planner;
  template <class Lives>
  void add_adaptive(const RouteQuery& query, const Lives& lives, RouteSet& candidates) const;
  void add_order(const RouteQuery& query, unsigned port, RouteSet& candidates) const;

  CubeTables cube_;
  graph::LivingNetwork network_;
  unsigned escapes_;
  VcMask all_, adaptive_, nf_;
  std::vector<graph::PortRef> node_;  ///< [node]: its port; router `none` for nodes that are dead or cut off
  std::vector<Plan> plans_;           ///< [destination's router * routers + router]
};

template <class Lives>
void DetourNf::add_adaptive(const RouteQuery& query, const Lives& lives, RouteSet& candidates) const {
  const std::uint16_t* here = cube_.router(query.router);
  const std::uint16_t* to = cube_.node(query.destination.node());
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (here[d] == to[d]) continue;
    const CubeTables::Directions shortest = cube_.directions(d, here[d], to[d]);
    if (shortest.up && lives(CubeShape::up_port(d))) candidates.add(CubeShape::up_port(d), adaptive_);
    if (shortest.down && lives(CubeShape::down_port(d))) candidates.add(CubeShape::down_port(d), adaptive_);
  }
}

template <class Lives>
void DetourNf::route_by(const RouteQuery& query, const Plan& plan, const Lives& lives,
                        RouteSet& candidates) const {
  candidates.clear();
  const graph::PortRef to = node_[query.destination.node()];
  if (to.router == query.router) return candidates.add(to.port, all_);
  const bool from_router = query.in_port < 2 * cube_.dimensions();
  const bool on_order = from_router && query.in_vc < escapes_;
  const bool on_nf = from_router && (nf_ >> query.in_vc & 1) != 0;
  if (plan.clean || (!on_order && !on_nf)) add_adaptive(query, lives, candidates);
  const bool went_up = on_nf && query.in_port % 2 != 0;  // came from a lower coordinate
  unsigned word = on_order ? 0 : plan.nf[went_up ? 1 : 0];
  if (word == 0) return add_order(query, plan.order_port, candidates);
  for (; word != 0; word &= word - 1) candidates.add(static_cast<unsigned>(__builtin_ctz(word)), nf_, 1);
}

}  // namespace tsuji::routing
