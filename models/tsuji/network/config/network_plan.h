// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/graph/faults.h"
#include "tsuji/graph/topology.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/traffic_config.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network {

/// Topology, dead links and routers, and routing of a configuration, checked for compatibility with the
/// router.
struct NetworkPlan {
  /// `present` replaces the set of faults of cycle 0.
  explicit NetworkPlan(const NetworkConfig& config, const graph::FaultSet* present = nullptr);
  graph::Topology topology;
  graph::FaultSet faults;
  std::unique_ptr<const routing::Routing> routing;
  TrafficNodes nodes;
};

}  // namespace tsuji::network
