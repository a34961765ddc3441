// SPDX-License-Identifier: Apache-2.0
#include "detour/fault_scenes.h"

namespace tsuji::bench {

FaultScenes::FaultScenes(const routing::DecisionConfig& config) : topology_(config.topology()) {
  scenes_.push_back({{}, 2});
  const unsigned draws[][3] = {{1, 0, 2}, {0, 1, 2}, {0, 2, 1}, {2, 2, 2}, {0, 4, 2}, {6, 3, 3}, {12, 0, 1}};
  for (const auto& [links, routers, distance] : draws)
    scenes_.push_back({graph::draw_connected_faults(topology_, {links, routers, scenes_.size()}), distance});
}

}  // namespace tsuji::bench
