// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/network_modules.h"

#include <algorithm>

namespace tsuji::network {

// To remove a module, the kernel searches its list from the beginning and moves the last module into the gap;
// to remove a port, it searches from the end. Once two modules without ports are removed (the kernel creates
// one itself after the nodes), destruction in reverse order finds every other module immediately. Otherwise
// the destruction of a large network takes seconds.
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

traffic::FlitNode* NetworkModules::own_node_at(End end) {
  traffic::FlitNode* const node = node_at(end);
  return ranks == nullptr || node == nullptr || domain->share_of(*node) == ranks->own() ? node : nullptr;
}

bool NetworkModules::has_router(graph::RouterId router) const {
  if (ranks == nullptr) return true;
  return dense ? dense->has_router(router) : domain->share_of(network->module(router)) == ranks->own();
}

Cycle NetworkModules::now() const {
  if (run->now() != 0 || domain->steps() == 0) return run->now();
  return std::max(domain->now() + 1, domain->cycle_at_kernel_time());
}

Cycle NetworkModules::last_event(Cycle now) const {
  Cycle last = std::max(network->last_event(now), reaction == nullptr ? 0 : reaction->last_event());
  if (observer != nullptr) last = std::max(last, observer->last_event());
  visit_nodes([&](const auto& node) { last = std::max(last, node.last_event(now)); });
  return ranks == nullptr ? last : ranks->greatest(last);
}

}  // namespace tsuji::network
