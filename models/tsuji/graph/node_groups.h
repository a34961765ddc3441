// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// [group]: its nodes, ascending. A group of a dragonfly or dragonfly+ is all nodes of the topology's group;
/// of any other topology, all nodes that eject at one router. Groups without nodes are left out.
std::vector<std::vector<NodeId>> node_groups(const Topology& topology);

}  // namespace tsuji::graph
