// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/job_placement.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/node_groups.h"
#include "tsuji/machines/replay/rank_placement.h"

namespace tsuji::machines {

void add_job_placement_keys(config::KeyTable& keys, JobPlacementConfig& config) {
  keys.add("job.ranks_per_node", config.ranks_per_node, {1, 65535}, "ranks", "number of ranks on each node");
  keys.add_choice(
      "job.placement", config.placement,
      {{"block", NodeChoice::block},
       {"round_robin", NodeChoice::round_robin},
       {"random", NodeChoice::random},
       {"group", NodeChoice::group},
       {"mapping", NodeChoice::mapping}},
      "nodes of the job among those that no earlier job has; block: the lowest numbers; round_robin: "
      "in turn one of each group of a dragonfly, of each router elsewhere; random: by "
      "job.placement_seed; group: whole groups that no job is in; mapping: by the file job.mapping");
  keys.add("job.placement_seed", config.seed, {0, ~std::uint64_t{0}}, "",
           "seed of a random placement, beside the run's");
  keys.add_path("job.mapping", config.mapping, "file with a line RANK NODE for each rank");
  keys.only_with("job.placement_seed", {{"job.placement", {"random"}}});
  keys.only_with("job.mapping", {{"job.placement", {"mapping"}}});
}

/// Groups of a topology's places as groups of nodes; those of further ports alone are left out.
std::vector<std::vector<NodeId>> JobNodes::groups() const {
  std::vector<std::vector<NodeId>> groups;
  for (const std::vector<NodeId>& places : graph::node_groups(topology_)) {
    std::vector<NodeId> nodes;
    for (const NodeId place : places)
      if (rails_.rail(place) == 0) nodes.push_back(rails_.node(place));
    if (!nodes.empty()) groups.push_back(std::move(nodes));
  }
  return groups;
}

std::vector<NodeId> JobNodes::in_order() const {
  std::vector<NodeId> order;
  for (NodeId node = 0; node < nodes(); ++node)
    if (is_free(node)) order.push_back(node);
  return order;
}

std::vector<NodeId> JobNodes::in_turn() const {
  const auto groups = this->groups();
  std::size_t longest = 0;
  for (const auto& group : groups) longest = std::max(longest, group.size());
  std::vector<NodeId> nodes;
  for (std::size_t turn = 0; turn < longest; ++turn)
    for (const auto& group : groups)
      if (turn < group.size() && is_free(group[turn])) nodes.push_back(group[turn]);
  return nodes;
}

std::vector<NodeId> JobNodes::shuffled(std::uint64_t seed) const {
  std::vector<NodeId> nodes = in_order();
  CounterRandom random(seed, run_seed_);
  for (std::size_t at = 0; at < nodes.size(); ++at)
    std::swap(nodes[at], nodes[at + random.below(nodes.size() - at)]);
  return nodes;
}

std::vector<NodeId> JobNodes::whole_groups() const {
  std::vector<NodeId> nodes;
  for (const auto& group : groups())
    if (std::all_of(group.begin(), group.end(), [this](NodeId node) { return is_free(node); }))
      nodes.insert(nodes.end(), group.begin(), group.end());
  return nodes;
}

std::vector<NodeId> JobNodes::candidates(const JobPlacementConfig& config) const {
  switch (config.placement) {
    case NodeChoice::round_robin:
      return in_turn();
    case NodeChoice::random:
      return shuffled(config.seed);
    case NodeChoice::group:
      return whole_groups();
    default:
      return in_order();
  }
}

std::vector<NodeId> JobNodes::mapped(std::size_t ranks, const JobPlacementConfig& config) const {
  PlacementConfig places;
  places.ranks_per_node = config.ranks_per_node;
  places.placement = RankPlacement::mapping;
  places.mapping = config.mapping;
  const PlacementKeys keys{"job.mapping", "job.ranks_per_node", [this](NodeId node) -> std::string {
                             if (is_free(node)) return "";
                             return "the node belongs to job " + owner_[node];
                           }};
  return mapped_nodes(ranks, nodes(), places, keys);
}

unsigned JobNodes::available() const {
  return static_cast<unsigned>(in_order().size());
}

traffic::RankPlaces JobNodes::place(const std::string& job, std::size_t ranks,
                                    const JobPlacementConfig& config, const char* key) {
  traffic::RankPlaces places;
  if (config.placement == NodeChoice::mapping) {
    places.node_of = mapped(ranks, config);
  } else {
    const std::vector<NodeId> nodes = candidates(config);
    const std::uint64_t room = nodes.size() * std::uint64_t{config.ranks_per_node};
    if (ranks > room)
      throw ConfigError(
          key, std::to_string(ranks) + " ranks", "job " + job + " is larger than what is left of the machine",
          "up to " + std::to_string(room) + " ranks on the " + std::to_string(nodes.size()) +
              (config.placement == NodeChoice::group ? " nodes of free groups" : " free nodes"));
    for (std::size_t rank = 0; rank < ranks; ++rank)
      places.node_of.push_back(nodes[rank / config.ranks_per_node]);
  }
  places.ranks_on.resize(nodes());
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    places.ranks_on[places.node_of[rank]].push_back(static_cast<std::uint16_t>(rank));
    owner_[places.node_of[rank]] = job;
  }
  return places;
}

}  // namespace tsuji::machines
