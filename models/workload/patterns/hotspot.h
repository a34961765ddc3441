#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/workload/patterns/uniform.h"

namespace tsuji::workload {

/// A share of every node's packets goes to the listed nodes, each with the same probability, the rest to all
/// nodes (the listed ones among them). Where nodes do not send to themselves, a listed node chooses among the
/// other listed ones; if there are none, all of its packets are of the rest.
class HotspotPattern final : public Pattern {
 public:
  HotspotPattern(const PatternConfig& config)
      : background_(config.nodes, config.to_self),
        to_self_(config.to_self),
        share_(config.hotspot_share),
        hotspots_(config.hotspots) {
    std::sort(hotspots_.begin(), hotspots_.end());
  }

  static std::unique_ptr<Pattern> make(const PatternConfig& config) {
    UniformPattern::make(config);
    if (config.hotspots.empty()) {
      throw ConfigError("traffic.hotspots", "[]", "the pattern hotspot needs them", "one node at least");
    }
    std::vector<unsigned> sorted = config.hotspots;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
      throw ConfigError("traffic.hotspots", std::to_string(*twice), "named twice", "every node once");
    }
    if (sorted.back() >= config.nodes) {
      throw ConfigError("traffic.hotspots", std::to_string(sorted.back()), "no such node",
                        "0.." + std::to_string(config.nodes - 1));
    }
    return std::make_unique<HotspotPattern>(config);
  }

  NodeId destination(NodeId source, CounterRandom& random) const override {
    if (random.unit() >= share_) return background_.destination(source, random);
    if (to_self_) return hotspots_[random.below(hotspots_.size())];
    const auto own = std::lower_bound(hotspots_.begin(), hotspots_.end(), source);
    if (own == hotspots_.end() || *own != source) return hotspots_[random.below(hotspots_.size())];
    if (hotspots_.size() == 1) return background_.destination(source, random);
    const auto choice = static_cast<std::size_t>(random.below(hotspots_.size() - 1));
    return hotspots_[choice >= static_cast<std::size_t>(own - hotspots_.begin()) ? choice + 1 : choice];
  }

 private:
  const UniformPattern background_;
  const bool to_self_;
  const double share_;
  std::vector<NodeId> hotspots_;  ///< rising
};

}  // namespace tsuji::workload
