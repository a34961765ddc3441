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
  first_local_ = up_down_ ? 0 - leaves_ : plain->first_local_port();
  const unsigned channels = vcs.value_or(vcs_needed());
  all_ = require_vcs(kind, channels, vcs_needed());
  first_ = vc_range(0, channels - channels / 2);
  first_link_ = up_down_ ? all_ : first_;
  skips_own_ = up_down_ ? 0 : 1;
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

void GroupMinimal::find_ports(const Topology& topology) {
  far_.resize(std::size_t{topology.routers()} * most_ports_);
  for (RouterId router = 0; router < topology.routers(); ++router)
    for (unsigned port = 0; port < topology.ports(router); ++port)
      if (const Topology::Far& end = topology.far(router, port); end.kind == Topology::Far::Kind::router)
        far_[std::size_t{router} * most_ports_ + port] = end.at;
  begin_.reserve(std::size_t{groups_} * groups_ + 1);
  begin_.push_back(0);
  for (RouterId first = 0; first < topology.routers(); first += leaves_ + spines_)
    find_exits(topology, first);
  most_candidates_ = std::max(most_candidates_, spines_);
}

/// Adds the global links of the group that begins with a router.
void GroupMinimal::find_exits(const Topology& topology, RouterId first) {
  std::vector<std::vector<Exit>> to(groups_);
  for (RouterId router = first; router < first + leaves_ + spines_; ++router)
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const graph::PortRef end = far(router, port);
      if (end.router == graph::none || places_[end.router].group == places_[router].group) continue;
      to[places_[end.router].group].push_back(
          {static_cast<std::uint16_t>(places_[router].number), static_cast<std::uint16_t>(port)});
    }
  for (const std::vector<Exit>& links : to) {
    exits_.insert(exits_.end(), links.begin(), links.end());
    begin_.push_back(static_cast<std::uint32_t>(exits_.size()));
    most_candidates_ = std::max(most_candidates_, candidates_of(links.data(), links.data() + links.size()));
  }
}

/// Candidates at most to the group that these links lead to: a router's own links, or the routers that have
/// one, unless all have.
unsigned GroupMinimal::candidates_of(const Exit* first, const Exit* last) const {
  unsigned most = 0, routers = 0;
  for (const Exit* exit = first; exit != last;) {
    const Exit* const next =
        std::find_if(exit, last, [exit](const Exit& other) { return other.number != exit->number; });
    most = std::max(most, static_cast<unsigned>(next - exit));
    ++routers;
    exit = next;
  }
  return routers == leaves_ && !up_down_ ? most : std::max(most, routers);
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
  const Place& here = places_[query.router];
  const unsigned group = places_[to.router].group;
  if (group == here.group) return route_inside(query, to.router, candidates);
  route_out(here, group, candidates);
}

/// Candidates to another group: own links to it, or links to the routers that have one.
void GroupMinimal::route_out(const Place& here, unsigned group, RouteSet& candidates) const {
  const std::uint32_t* const begin = exits(here.group, group);
  if (begin[1] - begin[0] != 1) return route_among(here, begin, candidates);
  const Exit& exit = exits_[begin[0]];
  if (exit.number == here.number) return candidates.add(exit.port, all_);
  if (here.number < leaves_) candidates.add(local_port(here.number, exit.number), first_link_);
}

/// The same among several links. Apart from route_out(), which is slower when this is inlined.
[[gnu::noinline]] void GroupMinimal::route_among(const Place& here, const std::uint32_t* begin,
                                                 RouteSet& candidates) const {
  const Exit *const first = exits_.data() + begin[0], *const last = exits_.data() + begin[1];
  for (const Exit* exit = first; exit != last; ++exit)
    if (exit->number == here.number) candidates.add(exit->port, all_);
  if (candidates.size() != 0 || here.number >= leaves_) return;
  for (const Exit* exit = first; exit != last; ++exit)
    if (exit == first || exit->number != exit[-1].number)
      candidates.add(local_port(here.number, exit->number), first_link_);
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
  candidates.add(local_port(here, there), from_global ? last_ : all_);
}

/// First port of route_out().
unsigned GroupMinimal::port_to(RouterId router, unsigned group) const {
  const Place here = places_[router];
  const std::uint32_t* const begin = exits(here.group, group);
  const Exit *const first = exits_.data() + begin[0], *const last = exits_.data() + begin[1];
  const Exit* const own =
      std::find_if(first, last, [&](const Exit& exit) { return exit.number == here.number; });
  return own != last ? own->port : local_port(here.number, first->number);
}

unsigned GroupMinimal::hops(RouterId from, RouterId to) const {
  if (from == to) return 0;
  const unsigned group = places_[to].group;
  if (group == places_[from].group) return up_down_ ? 2 : 1;
  unsigned links = 1;
  for (RouterId here = from;; ++links) {
    here = far(here, port_to(here, group)).router;
    if (places_[here].group == group) return here == to ? links : links + 1;
  }
}

}  // namespace tsuji::routing
