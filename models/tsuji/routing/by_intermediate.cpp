// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/by_intermediate.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {

using graph::Topology;

ByIntermediate::ByIntermediate(const std::string& kind, const Topology& topology, unsigned vcs,
                               Options options)
    : options_(options),
      minimal_(make_minimal(kind, topology)),
      all_(require_vcs(kind, vcs, needed(*minimal_, options))),
      first_vcs_(options.progressive ? vcs / needed(*minimal_, options) : 0),
      upper_begin_(vcs - (vcs - first_vcs_) / 2),
      most_hops_((options.minimal_paths ? 1 : 2) * minimal_->longest() + (options.progressive ? 1 : 0)),
      halves_{make_half(first_vcs_, upper_begin_ - first_vcs_), make_half(upper_begin_, vcs - upper_begin_)} {
  if (options.progressive) {
    const auto* dragonfly = topology.shape_as<graph::DragonflyShape>();
    if (dragonfly == nullptr) refuse_topology(kind, topology, "a dragonfly");
    for (RouterId router = 0; router < topology.routers(); ++router)
      groups_.push_back(router / dragonfly->group_routers);
  }
  for (unsigned mask = 0; mask < 1U << minimal_->vcs_needed(); ++mask) {
    const VcMask low = halves_[0].vcs[mask], high = halves_[1].vcs[mask];
    vcs_of_[lower].push_back(low);
    vcs_of_[upper].push_back(high);
    vcs_of_[lower | upper].push_back(static_cast<VcMask>(low | high));
  }
  constexpr unsigned most_routers = 0x10000U - first_router;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    places_.push_back({0, 0, graph::none, static_cast<std::uint32_t>(port_kinds_.size())});
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const Topology::Far& far = topology.far(router, port);
      const bool leaves = options.progressive && far.kind == Topology::Far::Kind::router &&
                          groups_[far.at.router] != groups_[router];
      port_kinds_.push_back(far.kind != Topology::Far::Kind::router ? PortKind::node
                            : leaves                                ? PortKind::other_group
                                                                    : PortKind::router);
    }
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const graph::PortRef at = topology.node(node).eject;
    routers_of_.push_back(at.router);
    Place& place = places_[at.router];
    place.node = node;
    place.node_port = topology.node(node).inject.port;
  }
  std::vector<RouterId> with_nodes = routers_of_;
  std::sort(with_nodes.begin(), with_nodes.end());
  for (const RouterId router : with_nodes) {
    if (!intermediates_.empty() && intermediates_.back() == router) continue;
    places_[router].number = static_cast<std::uint32_t>(intermediates_.size());
    intermediates_.push_back(router);
  }
  if (intermediates_.size() > most_routers)
    throw ConfigError(
        "routing.kind", kind,
        "a packet has 16 bits for one of " + std::to_string(intermediates_.size()) + " intermediate routers",
        "at most " + std::to_string(most_routers) + " routers");
}

ByIntermediate::Half ByIntermediate::make_half(unsigned first, unsigned vcs) const {
  const unsigned classes = minimal_->vcs_needed();
  Half half{VcClasses(vcs, classes, first), {}};
  for (unsigned mask = 0; mask < 1U << classes; ++mask)
    half.vcs.push_back(half.classes.of_mask(static_cast<VcMask>(mask)));
  return half;
}

void ByIntermediate::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  if (query.decision >= first_router) {
    RouteQuery leg = query;
    leg.destination = places_[intermediates_[query.decision - first_router]].node;
    return route_leg(leg, lower, candidates);
  }
  if (add_first_hop(query, candidates)) return;
  RouteQuery leg = query;
  route_leg(leg, halves_of(query), candidates);
}

/// Sets the candidates of a leg in some halves of the virtual channels; both: the leg begins here. `leg` is
/// the packet's query with the end of the leg as its destination.
void ByIntermediate::route_leg(RouteQuery& leg, unsigned halves, RouteSet& candidates) const {
  const Place& here = places_[leg.router];
  const bool is_lower = (halves & lower) != 0;
  if (begins(leg) || (leg.in_vc < upper_begin_) != is_lower) {
    leg.in_port = here.node_port;
    leg.in_vc = 0;
  } else {
    leg.in_vc =
        halves_[is_lower ? 0 : 1].classes.class_of(leg.in_vc - (is_lower ? first_vcs_ : upper_begin_));
  }
  leg.source = here.node;  // the shortest path from here: the beginning of the leg is not known
  minimal_->route(leg, candidates);
  const std::vector<VcMask>& vcs = vcs_of_[halves];
  for (unsigned i = 0; i < candidates.size(); ++i) candidates.set_vcs(i, vcs[candidates[i].vcs]);
}

/// Adds the candidates of a minimal path's first hop on the first class of channels, if that hop is local and
/// leads to another group.
bool ByIntermediate::add_first_hop(const RouteQuery& query, RouteSet& candidates) const {
  if (first_vcs_ == 0 || query.decision != minimal || !comes_from_node(query)) return false;
  if (groups_[routers_of_[query.destination.node()]] == groups_[query.router]) return false;
  RouteSet of_classes;
  minimal_->route(query, of_classes);
  if (port_kind(query.router, of_classes[0].port) == PortKind::other_group) return false;
  for (const RouteCandidate& one : of_classes) candidates.add(one.port, vc_range(0, first_vcs_));
  return true;
}

RouteSet ByIntermediate::first_candidates(const RouteQuery& query, Decision decision) const {
  RouteQuery decided = query;
  decided.decision = at(query.router, decision);
  RouteSet candidates;
  route(decided, candidates);
  return candidates;
}

Decision ByIntermediate::decide(const RouteQuery& query, const OutputBuffers& outputs) const {
  if (query.hops > most_hops_)
    throw ModelError("routing by an intermediate router", "packet " + std::to_string(query.packet) +
                                                              " has made " + std::to_string(query.hops) +
                                                              " hops at " + router_name(query.router) +
                                                              ", of at most " + std::to_string(most_hops_));
  return at(query, is_open(query) ? choose(query, outputs) : query.decision);
}

std::vector<RouteDecisions::Possible> ByIntermediate::possible(const RouteQuery& query) const {
  if (!is_open(query)) return {{at(query, query.decision), 1.0}};
  return choices(query);
}

std::vector<RouteDecisions::Possible> ByIntermediate::choices(const RouteQuery& query) const {
  const double share =
      chooses_by_credits() ? unknown_share : 1.0 / static_cast<double>(intermediates_.size());
  std::vector<Possible> all;
  for (const RouterId router : intermediates_) {
    if (!may_draw(query, router)) continue;
    // The source's own router gives no longer path than the minimal one.
    const bool direct = chooses_by_credits() && router == query.router;
    all.push_back({direct ? minimal : at(query, by(router)), share});
  }
  return all;
}

}  // namespace tsuji::routing
