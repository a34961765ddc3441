// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// All routers in an order in which neighbours stand near each other: in each run of `group` routers from the
/// first on, few links lead out of the run. Grown from the lowest router that is left, one router at a time,
/// by the one with the most links into the run; of several by the one that was seen first, which makes runs
/// round. Time grows with routers times group times ports.
std::vector<RouterId> neighbourhoods(const Topology& topology, unsigned group);

}  // namespace tsuji::graph
