// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/graph/faults.h"
#include "tsuji/graph/topology.h"
#include "tsuji/routing/compact/coordinate_space.h"

namespace tsuji::test {

/// A small network with coordinates, and how many entries its routers get beside those that they have to
/// have.
struct CompactCase {
  graph::Topology topology;
  graph::FaultSet faults;
  unsigned spare_entries = 0;
  bool rings = false;
};

/// By turns random grids, tori, meshes with dead links and routers in one to three dimensions, and files with
/// coordinates anywhere.
CompactCase compact_case(unsigned number);

/// By turns those that the network has.
routing::CoordinateDistance distance_of(const CompactCase& example, unsigned number);

/// Between coordinates, by the definition; Euclid's square.
std::uint64_t grid_distance(const graph::Topology& topology, graph::RouterId a, graph::RouterId b,
                            routing::CoordinateDistance distance);

}  // namespace tsuji::test
