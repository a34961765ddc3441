// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/graph/paths.h"

using namespace tsuji;
using namespace tsuji::graph;

TEST_CASE("a mesh with express links has a mesh's links, and longer ones between interchanges") {
  const ExpressShape shape{{9, 4}, 4, 2};
  const Topology topology = make_express_mesh(shape, 3, 7);
  CHECK(topology.name() == "mesh 9x4 with express links of 4, 2 nodes a router");
  CHECK(topology.routers() == 36);
  CHECK(topology.nodes() == 72);
  std::map<unsigned, unsigned> of_steps;
  for (const RouterLink& link : topology.links()) {
    const auto &a = topology.coordinates(link.a.router), &b = topology.coordinates(link.b.router);
    const unsigned d = a[0] == b[0] ? 1 : 0;
    REQUIRE(a[1 - d] == b[1 - d]);
    REQUIRE(b[d] > a[d]);
    const unsigned steps = b[d] - a[d];
    ++of_steps[steps];
    REQUIRE(link.latency_cycles == (steps == 1 ? 3 : 7));
    REQUIRE(link.a.port == 4 * d + (steps == 1 ? 0 : 2));
    REQUIRE(link.b.port == 4 * d + (steps == 1 ? 1 : 3));
    if (steps > 1) REQUIRE(a[d] % 4 == 0);
  }
  // Of each line of nine routers two, 0 to 4 and 4 to 8; none of a column of four.
  CHECK(of_steps == std::map<unsigned, unsigned>{{1, 8 * 4 + 3 * 9}, {4, 2 * 4}});
  for (NodeId node = 0; node < 72; ++node) {
    CHECK(topology.node(node).eject.router == node / 2);
    CHECK(topology.node(node).inject.port == 8 + node % 2);
  }
}

TEST_CASE("an express link takes as long as its steps, unless it has a separate latency") {
  ExpressMeshConfig config;
  config.radices = {8};
  const auto cycles = [&config] {
    Cycle most = 0;
    const Topology topology = config.make(5);
    for (const RouterLink& link : topology.links()) most = std::max(most, link.latency_cycles);
    return most;
  };
  CHECK(cycles() == 20);
  config.express_latency_cycles = 6;
  CHECK(cycles() == 6);
  config.interval = 3;
  CHECK(config.make(5).links().size() == 7 + 2);
  config.nodes_per_router = 3;
  CHECK(config.make(5).nodes() == 24);
}

TEST_CASE("intervals without an express link are refused") {
  const auto refusal = [](unsigned interval) { return make_express_mesh({{4, 6}, interval, 1}, 1, 1); };
  CHECK_NOTHROW(refusal(2));
  CHECK_NOTHROW(refusal(5));
  CHECK_THROWS_WITH(refusal(6), Catch::Contains("topology.interval") && Catch::Contains("2..5"));
  CHECK_THROWS_WITH(refusal(1), Catch::Contains("topology.interval") && Catch::Contains("2..5"));
  CHECK_THROWS_WITH(make_express_mesh({{4, 1}, 2, 1}, 1, 1), Catch::Contains("topology.radices"));
}
