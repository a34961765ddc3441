// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Makes a PolarFly (Lakhotia 2022): an Erdos-Renyi polarity graph of q^2 + q + 1 routers, diameter 2 and
/// degree q + 1, for a power q of a prime. Routers are the points of the projective plane over GF(q); two are
/// connected if their vectors are orthogonal. The q + 1 points that are orthogonal to themselves have degree
/// q. Points are (1, y, z), then (0, 1, z), then (0, 0, 1), which are also the coordinates; ports lead to the
/// neighbours in ascending order, then to the nodes. ConfigError: topology.field, topology.nodes_per_router.
Topology make_polar_fly(unsigned q, unsigned nodes_per_router, Cycle link_latency_cycles);

/// Parameters of the kind polar_fly.
struct PolarFlyConfig {
  unsigned field = 5;
  unsigned nodes_per_router = 1;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const {
    return make_polar_fly(field, nodes_per_router, link_latency_cycles);
  }
};

}  // namespace tsuji::graph
