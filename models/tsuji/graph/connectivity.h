// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/graph/fault_regions.h"
#include "tsuji/graph/living_network.h"

namespace tsuji::graph {

/// Effect of a set of faults on routers, and on hops between the living ones.
struct ConnectivityReport {
  unsigned routers = 0, living = 0, dead = 0;
  std::vector<RouterId> cut_off;
  unsigned regions = 0, region_routers = 0;
  std::uint64_t pairs = 0;         ///< ordered pairs of different living routers
  std::uint64_t longer_pairs = 0;  ///< pairs without a shortest path of the faultless network
  std::uint64_t hops = 0;          ///< hops of shortest paths over living links, summed over the pairs
  std::uint64_t faultless_hops = 0;
  unsigned longest = 0, faultless_longest = 0;  ///< longest shortest path of a pair
  unsigned most_more = 0;                       ///< largest number of hops that faults add to a pair
  std::string text() const;
};

/// Measures the effect by a search from each living router, with and without faults.
ConnectivityReport connectivity(const Topology& topology, const LivingNetwork& network,
                                const FaultRegions& regions);

}  // namespace tsuji::graph
