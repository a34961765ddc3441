// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "detour/decision_module.h"
#include "tsuji/graph/faults.h"

namespace tsuji::bench {

/// Sets of faults of the simulated network, each for some cycles. The set depends only on the cycle, so
/// driver and scoreboard agree on it.
class FaultScenes {
 public:
  static constexpr Cycle scene_cycles = 1024;
  struct Scene {
    graph::FaultSet faults;
    unsigned region_distance;
  };

  explicit FaultScenes(const routing::DecisionConfig& config);
  const graph::Topology& topology() const { return topology_; }
  std::size_t count() const { return scenes_.size(); }
  const Scene& scene(std::size_t number) const { return scenes_[number]; }
  std::size_t number_at(Cycle cycle) const { return cycle / scene_cycles % scenes_.size(); }

 private:
  const graph::Topology topology_;
  std::vector<Scene> scenes_;
};

}  // namespace tsuji::bench
