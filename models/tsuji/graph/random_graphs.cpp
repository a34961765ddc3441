// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/random_graphs.h"

#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {

void RandomGraphConfig::add_keys(config::KeyTable& keys) {
  keys.add(
      "topology.nodes", nodes, {3, most_random_routers}, "nodes",
      "random_grid, random_regular: number of nodes, one at each router; a square number for random_grid");
  keys.add("topology.degree", degree, {2, 128}, "links",
           "random_grid, random_regular: links of each router to other routers (degree)");
  keys.add("topology.wire_length", wire_length, {1, 8192}, "",
           "random_grid: longest wire, as Manhattan distance on the grid");
  keys.add("topology.cycles_per_length", cycles_per_length, {0, 1000}, "cycles",
           "random_grid: link latency added for each grid unit of wire length above 1");
  keys.add("topology.seed", seed, {0, ~0ULL}, "", "random_grid, random_regular: seed of the random graph");
}

void add_random_graphs(TopologyKinds& kinds) {
  kinds.add<RandomGraphConfig>({{"random_grid", &RandomGraphConfig::grid, ""},
                                {"random_regular", &RandomGraphConfig::regular, "nodes degree seed"}});
}

}  // namespace tsuji::graph
