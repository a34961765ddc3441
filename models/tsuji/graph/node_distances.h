// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Number of links of the shortest paths between the routers of all pairs of nodes: two bytes per pair of
/// routers.
class NodeDistances {
 public:
  static constexpr unsigned most_routers = 2048;
  /// Returns true if the distances of a topology take a few megabytes at most.
  static bool suffices(const Topology& topology) { return topology.routers() <= most_routers; }

  explicit NodeDistances(const Topology& topology);

  /// `unreachable` (paths.h): no path.
  unsigned operator()(NodeId source, NodeId destination) const {
    return links_[std::size_t{eject_[destination]} * routers_ + inject_[source]];
  }
  /// Largest distance between two connected nodes.
  unsigned longest() const { return longest_; }

 private:
  unsigned routers_, longest_ = 0;
  std::vector<RouterId> inject_, eject_;  ///< [node]
  std::vector<std::uint16_t> links_;      ///< [to][from]
};

}  // namespace tsuji::graph
