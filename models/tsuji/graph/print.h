// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// The topology as a Graphviz graph: routers as boxes with their coordinates, nodes as circles, ports at the
/// ends of links, latencies above 1 as labels. The same topology gives the same bytes.
void print_dot(const Topology& topology, std::ostream& out);

/// A topology as JSON: routers with coordinates and what lies behind each port, links with their ends and
/// latencies, nodes with their ports.
void print_json(const Topology& topology, std::ostream& out);

}  // namespace tsuji::graph
