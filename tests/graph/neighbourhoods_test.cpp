// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/neighbourhoods.h"

#include <algorithm>
#include <numeric>

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/random_graphs.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

/// The share of links between different runs of `group` routers of an order.
double links_between_runs(const Topology& topology, const std::vector<RouterId>& order, unsigned group) {
  std::vector<std::size_t> run(topology.routers());
  for (std::size_t i = 0; i < order.size(); ++i) run[order[i]] = i / group;
  const auto between = std::count_if(topology.links().begin(), topology.links().end(),
                                     [&](const RouterLink& l) { return run[l.a.router] != run[l.b.router]; });
  return static_cast<double>(between) / static_cast<double>(topology.links().size());
}

std::vector<RouterId> rows(const Topology& topology) {
  std::vector<RouterId> order(topology.routers());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

TEST_CASE("neighbourhoods list every router once") {
  const unsigned group = GENERATE(1, 5, 32, 1000);
  for (const Topology& topology : {make_cube({{7, 6}, {true, true}, 1}, 1), make_cube({{9}, {false}, 3}, 1),
                                   make_fat_tree(4, 4, 3, 1), make_random_regular(40, 3, 7, 1)}) {
    std::vector<RouterId> order = neighbourhoods(topology, group);
    std::sort(order.begin(), order.end());
    CHECK(order == rows(topology));
  }
}

TEST_CASE("routers that are left out are in no neighbourhood, and none grows through them") {
  const Topology line = make_mesh({7}, 1, 1);
  std::vector<bool> left_out(7);
  left_out[2] = true;
  CHECK(neighbourhoods(line, 7, left_out) == std::vector<RouterId>{0, 1, 3, 4, 5, 6});
  CHECK(neighbourhoods(line, 2, left_out) == std::vector<RouterId>{0, 1, 3, 4, 5, 6});
  left_out[0] = left_out[4] = true;
  CHECK(neighbourhoods(line, 7, left_out) == std::vector<RouterId>{1, 3, 5, 6});
  CHECK(neighbourhoods(line, 7, std::vector<bool>(7, true)).empty());
}

TEST_CASE("a neighbourhood has fewer outside links than a row of a torus") {
  // A square of s x s of a torus has 4 s of its 4 s^2 link ends outside: 18 % with 32 routers. A row of 32
  // has every second one outside.
  const Topology torus = make_cube({{32, 32}, {true, true}, 1}, 1);
  CHECK(links_between_runs(torus, rows(torus), 32) == 0.5);
  CHECK(links_between_runs(torus, neighbourhoods(torus, 32), 32) < 0.3);
}

TEST_CASE("a neighbourhood that fills a component of the graph continues in another") {
  const Topology two_rings({"two rings"}, {3, 3, 3, 3, 3, 3},
                           {{{0, 0}, {2, 1}},
                            {{2, 0}, {4, 1}},
                            {{4, 0}, {0, 1}},
                            {{1, 0}, {3, 1}},
                            {{3, 0}, {5, 1}},
                            {{5, 0}, {1, 1}}},
                           {{{0, 2}, {0, 2}}}, Shape{});
  CHECK(neighbourhoods(two_rings, 6) == std::vector<RouterId>{0, 2, 4, 1, 3, 5});
}

TEST_CASE(
    "a neighbourhood grows by the router with the most links into it, of several by the one seen first") {
  // 0 1 2
  // 3 4 5
  // 6 7 8
  const Topology mesh = make_mesh({3, 3}, 1, 1);
  // 1 and 3 are seen from 0, 2 and 4 from 1; 4 has a second link as soon as 3 is in, and so on.
  CHECK(neighbourhoods(mesh, 9) == std::vector<RouterId>{0, 1, 3, 4, 2, 5, 6, 7, 8});
  // The second run begins with 2, the lowest remaining router, and the third with 6.
  CHECK(neighbourhoods(mesh, 4) == std::vector<RouterId>{0, 1, 3, 4, 2, 5, 8, 7, 6});
  CHECK(neighbourhoods(mesh, 1) == rows(mesh));
}
