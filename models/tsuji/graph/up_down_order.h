// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Up and down direction of links by a breadth-first tree: a link goes up to the lower level, at equal levels
/// to the lower identifier (scripts/handbook.d/rooms/routing.md, Where the paper is silent, 2). Neither links
/// upwards nor links downwards alone form a cycle.
class UpDownOrder {
 public:
  /// `levels`: [router]: number of links to the root, `unreachable` outside of the tree.
  explicit UpDownOrder(std::vector<std::uint16_t> levels) : levels_(std::move(levels)) {}
  std::uint16_t level(RouterId router) const { return levels_[router]; }
  bool leads_up(RouterId from, RouterId to) const {
    return levels_[to] != levels_[from] ? levels_[to] < levels_[from] : to < from;
  }
  /// Routers of the tree, each after all routers that are up from it.
  std::vector<RouterId> downwards() const;

 private:
  std::vector<std::uint16_t> levels_;
};

}  // namespace tsuji::graph
