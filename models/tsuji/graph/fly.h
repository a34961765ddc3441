// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// k-ary n-fly: one-way stages; ports 0..k-1 are inputs, k..2k-1 outputs.
struct FlyShape {
  unsigned radix = 4, stages = 3;
};

/// Makes a k-ary n-fly: n stages of k^(n-1) switches with k inputs (ports 0..k-1) and k outputs (ports
/// k..2k-1), connected by one-way links. A line keeps its number through all stages: node L injects at line L
/// of the first stage and ejects at line L of the last. Stage s replaces the digit of weight k^(n-1-s), most
/// significant first, so a single path connects any two nodes. Coordinates are stage and position in the
/// stage. ConfigError: topology.radix, topology.stages.
Topology make_fly(unsigned radix, unsigned stages, Cycle link_latency_cycles);
/// Checks the arguments of make_fly() without building.
void check_fly(unsigned radix, unsigned stages);

/// Parameters of the kind fly.
struct FlyConfig {
  unsigned radix = 4, stages = 3;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const { return make_fly(radix, stages, link_latency_cycles); }
};

}  // namespace tsuji::graph
