#pragma once

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// k-ary n-cube: a torus where every dimension wraps, a mesh where none does, anything between. Each router
/// has two ports a dimension (CubeShape) and its nodes' ports after them; at the border of a mesh they lead
/// nowhere. A wrapped dimension of radix 2 has two parallel links, as the definition has it: the up port of
/// each router is joined to the down port of the other. Coordinates are those of the dimensions.
/// ConfigError: topology.radices, topology.wraps, topology.nodes_per_router.
Topology make_cube(const CubeShape& shape, Cycle link_latency_cycles);

/// The same with all dimensions wrapped, or none.
Topology make_torus(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                    Cycle link_latency_cycles);
Topology make_mesh(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                   Cycle link_latency_cycles);

}  // namespace tsuji::graph
