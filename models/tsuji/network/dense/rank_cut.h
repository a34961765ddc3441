// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"
#include "tsuji/mpi/ranks.h"

namespace tsuji::network::dense {

/// Divides the routers among ranks: about equal numbers of ports on each, and few links between them. The
/// cost of a link is inverse to its latency, as long links allow long windows. METIS cuts, where the build
/// has it (Ranks::cut); else a rank has an equal piece of graph::neighbourhoods(), in groups of `group`.
/// Returns the rank of each router, equal on all ranks, each of which has one. No result depends on the cut.
std::vector<std::uint16_t> cut_for_ranks(const graph::Topology& topology, mpi::Ranks& ranks, unsigned group);

}  // namespace tsuji::network::dense
