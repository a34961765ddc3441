// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

struct TopologyTraits {
  static constexpr const char* selector = "topology.kind";
  static constexpr const char* unknown = "unknown topology";
  std::string routing = "up_down";  ///< the routing that `routing.kind: auto` stands for
};

/// Every topology by its word in `topology.kind`, with its parameters. make() takes the latency of every link
/// (of a unit of wire on the grid, of links without a latency in a file).
using TopologyKinds = config::Kinds<TopologyTraits, Topology, Cycle>;

/// The topologies of CMakeLists.txt.
TopologyKinds topology_kinds();

}  // namespace tsuji::graph
