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
///
/// Progressive (Jiang 2009), on a dragonfly: a packet that leaves its source's router on the minimal path to
/// another group over a local link takes a first class of channels there, and is decided upon again at the
/// next router, from which its path over an intermediate router begins. Needs one virtual channel more, and a
/// packet may make one hop more.
class ByIntermediate : public Routing, public RouteDecisions {
 public:
  void route(const RouteQuery& query, RouteSet& candidates) const final;
  VcMask injection_vcs(End, End) const final { return all_; }
  unsigned vcs_needed() const final { return needed(*minimal_, options_); }
  unsigned max_candidates() const final { return minimal_->max_candidates(); }
  /// An intermediate router may send a packet back, unless it is on a minimal path.
  RoutingPromises promises() const final {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    all.turns_back = !options_.minimal_paths;
    return all;
  }
  const RouteDecisions* decisions() const final { return this; }

  bool reads_waiting() const final { return chooses_by_credits(); }
  /// ModelError for a packet that has made too many hops.
  Decision decide(const RouteQuery& query, const OutputBuffers& outputs) const final;
  std::vector<Possible> possible(const RouteQuery& query) const final;

 protected:
  struct Options {
    bool minimal_in_upper = false;  ///< packets on the minimal path enter the upper half only
    bool progressive = false;       ///< they are decided upon again after a first local hop
    bool minimal_paths = false;     ///< intermediate routers lie on minimal paths
    bool early_exit = false;        ///< a packet at its destination's router needs no intermediate one
  };
  /// `kind`: the routing's value of routing.kind.
  ByIntermediate(const std::string& kind, const graph::Topology& topology, unsigned vcs, Options options);
  ~ByIntermediate() override = default;

  /// Draws an intermediate router, uniformly, from the packet's random numbers: another one for a second
  /// decision.
  RouterId draw(const RouteQuery& query) const {
    return intermediates_[query.random(comes_from_node(query) ? 0 : 1) % intermediates_.size()];
  }
  Decision by(RouterId intermediate) const {
    return static_cast<Decision>(first_router + places_[intermediate].number);
  }
  static constexpr Decision minimal = 2;
  /// Decision for a packet at a router by choose()'s result.
  Decision at(RouterId router, Decision decision) const { return decision == by(router) ? onward : decision; }
  Decision at(const RouteQuery& query, Decision decision) const {
    const bool exits = options_.early_exit && router_of(query.destination.node()) == query.router;
    return exits ? onward : at(query.router, decision);
  }
  unsigned hops(RouterId from, RouterId to) const { return minimal_->hops(from, to); }
  RouterId router_of(NodeId node) const { return routers_of_[node]; }
  /// Candidates at a packet's first router after a decision.
  RouteSet first_candidates(const RouteQuery& query, Decision decision) const;
  VcMask all_vcs() const { return all_; }

 private:
  static constexpr Decision onward = 1;  ///< the packet has passed its intermediate router
  static constexpr Decision first_router = 3;

  /// Other end of a port; `other_group`: a router of another group, if progressive.
  enum class PortKind : std::uint8_t { node, router, other_group };
  static constexpr unsigned lower = 1, upper = 2;  ///< Halves of the virtual channels, as bits of a mask.
  /// A half of the virtual channels.
  struct Half {
    VcClasses classes;
    std::vector<VcMask> vcs;  ///< per mask of classes
  };
  struct Place {
    NodeId node;               ///< one of the router's nodes
    std::uint32_t node_port;   ///< port of that node
    std::uint32_t number;      ///< number among the intermediate routers; graph::none: it has no nodes
    std::uint32_t first_port;  ///< first element of port_kinds_
  };

  /// Decision at the router where a packet's path over an intermediate router would begin: minimal, or by().
  virtual Decision choose(const RouteQuery& query, const OutputBuffers& outputs) const = 0;
  /// Returns true if choose() depends on credits.
  virtual bool chooses_by_credits() const = 0;
  /// Returns true for routers that choose() may draw.
  virtual bool may_draw(const RouteQuery&, RouterId) const { return true; }
  /// All results of at() after choose(): unless overridden by() for all routers that it may draw, with equal
  /// shares if choose() does not depend on credits, else also `minimal`.
  virtual std::vector<Possible> choices(const RouteQuery& query) const;

  static unsigned needed(const MinimalRouting& halves, const Options& options) {
    return 2 * halves.vcs_needed() + (options.progressive ? 1 : 0);
  }
  Half make_half(unsigned first, unsigned vcs) const;
  bool add_first_hop(const RouteQuery& query, RouteSet& candidates) const;
  /// Returns true for a head that has made its first hop on the first class of channels.
  bool has_hopped(const RouteQuery& query) const {
    return query.in_vc < first_vcs_ && !comes_from_node(query);
  }
  /// Returns true if choose() decides here.
  bool is_open(const RouteQuery& query) const {
    return query.decision == 0 || (query.decision == minimal && has_hopped(query));
  }
  /// Returns true if a path over an intermediate router would begin here.
  bool begins(const RouteQuery& query) const { return comes_from_node(query) || has_hopped(query); }
  void route_leg(RouteQuery& leg, unsigned halves, RouteSet& candidates) const;
  /// Halves that a packet without an intermediate router ahead may use.
  bool takes_lower(const RouteQuery& query) const {
    if (query.decision != minimal) return false;
    return begins(query) ? !options_.minimal_in_upper : query.in_vc < upper_begin_;
  }
  /// Mask of `lower` and `upper`.
  unsigned halves_of(const RouteQuery& query) const {
    const bool low = takes_lower(query);
    return (low ? lower : 0U) | (begins(query) || !low ? upper : 0U);
  }
  PortKind port_kind(RouterId router, unsigned port) const {
    return port_kinds_[places_[router].first_port + port];
  }
  bool comes_from_node(const RouteQuery& query) const {
    return port_kind(query.router, query.in_port) == PortKind::node;
  }

  Options options_;
  std::unique_ptr<const MinimalRouting> minimal_;
  VcMask all_;
  unsigned first_vcs_;  ///< virtual channels of the first hop, before those of the halves; 0: not progressive
  unsigned upper_begin_;  ///< first virtual channel of the upper half
  unsigned most_hops_;
  std::array<Half, 2> halves_;
  std::array<std::vector<VcMask>, 4> vcs_of_;  ///< per mask of halves, per mask of classes
  std::vector<std::uint32_t> groups_;          ///< per router, if progressive
  std::vector<Place> places_;                  ///< per router
  std::vector<RouterId> intermediates_;        ///< routers with nodes
  std::vector<RouterId> routers_of_;           ///< per node
  std::vector<PortKind> port_kinds_;           ///< per port
};

}  // namespace tsuji::routing
