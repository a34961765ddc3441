// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/routing/minimal_routing.h"
#include "tsuji/routing/vc_classes.h"

namespace tsuji::routing {

/// Routing over an intermediate router with nodes: make_minimal()'s path to it on the lower half of the
/// virtual channels (the larger one of an odd number), then to the destination on the upper half. A packet on
/// the minimal path enters either half, or the upper one alone, and stays in it. Needs twice the virtual
/// channels of the minimal routing: two on mesh, HyperX and dragonfly+, four on dragonfly, Slim Fly, PolarFly
/// and a torus with a ring of four or more routers. No packet makes more than twice the hops of the longest
/// minimal path; decide() checks that.
class ByIntermediate : public Routing, public RouteDecisions {
 public:
  void route(const RouteQuery& query, RouteSet& candidates) const final;
  VcMask injection_vcs(End, End) const final { return all_; }
  unsigned vcs_needed() const final { return 2 * minimal_->vcs_needed(); }
  unsigned max_candidates() const final { return minimal_->max_candidates(); }
  /// An intermediate router may send a packet back.
  RoutingPromises promises() const final {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = all.turns_back = true;
    return all;
  }
  const RouteDecisions* decisions() const final { return this; }

  /// ModelError for a packet that has made too many hops.
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const final;
  std::vector<Possible> possible(const RouteQuery& query) const final;

 protected:
  /// `kind`: the routing's value of routing.kind. `minimal_in_upper`: packets on the minimal path enter the
  /// upper half only.
  ByIntermediate(const std::string& kind, const graph::Topology& topology, unsigned vcs,
                 bool minimal_in_upper = false);
  ~ByIntermediate() override = default;

  /// Draws an intermediate router, uniformly, from the packet's random numbers.
  RouterId draw(const RouteQuery& query) const {
    return intermediates_[query.random(0) % intermediates_.size()];
  }
  Decision by(RouterId intermediate) const {
    return static_cast<Decision>(first_router + places_[intermediate].number);
  }
  static constexpr Decision minimal = 2;
  unsigned hops(RouterId from, RouterId to) const { return minimal_->hops(from, to); }
  RouterId router_of(NodeId node) const { return routers_of_[node]; }
  /// Candidates at a packet's first router after a decision.
  RouteSet first_candidates(const RouteQuery& query, Decision decision) const;
  VcMask all_vcs() const { return all_; }

 private:
  static constexpr Decision onward = 1;  ///< the packet has passed its intermediate router
  static constexpr Decision first_router = 3;

  /// A half of the virtual channels.
  struct Half {
    VcClasses classes;
    std::vector<VcMask> vcs;  ///< per mask of classes
  };
  struct Place {
    NodeId node;               ///< one of the router's nodes
    std::uint32_t node_port;   ///< port of that node
    std::uint32_t number;      ///< number among the intermediate routers; graph::none: it has no nodes
    std::uint32_t first_port;  ///< first element of from_node_
  };

  /// Decision at a packet's first router: minimal, or by().
  virtual Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const = 0;
  /// Returns true if choose() depends on credits; otherwise it returns by() for all routers with equal
  /// probability.
  virtual bool chooses_by_credits() const = 0;

  Half make_half(unsigned first, unsigned vcs) const;
  void add_half(const RouteQuery& query, const RouteQuery& leg, unsigned half, RouteSet& candidates) const;
  Decision at(RouterId router, Decision decision) const { return decision == by(router) ? onward : decision; }
  /// Halves that a packet without an intermediate router ahead may use.
  bool takes_lower(const RouteQuery& query) const {
    if (query.decision != minimal) return false;
    return comes_from_node(query) ? !minimal_in_upper_ : query.in_vc < lower_vcs_;
  }
  bool takes_upper(const RouteQuery& query) const { return comes_from_node(query) || !takes_lower(query); }
  bool comes_from_node(const RouteQuery& query) const {
    return from_node_[places_[query.router].first_port + query.in_port] != 0;
  }

  std::unique_ptr<const MinimalRouting> minimal_;
  VcMask all_;
  bool minimal_in_upper_;
  unsigned lower_vcs_, most_hops_;
  std::array<Half, 2> halves_;
  std::vector<Place> places_;            ///< per router
  std::vector<RouterId> intermediates_;  ///< routers with nodes
  std::vector<RouterId> routers_of_;     ///< per node
  std::vector<std::uint8_t> from_node_;  ///< per port: it does not lead to a router
};

}  // namespace tsuji::routing
