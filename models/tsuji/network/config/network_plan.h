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
  /// Leaves out check(), for a plan that several configurations share.
  static NetworkPlan unchecked(const NetworkConfig& config);
  /// Throws ConfigError where routers or look-ups of a configuration do not fit this topology and routing.
  void check(const NetworkConfig& config) const;
  graph::Topology topology;  ///< Routers, links and nodes.
  graph::FaultSet faults;    ///< Dead links and routers of cycle 0.
  /// Routing of this topology without its dead parts; never null.
  std::unique_ptr<const routing::Routing> routing;
  traffic::Rails rails;  ///< Network ports of the nodes, on the topology's nodes as places.
  TrafficNodes nodes;    ///< State of the nodes, as patterns see it.

 private:
  enum class Checks { now, later };
  NetworkPlan(const NetworkConfig& config, const graph::FaultSet* present, Checks checks);
};

}  // namespace tsuji::network
