// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Orders all routers such that neighbours are close to each other: in each run of `group` routers few links
/// leave the run. A run grows from the lowest router left, by the router with the most links into the run; of
/// equal ones by the one seen first, which makes runs round. Takes time proportional to routers times group
/// times ports. Routers of `left_out` ([router]; empty: none) are not in the order.
std::vector<RouterId> neighbourhoods(const Topology& topology, unsigned group,
                                     const std::vector<bool>& left_out = {});

}  // namespace tsuji::graph
