// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/routing/acyclic_graph.h"

using namespace tsuji;

namespace {

/// Reference: acyclic if repeated removal of vertices without predecessors removes all.
bool is_acyclic(std::vector<std::vector<bool>> edges) {
  const std::size_t n = edges.size();
  std::vector<bool> gone(n, false);
  for (std::size_t round = 0; round < n; ++round) {
    bool removed = false;
    for (std::size_t v = 0; v < n && !removed; ++v) {
      bool free = !gone[v];
      for (std::size_t u = 0; u < n && free; ++u) free = gone[u] || !edges[u][v];
      if (free) removed = gone[v] = true;
    }
    if (!removed) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("an acyclic graph accepts exactly the paths that close no cycle") {
  constexpr unsigned vertices = 9;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CounterRandom random(seed, 0);
    routing::AcyclicGraph graph(vertices);
    std::vector<std::vector<bool>> edges(vertices, std::vector<bool>(vertices, false));
    unsigned refused = 0;
    for (unsigned i = 0; i < 60; ++i) {
      std::vector<std::uint32_t> path;
      for (auto length = 1 + random.below(4); length > 0; --length)
        path.push_back(static_cast<std::uint32_t>(random.below(vertices)));
      auto with = edges;
      for (std::size_t k = 0; k + 1 < path.size(); ++k) with[path[k]][path[k + 1]] = true;
      const bool expected = is_acyclic(with);
      REQUIRE(graph.add_path(path) == expected);
      if (expected) edges = with;
      refused += expected ? 0 : 1;
    }
    REQUIRE(refused > 0);
    REQUIRE(refused < 60);
  }
}

TEST_CASE("an acyclic graph finds room between two neighbours of its order any number of times") {
  // Each of 300 vertices in turn is ordered directly before vertex 0, which would need numbers halved 300
  // times.
  constexpr std::uint32_t vertices = 301;
  routing::AcyclicGraph graph(vertices);
  for (std::uint32_t v = 1; v < vertices; ++v) REQUIRE(graph.add_path({v, 0}));
  for (std::uint32_t v = 1; v < vertices; ++v) REQUIRE_FALSE(graph.add_path({0, v}));
  for (std::uint32_t v = vertices - 1; v > 1; --v) REQUIRE(graph.add_path({v, v - 1}));
  for (std::uint32_t v = 2; v < vertices; ++v) REQUIRE_FALSE(graph.add_path({1, v}));
}

TEST_CASE("an acyclic graph of many vertices accepts exactly the edges that close no cycle") {
  constexpr unsigned vertices = 60;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CounterRandom random(seed, 1);
    routing::AcyclicGraph graph(vertices);
    // Vertices reachable from each vertex, itself included.
    std::vector<std::vector<bool>> reached(vertices, std::vector<bool>(vertices, false));
    for (unsigned v = 0; v < vertices; ++v) reached[v][v] = true;
    for (unsigned i = 0; i < 600; ++i) {
      const auto from = static_cast<std::uint32_t>(random.below(vertices));
      const auto to = static_cast<std::uint32_t>(random.below(vertices));
      const bool expected = !reached[to][from];
      REQUIRE(graph.add_path({from, to}) == expected);
      for (unsigned u = 0; expected && u < vertices; ++u)
        for (unsigned v = 0; reached[u][from] && v < vertices; ++v)
          if (reached[to][v]) reached[u][v] = true;
    }
  }
}
