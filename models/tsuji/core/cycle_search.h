// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace tsuji {

using Vertex = std::uint32_t;
using VisitNext = std::function<void(Vertex)>;
/// Calls its second argument for each vertex to which an edge leads from the first.
using VisitEdges = std::function<void(Vertex, const VisitNext&)>;

/// A cycle of a directed graph with vertices 0..vertices-1, a short one: none shorter goes through any of up
/// to 32 vertices that are tried. It begins with its lowest vertex; an edge leads from each to the next, and
/// from the last to the first. Empty if there is none.
std::vector<Vertex> find_cycle(std::size_t vertices, const VisitEdges& visit);

}  // namespace tsuji
