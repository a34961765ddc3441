// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/detour/detour_generation.h"

#include "tsuji/core/error.h"

namespace tsuji::routing {
namespace {

const graph::Topology& require_size(const graph::Topology& topology) {
  constexpr unsigned most_routers = 1U << 16;
  if (topology.routers() > most_routers)
    throw ConfigError("routing.kind", "detour_ud",
                      "keeps a word for every pair of " + std::to_string(topology.routers()) + " routers",
                      "at most " + std::to_string(most_routers) + " routers");
  return topology;
}

graph::UpDownOrder tree_from(const graph::LivingNetwork& network, RouterId root) {
  graph::BreadthFirst search;
  return graph::UpDownOrder(network.hops_to(root, search));
}

}  // namespace

DetourGeneration::DetourGeneration(const graph::Topology& topology, const graph::FaultSet& faults,
                                   const DetourConfig& config)
    : config_(config),
      network_(require_size(topology), faults),
      regions_(topology, network_, config.region_distance),
      root_(choose_root(topology, network_, regions_, config.root_priority)),
      order_(tree_from(network_, root_)),
      tables_(network_, regions_, order_, config.all_paths) {}

}  // namespace tsuji::routing
