// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/living_network.h"
#include "tsuji/routing/compact/compact_tables.h"
#include "tsuji/routing/turn_layers.h"

namespace tsuji::routing {

/// Output ports of all routers to all others by compact tables, a byte each, and the ports of nodes. Keeps no
/// reference to its arguments.
class CompactRoutes {
 public:
  CompactRoutes(const graph::Topology& topology, const graph::LivingNetwork& network,
                const CompactTables& tables);

  static constexpr std::uint8_t no_port = 0xFF;

  /// Port from a router to another one; no_port unless both live.
  unsigned port(RouterId router, RouterId to) const { return ports_[pair(router, to)]; }
  /// Port where a node ejects; router `none` for nodes of dead routers.
  const graph::PortRef& eject(NodeId node) const { return ejects_[node]; }
  /// Paths between routers with living nodes; refers to this object.
  TurnLayers::Paths paths() const;

 private:
  std::size_t pair(RouterId router, RouterId to) const { return std::size_t{to} * routers_ + router; }
  void find_ports(const graph::LivingNetwork& network, const CompactTables& tables);

  unsigned routers_;
  std::vector<graph::PortRef> injects_, ejects_;  ///< [node]
  std::vector<std::uint8_t> ports_;               ///< [destination][router]
};

}  // namespace tsuji::routing
