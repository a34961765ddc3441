// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_modules.h"

#include <algorithm>

namespace tsuji::network {

// The kernel looks for a module that goes from the beginning of its list, and puts the last one into its
// place; for a port it looks from the end. When two modules without ports have gone first (the kernel
// makes one of its own after the nodes), all others are found at once if they go last made, first destroyed:
// otherwise large networks take seconds to end.
NetworkModules::~NetworkModules() {
  supervisor.reset();
  domain.reset();
  control.clear();
  while (!nodes.empty()) {
    nodes.pop_back();
    if (nodes.size() % ObjectBlock::objects == 0) blocks.pop_back();
  }
}

traffic::FlitNode* NetworkModules::node_at(End end) {
  if (!end.is_router()) return end.node() < nodes.size() ? nodes[end.node()].get() : nullptr;
  const auto found = control.find(end.router());
  return found == control.end() ? nullptr : found->second.get();
}

Cycle NetworkModules::last_event(Cycle now) const {
  Cycle last = std::max(network->last_event(now), reaction == nullptr ? 0 : reaction->last_event());
  if (observer != nullptr) last = std::max(last, observer->last_event());
  visit_nodes([&](const traffic::FlitNodeState& node) { last = std::max(last, node.last_event(now)); });
  return last;
}

}  // namespace tsuji::network
