// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/cycle_search.h"

#include <set>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;

namespace {

using Edges = std::vector<std::set<Vertex>>;

std::vector<Vertex> cycle_of(const Edges& edges) {
  return find_cycle(edges.size(), [&](Vertex from, const VisitNext& next) {
    for (const Vertex to : edges[from]) next(to);
  });
}

/// The transitive closure by Warshall's algorithm: a vertex on a cycle reaches itself.
bool has_cycle(const Edges& edges) {
  const std::size_t n = edges.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  for (std::size_t from = 0; from < n; ++from)
    for (const Vertex to : edges[from]) reaches[from][to] = true;
  for (std::size_t via = 0; via < n; ++via)
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; reaches[from][via] && to < n; ++to)
        if (reaches[via][to]) reaches[from][to] = true;
  for (std::size_t at = 0; at < n; ++at)
    if (reaches[at][at]) return true;
  return false;
}

}  // namespace

TEST_CASE("a cycle is found if and only if one exists, along edges, with no vertex twice") {
  unsigned cyclic = 0;
  constexpr unsigned trials = 2000;
  for (unsigned trial = 0; trial < trials; ++trial) {
    CounterRandom random(1, trial);
    Edges edges(1 + random.below(9));
    const std::uint64_t number = random.below(edges.size() * 2);
    for (std::uint64_t edge = 0; edge < number; ++edge)
      edges[random.below(edges.size())].insert(static_cast<Vertex>(random.below(edges.size())));
    CAPTURE(trial);
    const std::vector<Vertex> cycle = cycle_of(edges);
    REQUIRE(cycle.empty() != has_cycle(edges));
    cyclic += cycle.empty() ? 0 : 1;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      CHECK(edges[cycle[i]].count(cycle[(i + 1) % cycle.size()]) == 1);
      CHECK(cycle.front() <= cycle[i]);
    }
    CHECK(std::set<Vertex>(cycle.begin(), cycle.end()).size() == cycle.size());
  }
  CHECK(cyclic > trials / 5);
  CHECK(cyclic < trials * 4 / 5);
}

TEST_CASE("of a long cycle and a short one through the same vertex the short one is found") {
  Edges edges(6);
  for (Vertex v = 0; v < 6; ++v) edges[v].insert((v + 1) % 6);
  edges[3].insert(2);
  CHECK(cycle_of(edges) == std::vector<Vertex>{2, 3});
}

TEST_CASE("a vertex that waits for itself is a cycle") {
  CHECK(cycle_of({{1}, {1}}) == std::vector<Vertex>{1});
  CHECK(cycle_of({}).empty());
}

TEST_CASE("the shortest cycle is reported, wherever it lies") {
  Edges edges(14);
  for (unsigned v = 0; v < 8; ++v) edges[v].insert((v + 1) % 8);
  for (unsigned v = 10; v < 14; ++v) edges[v].insert(v == 13 ? 10 : v + 1);
  edges[12].insert(0);
  CHECK(cycle_of(edges) == std::vector<Vertex>{10, 11, 12, 13});
}

TEST_CASE("a search in a large graph tries 32 vertices, those of the first cycle and others") {
  // 40 cycles of 100 vertices, and one of two vertices as the last.
  constexpr unsigned rings = 40, length = 100;
  Edges edges(rings * length + 2);
  for (unsigned v = 0; v < rings * length; ++v)
    edges[v].insert(v % length == length - 1 ? v + 1 - length : v + 1);
  edges[rings * length].insert(rings * length + 1);
  edges[rings * length + 1].insert(rings * length);
  std::size_t visits = 0;
  const auto visit = [&](Vertex from, const VisitNext& next) {
    ++visits;
    for (const Vertex to : edges[from]) next(to);
  };
  CHECK(find_cycle(edges.size(), visit).size() == length);  // the short one is not among the first 32
  // All vertices are visited twice, to count and to store edges; a search from a vertex visits its ring.
  CHECK(visits == 2 * edges.size() + 32 * length);
  // 16 vertices backwards from the first, and then 0 to 15.
  edges[16].insert(15);
  CHECK(find_cycle(edges.size(), visit) == std::vector<Vertex>{15, 16});
  edges[87].insert(85);
  edges[16].erase(15);
  CHECK(find_cycle(edges.size(), visit) == std::vector<Vertex>{85, 86, 87});
}
