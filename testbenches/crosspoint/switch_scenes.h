// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/multistage.h"
#include "tsuji/pins/switch_straps.h"

namespace tsuji::bench {

using crosspoint::SwitchStraps;

/// Places in networks of 2 to 1024 nodes, at which the bench puts its switch one after the other.
class SwitchScenes {
 public:
  explicit SwitchScenes(unsigned ports);
  struct Scene {
    graph::SwitchRoute route;
    SwitchStraps straps;
    unsigned nodes;
  };
  const std::vector<Scene>& all() const { return scenes_; }
  /// Places in networks that end with an odd number of nodes, or after the first node of a group of 64.
  const std::vector<Scene>& seldom() const { return seldom_; }
  /// The scene with these straps; null: none.
  const Scene* find(const SwitchStraps& straps) const;

 private:
  std::vector<Scene> scenes_, seldom_;
};

}  // namespace tsuji::bench
