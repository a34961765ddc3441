// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/fault_regions.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/graph/up_down_order.h"
#include "tsuji/routing/detour/detour_tables.h"

namespace tsuji::routing {

struct DetourConfig {
  unsigned region_distance =
      2;                  ///< distance that bounds a fault region (graph::FaultRegions), >= 1 with faults
  bool all_paths = true;  ///< up/down words have all candidates, otherwise one
  /// The first living router of this list is the root of the tree; empty: a router of a fault region.
  std::vector<RouterId> root_priority;
};

/// Everything that Detour-UD derives from one set of faults, for the whole network. Immutable: other faults
/// are another generation.
class DetourGeneration {
 public:
  /// ConfigError: those of LivingNetwork, FaultRegions and choose_root(); more than 65,536 routers.
  DetourGeneration(const graph::Topology& topology, const graph::FaultSet& faults,
                   const DetourConfig& config = {});

  const DetourConfig& config() const { return config_; }
  const graph::LivingNetwork& network() const { return network_; }
  const graph::FaultRegions& regions() const { return regions_; }
  RouterId root() const { return root_; }
  const graph::UpDownOrder& order() const { return order_; }
  const DetourTables& tables() const { return tables_; }

 private:
  DetourConfig config_;
  graph::LivingNetwork network_;
  graph::FaultRegions regions_;
  RouterId root_;
  graph::UpDownOrder order_;
  DetourTables tables_;
};

}  // namespace tsuji::routing
