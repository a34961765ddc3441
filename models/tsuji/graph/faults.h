// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Dead links, and dead routers with all of their links and nodes.
struct FaultSet {
  std::vector<std::uint32_t> links;  ///< as in Topology::links()
  std::vector<RouterId> routers;

  bool empty() const { return links.empty() && routers.empty(); }
  /// ConfigError (faults.links, faults.routers) for one that does not exist or is named twice, with its
  /// place in the list.
  void validate(const Topology& topology) const;
};

/// Numbers of links and routers that die at random.
struct RandomFaults {
  unsigned links = 0;
  unsigned routers = 0;
  std::uint64_t seed = 1;
};

/// A fault set of these numbers that leaves all other routers connected, drawn uniformly among all such sets
/// in which no dead link ends at a dead router (rooms/graph.md, Where the paper is silent, 8); a function of
/// its arguments alone. ConfigError (faults.random_links, faults.random_routers) where there is none, or none
/// is found in many draws.
FaultSet draw_connected_faults(const Topology& topology, const RandomFaults& demand);

}  // namespace tsuji::graph
