// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/turn_layers.h"

#include "routing/compact_cases.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/compact/compact_routes.h"
#include "tsuji/routing/lash_layers.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::LivingNetwork;
using graph::Topology;

namespace {

/// Paths on a ring used in one direction: all packets go up.
TurnLayers::Paths always_up(unsigned routers) {
  TurnLayers::Paths paths;
  paths.sends.assign(routers, 1);
  paths.ports = [](RouterId to, std::vector<std::uint16_t>& ports) {
    for (RouterId router = 0; router < ports.size(); ++router)
      if (router != to) ports[router] = graph::CubeShape::up_port(0);
  };
  return paths;
}

/// Hops in each layer, by following each packet alone.
std::vector<std::uint64_t> hops_by_layer(const Topology& topology, const TurnLayers& layers,
                                         const TurnLayers::Paths& paths) {
  std::vector<std::uint64_t> hops(layers.layers(), 0);
  std::vector<std::uint16_t> ports(topology.routers());
  for (RouterId to = 0; to < topology.routers(); ++to) {
    std::fill(ports.begin(), ports.end(), no_port);
    paths.ports(to, ports);
    for (RouterId from = 0; from < topology.routers(); ++from) {
      if (paths.sends[from] == 0 || ports[from] == no_port) continue;
      unsigned layer = 0;
      for (RouterId at = from; at != to;) {
        REQUIRE(layer < layers.layers());
        ++hops[layer];
        const graph::PortRef next = topology.far(at, ports[at]).at;
        if (next.router != to && !layers.has(layer, next.router, next.port, ports[next.router])) ++layer;
        at = next.router;
      }
    }
  }
  return hops;
}

}  // namespace

TEST_CASE("a ring with packets all round it takes two layers, as LASH does") {
  const Topology ring = graph::make_torus({6}, 1, 1);
  const TurnLayers layers(ring, always_up(6), "test");
  CHECK(layers.layers() == 2);
  CHECK(layers_with_cycles(ring, layers) == 0);
  CHECK(lash_layers(ring, always_up(6)) >= 2);
  const Topology row = graph::make_mesh({6}, 1, 1);
  TurnLayers::Paths paths = always_up(6);
  paths.ports = [](RouterId to, std::vector<std::uint16_t>& ports) {
    for (RouterId router = 0; router < ports.size(); ++router)
      if (router != to) ports[router] = router < to ? 0 : 1;
  };
  CHECK(TurnLayers(row, paths, "test").layers() == 1);
  CHECK(lash_layers(row, paths) == 1);
}

TEST_CASE(
    "packets that begin in layer 0 and rise by one arrive within the layers, each of which has no cycle") {
  for (unsigned number = 0; number < 150; ++number) {
    const test::CompactCase example = test::compact_case(number);
    CAPTURE(example.topology.name());
    const LivingNetwork network(example.topology, example.faults);
    CompactConfig config;
    config.distance = test::distance_of(example, number);
    const CompactTables tables(example.topology, network, config);
    const CompactRoutes routes(example.topology, network, tables);
    const TurnLayers layers(example.topology, routes.paths(), "compact");
    CHECK(layers_with_cycles(example.topology, layers) == 0);
    CHECK(hops_by_layer(example.topology, layers, routes.paths()) == layers.hops());
  }
}

TEST_CASE("a layer excludes one turn of a ring, and has no u-turns") {
  const Topology ring = graph::make_torus({4}, 1, 1);
  const TurnLayers layers(ring, always_up(4), "test");
  REQUIRE(layers.layers() == 2);
  unsigned in_first = 0;
  for (RouterId router = 0; router < 4; ++router) {
    in_first += layers.has(0, router, 1, 0) ? 1 : 0;
    CHECK(layers.of(router, 0, 0) == 0);
    CHECK(layers.of(router, 1, 1) == 0);
  }
  CHECK(in_first == 3);
}

TEST_CASE("cyclic paths are a failure of the model") {
  const Topology ring = graph::make_torus({4}, 1, 1);
  TurnLayers::Paths paths = always_up(4);
  paths.ports = [](RouterId, std::vector<std::uint16_t>& ports) {
    for (RouterId router = 0; router < ports.size(); ++router) ports[router] = 0;
    ports[2] = 1;  // 1 and 2 send to each other
  };
  CHECK_THROWS_AS(TurnLayers(ring, paths, "test"), ModelError);
}

TEST_CASE("spare virtual channels go to the layers with the most hops a channel") {
  const LayerVcs vcs("test", 6, {100, 60, 10});
  CHECK(vcs.of(0) == 0b000111);
  CHECK(vcs.of(1) == 0b011000);
  CHECK(vcs.of(2) == 0b100000);
  CHECK(vcs.above(0) == 0b111000);
  CHECK(vcs.above(2) == 0);
  CHECK(vcs.layer(4) == 1);
  CHECK(vcs.knows(5));
  CHECK_FALSE(vcs.knows(6));
  CHECK_THROWS_WITH(LayerVcs("test", 2, {100, 60, 10}), Catch::Contains("router.vcs") &&
                                                            Catch::Contains("too few virtual channels") &&
                                                            Catch::Contains("3..16"));
}
