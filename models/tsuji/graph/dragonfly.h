// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/graph/global_links.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Dragonfly (Kim 2008): groups of fully connected routers, with global links between groups. Router r is
/// router r % group_routers of group r / group_routers; node n is at router n / nodes_per_router.
struct DragonflyShape {
  unsigned group_routers = 4;     ///< a
  unsigned nodes_per_router = 1;  ///< p
  unsigned global_links = 2;      ///< h: ports of each router for global links
  unsigned groups = 9;            ///< g
  GlobalLinks arrangement = GlobalLinks::absolute;
  bool nodes_first = false;  ///< A router's first ports are those of its nodes; else its last.
  /// First of a router's ports for local links.
  unsigned first_local_port() const { return nodes_first ? nodes_per_router : 0; }
  /// First of a router's ports for global links, after those for local links.
  unsigned first_global_port() const { return first_local_port() + group_routers - 1; }
  /// First port of a router's nodes.
  unsigned first_node_port() const { return nodes_first ? 0 : first_global_port() + global_links; }
  /// Number of ports of a router.
  unsigned ports() const { return group_routers - 1 + global_links + nodes_per_router; }
};

/// Makes a dragonfly. Ports of a router: to the other routers of its group in ascending order, h global
/// links, nodes (first or last). Global link l of a group is at its router l / h. With a h > g - 1 the
/// arrangement is repeated; a last incomplete repetition has no links. Coordinates are group and router in
/// the group. ConfigError: topology.groups, topology.group_routers, topology.nodes_per_router.
Topology make_dragonfly(const DragonflyShape& shape, Cycle local_cycles, Cycle global_cycles);

/// Parameters of the kind dragonfly.
struct DragonflyConfig : GroupedConfig {
  unsigned group_routers = 4;
  bool nodes_first = false;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
