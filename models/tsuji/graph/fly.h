// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// k-ary n-fly: one-way stages; ports 0..k-1 are inputs, k..2k-1 outputs.
struct FlyShape {
  unsigned radix = 4, stages = 3;
};

/// k-ary n-fly: n stages of k^(n-1) switches with k inputs (ports 0..k-1) and k outputs (ports k..2k-1),
/// joined by one-way links. A line keeps its number through all stages: node L injects line L at the first
/// stage and ejects it at the last. Stage s replaces the digit of weight k^(n-1-s), most significant first,
/// so one path leads from any node to any other. Coordinates are stage and place in the stage. ConfigError:
/// topology.radix, topology.stages.
Topology make_fly(unsigned radix, unsigned stages, Cycle link_latency_cycles);
/// Refuses what make_fly() does, and builds nothing.
void check_fly(unsigned radix, unsigned stages);

/// Parameters of the kind fly.
struct FlyConfig {
  unsigned radix = 4, stages = 3;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const { return make_fly(radix, stages, link_latency_cycles); }
};

}  // namespace tsuji::graph
