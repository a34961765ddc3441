// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Makes a Slim Fly (Besta 2014): an MMS graph of 2 q^2 routers, diameter 2 and degree (3 q - d) / 2, for q =
/// 4 w + d with d = -1, 0 or 1, a power of a prime. Routers (0, x, y) and (0, x, y') are connected if y - y'
/// is in the generator set X, (1, m, c) and (1, m, c') if c - c' is in X', (0, x, y) and (1, m, c) if y = m x
/// + c; arithmetic of GF(q). Ports lead to the neighbours in ascending order, then to the nodes. Coordinates
/// are (0, x, y) or (1, m, c), the last one fastest. ConfigError: topology.field, topology.nodes_per_router.
Topology make_slim_fly(unsigned q, unsigned nodes_per_router, Cycle link_latency_cycles);

/// Parameters of the kind slim_fly.
struct SlimFlyConfig {
  unsigned field = 5;
  unsigned nodes_per_router = 1;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const {
    return make_slim_fly(field, nodes_per_router, link_latency_cycles);
  }
};

}  // namespace tsuji::graph
