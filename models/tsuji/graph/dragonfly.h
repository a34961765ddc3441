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
  /// First of a router's ports for global links; the ports before it are local.
  unsigned first_global_port() const { return group_routers - 1; }
  /// First port of a router's nodes.
  unsigned first_node_port() const { return first_global_port() + global_links; }
};

/// Makes a dragonfly. Ports of a router: to the other routers of its group in ascending order, h global
/// links, nodes. Global link l of a group is at its router l / h. With a h > g - 1 the arrangement is
/// repeated; a last incomplete repetition has no links. Coordinates are group and router in the group.
/// ConfigError: topology.groups, topology.group_routers, topology.nodes_per_router.
Topology make_dragonfly(const DragonflyShape& shape, Cycle local_cycles, Cycle global_cycles);

/// Parameters of the kind dragonfly.
struct DragonflyConfig : GroupedConfig {
  unsigned group_routers = 4;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
