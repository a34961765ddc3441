// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Up and down on the links of a breadth-first tree: a link leads up to the lower level, at equal levels to
/// the smaller identifier (rooms/routing.md, Where the paper is silent, 2). No path of links up
/// is a cycle, and none of links down.
class UpDownOrder {
 public:
  /// `levels`: for each router its links to the root, `unreachable` outside the tree.
  explicit UpDownOrder(std::vector<std::uint16_t> levels) : levels_(std::move(levels)) {}
  std::uint16_t level(RouterId router) const { return levels_[router]; }
  bool leads_up(RouterId from, RouterId to) const {
    return levels_[to] != levels_[from] ? levels_[to] < levels_[from] : to < from;
  }
  /// The routers of the tree, each after all that lie up from it.
  std::vector<RouterId> downwards() const;

 private:
  std::vector<std::uint16_t> levels_;
};

}  // namespace tsuji::graph
