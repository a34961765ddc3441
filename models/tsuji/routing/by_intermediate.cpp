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
  RouteQuery leg = query;
  if (query.decision >= first_router) {
    leg.destination = places_[intermediates_[query.decision - first_router]].node;
    return add_half(query, leg, 0, candidates);
  }
  if (add_first_hop(query, candidates)) return;
  if (takes_lower(query)) add_half(query, leg, 0, candidates);
  if (takes_upper(query)) add_half(query, leg, 1, candidates);
}

/// Adds the candidates of a leg in one half of the virtual channels, or those channels to candidates with the
/// same ports.
void ByIntermediate::add_half(const RouteQuery& query, const RouteQuery& of_leg, unsigned half,
                              RouteSet& candidates) const {
  const Place& here = places_[query.router];
  const unsigned first = half == 0 ? first_vcs_ : upper_begin_;
  RouteQuery leg = of_leg;
  leg.source = here.node;  // the shortest path from here: the beginning of the leg is not known
  if (begins(query) || (query.in_vc >= upper_begin_) != (half == 1)) {
    leg.in_port = here.node_port;  // the leg begins here
    leg.in_vc = 0;
  } else {
    leg.in_vc = halves_[half].classes.class_of(query.in_vc - first);
  }
  RouteSet of_classes;
  minimal_->route(leg, of_classes);
  RouteSet merged;
  for (unsigned i = 0; i < of_classes.size(); ++i) {
    const VcMask before = candidates.size() == 0 ? VcMask{0} : candidates[i].vcs;
    merged.add(of_classes[i].port, static_cast<VcMask>(before | halves_[half].vcs[of_classes[i].vcs]));
  }
  candidates = merged;
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
  return at(query.router, is_open(query) ? choose(query, outputs) : query.decision);
}

std::vector<RouteDecisions::Possible> ByIntermediate::possible(const RouteQuery& query) const {
  if (!is_open(query)) return {{at(query.router, query.decision), 1.0}};
  return choices(query);
}

std::vector<RouteDecisions::Possible> ByIntermediate::choices(const RouteQuery& query) const {
  const double share =
      chooses_by_credits() ? unknown_share : 1.0 / static_cast<double>(intermediates_.size());
  std::vector<Possible> all;
  for (const RouterId router : intermediates_) {
    // The source's own router gives no longer path than the minimal one.
    const bool direct = chooses_by_credits() && router == query.router;
    all.push_back({direct ? minimal : at(query.router, by(router)), share});
  }
  return all;
}

}  // namespace tsuji::routing
