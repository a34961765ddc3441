// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Links of the shortest paths between the routers of all pairs of nodes: two bytes a pair of routers.
class NodeDistances {
 public:
  static constexpr unsigned most_routers = 2048;
  /// Whether the distances of a topology fit into some megabytes.
  static bool suffices(const Topology& topology) { return topology.routers() <= most_routers; }

  explicit NodeDistances(const Topology& topology);

  /// `unreachable` (paths.h) where no path leads.
  unsigned operator()(NodeId source, NodeId destination) const {
    return links_[std::size_t{eject_[destination]} * routers_ + inject_[source]];
  }
  /// The largest distance of two nodes between which a path leads.
  unsigned longest() const { return longest_; }

 private:
  unsigned routers_, longest_ = 0;
  std::vector<RouterId> inject_, eject_;  ///< [node]
  std::vector<std::uint16_t> links_;      ///< [to][from]
};

}  // namespace tsuji::graph
