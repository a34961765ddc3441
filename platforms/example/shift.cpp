// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/pattern_kinds.h"
#include "tsuji/workload/patterns/partner.h"

namespace example {

using namespace tsuji;
using namespace tsuji::workload;

namespace {

/// Every node sends to the node whose number is a constant higher.
struct Shift {
  unsigned shift = 1;

  void add_keys(config::KeyTable& keys) {
    keys.add("traffic.shift", shift, {0, 1'000'000}, "nodes", "shift: from a node to its partner, upwards");
  }
  std::unique_ptr<Pattern> make(const PatternConfig& config) const {
    const NodeId distance = shift % config.nodes;
    return PartnerPattern::make(config, [&](NodeId node) { return (node + distance) % config.nodes; });
  }
};

}  // namespace

void add_shift(PatternKinds& kinds) {
  kinds.add<Shift>("shift");
}

}  // namespace example
