// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// Uniform random pattern: every living node is equally likely as a destination.
class UniformPattern final : public Pattern {
 public:
  explicit UniformPattern(const PatternConfig& config)
      : to_self_(config.to_self), choices_(config.living()), states_(config.states), rank_(states_.size()) {
    for (NodeId node = 0; node < states_.size(); ++node) {
      rank_[node] = static_cast<NodeId>(living_.size());
      if (states_[node] == NodeState::living) living_.push_back(node);
    }
  }

  static std::unique_ptr<Pattern> make(const PatternConfig& config) {
    if (!config.to_self && config.living() < 2) {
      throw ConfigError("traffic.to_self", "false", "one node alone has no partner", "true, or more nodes");
    }
    return std::make_unique<UniformPattern>(config);
  }

  NodeId destination(NodeId source, CounterRandom& random) const override {
    if (states_.empty()) return choose(source, true, random);
    return living_[choose(rank_[source], states_[source] == NodeState::living, random)];
  }
  double probability(NodeId source, NodeId destination) const override {
    const auto lives = [this](NodeId node) { return states_.empty() || states_[node] == NodeState::living; };
    if (!lives(destination) || (!to_self_ && source == destination)) return 0.0;
    return 1.0 / (!to_self_ && lives(source) ? choices_ - 1 : choices_);
  }
  double share(NodeId source) const override {
    return states_.empty() || states_[source] != NodeState::dead ? 1.0 : 0.0;
  }

 private:
  /// Draws an index below choices_. Excludes `own`, the source's index, if the source is a choice and nodes
  /// may not send to themselves.
  NodeId choose(NodeId own, bool is_choice, CounterRandom& random) const {
    if (to_self_ || !is_choice) return static_cast<NodeId>(random.below(choices_));
    const auto choice = static_cast<NodeId>(random.below(choices_ - 1));
    return choice >= own ? choice + 1 : choice;
  }

  const bool to_self_;
  const unsigned choices_;
  const std::vector<NodeState> states_;  ///< Empty: all nodes live, and `rank_` and `living_` are unused.
  std::vector<NodeId> rank_;             ///< For each node, the number of living nodes with smaller numbers.
  std::vector<NodeId> living_;
};

}  // namespace tsuji::workload
