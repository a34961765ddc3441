// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <set>

#include "support/catch.h"
#include "tsuji/graph/paths.h"
#include "tsuji/graph/random_graphs.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

void require_regular_and_connected(const Topology& topology, unsigned nodes, unsigned degree) {
  REQUIRE(topology.routers() == nodes);
  REQUIRE(topology.nodes() == nodes);
  std::set<std::pair<RouterId, RouterId>> pairs;
  for (const RouterLink& link : topology.links()) {
    REQUIRE(link.a.router < link.b.router);
    REQUIRE(pairs.emplace(link.a.router, link.b.router).second);  // no parallel wires, none to itself
  }
  for (RouterId router = 0; router < nodes; ++router) {
    REQUIRE(topology.ports(router) == degree + 1);
    RouterId before = 0;
    for (unsigned port = 0; port < degree; ++port) {
      const Topology::Far& far = topology.far(router, port);
      REQUIRE(far.kind == Topology::Far::Kind::router);
      REQUIRE(far.at.router >= before);
      before = far.at.router;
    }
    REQUIRE(topology.far(router, degree).node == router);
  }
  for (std::uint16_t hops : hops_to(topology, 0)) REQUIRE(hops != unreachable);
}

bool same(const Topology& a, const Topology& b) {
  if (a.links().size() != b.links().size()) return false;
  for (std::size_t i = 0; i < a.links().size(); ++i)
    if (!(a.links()[i].a == b.links()[i].a) || !(a.links()[i].b == b.links()[i].b)) return false;
  return true;
}

}  // namespace

TEST_CASE("random grids are regular and connected, and no wire is longer than allowed") {
  struct Size {
    unsigned nodes, degree, length;
  };
  const Size s = GENERATE(Size{16, 3, 2}, Size{16, 4, 6}, Size{64, 4, 3}, Size{64, 6, 4}, Size{256, 4, 3},
                          Size{256, 6, 6}, Size{9, 2, 2}, Size{100, 5, 3});
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Topology topology = make_random_grid({s.nodes, s.degree, s.length, seed, 2}, 3);
    require_regular_and_connected(topology, s.nodes, s.degree);
    bool longest_used = false;
    for (const RouterLink& link : topology.links()) {
      const auto& a = topology.coordinates(link.a.router);
      const auto& b = topology.coordinates(link.b.router);
      const unsigned length =
          static_cast<unsigned>(std::abs(static_cast<int>(a[0]) - static_cast<int>(b[0])) +
                                std::abs(static_cast<int>(a[1]) - static_cast<int>(b[1])));
      REQUIRE(length <= s.length);
      REQUIRE(link.latency_cycles == 3 + 2 * (length - 1));
      longest_used |= length > 1;
    }
    CHECK(longest_used);
  }
}

TEST_CASE("random regular graphs are regular and connected") {
  const auto [nodes, degree] =
      GENERATE(std::make_pair(3U, 2U), std::make_pair(4U, 3U), std::make_pair(10U, 3U),
               std::make_pair(64U, 2U), std::make_pair(256U, 6U), std::make_pair(20U, 18U));
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    require_regular_and_connected(make_random_regular(nodes, degree, seed, 1), nodes, degree);
}

TEST_CASE("a random graph is a function of its seed") {
  CHECK(same(make_random_regular(64, 4, 7, 1), make_random_regular(64, 4, 7, 1)));
  CHECK_FALSE(same(make_random_regular(64, 4, 7, 1), make_random_regular(64, 4, 8, 1)));
  CHECK(same(make_random_grid({64, 4, 3, 7, 0}, 1), make_random_grid({64, 4, 3, 7, 0}, 1)));
  CHECK_FALSE(same(make_random_grid({64, 4, 3, 7, 0}, 1), make_random_grid({64, 4, 3, 8, 0}, 1)));
}

TEST_CASE("over many seeds every pair of a random regular graph is wired about equally often") {
  constexpr unsigned nodes = 12, degree = 3, seeds = 2000;
  std::vector<unsigned> count(nodes * nodes, 0);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Topology topology = make_random_regular(nodes, degree, seed, 1);
    for (const RouterLink& link : topology.links()) ++count[link.a.router * nodes + link.b.router];
  }
  // Expected seeds * 3/11 = 545 with a standard deviation of 20.
  for (RouterId a = 0; a < nodes; ++a)
    for (RouterId b = a + 1; b < nodes; ++b)
      CHECK(std::abs(static_cast<int>(count[a * nodes + b]) - 545) < 100);
}

TEST_CASE("graphs that usually start disconnected are connected in the end") {
  // All wires of degree 2 are one ring; with wires of length 1 it goes through every router of the grid.
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    require_regular_and_connected(make_random_grid({16, 2, 1, seed, 0}, 1), 16, 2);
    require_regular_and_connected(make_random_grid({36, 2, 2, seed, 0}, 1), 36, 2);
    require_regular_and_connected(make_random_regular(100, 2, seed, 1), 100, 2);
  }
}

