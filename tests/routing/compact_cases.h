// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/graph/faults.h"
#include "tsuji/graph/topology.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::test {

/// A small network with coordinates, and the number of entries that its routers get beyond the required ones.
struct CompactCase {
  graph::Topology topology;
  graph::FaultSet faults;
  unsigned spare_entries = 0;
  bool rings = false;
};

/// Alternates between random grids, tori, meshes with dead links and routers in one to three dimensions, and
/// files with arbitrary coordinates.
CompactCase compact_case(unsigned number);

/// Alternates between the distances that the network supports.
routing::CoordinateDistance distance_of(const CompactCase& example, unsigned number);

/// Distance between coordinates by its definition; for Euclid its square.
std::uint64_t grid_distance(const graph::Topology& topology, graph::RouterId a, graph::RouterId b,
                            routing::CoordinateDistance distance);

}  // namespace tsuji::test
