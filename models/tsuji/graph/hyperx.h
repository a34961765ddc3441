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
  /// Links have one direction each. Ports of a router: nodes, outputs dimension by dimension, inputs in the
  /// order of the routers that send (and of their outputs).
  bool one_way_ports = false;
  /// Ports of a router that send to other routers.
  unsigned network_ports() const;
  /// First of these ports.
  unsigned first_network_port() const { return one_way_ports ? nodes_per_router : 0; }
  /// First port of a router's nodes.
  unsigned first_node_port() const { return one_way_ports ? 0 : network_ports(); }
  /// Number of ports of a router.
  unsigned ports() const { return network_ports() * (one_way_ports ? 2 : 1) + nodes_per_router; }
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
  bool one_way_ports = false;

  void add_keys(config::KeyTable& keys);
  Topology make(Cycle link_latency_cycles) const;
};

}  // namespace tsuji::graph
