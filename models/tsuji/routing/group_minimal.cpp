// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/group_minimal.h"

#include <algorithm>

#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/dragonfly_plus.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {

using graph::Topology;

GroupMinimal::GroupMinimal(const std::string& kind, const Topology& topology, std::optional<unsigned> vcs,
                           Vcs sharing)
    : by_phase_(sharing == Vcs::by_phase) {
  const auto* plus = topology.shape_as<graph::DragonflyPlusShape>();
  const auto* plain = topology.shape_as<graph::DragonflyShape>();
  if (plus == nullptr && plain == nullptr) refuse_topology(kind, topology, "a dragonfly or dragonfly+");
  up_down_ = plus != nullptr;
  groups_ = up_down_ ? plus->groups : plain->groups;
  leaves_ = up_down_ ? plus->leaves : plain->group_routers;
  spines_ = up_down_ ? plus->spines : 0;
  first_local_ = up_down_ ? 0 : plain->first_local_port();
  const unsigned channels = vcs.value_or(vcs_needed());
  all_ = require_vcs(kind, channels, vcs_needed());
  first_ = vc_range(0, channels - channels / 2);
  last_ = vc_range(channels - channels / 2, channels / 2);
  const unsigned group_routers = leaves_ + spines_;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    places_.push_back({router / group_routers, router % group_routers});
    global_port_.push_back(static_cast<std::uint16_t>(!up_down_ ? plain->first_global_port() : plus->leaves));
    most_ports_ = std::max(most_ports_, topology.ports(router));
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.push_back(topology.node(node).eject);
  find_ports(topology);
  require_candidates(kind, most_candidates_);
}

/// Fills begin_ and ports_: for each router and other group the router's own global links, or its local links
/// to routers that have one.
void GroupMinimal::find_ports(const Topology& topology) {
  far_.resize(std::size_t{topology.routers()} * most_ports_);
  for (RouterId router = 0; router < topology.routers(); ++router)
    for (unsigned port = 0; port < topology.ports(router); ++port)
      if (const Topology::Far& end = topology.far(router, port); end.kind == Topology::Far::Kind::router)
        far_[std::size_t{router} * most_ports_ + port] = end.at;
  begin_.push_back(0);
  const unsigned group_routers = leaves_ + spines_;
  for (RouterId first = 0; first < topology.routers(); first += group_routers) {
    const Exits exits = exits_of(topology, first);
    for (RouterId router = first; router < first + group_routers; ++router)
      add_router(topology, router, exits);
  }
  most_candidates_ = std::max(most_candidates_, spines_);
}

/// Global ports of the group that begins with a router: by the other group, in order of routers and ports.
GroupMinimal::Exits GroupMinimal::exits_of(const Topology& topology, RouterId first) const {
  Exits exits(groups_);
  for (RouterId router = first; router < first + leaves_ + spines_; ++router)
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const graph::PortRef end = far(router, port);
      if (end.router == graph::none || places_[end.router].group == places_[router].group) continue;
      exits[places_[end.router].group].push_back({router, port});
    }
  return exits;
}

void GroupMinimal::add_router(const Topology& topology, RouterId router, const Exits& exits) {
  constexpr std::uint16_t not_local = 0xffff;
  std::vector<std::uint16_t> local_port(leaves_ + spines_, not_local);
  for (unsigned port = 0; port < topology.ports(router); ++port) {
    const graph::PortRef end = far(router, port);
    if (end.router != graph::none && places_[end.router].group == places_[router].group)
      local_port[places_[end.router].number] = static_cast<std::uint16_t>(port);
  }
  const bool goes_round = !up_down_ || is_leaf(router);
  for (const std::vector<graph::PortRef>& links : exits) {
    const auto begin = static_cast<std::ptrdiff_t>(ports_.size());
    for (const graph::PortRef& link : links)
      if (link.router == router) ports_.push_back(static_cast<std::uint16_t>(link.port));
    if (goes_round && begin == static_cast<std::ptrdiff_t>(ports_.size())) {
      for (const graph::PortRef& link : links)
        if (const std::uint16_t port = local_port[places_[link.router].number]; port != not_local)
          ports_.push_back(port);
      std::sort(ports_.begin() + begin, ports_.end());
      ports_.erase(std::unique(ports_.begin() + begin, ports_.end()), ports_.end());
    }
    most_candidates_ = std::max(most_candidates_, static_cast<unsigned>(ports_.size()) - begin_.back());
    begin_.push_back(static_cast<std::uint32_t>(ports_.size()));
  }
}

void GroupMinimal::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  route_shared(query, candidates);
  if (by_phase_) keep_phase(query, candidates);
}

/// Replaces the virtual channels of all candidates by the one of the packet's phase.
void GroupMinimal::keep_phase(const RouteQuery& query, RouteSet& candidates) const {
  const bool from_node = far(query.router, query.in_port).router == graph::none;
  const unsigned phase = from_node ? 0 : query.in_vc;
  for (unsigned i = 0; i < candidates.size(); ++i) {
    const unsigned port = candidates[i].port;
    const bool global = port >= global_port_[query.router] && far(query.router, port).router != graph::none;
    candidates.set_vcs(i, vc_range(global ? 1 : phase, 1));
  }
}

void GroupMinimal::route_shared(const RouteQuery& query, RouteSet& candidates) const {
  const graph::PortRef to = nodes_[query.destination.node()];
  if (query.router == to.router) return candidates.add(to.port, all_);
  const unsigned group = places_[to.router].group;
  if (group == places_[query.router].group) return route_inside(query, to.router, candidates);
  const std::size_t place = index(query.router, group);
  for (std::uint32_t i = begin_[place]; i < begin_[place + 1]; ++i) {
    const bool local = !up_down_ && ports_[i] < global_port_[query.router];
    candidates.add(ports_[i], local ? first_ : all_);
  }
}

/// Candidates to another router of the same group.
void GroupMinimal::route_inside(const RouteQuery& query, RouterId to, RouteSet& candidates) const {
  const unsigned here = places_[query.router].number, there = places_[to].number;
  if (up_down_) {
    if (!is_leaf(query.router)) return candidates.add(there, all_);
    for (unsigned spine = 0; spine < spines_; ++spine) candidates.add(spine, all_);
    return;
  }
  // A head that came over a local link has no such route: every two routers of the group are connected.
  const std::uint32_t global = global_port_[query.router];
  const bool from_global = query.in_port >= global && far(query.router, query.in_port).router != graph::none;
  candidates.add(first_local_ + there - (there > here ? 1U : 0U), from_global ? last_ : all_);
}

unsigned GroupMinimal::hops(RouterId from, RouterId to) const {
  if (from == to) return 0;
  const unsigned group = places_[to].group;
  if (group == places_[from].group) return up_down_ ? 2 : 1;
  unsigned links = 1;
  for (RouterId here = from;; ++links) {
    here = far(here, ports_[begin_[index(here, group)]]).router;
    if (places_[here].group == group) return here == to ? links : links + 1;
  }
}

}  // namespace tsuji::routing
