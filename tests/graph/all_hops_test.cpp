// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/all_hops.h"

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/node_distances.h"
#include "tsuji/graph/random_graphs.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

/// Requires that the hops equal a search from every router.
void require_equal_to_searches(const LivingNetwork& network) {
  const AllHops hops(network);
  BreadthFirst search;
  for (RouterId from = 0; from < network.routers(); ++from) {
    if (!network.lives(from)) {
      for (RouterId to = 0; to < network.routers(); ++to) REQUIRE(hops(from, to) == AllHops::unreachable);
      continue;
    }
    network.hops_to(from, search);
    for (RouterId to = 0; to < network.routers(); ++to) {
      const unsigned expected =
          search.hops()[to] == unreachable ? unsigned{AllHops::unreachable} : search.hops()[to];
      REQUIRE(hops(from, to) == expected);
      REQUIRE(hops.row(to)[from] == expected);
    }
  }
}

Topology row_of(unsigned routers) {
  return make_mesh({routers}, 1, 1);
}

}  // namespace

TEST_CASE("hops between all pairs equal a search from every router") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    require_equal_to_searches({make_random_regular(30, 3, seed, 1), {}});
    require_equal_to_searches({make_random_grid({49, 4, 3, seed, 0}, 1), {}});
  }
  // More than one block of starts, and one that ends in the middle of a word.
  require_equal_to_searches({make_random_grid({625, 4, 4, 1, 0}, 1), {}});
  require_equal_to_searches({make_torus({32, 16}, 1, 1), {}});
}

TEST_CASE("hops between all pairs count living links, and dead routers reach none") {
  const Topology mesh = make_mesh({9, 9}, 1, 1);
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    require_equal_to_searches({mesh, draw_connected_faults(mesh, {5, 4, seed})});
  const FaultSet corner{{}, {1, 9}};  // cuts off router 0
  require_equal_to_searches({mesh, corner});
  CHECK(AllHops({mesh, corner})(0, 0) == AllHops::unreachable);
}

TEST_CASE("hops between all pairs fit into a byte, or the network is refused") {
  CHECK(AllHops({row_of(255), {}})(0, 254) == 254);
  CHECK_THROWS_WITH(AllHops({row_of(256), {}}),
                    Catch::Contains("topology.kind") && Catch::Contains("more than 254 hops apart"));
}

TEST_CASE("distances between nodes are links of shortest paths, through a fly, too") {
  const Topology torus = make_torus({5, 4}, 1, 1);
  const NodeDistances distances(torus);
  CHECK(distances.longest() == 2 + 2);
  for (NodeId to = 0; to < torus.nodes(); ++to) {
    const std::vector<std::uint16_t> hops = hops_to(torus, to);
    for (NodeId from = 0; from < torus.nodes(); ++from) CHECK(distances(from, to) == hops[from]);
  }
  // A packet of a fly passes all stages on the way to any node.
  const Topology fly = make_fly(2, 3, 1);
  const NodeDistances through(fly);
  for (NodeId to = 0; to < fly.nodes(); ++to) CHECK(through(3, to) == 2);
  CHECK(through.longest() == 2);
}
