// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// k-ary n-cube (torus and mesh) with a radix per dimension; dimension 0 is the fastest index of identifiers.
struct CubeShape {
  std::vector<unsigned> radices;
  std::vector<bool> wraps;        ///< [dimension]: true for a ring, false for a line of routers
  unsigned nodes_per_router = 1;  ///< node n is at router n / nodes_per_router
  /// Port towards the next higher (or lower) coordinate of a dimension.
  static constexpr unsigned up_port(unsigned dimension) { return 2 * dimension; }
  static constexpr unsigned down_port(unsigned dimension) { return 2 * dimension + 1; }
};

/// Makes a k-ary n-cube: a torus if every dimension wraps, a mesh if none does, or a mixture. Each router has
/// two ports per dimension (CubeShape), followed by its nodes' ports; ports at the border of a mesh have no
/// link. A wrapped dimension of radix 2 has two parallel links, by definition: the up port of each router is
/// connected to the down port of the other. ConfigError: topology.radices, topology.wraps,
/// topology.nodes_per_router.
Topology make_cube(const CubeShape& shape, Cycle link_latency_cycles);
/// Checks the arguments of make_cube() without building.
void check_cube(const CubeShape& shape);

/// Makes a cube with all dimensions wrapped (torus), or none (mesh).
Topology make_torus(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                    Cycle link_latency_cycles);
Topology make_mesh(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                   Cycle link_latency_cycles);

/// Parameters of the kinds mesh, torus and cube.
struct CubeConfig {
  std::vector<unsigned> radices{8, 8};
  std::vector<unsigned> wraps{1, 0};  ///< for kind cube: 1 for a dimension that wraps
  unsigned nodes_per_router = 1;

  void add_keys(config::KeyTable& keys);
  /// Shape of a kind: "mesh", "torus" or "cube".
  CubeShape shape(const std::string& kind) const;
  Topology mesh(Cycle link_latency_cycles) const;
  Topology torus(Cycle link_latency_cycles) const;
  Topology cube(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
