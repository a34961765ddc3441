// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// k-ary n-cube (torus and mesh), a radix for each dimension; dimension 0 runs fastest in identifiers.
struct CubeShape {
  std::vector<unsigned> radices;
  std::vector<bool> wraps;        ///< per dimension
  unsigned nodes_per_router = 1;  ///< node n is at router n / nodes_per_router
  /// Port towards the next higher (or lower) coordinate of a dimension.
  static constexpr unsigned up_port(unsigned dimension) { return 2 * dimension; }
  static constexpr unsigned down_port(unsigned dimension) { return 2 * dimension + 1; }
};

/// k-ary n-cube: a torus where every dimension wraps, a mesh where none does, anything between. Each router
/// has two ports a dimension (CubeShape) and its nodes' ports after them; at the border of a mesh they lead
/// nowhere. A wrapped dimension of radix 2 has two parallel links, as the definition has it: the up port of
/// each router is joined to the down port of the other. Coordinates are those of the dimensions.
/// ConfigError: topology.radices, topology.wraps, topology.nodes_per_router.
Topology make_cube(const CubeShape& shape, Cycle link_latency_cycles);
/// Refuses what make_cube() does, and builds nothing.
void check_cube(const CubeShape& shape);

/// A cube with all dimensions wrapped (torus), or none (mesh).
Topology make_torus(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                    Cycle link_latency_cycles);
Topology make_mesh(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                   Cycle link_latency_cycles);

/// Parameters of the kinds mesh, torus and cube.
struct CubeConfig {
  std::vector<unsigned> radices{8, 8};
  std::vector<unsigned> wraps{1, 0};  ///< of kind cube: 1 for a dimension that wraps
  unsigned nodes_per_router = 1;

  void add_keys(config::KeyTable& keys);
  /// The shape of a kind: "mesh", "torus" or "cube".
  CubeShape shape(const std::string& kind) const;
  Topology mesh(Cycle link_latency_cycles) const;
  Topology torus(Cycle link_latency_cycles) const;
  Topology cube(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
