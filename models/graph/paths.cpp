#include "tsuji/graph/paths.h"

namespace tsuji::graph {

std::vector<std::uint16_t> hops_to(const Topology& topology, RouterId router) {
  std::vector<std::uint16_t> hops(topology.routers(), unreachable);
  std::vector<RouterId> queue{router};
  hops[router] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const RouterId here = queue[i];
    for (unsigned port = 0; port < topology.ports(here); ++port) {
      const Topology::Far& far = topology.far(here, port);
      if (far.kind != Topology::Far::Kind::router || !far.receives || hops[far.at.router] != unreachable)
        continue;
      hops[far.at.router] = static_cast<std::uint16_t>(hops[here] + 1);
      queue.push_back(far.at.router);
    }
  }
  return hops;
}

}  // namespace tsuji::graph
