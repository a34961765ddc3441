// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/strong_components.h"

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;

namespace {

/// Random edges, with the reachability of all pairs.
struct RandomGraph {
  RandomGraph(CounterRandom& random, std::size_t most_vertices, unsigned edges_per_vertex)
      : vertices(1 + random.below(most_vertices)),
        reach(vertices, std::vector<bool>(vertices, false)),
        edges(vertices) {
    for (std::size_t e = random.below(edges_per_vertex * vertices); e > 0; --e) {
      const auto from = static_cast<Vertex>(random.below(vertices));
      const auto to = static_cast<Vertex>(random.below(vertices));
      edges[from].push_back(to);
      reach[from][to] = true;
    }
    for (Vertex k = 0; k < vertices; ++k)
      for (Vertex a = 0; a < vertices; ++a)
        for (Vertex b = 0; b < vertices; ++b)
          if (reach[a][k] && reach[k][b]) reach[a][b] = true;
  }
  const std::size_t vertices;
  std::vector<std::vector<bool>> reach;
  std::vector<std::vector<Vertex>> edges;
};

}  // namespace

TEST_CASE("strong components are the pairs that reach each other, and edges lead to lower numbers") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CounterRandom random(seed, 0);
    const RandomGraph graph(random, 14, 3);
    const auto& [vertices, reach, edges] = graph;
    const StrongComponents parts = strong_components(vertices, [&](Vertex v, const VisitNext& next) {
      for (Vertex to : graph.edges[v]) next(to);
    });
    std::vector<std::uint32_t> sizes(parts.sizes.size(), 0);
    for (Vertex a = 0; a < vertices; ++a) {
      ++sizes.at(parts.component[a]);
      bool with_others = false;
      for (Vertex b = 0; b < vertices; ++b) {
        const bool together = a == b || (reach[a][b] && reach[b][a]);
        REQUIRE((parts.component[a] == parts.component[b]) == together);
        with_others |= together && a != b;
      }
      REQUIRE(parts.on_cycle(a) == with_others);
      for (Vertex to : edges[a]) REQUIRE(parts.component[to] <= parts.component[a]);
    }
    REQUIRE(sizes == parts.sizes);
  }
}

TEST_CASE("a long path needs no deep recursion") {
  constexpr std::size_t vertices = 1'000'000;
  const StrongComponents parts = strong_components(vertices, [](Vertex v, const VisitNext& next) {
    if (v + 1 < vertices) next(v + 1);
  });
  CHECK(parts.sizes.size() == vertices);
  CHECK(parts.component[0] == vertices - 1);
}

TEST_CASE("knots are sets that reach all of themselves and nothing else") {
  unsigned found = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CounterRandom random(seed, 1);
    const RandomGraph graph(random, 9, 2);
    const auto& [vertices, reach, edges] = graph;
    // By definition a vertex of a knot reaches itself, and every vertex that it reaches can reach it.
    std::vector<std::vector<Vertex>> expected;
    for (Vertex a = 0; a < vertices; ++a) {
      bool in_knot = reach[a][a], first = true;
      std::vector<Vertex> members;
      for (Vertex b = 0; b < vertices; ++b) {
        if (!reach[a][b]) continue;
        in_knot = in_knot && reach[b][a];
        first = first && b >= a;
        members.push_back(b);
      }
      if (in_knot && first) expected.push_back(members);
    }
    REQUIRE(find_knots(vertices, [&](Vertex v, const VisitNext& next) {
              for (Vertex to : graph.edges[v]) next(to);
            }) == expected);
    found += static_cast<unsigned>(expected.size());
  }
  CHECK(found > 100);
}
