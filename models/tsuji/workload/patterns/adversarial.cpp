// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/graph/node_groups.h"
#include "tsuji/workload/pattern_kinds.h"

namespace tsuji::workload {
namespace {

/// ADV+i (Kim 2008 for i = 1): every node of a group sends to random living nodes of the group
/// i higher, modulo the number of groups. Minimal routes of a group then share few links. A group of nodes
/// whose destinations are all dead is silent.
class AdversarialPattern final : public Pattern {
 public:
  AdversarialPattern(const PatternConfig& config, const std::vector<std::vector<NodeId>>& groups,
                     unsigned offset)
      : group_of_(config.nodes), living_(groups.size()), dead_(config.nodes) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
      std::size_t cut_off = 0;
      for (const NodeId node : groups[group]) {
        group_of_[node] = (group + offset) % groups.size();
        dead_[node] = config.state(node) == NodeState::dead;
        if (config.state(node) == NodeState::living) living_[group].push_back(node);
        if (config.state(node) == NodeState::cut_off) ++cut_off;
      }
      unreached_.push_back(living_[group].empty() && cut_off != 0);
      if (!unreached_.back()) continue;
      for (const NodeId node : groups[group])
        if (!dead_[node]) living_[group].push_back(node);
    }
  }

  NodeId destination(NodeId source, CounterRandom& random) const override {
    const std::vector<NodeId>& nodes = living_[group_of_[source]];
    return nodes[random.below(nodes.size())];
  }
  double probability(NodeId source, NodeId destination) const override {
    const std::vector<NodeId>& nodes = living_[group_of_[source]];
    for (const NodeId node : nodes)
      if (node == destination) return 1.0 / static_cast<double>(nodes.size());
    return 0.0;
  }
  double share(NodeId source) const override {
    return dead_[source] || living_[group_of_[source]].empty() ? 0.0 : 1.0;
  }
  bool reaches(NodeId source) const override { return !unreached_[group_of_[source]]; }

 private:
  std::vector<std::size_t> group_of_;        ///< [node]: group of its destinations
  std::vector<std::vector<NodeId>> living_;  ///< [group]: its destinations
  std::vector<bool> unreached_;              ///< [group]: none of its nodes lives, and some are cut off
  std::vector<bool> dead_;                   ///< [node]
};

struct AdversarialConfig {
  unsigned group_offset = 1;

  void add_keys(config::KeyTable& keys) {
    keys.add("traffic.group_offset", group_offset, {1, 1'000'000}, "groups",
             "adversarial: distance from a node's group to that of its destinations, upwards; a group is a "
             "dragonfly's, or the nodes of one router");
  }

  std::unique_ptr<Pattern> make(const PatternConfig& config) const {
    if (config.topology == nullptr)
      throw ConfigError("traffic.pattern", "adversarial", "this network has no groups of nodes",
                        "a network of routers for this pattern");
    const std::vector<std::vector<NodeId>> groups = graph::node_groups(*config.topology);
    if (group_offset >= groups.size())
      throw ConfigError(
          "traffic.group_offset", std::to_string(group_offset), "no such group",
          "1.." + std::to_string(groups.size() - 1) + " with " + std::to_string(groups.size()) + " groups");
    return std::make_unique<AdversarialPattern>(config, groups, group_offset);
  }
};

}  // namespace

void add_adversarial(PatternKinds& kinds) {
  kinds.add<AdversarialConfig>("adversarial");
}

}  // namespace tsuji::workload
