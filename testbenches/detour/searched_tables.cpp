// SPDX-License-Identifier: Apache-2.0
#include "detour/searched_tables.h"

#include <algorithm>

namespace tsuji::bench {

using graph::none;

SearchedTables::SearchedTables(const graph::Topology& topology, graph::FaultSet faults,
                               unsigned region_distance)
    : topology_(topology), faults_(std::move(faults)), routers_(topology.routers()) {
  find_region(region_distance);
  find_root();
  level_.assign(routers_, far_away);
  level_[root_] = 0;
  shorten(level_, [](unsigned, unsigned) { return true; });
}

bool SearchedTables::dead(unsigned router) const {
  return std::count(faults_.routers.begin(), faults_.routers.end(), router) != 0;
}

/// Neighbour at a port of the network without faults.
unsigned SearchedTables::neighbour(unsigned router, unsigned port) const {
  const graph::Topology::Far& far = topology_.far(router, port);
  return far.kind == graph::Topology::Far::Kind::router ? far.at.router : none;
}

bool SearchedTables::dead_link(unsigned router, unsigned port) const {
  return std::count(faults_.links.begin(), faults_.links.end(), topology_.far(router, port).link) != 0;
}

unsigned SearchedTables::next(unsigned router, unsigned port) const {
  const unsigned far = neighbour(router, port);
  return far == none || dead(router) || dead(far) || dead_link(router, port) ? none : far;
}

/// Living ends of dead channels, then routers one link further as often as the distance says, across dead
/// links and routers, too.
void SearchedTables::find_region(unsigned distance) {
  std::vector<bool> near(routers_, false);
  for (unsigned router = 0; router < routers_; ++router)
    for (unsigned port = 0; port < ports; ++port)
      if (neighbour(router, port) != none && !dead(router) && next(router, port) == none) near[router] = true;
  for (unsigned step = 1; step < distance; ++step) {
    const std::vector<bool> before = near;
    for (unsigned router = 0; router < routers_; ++router)
      for (unsigned port = 0; port < ports; ++port)
        if (neighbour(router, port) != none && before[neighbour(router, port)]) near[router] = true;
  }
  for (unsigned router = 0; router < routers_; ++router)
    if (dead(router)) near[router] = false;
  region_ = near;
}

/// The least coordinate vector of a region, dimension 0 first; without faults, of all.
void SearchedTables::find_root() {
  const bool any = std::count(region_.begin(), region_.end(), true) != 0;
  unsigned best = none;
  for (unsigned router = 0; router < routers_; ++router) {
    if (dead(router) || (any && !region_[router])) continue;
    if (best == none || topology_.coordinates(router) < topology_.coordinates(best)) best = router;
  }
  root_ = best;
}

bool SearchedTables::leads_up(unsigned from, unsigned to) const {
  return level_[from] != level_[to] ? level_[to] < level_[from] : to < from;
}

/// Lengths of paths whose hops all may be taken, from those that are known.
template <class May>
void SearchedTables::shorten(Lengths& lengths, const May& may) const {
  for (bool more = true; more;) {
    more = false;
    for (unsigned router = 0; router < routers_; ++router) {
      for (unsigned port = 0; port < ports; ++port) {
        const unsigned far = next(router, port);
        if (far == none || !may(router, far) || lengths[far] + 1 >= lengths[router]) continue;
        lengths[router] = lengths[far] + 1;
        more = true;
      }
    }
  }
}

const SearchedTables::Paths& SearchedTables::paths(unsigned to) {
  const auto found = paths_.find(to);
  if (found != paths_.end()) return found->second;
  Paths paths;
  paths.any.assign(routers_, far_away);
  paths.any[to] = 0;
  paths.down = paths.any;
  shorten(paths.any, [](unsigned, unsigned) { return true; });
  shorten(paths.down, [this](unsigned from, unsigned far) { return !leads_up(from, far); });
  paths.legal = paths.down;
  shorten(paths.legal, [this](unsigned from, unsigned far) { return leads_up(from, far); });
  return paths_[to] = paths;
}

unsigned SearchedTables::torus_word(unsigned here, unsigned to) {
  const Lengths& lengths = paths(to).any;
  unsigned word = 0;
  for (unsigned port = 0; port < ports; ++port)
    if (next(here, port) != none && lengths[next(here, port)] + 1 == lengths[here]) word |= 1U << port;
  return word;
}

unsigned SearchedTables::up_down_word(unsigned here, unsigned to) {
  const Paths& known = paths(to);
  const bool down = known.down[here] != far_away;
  const Lengths& lengths = down ? known.down : known.legal;
  unsigned word = 0;
  for (unsigned port = 0; port < ports; ++port) {
    const unsigned far = next(here, port);
    if (far != none && leads_up(here, far) != down && lengths[far] + 1 == lengths[here]) word |= 1U << port;
  }
  return word;
}

}  // namespace tsuji::bench
