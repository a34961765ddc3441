// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// Pattern in which every node has one fixed partner: the base of all permutations. A node that is its own
/// partner sends to itself through its router, or sends nothing if nodes may not send to themselves. A node
/// with a dead partner sends nothing.
class PartnerPattern final : public Pattern {
 public:
  /// `partners` holds the partner of each node, one for each of config.nodes.
  PartnerPattern(std::vector<NodeId> partners, const PatternConfig& config)
      : partners_(std::move(partners)), talks_(config.nodes), reaches_(config.nodes) {
    for (NodeId node = 0; node < config.nodes; ++node) {
      const NodeState partner = config.state(partners_[node]);
      talks_[node] = (config.to_self || partners_[node] != node) && config.state(node) != NodeState::dead &&
                     partner != NodeState::dead;
      reaches_[node] = partner == NodeState::living;
    }
  }

  /// Makes the pattern in which the partner of each node is partner_of(node).
  template <class F>
  static std::unique_ptr<Pattern> make(const PatternConfig& config, F partner_of) {
    std::vector<NodeId> partners(config.nodes);
    for (NodeId node = 0; node < config.nodes; ++node) partners[node] = partner_of(node);
    return std::make_unique<PartnerPattern>(std::move(partners), config);
  }

  NodeId destination(NodeId source, CounterRandom&) const override { return partners_[source]; }
  double probability(NodeId source, NodeId destination) const override {
    return partners_[source] == destination ? 1.0 : 0.0;
  }
  double share(NodeId source) const override { return talks_[source] ? 1.0 : 0.0; }
  bool reaches(NodeId source) const override { return reaches_[source]; }

 private:
  const std::vector<NodeId> partners_;
  std::vector<bool> talks_, reaches_;
};

}  // namespace tsuji::workload
