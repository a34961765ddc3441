#pragma once

#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::fabric {

/// Which topology, and the sizes of all of them; each kind reads its own.
struct TopologyConfig {
  std::string kind = "mesh";  ///< a name of the table in topology_config.cpp
  std::vector<unsigned> radices{8, 8};
  std::vector<unsigned> wraps{1, 0};  ///< of kind cube: 1 for a dimension that wraps
  unsigned nodes_per_router = 1;
  unsigned up_links = 4, down_links = 4, levels = 3;
  unsigned radix = 4, stages = 3;
  unsigned nodes = 64, degree = 4, wire_length = 3;
  std::uint64_t cycles_per_length = 0;
  std::uint64_t seed = 1;
  std::string file;

  void validate() const;  ///< throws ConfigError for a kind that does not exist, or a file that is missing
};

/// Binds the keys topology.*.
void add_topology_keys(config::KeyTable& keys, TopologyConfig& config);

/// Builds it. `link_latency_cycles` is that of every link (of a unit of wire on the grid, of links without a
/// latency in a file). Throws ConfigError.
graph::Topology make_topology(const TopologyConfig& config, Cycle link_latency_cycles);

}  // namespace tsuji::fabric
