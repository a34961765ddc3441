// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/switch_scenes.h"

#include <algorithm>

namespace tsuji::bench {

namespace {

graph::MultistageConfig network_of(unsigned nodes, unsigned ports) {
  graph::MultistageConfig config;
  config.nodes = nodes;
  config.radix = ports;
  return config;
}

/// True if synchronizations come and go by all ports, or, in a network without them, packets at all.
bool is_busy(const SwitchStraps& straps, unsigned nodes) {
  const auto any = [](std::uint64_t nodes_of) { return nodes_of != 0; };
  if (nodes <= SwitchStraps::group_nodes)
    return std::all_of(straps.from.begin(), straps.from.end(), any) &&
           std::all_of(straps.to.begin(), straps.to.end(), any);
  return straps.first != straps.last;
}

}  // namespace

SwitchScenes::SwitchScenes(unsigned ports) {
  // One stage; two; more with redundant stages and lines without nodes; the largest, whose groups of 64 nodes
  // are told apart.
  for (const unsigned nodes : {ports, ports * ports, 50U, 64U, 200U, 1024U}) {
    const graph::MultistageConfig config = network_of(nodes, ports);
    if (nodes > config.most_nodes(10)) continue;
    const graph::Multistage network(config);
    for (unsigned stage = 0; stage < network.stages(); ++stage) {
      const unsigned switches = network.switches_per_stage();
      for (const unsigned index : {0U, (2 * stage + 1) * switches / (2 * network.stages() + 1)}) {
        const graph::SwitchRoute route(network, stage, index);
        SwitchStraps straps(route, ports);
        if (find(straps) == nullptr) scenes_.push_back({route, std::move(straps), nodes});
      }
    }
  }
  for (const unsigned nodes : {37U, 257U}) {
    const graph::Multistage network(network_of(nodes, ports));
    for (unsigned stage = 0; stage < network.stages(); ++stage) {
      const graph::SwitchRoute route(network, stage, network.switches_per_stage() / 2);
      SwitchStraps straps(route, ports);
      if (find(straps) == nullptr && is_busy(straps, nodes))
        seldom_.push_back({route, std::move(straps), nodes});
    }
  }
}

const SwitchScenes::Scene* SwitchScenes::find(const SwitchStraps& straps) const {
  const auto is_wanted = [&](const Scene& scene) { return scene.straps == straps; };
  for (const std::vector<Scene>* const scenes : {&scenes_, &seldom_}) {
    const auto found = std::find_if(scenes->begin(), scenes->end(), is_wanted);
    if (found != scenes->end()) return &*found;
  }
  return nullptr;
}

}  // namespace tsuji::bench
