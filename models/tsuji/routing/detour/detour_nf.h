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

  void route(const RouteQuery& query, RouteSet& candidates) const override;
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
  /// Data of a router for a destination's router.
  struct Plan {
    std::uint8_t order_port = 0;  ///< next hop in dimension order
    bool clean = false;           ///< no shortest path from here needs a detour
    /// NF hops of a head that may still go to lower coordinates, and of one that may not; 0: dimension order.
    std::array<PortWord, 2> nf{};
  };

  void add_adaptive(const RouteQuery& query, RouteSet& candidates) const;
  void add_order(const RouteQuery& query, unsigned port, RouteSet& candidates) const;

  CubeTables cube_;
  graph::LivingNetwork network_;
  unsigned escapes_;
  VcMask all_, adaptive_, nf_;
  std::vector<graph::PortRef> node_;  ///< [node]: its port; router `none` for nodes that are dead or cut off
  std::vector<Plan> plans_;           ///< [destination's router * routers + router]
};

}  // namespace tsuji::routing
