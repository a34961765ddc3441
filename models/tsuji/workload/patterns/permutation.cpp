// SPDX-License-Identifier: Apache-2.0
#include <numeric>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/patterns/partner.h"
#include "tsuji/workload/random_streams.h"

namespace tsuji::workload {
namespace {

/// A random permutation of the nodes, fixed by the seed, every one with the same probability. Where nodes do
/// not send to themselves it is one without fixed points, drawn again until it has none (2.7 times in the
/// mean).
std::unique_ptr<Pattern> make_permutation(const PatternConfig& config) {
  if (!config.to_self && config.nodes < 2) {
    throw ConfigError("traffic.to_self", "false", "one node alone has no partner", "true, or more nodes");
  }
  CounterRandom random = traffic_random(config.seed, RandomStream::permutation, 0);
  std::vector<NodeId> partners(config.nodes);
  const auto has_fixed_point = [&] {
    for (NodeId node = 0; node < config.nodes; ++node) {
      if (partners[node] == node) return true;
    }
    return false;
  };
  do {
    std::iota(partners.begin(), partners.end(), NodeId{0});
    for (std::size_t left = partners.size(); left > 1; --left) {
      std::swap(partners[left - 1], partners[random.below(left)]);
    }
  } while (!config.to_self && has_fixed_point());
  return std::make_unique<PartnerPattern>(std::move(partners), config);
}

}  // namespace

void add_permutation(PatternKinds& kinds) {
  kinds.add<NoParameters<make_permutation>>("permutation");
}

}  // namespace tsuji::workload
