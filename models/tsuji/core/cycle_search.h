// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tsuji {

using Vertex = std::uint32_t;
using VisitNext = std::function<void(Vertex)>;
/// Calls its second argument for each vertex that the first argument has an edge to.
using VisitEdges = std::function<void(Vertex, const VisitNext&)>;

/// Finds a short cycle of a directed graph with vertices 0..vertices-1: none shorter goes through any of up
/// to 32 vertices that are tried. The result begins with the lowest vertex of the cycle; each vertex has an
/// edge to the next one, and the last has one to the first. Empty for an acyclic graph.
std::vector<Vertex> find_cycle(std::size_t vertices, const VisitEdges& visit);

}  // namespace tsuji
