// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/random_graphs.h"

#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {

void RandomGraphConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.nodes", nodes, {3, most_random_routers}, "nodes",
           "random_grid, random_regular: nodes, one a router; a square number on the grid");
  keys.add("topology.degree", degree, {2, 128}, "links", "random_grid, random_regular: links of a router");
  keys.add("topology.wire_length", wire_length, {1, 8192}, "",
           "random_grid: longest wire, Manhattan distance on the grid");
  keys.add("topology.cycles_per_length", cycles_per_length, {0, 1000}, "cycles",
           "random_grid: latency added for each unit of length after the first");
  keys.add("topology.seed", seed, {0, ~0ULL}, "", "random_grid, random_regular: seed of the graph");
}

void add_random_graphs(TopologyKinds& kinds) {
  kinds.add<RandomGraphConfig>({{"random_grid", &RandomGraphConfig::grid, ""},
                                {"random_regular", &RandomGraphConfig::regular, "nodes degree seed"}});
}

}  // namespace tsuji::graph
