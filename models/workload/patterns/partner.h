#pragma once

#include <utility>
#include <vector>

#include "tsuji/workload/pattern.h"

namespace tsuji::workload {

/// Every node has one partner for good: the base of all permutations. A node that is its own partner sends to
/// itself through its router, or is silent where nodes do not send to themselves.
class PartnerPattern final : public Pattern {
 public:
  PartnerPattern(std::vector<NodeId> partners, bool to_self)
      : partners_(std::move(partners)), to_self_(to_self) {}

  /// `partner_of(node)` of every node.
  template <class F>
  static std::unique_ptr<Pattern> make(const PatternConfig& config, F partner_of) {
    std::vector<NodeId> partners(config.nodes);
    for (NodeId node = 0; node < config.nodes; ++node) partners[node] = partner_of(node);
    return std::make_unique<PartnerPattern>(std::move(partners), config.to_self);
  }

  NodeId destination(NodeId source, CounterRandom&) const override { return partners_[source]; }
  double share(NodeId source) const override { return to_self_ || partners_[source] != source ? 1.0 : 0.0; }

 private:
  const std::vector<NodeId> partners_;
  const bool to_self_;
};

}  // namespace tsuji::workload
