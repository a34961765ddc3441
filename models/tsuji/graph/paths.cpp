// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/paths.h"

#include <functional>
#include <queue>
#include <utility>

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

std::vector<Cycle> cycles_to(const Topology& topology, RouterId router, Cycle router_cycles) {
  using Entry = std::pair<Cycle, RouterId>;
  std::vector<Cycle> cycles(topology.routers(), unreachable_cycles);
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
  cycles[router] = 0;
  front.push({0, router});
  while (!front.empty()) {
    const auto [known, here] = front.top();
    front.pop();
    if (known > cycles[here]) continue;
    for (unsigned port = 0; port < topology.ports(here); ++port) {
      const Topology::Far& far = topology.far(here, port);
      if (far.kind != Topology::Far::Kind::router || !far.receives) continue;
      const Cycle from_there = known + topology.links()[far.link].latency_cycles + router_cycles;
      if (from_there >= cycles[far.at.router]) continue;
      cycles[far.at.router] = from_there;
      front.push({from_there, far.at.router});
    }
  }
  return cycles;
}

}  // namespace tsuji::graph
