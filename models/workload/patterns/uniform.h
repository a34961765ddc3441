#pragma once

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// Any node with the same probability.
class UniformPattern final : public Pattern {
 public:
  UniformPattern(unsigned nodes, bool to_self) : nodes_(nodes), to_self_(to_self) {}

  static std::unique_ptr<Pattern> make(const PatternConfig& config) {
    if (!config.to_self && config.nodes < 2) {
      throw ConfigError("traffic.to_self", "false", "one node alone has no partner", "true, or more nodes");
    }
    return std::make_unique<UniformPattern>(config.nodes, config.to_self);
  }

  NodeId destination(NodeId source, CounterRandom& random) const override {
    if (to_self_) return static_cast<NodeId>(random.below(nodes_));
    const auto choice = static_cast<NodeId>(random.below(nodes_ - 1));
    return choice >= source ? choice + 1 : choice;
  }

 private:
  const unsigned nodes_;
  const bool to_self_;
};

}  // namespace tsuji::workload
