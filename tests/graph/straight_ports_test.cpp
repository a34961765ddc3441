// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/straight_ports.h"

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"

using namespace tsuji;
using namespace tsuji::graph;

using Table = std::vector<std::uint32_t>;

TEST_CASE("straight ports: on a torus and a mesh a packet stays in its dimension and direction") {
  for (const bool wraps : {true, false}) {
    const Topology cube = wraps ? make_torus({4, 3}, 2, 1) : make_mesh({4, 3}, 2, 1);
    CHECK(up_ports(cube, 0).empty());
    for (RouterId router = 0; router < cube.routers(); ++router) {
      const Table table = straight_ports(cube, router, TopTurn::next);
      REQUIRE(table.size() == 6);
      for (unsigned d = 0; d < 2; ++d) {
        for (const auto& [in, out] : {std::pair{CubeShape::up_port(d), CubeShape::down_port(d)},
                                      {CubeShape::down_port(d), CubeShape::up_port(d)}}) {
          const Topology::Far& far = cube.far(router, out);
          CHECK(table[in] == (far.sends ? out : none));
          if (table[in] == none) continue;
          // The next router is one further from the packet's previous router.
          const auto here = cube.coordinates(router)[d], there = cube.coordinates(far.at.router)[d];
          const unsigned radix = d == 0 ? 4 : 3;
          CHECK(there == (out == CubeShape::up_port(d) ? here + 1 : here + radix - 1) % radix);
        }
      }
      CHECK(table[4] == none);  // ports of nodes
      CHECK(table[5] == none);
    }
  }
}

TEST_CASE("straight ports: up and down of a fat tree are opposite, and the root turns to the next port") {
  const Topology tree = make_fat_tree(4, 4, 3, 1);
  const RouterId top = tree.shape_as<FatTreeShape>()->first_of_level[2];
  CHECK(straight_ports(tree, 0, TopTurn::next) == Table{4, 5, 6, 7, 0, 1, 2, 3});
  CHECK(straight_ports(tree, top - 1, TopTurn::same) == Table{4, 5, 6, 7, 0, 1, 2, 3});
  CHECK(straight_ports(tree, top, TopTurn::next) == Table{1, 2, 3, 0});
  CHECK(straight_ports(tree, top, TopTurn::same) == Table{0, 1, 2, 3});
  CHECK(up_ports(tree, 0) == Table{4, 5, 6, 7, none, none, none, none});
  CHECK(up_ports(tree, top) == Table{none, none, none, none});
}

TEST_CASE("straight ports: a tree with fewer up than down ports has no opposite ones, but up ports") {
  const Topology tree = make_fat_tree(2, 4, 2, 1);
  CHECK(straight_ports(tree, 0, TopTurn::next).empty());
  CHECK(up_ports(tree, 0) == Table{4, 5, 4, 5, none, none});
  CHECK(up_ports(make_fat_tree(1, 4, 2, 1), 0) == Table{4, 4, 4, 4, none});
}

TEST_CASE("straight ports: a graph without directions has none") {
  const Topology fly = make_fly(2, 3, 1);
  CHECK(straight_ports(fly, 0, TopTurn::next).empty());
  CHECK(up_ports(fly, 0).empty());
}

TEST_CASE(
    "straight ports: an up port may have any number, and each router is asked for its own ports alone") {
  // Two routers of four ports: two links up from 1 to 0 by ports 0 and 2, nodes below.
  Topology tree("two", {4, 4}, {{{1, 0}, {0, 0}, 1}, {{1, 2}, {0, 1}, 1}},
                {{{1, 1}, {1, 1}}, {{1, 3}, {1, 3}}}, Shape{});
  Directions directions;
  directions.leads_up = [](RouterId router, unsigned port) {
    REQUIRE(router < 2);
    REQUIRE(port < 4);
    return router == 1 && port % 2 == 0;
  };
  directions.opposite = [](RouterId router, unsigned port) -> std::uint32_t {
    REQUIRE(router < 2);
    REQUIRE(port < 4);
    return port ^ 1U;
  };
  tree.set_directions(std::move(directions));
  CHECK(up_ports(tree, 1) == Table{none, 0, none, 2});
  CHECK(up_ports(tree, 0) == Table{none, none, none, none});
  CHECK(straight_ports(tree, 1, TopTurn::next) == Table{1, 0, 3, 2});
  // Ports 2 and 3 of the root have no links.
  CHECK(straight_ports(tree, 0, TopTurn::next) == Table{1, none, none, 0});
  CHECK(straight_ports(tree, 0, TopTurn::same) == Table{0, 1, none, none});
}
