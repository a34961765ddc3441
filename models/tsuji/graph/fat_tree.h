// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Fat tree (p, q, r) of Tateshita 2009: p up links and q down links a switch, r levels, level 0 at the
/// nodes.
struct FatTreeShape {
  unsigned up_links = 4, down_links = 4, levels = 3;
  std::vector<RouterId> first_of_level;  ///< levels + 1 entries; the last is the number of switches
};

/// Fat tree (p, q, r) of Tateshita 2009, section 4.1: switches with p up links and q down links on r levels;
/// q^r nodes, q^(r-1-l) p^l switches on level l. (4, 4, 3) is the 4-ary 3-tree of 64 nodes and 3 x 16
/// switches, (1, 4, r) a tree. Ports 0..q-1 go down, q..q+p-1 up; the top level has no up ports. The
/// paper draws no wiring: up port j of switch (h, g), h its subtree and g < p^l its number there, leads to
/// down port h mod q of switch (h / q, j p^l + g) one level higher, so that switches with the same g and j
/// share no parent and one path leads down to a node. Coordinates are level and place in the level.
/// ConfigError: topology.up_links, topology.down_links, topology.levels.
Topology make_fat_tree(unsigned up_links, unsigned down_links, unsigned levels, Cycle link_latency_cycles);
/// Refuses what make_fat_tree() does, and builds nothing.
void check_fat_tree(unsigned up_links, unsigned down_links, unsigned levels);

/// Parameters of the kind fat_tree.
struct FatTreeConfig {
  unsigned up_links = 4, down_links = 4, levels = 3;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const {
    return make_fat_tree(up_links, down_links, levels, link_latency_cycles);
  }
};

}  // namespace tsuji::graph
