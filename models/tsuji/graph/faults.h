// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Set of dead links and of dead routers; the links and nodes of a dead router are dead, too.
struct FaultSet {
  std::vector<std::uint32_t> links;  ///< indices into Topology::links()
  std::vector<RouterId> routers;     ///< Numbers of dead routers.

  /// True if nothing is dead.
  bool empty() const { return links.empty() && routers.empty(); }
  /// ConfigError (faults.links, faults.routers) for an element that does not exist or is listed twice, with
  /// its position.
  void validate(const Topology& topology) const;
};

/// Numbers of links and routers that are drawn at random as dead.
struct RandomFaults {
  unsigned links = 0;      ///< Number of dead links.
  unsigned routers = 0;    ///< Number of dead routers.
  std::uint64_t seed = 1;  ///< Seed of the draw.
};

/// Draws a fault set of these sizes, uniformly among all sets that leave the other routers connected and in
/// which no dead link ends at a dead router (rooms/graph.md, Where the paper is silent, 8). Depends on its
/// arguments only. ConfigError (faults.random_links, faults.random_routers) if there is no such set, or none
/// is found in many draws.
FaultSet draw_connected_faults(const Topology& topology, const RandomFaults& demand);

}  // namespace tsuji::graph
