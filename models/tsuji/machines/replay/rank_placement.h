// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/traffic/replay_source.h"

namespace tsuji::machines {

/// Order in which ranks take the places of the nodes. block: consecutive ranks on one node; round_robin: on
/// consecutive nodes; random: any place, each with equal probability; mapping: as a file says.
enum class RankPlacement : std::uint8_t { block, round_robin, random, mapping };

struct PlacementConfig {
  unsigned ranks_per_node = 1;  ///< places of each node
  RankPlacement placement = RankPlacement::block;
  std::uint64_t seed = 1;  ///< with placement random
  std::string mapping;     ///< with placement mapping: path of a file with a line RANK NODE for each rank
};

/// Keys that refusals of a mapping name, and nodes that it must not use.
struct PlacementKeys {
  const char* mapping = "workload.mapping";
  const char* ranks_per_node = "workload.ranks_per_node";
  /// Returns the reason why a node is not available; empty: it is. May be empty.
  std::function<std::string(NodeId)> unavailable = {};
};

/// [rank]: the node that the file `config.mapping` gives it. Throws ConfigError with file and line for a rank
/// without a place or with two, and a node without a further place.
std::vector<NodeId> mapped_nodes(std::size_t ranks, unsigned nodes, const PlacementConfig& config,
                                 const PlacementKeys& keys = {});

/// Adds the keys workload.ranks_per_node, workload.placement, workload.placement_seed and workload.mapping.
void add_placement_keys(config::KeyTable& keys, PlacementConfig& config);

/// Places ranks on nodes. Throws ConfigError for `key`, which names the trace, if there are more ranks than
/// places, and with file and line for a mapping that does not give each rank a place.
traffic::RankPlaces place_ranks(std::size_t ranks, unsigned nodes, const PlacementConfig& config,
                                const char* key = "workload.trace");

}  // namespace tsuji::machines
