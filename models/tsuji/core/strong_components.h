// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/cycle_search.h"

namespace tsuji {

/// Strongly connected components of a directed graph: vertices from each of which paths lead to all others of
/// the component, and nothing larger.
struct StrongComponents {
  /// Per vertex; an edge leads to a component of the same or a lower number.
  std::vector<std::uint32_t> component;
  std::vector<std::uint32_t> sizes;  ///< per component, in vertices
  /// A cycle without edges from a vertex to itself goes through this vertex.
  bool on_cycle(Vertex vertex) const { return sizes[component[vertex]] > 1; }
};

StrongComponents strong_components(std::size_t vertices, const VisitEdges& visit);

/// The knots of a graph of waits in which a vertex goes on as soon as one of those it waits for does: strong
/// components with a cycle from which no edge leads out. Members of a knot wait for ever, and so does whoever
/// waits for such members alone; a vertex without edges waits for nothing. Vertices ascend, as do the knots'
/// first ones.
std::vector<std::vector<Vertex>> find_knots(std::size_t vertices, const VisitEdges& visit);

}  // namespace tsuji
