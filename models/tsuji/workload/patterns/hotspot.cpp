// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/patterns/uniform.h"

namespace tsuji::workload {
namespace {

/// A share of every node's packets goes to the listed nodes, each with the same probability, the rest to all
/// nodes (the listed ones among them). Where nodes do not send to themselves, a listed node chooses among the
/// other listed ones; if there are none, all of its packets are of the rest. Listed nodes that do not live
/// are left out.
class HotspotPattern final : public Pattern {
 public:
  HotspotPattern(const PatternConfig& nodes, const HotspotConfig& config)
      : background_(nodes),
        to_self_(nodes.to_self),
        share_(config.hotspot_share),
        hotspots_(config.hotspots) {
    const auto gone = [&](NodeId node) { return nodes.state(node) != NodeState::living; };
    hotspots_.erase(std::remove_if(hotspots_.begin(), hotspots_.end(), gone), hotspots_.end());
    std::sort(hotspots_.begin(), hotspots_.end());
  }

  bool none_lives() const { return hotspots_.empty(); }
  double share(NodeId source) const override { return background_.share(source); }
  NodeId destination(NodeId source, CounterRandom& random) const override {
    if (random.unit() >= share_) return background_.destination(source, random);
    if (to_self_) return hotspots_[random.below(hotspots_.size())];
    const auto own = std::lower_bound(hotspots_.begin(), hotspots_.end(), source);
    if (own == hotspots_.end() || *own != source) return hotspots_[random.below(hotspots_.size())];
    if (hotspots_.size() == 1) return background_.destination(source, random);
    const auto choice = static_cast<std::size_t>(random.below(hotspots_.size() - 1));
    return hotspots_[choice >= static_cast<std::size_t>(own - hotspots_.begin()) ? choice + 1 : choice];
  }
  double probability(NodeId source, NodeId destination) const override {
    const double background = background_.probability(source, destination);
    const auto is_hot = [this](NodeId node) {
      return std::binary_search(hotspots_.begin(), hotspots_.end(), node);
    };
    const std::size_t others = hotspots_.size() - (!to_self_ && is_hot(source) ? 1 : 0);
    if (others == 0) return background;
    const bool chosen = is_hot(destination) && (to_self_ || destination != source);
    return (1 - share_) * background + (chosen ? share_ / static_cast<double>(others) : 0.0);
  }

 private:
  const UniformPattern background_;
  const bool to_self_;
  const double share_;
  std::vector<NodeId> hotspots_;  ///< rising
};

}  // namespace

void HotspotConfig::add_keys(config::KeyTable& keys) {
  keys.add("traffic.hotspots", hotspots, {0, 1'000'000}, {0, 1024}, "", "hotspot: numbers of the hot nodes");
  keys.add("traffic.hotspot_share", hotspot_share, {0.0, 1.0}, "",
           "hotspot: share of every node's packets that go to hot nodes");
}

void HotspotConfig::validate() const {
  if (!(hotspot_share >= 0.0 && hotspot_share <= 1.0)) {
    throw ConfigError("traffic.hotspot_share", std::to_string(hotspot_share), "not a share", "a number 0..1");
  }
}

std::unique_ptr<Pattern> HotspotConfig::make(const PatternConfig& config) const {
  UniformPattern::make(config);
  if (hotspots.empty()) {
    throw ConfigError("traffic.hotspots", "[]", "the pattern hotspot needs them", "one node at least");
  }
  std::vector<unsigned> sorted = hotspots;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw ConfigError("traffic.hotspots", std::to_string(*twice), "named twice", "every node once");
  }
  if (sorted.back() >= config.nodes) {
    throw ConfigError("traffic.hotspots", std::to_string(sorted.back()), "no such node",
                      "0.." + std::to_string(config.nodes - 1));
  }
  auto pattern = std::make_unique<HotspotPattern>(config, *this);
  if (pattern->none_lives())
    throw ConfigError("traffic.hotspots", std::to_string(hotspots.front()), "no hot node lives",
                      "one living node at least");
  return pattern;
}

void add_hotspot(PatternKinds& kinds) {
  kinds.add<HotspotConfig>("hotspot");
}

}  // namespace tsuji::workload
