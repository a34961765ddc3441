// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/fault_regions.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::graph {
namespace {

bool comes_first(const Topology& topology, RouterId a, RouterId b) {
  const Coordinates left = topology.coordinates(a);
  const Coordinates right = topology.coordinates(b);
  return left != right ? left < right : a < b;
}

}  // namespace

FaultRegions::FaultRegions(const Topology& topology, const LivingNetwork& network, unsigned distance)
    : region_(topology.routers(), none) {
  const std::vector<RouterId> ends = living_ends_of_faults(topology, network);
  if (ends.empty()) return;
  if (distance == 0)
    throw ConfigError("routing.region_distance", "0", "with faults, heads would be routed over dead links",
                      "1 or more");
  const std::vector<std::uint16_t> hops = hops_to(topology, ends);
  const auto is_member = [&](RouterId router) { return network.lives(router) && hops[router] < distance; };
  BreadthFirst search;
  for (RouterId first = 0; first < topology.routers(); ++first) {
    if (!is_member(first) || in_region(first)) continue;
    search.search(topology.routers(), {first}, [&](RouterId here, const auto& visit) {
      for (unsigned port = 0; port < topology.ports(here); ++port) {
        const Topology::Far& far = topology.far(here, port);
        if (far.kind != Topology::Far::Kind::router) continue;
        if (is_member(far.at.router) || !network.lives(far.at.router)) visit(far.at.router);
      }
    });
    RouterId root = first;
    for (RouterId router : search.order()) {
      if (!network.lives(router)) continue;
      region_[router] = static_cast<std::uint32_t>(roots_.size());
      ++members_;
      if (comes_first(topology, router, root)) root = router;
    }
    roots_.push_back(root);
  }
}

RouterId choose_root(const Topology& topology, const LivingNetwork& network, const FaultRegions& regions,
                     const std::vector<RouterId>& priority) {
  for (RouterId router : priority) {
    if (router >= topology.routers())
      throw ConfigError("routing.root_priority", std::to_string(router), "no such router",
                        "0.." + std::to_string(topology.routers() - 1));
  }
  for (RouterId router : priority)
    if (network.lives(router)) return router;
  if (!priority.empty())
    throw ConfigError("routing.root_priority", std::to_string(priority.front()),
                      "no router of the list lives", "a list with a living router, or none");
  std::vector<RouterId> candidates = regions.roots();
  for (RouterId router = 0; router < topology.routers() && regions.regions() == 0; ++router)
    if (network.lives(router)) candidates.push_back(router);
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](RouterId a, RouterId b) { return comes_first(topology, a, b); });
}

}  // namespace tsuji::graph
