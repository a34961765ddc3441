// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

inline constexpr unsigned most_random_routers = 65'536;

/// Parameters of a random connected graph on a square grid with bounded wire length (Compact Tables;
/// rooms/graph.md, Where the paper is silent, 6). `nodes` is a square number; one node per router.
struct RandomGridConfig {
  unsigned nodes = 64;
  unsigned degree = 4;
  unsigned wire_length = 3;  ///< length of the longest wire, in Manhattan distance on the grid
  std::uint64_t seed = 1;
  /// Cycles added to the link latency for every unit of length after the first.
  Cycle cycles_per_length = 0;
};
/// Coordinates are column and row. ConfigError: topology.nodes, .degree, .wire_length.
Topology make_random_grid(const RandomGridConfig& config, Cycle link_latency_cycles);

/// Makes a random connected graph in which every router has `degree` links (Hirasawa 2020); one node per
/// router. ConfigError: topology.nodes, topology.degree.
Topology make_random_regular(unsigned nodes, unsigned degree, std::uint64_t seed, Cycle link_latency_cycles);

/// Parameters of the kinds random_grid and random_regular.
struct RandomGraphConfig : RandomGridConfig {
  void add_keys(config::KeyTable& keys);
  Topology grid(Cycle link_latency_cycles) const { return make_random_grid(*this, link_latency_cycles); }
  Topology regular(Cycle link_latency_cycles) const {
    return make_random_regular(nodes, degree, seed, link_latency_cycles);
  }
};

}  // namespace tsuji::graph
