// SPDX-License-Identifier: Apache-2.0
#include "crosspoint/switch_scenes.h"

#include <algorithm>

namespace tsuji::bench {

SwitchScenes::SwitchScenes(unsigned ports) {
  // One stage; two; more with redundant stages and lines without nodes, after an odd number of nodes, too;
  // the largest, whose groups of 64 nodes are told apart.
  for (const unsigned nodes : {ports, ports * ports, 37U, 50U, 64U, 200U, 301U, 1023U, 1024U}) {
    graph::MultistageConfig config;
    config.nodes = nodes;
    config.radix = ports;
    if (nodes > config.most_nodes(10)) continue;
    const graph::Multistage network(config);
    for (unsigned stage = 0; stage < network.stages(); ++stage) {
      const unsigned switches = network.switches_per_stage();
      for (const unsigned index :
           {0U, switches / 2, (2 * stage + 1) * switches / (2 * network.stages() + 1)}) {
        const graph::SwitchRoute route(network, stage, index);
        SwitchStraps straps(route, ports);
        if (find(straps) == nullptr) scenes_.push_back({route, std::move(straps), nodes});
      }
    }
  }
}

const SwitchScenes::Scene* SwitchScenes::find(const SwitchStraps& straps) const {
  const auto found = std::find_if(scenes_.begin(), scenes_.end(),
                                  [&](const Scene& scene) { return scene.straps == straps; });
  return found == scenes_.end() ? nullptr : &*found;
}

}  // namespace tsuji::bench
