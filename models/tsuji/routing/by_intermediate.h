// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tsuji/routing/dimension_order.h"

namespace tsuji::routing {

/// Routing over an intermediate router on torus and mesh: dimension order to it on the lower half of the
/// virtual channels (the larger one of an odd number), then to the destination on the upper half. A packet on
/// the minimal path enters either half and stays in it. Needs two virtual channels, four with a ring of four
/// or more routers; the halves of a ring are divided by Dateline::switching, and ties go up.
class ByIntermediate : public Routing, public RouteDecisions {
 public:
  void route(const RouteQuery& query, RouteSet& candidates) const final;
  VcMask injection_vcs(End, End) const final { return all_; }
  unsigned vcs_needed() const final { return vcs_needed(cube_); }
  unsigned max_candidates() const final { return 1; }
  /// An intermediate router may send a packet back.
  RoutingPromises promises() const final {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = all.turns_back = true;
    return all;
  }
  const RouteDecisions* decisions() const final { return this; }

  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const final;
  std::vector<Possible> possible(const RouteQuery& query) const final;

 protected:
  /// `kind`: the routing's value of routing.kind.
  ByIntermediate(const std::string& kind, const graph::Topology& topology, unsigned vcs);
  ~ByIntermediate() override = default;

  /// Draws an intermediate router, uniformly, from the packet's random numbers.
  RouterId draw(const RouteQuery& query) const {
    return static_cast<RouterId>(query.random(0) % nodes_of_.size());
  }
  static Decision by(RouterId intermediate) { return static_cast<Decision>(first_router + intermediate); }
  static constexpr Decision minimal = 2;
  const CubeTables& cube() const { return cube_; }
  VcMask all_vcs() const { return all_; }
  /// First output port towards the intermediate router of the decision, or towards the destination.
  unsigned first_port(const RouteQuery& query, Decision decision) const;

 private:
  static constexpr Decision onward = 1;  ///< the packet has passed its intermediate router
  static constexpr Decision first_router = 3;

  /// Decision at a packet's first router: minimal, or by().
  virtual Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const = 0;
  /// Returns true if choose() depends on credits; otherwise it returns by() for all routers with equal
  /// probability.
  virtual bool chooses_by_credits() const = 0;

  static unsigned vcs_needed(const CubeTables& cube) { return cube.any_long_ring() ? 4 : 2; }
  static Decision at(RouterId router, Decision decision) {
    return decision == by(router) ? onward : decision;
  }
  /// Halves that a packet without an intermediate router ahead may use.
  bool takes_lower(const RouteQuery& query) const {
    return query.decision == minimal && (comes_from_node(query) || query.in_vc < lower_vcs_);
  }
  bool takes_upper(const RouteQuery& query) const { return comes_from_node(query) || !takes_lower(query); }
  bool comes_from_node(const RouteQuery& query) const { return query.in_port >= 2 * cube_.dimensions(); }

  CubeTables cube_;
  VcMask all_;
  unsigned lower_vcs_;
  std::array<DimensionOrder, 2> halves_;
  std::vector<NodeId> nodes_of_;  ///< [router]: one of its nodes
};

}  // namespace tsuji::routing
