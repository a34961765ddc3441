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

/// Makes the fat tree (p, q, r) of Tateshita 2009, section 4.1: switches with p up links and q down links on
/// r levels; q^r nodes, q^(r-1-l) p^l switches on level l. (4, 4, 3) is the 4-ary 3-tree with 64 nodes and 3
/// x 16 switches, (1, 4, r) is a tree. Ports 0..q-1 go down, q..q+p-1 up; the top level has no up ports. The
/// paper does not define the wiring: up port j of switch (h, g), with h its subtree and g < p^l its number
/// there, is connected to down port h mod q of switch (h / q, j p^l + g) one level higher. Switches with
/// equal g and j then share no parent, and one path goes down to each node. Coordinates are level and
/// position in the level. ConfigError: topology.up_links, topology.down_links, topology.levels.
Topology make_fat_tree(unsigned up_links, unsigned down_links, unsigned levels, Cycle link_latency_cycles);
/// Checks the arguments of make_fat_tree() without building.
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
