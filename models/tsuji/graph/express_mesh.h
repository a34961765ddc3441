// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Mesh with express links (Dally 1991, express cubes): in each dimension, routers whose coordinate is a
/// multiple of `interval` (interchanges) are connected to the next ones, too. Dimension 0 is the fastest
/// index of identifiers.
struct ExpressShape {
  std::vector<unsigned> radices;
  unsigned interval = 4;          ///< steps of an express link
  unsigned nodes_per_router = 1;  ///< node n is at router n / nodes_per_router
  /// Port of a dimension: towards higher or lower coordinates, by a link of one step or an express link.
  static constexpr unsigned port(unsigned dimension, bool up, bool express) {
    return 4 * dimension + (express ? 2U : 0U) + (up ? 0U : 1U);
  }
};

/// Makes a mesh with express links. Ports of a router: four a dimension (ExpressShape::port()), then its
/// nodes; those without a link are unconnected. ConfigError: topology.radices, topology.interval,
/// topology.nodes_per_router.
Topology make_express_mesh(const ExpressShape& shape, Cycle link_cycles, Cycle express_cycles);

/// Parameters of the kind express_mesh.
struct ExpressMeshConfig {
  std::vector<unsigned> radices{8, 8};
  unsigned interval = 4;
  unsigned nodes_per_router = 1;
  Cycle express_latency_cycles = 0;  ///< 0: that of as many links as the interval has steps

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
