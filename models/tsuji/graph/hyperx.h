// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// HyperX (Ahn 2009), with equal trunks in all dimensions a flattened butterfly (Kim 2007): routers with
/// equal coordinates in all dimensions but one are connected to each other by `trunks` links each. Dimension
/// 0 is the fastest index of identifiers.
struct HyperXShape {
  std::vector<unsigned> radices;
  std::vector<unsigned> trunks;   ///< [dimension]: parallel links between two routers
  unsigned nodes_per_router = 1;  ///< node n is at router n / nodes_per_router
  /// Ports of a router to other routers.
  unsigned network_ports() const;
};

/// Makes a HyperX. Ports of a router: dimension by dimension, in each the other coordinates in ascending
/// order with their trunks; then the nodes. `latencies`: for each dimension the cycles of a link between
/// adjacent coordinates; `step_latencies`: cycles more for each further step between the coordinates, empty:
/// none. ConfigError: topology.radices, topology.trunks, topology.nodes_per_router.
Topology make_hyperx(const HyperXShape& shape, const std::vector<Cycle>& latencies,
                     const std::vector<Cycle>& step_latencies = {});

/// Parameters of the kind hyperx.
struct HyperXConfig {
  std::vector<unsigned> radices{8, 8};
  std::vector<unsigned> trunks{1};  ///< one value for all dimensions, or one for each
  unsigned nodes_per_router = 1;
  std::vector<unsigned> dimension_latency_cycles{0};  ///< 0: the common latency
  std::vector<unsigned> step_latency_cycles{0};       ///< of each step after the first

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
