// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Properties of a value of `topology.kind`.
struct TopologyTraits {
  static constexpr const char* selector = "topology.kind";    ///< Key that selects the topology.
  static constexpr const char* unknown = "unknown topology";  ///< Refusal of an unknown value.
  std::string routing = "up_down";  ///< routing that is used for `routing.kind: auto`
};

/// All topologies by their value of `topology.kind`, with their parameters. make() gets the latency of a link
/// (on the grid: per unit of wire length; in a file: of links without a latency).
using TopologyKinds = config::Kinds<TopologyTraits, Topology, Cycle>;

/// Returns the topologies that CMakeLists.txt lists.
TopologyKinds topology_kinds();

}  // namespace tsuji::graph
