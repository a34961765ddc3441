// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/living_network.h"

namespace tsuji::graph {

/// Fault regions, and roots for the breadth-first tree (Yoshinaga 2004, 2.2 and 3). A region's routers live
/// and are within distance - 1 links, in the faultless network, of a living end of a dead channel. A router
/// outside of all regions has living links only. Routers of one region are connected by links of the
/// faultless network over routers of the region or dead routers, so the neighbourhood of a dead router is one
/// region (rooms/graph.md, Where the paper is silent, 9).
class FaultRegions {
 public:
  /// ConfigError (routing.region_distance) for distance 0 with faults.
  FaultRegions(const Topology& topology, const LivingNetwork& network, unsigned distance);

  unsigned regions() const { return static_cast<unsigned>(roots_.size()); }
  /// Region of a router; `none`: outside of all.
  std::uint32_t region(RouterId router) const { return region_[router]; }
  bool in_region(RouterId router) const { return region_[router] != none; }
  /// Number of routers in regions.
  unsigned members() const { return members_; }
  /// [region]: the router with the least coordinate vector, dimension 0 first; without coordinates the lowest
  /// one.
  const std::vector<RouterId>& roots() const { return roots_; }

 private:
  std::vector<std::uint32_t> region_;
  std::vector<RouterId> roots_;
  unsigned members_ = 0;
};

/// Selects the root of the network's tree: the first living router of `priority`; if that is empty, the least
/// of the regions' roots, and without faults the least living router, by coordinate vector. ConfigError
/// (routing.root_priority) for a router that does not exist, or if no router of the list lives.
RouterId choose_root(const Topology& topology, const LivingNetwork& network, const FaultRegions& regions,
                     const std::vector<RouterId>& priority = {});

}  // namespace tsuji::graph
