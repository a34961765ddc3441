// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/living_network.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::graph {

LivingNetwork::LivingNetwork(const Topology& topology, FaultSet faults)
    : faults_(std::move(faults)), state_(topology.routers(), RouterState::living) {
  faults_.validate(topology);
  for (const RouterLink& link : topology.links()) {
    if (link.one_way)
      throw ConfigError("topology.kind", topology.name(),
                        "has one-way links, which are not supported with faults",
                        "a topology without one-way links");
    ports_ = std::max({ports_, link.a.port + 1, link.b.port + 1});
  }
  for (RouterId router : faults_.routers) state_[router] = RouterState::dead;
  join_living_ends(topology);
  keep_largest_part(topology);
}

void LivingNetwork::join_living_ends(const Topology& topology) {
  neighbours_.assign(std::size_t{routers()} * ports_, none);
  std::vector<bool> dead(topology.links().size(), false);
  for (std::uint32_t link : faults_.links) dead[link] = true;
  for (std::uint32_t index = 0; index < topology.links().size(); ++index) {
    const RouterLink& link = topology.links()[index];
    if (dead[index] || !lives(link.a.router) || !lives(link.b.router)) continue;
    neighbours_[std::size_t{link.a.router} * ports_ + link.a.port] = link.b.router;
    neighbours_[std::size_t{link.b.router} * ports_ + link.b.port] = link.a.router;
  }
}

void LivingNetwork::keep_largest_part(const Topology& topology) {
  std::vector<unsigned> nodes(routers(), 0);
  for (NodeId node = 0; node < topology.nodes(); ++node) ++nodes[topology.node(node).eject.router];
  std::vector<bool> seen(routers(), false);
  std::vector<RouterId> best;
  unsigned best_nodes = 0;
  BreadthFirst search;
  for (RouterId router = 0; router < routers(); ++router) {
    if (!lives(router) || seen[router]) continue;
    hops_to(router, search);
    unsigned nodes_here = 0;
    for (RouterId reached : search.order()) {
      seen[reached] = true;
      nodes_here += nodes[reached];
    }
    if (nodes_here <= best_nodes) continue;  // of equal components the first one found
    best_nodes = nodes_here;
    best = search.order();
  }
  if (best_nodes == 0)
    throw ConfigError("faults.routers", std::to_string(faults_.routers.size()) + " routers",
                      "leaves no living node in " + topology.name(), "fewer dead routers");
  living_ = static_cast<unsigned>(best.size());
  for (RouterState& state : state_)
    if (state == RouterState::living) state = RouterState::cut_off;
  for (RouterId router : best) state_[router] = RouterState::living;
  for (RouterId router = 0; router < routers(); ++router) {
    if (state_[router] != RouterState::cut_off) continue;
    cut_off_.push_back(router);
    std::fill_n(neighbours_.begin() + static_cast<std::ptrdiff_t>(std::size_t{router} * ports_), ports_,
                none);
  }
}

const std::vector<std::uint16_t>& LivingNetwork::hops_to(RouterId router, BreadthFirst& search) const {
  return search.search(routers(), {router},
                       [this](RouterId here, const auto& visit) { visit_neighbours(here, visit); });
}

std::vector<RouterId> living_ends_of_faults(const Topology& topology, const LivingNetwork& network) {
  std::vector<RouterId> ends;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    if (!network.lives(router)) continue;
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      if (topology.far(router, port).kind != Topology::Far::Kind::router ||
          network.neighbour(router, port) != none)
        continue;
      ends.push_back(router);
      break;
    }
  }
  return ends;
}

}  // namespace tsuji::graph
