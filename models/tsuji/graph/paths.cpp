// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/paths.h"

namespace tsuji::graph {

std::vector<std::uint16_t> hops_to(const Topology& topology, const std::vector<RouterId>& routers) {
  BreadthFirst search;
  return search.search(topology.routers(), routers, [&](RouterId here, const auto& visit) {
    for (unsigned port = 0; port < topology.ports(here); ++port) {
      const Topology::Far& far = topology.far(here, port);
      if (far.kind == Topology::Far::Kind::router && far.receives) visit(far.at.router);
    }
  });
}

std::vector<std::uint16_t> hops_to(const Topology& topology, RouterId router) {
  return hops_to(topology, std::vector<RouterId>{router});
}

}  // namespace tsuji::graph
