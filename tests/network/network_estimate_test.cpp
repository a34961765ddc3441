// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_estimate.h"

#include <deque>
#include <fstream>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"

using namespace tsuji;
using namespace tsuji::network;

namespace {

TopologyConfig of_kind(const std::string& kind) {
  TopologyConfig config;
  config.kind = kind;
  return config;
}

TopologyConfig cube(const std::string& kind, const std::vector<unsigned>& radices, unsigned nodes = 1,
                    const std::vector<unsigned>& wraps = {}) {
  TopologyConfig config = of_kind(kind);
  config.of<graph::CubeConfig>().radices = radices;
  config.of<graph::CubeConfig>().wraps = wraps;
  config.of<graph::CubeConfig>().nodes_per_router = nodes;
  return config;
}

/// Routers that a packet visits, mean of all pairs of nodes.
double visited(const graph::Topology& topology) {
  double sum = 0, pairs = 0;
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    std::vector<unsigned> routers(topology.routers(), 0);
    std::deque<graph::RouterId> front{topology.node(source).inject.router};
    routers[front.front()] = 1;
    for (; !front.empty(); front.pop_front()) {
      for (unsigned p = 0; p < topology.ports(front.front()); ++p) {
        const auto& far = topology.far(front.front(), p);
        if (far.kind != graph::Topology::Far::Kind::router || !far.sends || routers[far.at.router] != 0)
          continue;
        routers[far.at.router] = routers[front.front()] + 1;
        front.push_back(far.at.router);
      }
    }
    for (NodeId to = 0; to < topology.nodes(); ++to, ++pairs) sum += routers[topology.node(to).eject.router];
  }
  return sum / pairs;
}

void check_against_built(const TopologyConfig& config, double hops_error) {
  const graph::Topology built = make_topology(config, 1);
  const NetworkSize size = network_size(config);
  double ports = 0, inputs = 0;
  for (graph::RouterId router = 0; router < built.routers(); ++router) {
    for (unsigned p = 0; p < built.ports(router); ++p) {
      ports += built.far(router, p).kind != graph::Topology::Far::Kind::nothing ? 1 : 0;
      inputs += built.far(router, p).receives ? 1 : 0;
    }
  }
  double channels = 0;
  for (const graph::RouterLink& link : built.links()) channels += link.one_way ? 1 : 2;
  INFO(built.name());
  CHECK(size.routers == built.routers());
  CHECK(size.nodes == built.nodes());
  CHECK(size.ports == ports);
  CHECK(size.inputs == inputs);
  CHECK(size.router_channels == channels);
  CHECK(size.channels == channels + 2 * built.nodes());
  CHECK(size.hops == Approx(visited(built)).epsilon(hops_error));
}

}  // namespace

TEST_CASE("the estimated size of a network from its keys equals that of its graph") {
  check_against_built(cube("mesh", {8, 8}), 1e-9);
  check_against_built(cube("mesh", {5, 2, 3}, 4), 1e-9);
  check_against_built(cube("torus", {8, 6}), 1e-9);
  check_against_built(cube("torus", {5, 4, 2}, 2), 1e-9);
  check_against_built(cube("cube", {4, 5}, 1, {1, 0}), 1e-9);
  TopologyConfig tree = of_kind("fat_tree");
  check_against_built(tree, 1e-9);
  tree.of<graph::FatTreeConfig>() = {1, 3, 4};
  check_against_built(tree, 1e-9);
  tree.of<graph::FatTreeConfig>() = {3, 2, 1};
  check_against_built(tree, 1e-9);
  TopologyConfig fly = of_kind("fly");
  check_against_built(fly, 1e-9);
  fly.of<graph::FlyConfig>() = {2, 5};
  check_against_built(fly, 1e-9);
  fly.of<graph::FlyConfig>() = {3, 1};
  check_against_built(fly, 1e-9);
}

TEST_CASE("hops of random graphs are estimated") {
  for (const char* kind : {"random_grid", "random_regular"}) {
    TopologyConfig config = of_kind(kind);
    for (const unsigned nodes : {64U, 400U}) {
      config.of<graph::RandomGraphConfig>().nodes = nodes;
      check_against_built(config, 0.35);
    }
    config.of<graph::RandomGraphConfig>().degree = 6;
    check_against_built(config, 0.35);
  }
}

TEST_CASE("a topology of a file is built as a graph") {
  const tsuji::test::TemporaryFolder folder;
  std::ofstream(folder.file("a.topo"))
      << "link 0 1\nlink 1 2 one-way\nlink 2 0\nnode 0 at 0\nnode 1 in 1 out 2\n";
  TopologyConfig config = of_kind("file");
  config.of<graph::TopologyFileConfig>().file = folder.file("a.topo");
  check_against_built(config, 0.5);
}

TEST_CASE("keys that no builder accepts have no size") {
  CHECK_THROWS_AS(network_size(cube("mesh", {32768, 32768})), ConfigError);
  CHECK_THROWS_AS(network_size(cube("cube", {4, 4}, 1, {1})), ConfigError);
  TopologyConfig tree = of_kind("fat_tree");
  tree.of<graph::FatTreeConfig>() = {256, 2, 16};
  CHECK_THROWS_AS(network_size(tree), ConfigError);
  TopologyConfig fly = of_kind("fly");
  fly.of<graph::FlyConfig>() = {2, 21};
  CHECK_THROWS_AS(network_size(fly), ConfigError);
}

TEST_CASE("memory grows with each part of a network") {
  NetworkConfig config;
  config.topology = cube("mesh", {100, 100});
  config.routing.kind = "dimension_order";
  const double base = network_bytes(config, network_size(config.topology));
  CHECK(network_bytes(config, network_size(config.topology), true) < 0.6 * base);
  const auto bytes_with = [&](auto change) {
    NetworkConfig changed = config;
    change(changed);
    return network_bytes(changed, network_size(changed.topology));
  };
  CHECK(bytes_with([](NetworkConfig& c) { c.topology = cube("mesh", {200, 100}); }) > 1.8 * base);
  CHECK(bytes_with([](NetworkConfig& c) { c.topology = cube("mesh", {100, 100}, 2); }) > 1.2 * base);
  CHECK(bytes_with([](NetworkConfig& c) { c.network.vcs = 8; }) > 1.2 * base);
  CHECK(bytes_with([](NetworkConfig& c) { c.network.buffer_flits = 16; }) > 1.1 * base);
  CHECK(bytes_with([](NetworkConfig& c) { c.routing.kind = "up_down"; }) == base + 5e8);
  CHECK(bytes_with([](NetworkConfig& c) {
          c.network.router.va_allocator = c.network.router.sa_allocator = "matrix";
        }) > base + 8e6);
}

TEST_CASE("flits at routers are the offered ones, and no more than channels carry") {
  NetworkConfig config;
  config.topology = cube("torus", {8, 8});
  const NetworkSize size = network_size(config.topology);
  CHECK(flit_hops_per_cycle(config, size, 0.1) == Approx(0.1 * 64 * 5));
  CHECK(flit_hops_per_cycle(config, size, 0) == 0);
  CHECK(flit_hops_per_cycle(config, size, 1) == Approx(64 * 5));
  config.network.flit_cycles = 4;
  CHECK(flit_hops_per_cycle(config, size, 1) == Approx(64 * 5 / 4.0));
  CHECK(flit_hop_ns(1e6) == flit_hop_ns(1e7));
  CHECK(flit_hop_ns(1e10) > 3 * flit_hop_ns(1e7));
}
