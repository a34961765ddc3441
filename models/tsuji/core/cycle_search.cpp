// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/cycle_search.h"

#include <algorithm>
#include <limits>

namespace tsuji {
namespace {

constexpr Vertex none = std::numeric_limits<Vertex>::max();
constexpr unsigned most_starts = 32;

/// Shortest path from `start` back to `start`, by breadth-first search.
std::vector<Vertex> path_back(std::size_t vertices, const VisitEdges& visit, Vertex start) {
  std::vector<Vertex> from(vertices, none), queue{start};
  Vertex last = none;
  for (std::size_t i = 0; i < queue.size() && last == none; ++i) {
    visit(queue[i], [&](Vertex to) {
      if (to == start && last == none) last = queue[i];
      if (to == start || from[to] != none) return;
      from[to] = queue[i];
      queue.push_back(to);
    });
  }
  std::vector<Vertex> path;
  if (last == none) return path;
  for (Vertex v = last; v != start; v = from[v]) path.push_back(v);
  path.push_back(start);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

std::vector<Vertex> find_cycle(std::size_t vertices, const VisitEdges& visit) {
  std::vector<std::uint32_t> before(vertices, 0);
  for (Vertex v = 0; v < vertices; ++v) visit(v, [&](Vertex to) { ++before[to]; });
  std::vector<Vertex> queue;
  for (Vertex v = 0; v < vertices; ++v)
    if (before[v] == 0) queue.push_back(v);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    visit(queue[i], [&](Vertex to) {
      if (--before[to] == 0) queue.push_back(to);
    });
  }
  if (queue.size() == vertices) return {};
  // Only vertices on a cycle or downstream of one are left, so a backward path in them never ends and
  // repeats.
  std::vector<Vertex> previous(vertices, none);
  Vertex at = none;
  for (Vertex v = 0; v < vertices; ++v) {
    if (before[v] == 0) continue;
    if (at == none) at = v;
    visit(v, [&](Vertex to) {
      if (previous[to] == none) previous[to] = v;
    });
  }
  std::vector<bool> seen(vertices, false);
  for (; !seen[at]; at = previous[at]) seen[at] = true;
  std::vector<Vertex> best;
  const auto try_from = [&](Vertex start) {
    std::vector<Vertex> found = path_back(vertices, visit, start);
    if (!found.empty() && (best.empty() || found.size() < best.size())) best = std::move(found);
  };
  // Tries a vertex of the first cycle found and others elsewhere, because another cycle may be shorter.
  try_from(at);
  unsigned starts = 1;
  for (Vertex v = previous[at]; v != at && starts < most_starts / 2; v = previous[v], ++starts) try_from(v);
  for (Vertex v = 0; v < vertices && starts < most_starts; ++v) {
    if (before[v] == 0) continue;
    try_from(v);
    ++starts;
  }
  std::rotate(best.begin(), std::min_element(best.begin(), best.end()), best.end());
  return best;
}

}  // namespace tsuji
