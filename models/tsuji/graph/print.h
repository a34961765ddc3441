// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Prints a topology as a Graphviz graph: routers as boxes with coordinates, nodes as circles, ports at the
/// ends of links, latencies above 1 as labels. Equal topologies give equal bytes.
void print_dot(const Topology& topology, std::ostream& out);

/// Prints a topology as JSON: routers with coordinates and the other end of each port, links with their ends
/// and latencies, nodes with their ports.
void print_json(const Topology& topology, std::ostream& out);

}  // namespace tsuji::graph
