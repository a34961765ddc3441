// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/rank_placement.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/workload/field_reader.h"

namespace tsuji::machines {
namespace {

/// A random order of all places, of which the ranks take the first ones.
std::vector<NodeId> random_nodes(std::size_t ranks, unsigned nodes, const PlacementConfig& config) {
  std::vector<std::uint64_t> places(std::uint64_t{nodes} * config.ranks_per_node);
  std::iota(places.begin(), places.end(), std::uint64_t{0});
  CounterRandom random(config.seed, 0);
  std::vector<NodeId> node_of(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::swap(places[rank], places[rank + random.below(places.size() - rank)]);
    node_of[rank] = static_cast<NodeId>(places[rank] / config.ranks_per_node);
  }
  return node_of;
}

std::vector<NodeId> nodes_of(std::size_t ranks, unsigned nodes, const PlacementConfig& config) {
  if (config.placement == RankPlacement::random) return random_nodes(ranks, nodes, config);
  if (config.placement == RankPlacement::mapping) return mapped_nodes(ranks, nodes, config);
  std::vector<NodeId> node_of(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    node_of[rank] = static_cast<NodeId>(
        config.placement == RankPlacement::block ? rank / config.ranks_per_node : rank % nodes);
  return node_of;
}

}  // namespace

std::vector<NodeId> mapped_nodes(std::size_t ranks, unsigned nodes, const PlacementConfig& config,
                                 const PlacementKeys& keys) {
  if (config.mapping.empty())
    throw ConfigError(keys.mapping, "", "no file", "a file with a line RANK NODE for each rank");
  constexpr NodeId nowhere = ~NodeId{0};
  std::vector<NodeId> node_of(ranks, nowhere);
  std::vector<unsigned> on_node(nodes);
  workload::FieldReader fields(config.mapping, keys.mapping);
  while (fields.next(2, "RANK NODE")) {
    const std::uint64_t rank = fields.integer(0, 0, ranks - 1, "a rank");
    const std::uint64_t node = fields.integer(1, 0, nodes - 1, "a node");
    if (node_of[rank] != nowhere)
      fields.refuse(0, "the rank has a place already, on node " + std::to_string(node_of[rank]),
                    "each rank once");
    if (keys.unavailable)
      if (const std::string why = keys.unavailable(static_cast<NodeId>(node)); !why.empty())
        fields.refuse(1, why, "a node that no other job has, or workload.jobs_share_nodes true");
    if (on_node[node]++ == config.ranks_per_node)
      fields.refuse(1, "the node has no further place",
                    std::string("up to ") + keys.ranks_per_node + " (" +
                        std::to_string(config.ranks_per_node) + ") ranks on each node");
    node_of[rank] = static_cast<NodeId>(node);
  }
  const auto missing = std::find(node_of.begin(), node_of.end(), nowhere);
  if (missing != node_of.end())
    throw ConfigError(keys.mapping, config.mapping,
                      "rank " + std::to_string(missing - node_of.begin()) + " has no place",
                      "a line RANK NODE for each of " + std::to_string(ranks) + " ranks");
  return node_of;
}

void add_placement_keys(config::KeyTable& keys, PlacementConfig& config) {
  keys.add("workload.ranks_per_node", config.ranks_per_node, {1, 65535}, "ranks",
           "number of ranks on each node");
  keys.add_choice("workload.placement", config.placement,
                  {{"block", RankPlacement::block},
                   {"round_robin", RankPlacement::round_robin},
                   {"random", RankPlacement::random},
                   {"mapping", RankPlacement::mapping}},
                  "placement of ranks on nodes; block: consecutive ranks fill one node after the other; "
                  "round_robin: consecutive ranks are on consecutive nodes; random: by "
                  "workload.placement_seed; mapping: by the file workload.mapping");
  keys.add("workload.placement_seed", config.seed, {0, ~std::uint64_t{0}}, "", "seed of a random placement");
  keys.add_path("workload.mapping", config.mapping, "file with a line RANK NODE for each rank");
  keys.only_with("workload.placement_seed", {{"workload.placement", {"random"}}});
  keys.only_with("workload.mapping", {{"workload.placement", {"mapping"}}});
}

traffic::RankPlaces place_ranks(std::size_t ranks, unsigned nodes, const PlacementConfig& config,
                                const char* key) {
  if (ranks > std::uint64_t{nodes} * config.ranks_per_node)
    throw ConfigError(key, std::to_string(ranks) + " ranks", "more ranks than the nodes can hold",
                      "up to " + std::to_string(std::uint64_t{nodes} * config.ranks_per_node) + " ranks on " +
                          std::to_string(nodes) + " nodes with workload.ranks_per_node " +
                          std::to_string(config.ranks_per_node));
  traffic::RankPlaces places;
  places.node_of = nodes_of(ranks, nodes, config);
  places.ranks_on.resize(nodes);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    places.ranks_on[places.node_of[rank]].push_back(static_cast<std::uint16_t>(rank));
  return places;
}

}  // namespace tsuji::machines