TEST_CASE("random graphs that cannot exist are refused with the reason") {
  CHECK_THROWS_WITH(make_random_regular(5, 3, 1, 1),
                    Catch::Contains("topology.degree") && Catch::Contains("odd number of wire ends"));
  CHECK_THROWS_WITH(make_random_regular(4, 4, 1, 1), Catch::Contains("may be wired to 3 others only"));
  for (unsigned nodes : {2U, 65537U, 65538U})
    CHECK_THROWS_WITH(make_random_regular(nodes, 2, 1, 1),
                      Catch::Contains("topology.nodes") && Catch::Contains("3..65536"));
  CHECK_THROWS_WITH(make_random_grid({60, 4, 3, 1, 0}, 1), Catch::Contains("49 or 64"));
  for (unsigned nodes : {1U, 65537U, 257U * 257U})
    CHECK_THROWS_WITH(make_random_grid({nodes, 4, 3, 1, 0}, 1),
                      Catch::Contains("topology.nodes") && Catch::Contains("a square number, 4..65536"));
  CHECK_NOTHROW(make_random_grid({4, 2, 3, 1, 0}, 1));
  // 65536 nodes are allowed: another value is wrong.
  CHECK_THROWS_WITH(make_random_grid({65536, 3, 1, 1, 0}, 1), Catch::Contains("may be wired to 2 others"));
  CHECK_THROWS_WITH(make_random_regular(65536, 129, 1, 1), Catch::Contains("2..128"));
  CHECK_THROWS_WITH(make_random_grid({64, 4, 0, 1, 0}, 1),
                    Catch::Contains("topology.wire_length") && Catch::Contains("1 or more"));
  CHECK_THROWS_WITH(make_random_grid({64, 4, 1, 1, 0}, 1),
                    Catch::Contains("topology.wire_length") && Catch::Contains("may be wired to 2 others"));
  // All others are within reach, but too few.
  CHECK_THROWS_WITH(make_random_grid({16, 16, 6, 1, 0}, 1),
                    Catch::Contains("router 0 may be wired to 15 others"));
  CHECK_THROWS_WITH(make_random_grid({16, 6, 2, 1, 0}, 1),
                    Catch::Contains("router 0 may be wired to 5 others"));
  // A 3x3 grid has an odd number of routers, so no ring of wires of length 1.
  CHECK_THROWS_WITH(make_random_grid({9, 2, 1, 1, 0}, 1), Catch::Contains("no connected graph was found"));
}

TEST_CASE("random graphs list their parameters by name, and a grid its columns and rows") {
  const Topology grid = make_random_grid({12 * 12, 3, 4, 99, 0}, 1);
  CHECK(grid.name() == "random grid 12x12, degree 3, wires of 4, seed 99");
  for (RouterId router = 0; router < grid.routers(); ++router)
    CHECK(grid.coordinates(router) == std::vector<unsigned>{router % 12, router / 12});
  const Topology regular = make_random_regular(20, 3, 7, 5);
  CHECK(regular.name() == "random regular, 20 routers, degree 3, seed 7");
  for (RouterId router = 0; router < regular.routers(); ++router) CHECK(regular.coordinates(router).empty());
  for (const RouterLink& link : regular.links()) CHECK(link.latency_cycles == 5);
}

TEST_CASE("wires of every length up to the longest, in all directions, occur in a random grid") {
  constexpr unsigned side = 8, longest = 3, seeds = 40;
  std::map<std::pair<int, int>, unsigned> seen;  // columns and rows from a wire's lower end
  std::vector<unsigned> at_router(side * side, 0);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Topology grid = make_random_grid({side * side, 4, longest, seed, 0}, 1);
    for (const RouterLink& link : grid.links()) {
      const auto &a = grid.coordinates(link.a.router), &b = grid.coordinates(link.b.router);
      ++seen[{static_cast<int>(b[0]) - static_cast<int>(a[0]),
              static_cast<int>(b[1]) - static_cast<int>(a[1])}];
    }
  }
  // Half of the 24 places at a distance of 1 to 3, of 5,120 wires; none is much more frequent than another,
  // except for those that borders cut off.
  CHECK(seen.size() == 12);
  for (const auto& [place, count] : seen) {
    CAPTURE(place.first, place.second, count);
    CHECK(count > 250);
    CHECK(count < 700);
  }
}

TEST_CASE("over many seeds the four borders of a random grid have as many wires along them") {
  enum : std::uint8_t { left, right, top, bottom, borders };
  std::array<unsigned, borders> along{};
  constexpr unsigned side = 6, seeds = 200;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Topology topology = make_random_grid({side * side, 4, 2, seed, 0}, 1);
    for (const RouterLink& link : topology.links()) {
      const auto& a = topology.coordinates(link.a.router);
      const auto& b = topology.coordinates(link.b.router);
      along[left] += a[0] == 0 && b[0] == 0;
      along[right] += a[0] == side - 1 && b[0] == side - 1;
      along[top] += a[1] == 0 && b[1] == 0;
      along[bottom] += a[1] == side - 1 && b[1] == side - 1;
    }
  }
  const unsigned mean = (along[left] + along[right] + along[top] + along[bottom]) / borders;
  CHECK(mean > 3 * seeds);
  CAPTURE(along);
  for (const unsigned count : along)
    CHECK(std::abs(static_cast<int>(count - mean)) < static_cast<int>(mean / 20));
}
