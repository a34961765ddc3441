// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/graph/global_links.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Dragonfly+ (Shpiner 2017), or Megafly (Flajslik 2018): every group is a two-level tree of leaves with
/// nodes and spines with global links, each leaf connected to each spine. Leaf i of group j is router j
/// (leaves + spines) + i; the group's spines follow its leaves. Node n is at leaf n / nodes_per_router.
struct DragonflyPlusShape {
  unsigned leaves = 4, spines = 4;  ///< of a group
  unsigned nodes_per_router = 1;    ///< of a leaf
  unsigned global_links = 2;        ///< ports of each spine for global links
  unsigned groups = 9;
  GlobalLinks arrangement = GlobalLinks::absolute;
  unsigned group_routers() const { return leaves + spines; }
};

/// Makes a dragonfly+. Ports of a leaf: to the spines of its group, then nodes; of a spine: to the leaves of
/// its group, then global links. Global link l of a group is at its spine l / global_links; repetitions as in
/// make_dragonfly(). Coordinates are group and router in the group. ConfigError: topology.groups,
/// topology.leaves, topology.nodes_per_router.
Topology make_dragonfly_plus(const DragonflyPlusShape& shape, Cycle local_cycles, Cycle global_cycles);

/// Parameters of the kind dragonfly_plus.
struct DragonflyPlusConfig : GroupedConfig {
  unsigned leaves = 4, spines = 4;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
