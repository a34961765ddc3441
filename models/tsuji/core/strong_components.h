// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/cycle_search.h"

namespace tsuji {

/// Strongly connected components of a directed graph: maximal sets of vertices with paths from each to all
/// others of the set.
struct StrongComponents {
  /// Component of each vertex; an edge goes to a component with the same or a lower number.
  std::vector<std::uint32_t> component;
  std::vector<std::uint32_t> sizes;  ///< number of vertices of each component
  /// Returns true if a cycle of two or more vertices goes through this vertex.
  bool on_cycle(Vertex vertex) const { return sizes[component[vertex]] > 1; }
};

StrongComponents strong_components(std::size_t vertices, const VisitEdges& visit);

/// Knots of a wait-for graph with OR semantics (a vertex proceeds as soon as one of its successors does):
/// strong components with a cycle and without an outgoing edge. The members of a knot are deadlocked, and so
/// are vertices whose successors are all deadlocked. A vertex without edges waits for nothing. Vertices are
/// ascending within a knot, and knots are sorted by their first vertex.
std::vector<std::vector<Vertex>> find_knots(std::size_t vertices, const VisitEdges& visit);

}  // namespace tsuji
