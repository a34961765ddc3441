// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/paths.h"

using namespace tsuji;
using namespace tsuji::graph;
using Kind = Topology::Far::Kind;

namespace {

/// Requires that links and far ends agree, and every node is at its stated place.
void require_consistent(const Topology& topology) {
  std::size_t ends = 0, node_ends = 0;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      const Topology::Far& far = topology.far(router, port);
      if (far.kind == Kind::node) ++node_ends;
      if (far.kind != Kind::router) continue;
      ++ends;
      const Topology::Far& back = topology.far(far.at.router, far.at.port);
      REQUIRE(back.kind == Kind::router);
      REQUIRE(back.at == PortRef{router, port});
      REQUIRE(back.link == far.link);
      REQUIRE(back.sends == far.receives);
      REQUIRE(back.receives == far.sends);
      const RouterLink& link = topology.links()[far.link];
      REQUIRE((link.a == PortRef{router, port} || link.b == PortRef{router, port}));
    }
  }
  REQUIRE(ends == 2 * topology.links().size());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const NodePorts& at = topology.node(node);
    REQUIRE(topology.far(at.inject.router, at.inject.port).node == node);
    REQUIRE(topology.far(at.inject.router, at.inject.port).receives);
    REQUIRE(topology.far(at.eject.router, at.eject.port).node == node);
    REQUIRE(topology.far(at.eject.router, at.eject.port).sends);
    node_ends -= at.inject == at.eject ? 1 : 2;
  }
  REQUIRE(node_ends == 0);
}

unsigned ring_distance(unsigned a, unsigned b, unsigned radix, bool wraps) {
  const unsigned straight = a > b ? a - b : b - a;
  return wraps ? std::min(straight, radix - straight) : straight;
}

}  // namespace

TEST_CASE("a cube's links join coordinates that differ by one, in its ports' directions") {
  const CubeShape shape = GENERATE(
      CubeShape{{4}, {true}, 1}, CubeShape{{2, 2}, {true, true}, 1}, CubeShape{{3, 4}, {false, false}, 2},
      CubeShape{{4, 4, 3}, {true, false, true}, 1}, CubeShape{{2, 3, 2, 3}, {true, true, true, true}, 3});
  const Topology topology = make_cube(shape, 3);
  require_consistent(topology);
  unsigned routers = 1, weight = 1;
  std::size_t links = 0;
  for (unsigned radix : shape.radices) routers *= radix;
  REQUIRE(topology.routers() == routers);
  REQUIRE(topology.nodes() == routers * shape.nodes_per_router);
  const auto dimensions = static_cast<unsigned>(shape.radices.size());
  for (unsigned d = 0; d < dimensions; weight *= shape.radices[d], ++d) {
    const unsigned radix = shape.radices[d];
    links += std::size_t{routers} / radix * (shape.wraps[d] ? radix : radix - 1);
    for (RouterId router = 0; router < routers; ++router) {
      REQUIRE(topology.coordinates(router)[d] == router / weight % radix);
      const Topology::Far& up = topology.far(router, CubeShape::up_port(d));
      if (!shape.wraps[d] && topology.coordinates(router)[d] + 1 == radix) {
        REQUIRE(up.kind == Kind::nothing);
        continue;
      }
      REQUIRE(up.at.port == CubeShape::down_port(d));
      const Coordinates here = topology.coordinates(router);
      std::vector<unsigned> expected(here.begin(), here.end());
      expected[d] = (expected[d] + 1) % radix;
      REQUIRE(topology.coordinates(up.at.router) == expected);
    }
  }
  CHECK(topology.links().size() == links);
  for (const RouterLink& link : topology.links()) CHECK(link.latency_cycles == 3);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    CHECK(topology.node(node).inject.router == node / shape.nodes_per_router);
    CHECK(topology.node(node).inject.port == 2 * dimensions + node % shape.nodes_per_router);
  }
}

TEST_CASE("distances in a cube are sums of the distances in its dimensions") {
  const CubeShape shape{{5, 4, 3}, {true, false, true}, 1};
  const Topology topology = make_cube(shape, 1);
  for (RouterId to = 0; to < topology.routers(); ++to) {
    const auto hops = hops_to(topology, to);
    for (RouterId from = 0; from < topology.routers(); ++from) {
      unsigned sum = 0;
      for (unsigned d = 0; d < 3; ++d)
        sum += ring_distance(topology.coordinates(from)[d], topology.coordinates(to)[d], shape.radices[d],
                             shape.wraps[d]);
      REQUIRE(hops[from] == sum);
    }
  }
}

TEST_CASE("a torus dimension of two routers has two parallel links") {
  const Topology topology = make_torus({2}, 1, 1);
  REQUIRE(topology.links().size() == 2);
  CHECK(topology.far(0, 0).at == PortRef{1, 1});
  CHECK(topology.far(0, 1).at == PortRef{1, 0});
}

TEST_CASE("fat trees have the switches, links and distances of their levels") {
  struct Size {
    unsigned p, q, r;
  };
  const Size s = GENERATE(Size{4, 4, 3}, Size{16, 16, 2}, Size{1, 4, 3}, Size{2, 4, 3}, Size{3, 2, 4},
                          Size{4, 4, 1}, Size{2, 2, 5});
  const Topology topology = make_fat_tree(s.p, s.q, s.r, 1);
  require_consistent(topology);
  const auto& shape = *topology.shape_as<FatTreeShape>();
  const auto power = [](unsigned base, unsigned exponent) {
    unsigned value = 1;
    for (; exponent > 0; --exponent) value *= base;
    return value;
  };
  REQUIRE(topology.nodes() == power(s.q, s.r));
  REQUIRE(shape.first_of_level.size() == s.r + 1);
  REQUIRE(shape.first_of_level.back() == topology.routers());
  for (unsigned level = 0; level < s.r; ++level) {
    const unsigned switches = shape.first_of_level[level + 1] - shape.first_of_level[level];
    CHECK(switches == power(s.q, s.r - 1 - level) * power(s.p, level));
    for (RouterId router = shape.first_of_level[level]; router < shape.first_of_level[level + 1]; ++router) {
      REQUIRE(topology.coordinates(router)[0] == level);
      REQUIRE(topology.ports(router) == s.q + (level + 1 == s.r ? 0 : s.p));
      for (unsigned port = 0; port < topology.ports(router); ++port) {
        const Topology::Far& far = topology.far(router, port);
        const bool node = level == 0 && port < s.q;
        REQUIRE(far.kind == (node ? Kind::node : Kind::router));
        if (!node) REQUIRE(topology.coordinates(far.at.router)[0] == (port < s.q ? level - 1 : level + 1));
      }
    }
  }
  // Nodes that share the digits above level l are 2 l links apart.
  for (NodeId to = 0; to < topology.nodes(); to += 5) {
    const auto hops = hops_to(topology, topology.node(to).eject.router);
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      unsigned level = 0;
      while (from / power(s.q, level + 1) != to / power(s.q, level + 1)) ++level;
      REQUIRE(hops[topology.node(from).inject.router] == 2 * level);
    }
  }
}

TEST_CASE("an up link of a fat tree ends where its definition says") {
  struct Size {
    unsigned p, q, r;
  };
  const Size s = GENERATE(Size{4, 4, 3}, Size{3, 2, 4}, Size{1, 4, 3}, Size{2, 5, 3});
  const Topology topology = make_fat_tree(s.p, s.q, s.r, 3);
  const auto& first = topology.shape_as<FatTreeShape>()->first_of_level;
  unsigned width = 1;  // p^l
  for (unsigned level = 0; level < s.r; ++level, width *= s.p) {
    for (RouterId router = first[level]; router < first[level + 1]; ++router) {
      const unsigned place = router - first[level], h = place / width, g = place % width;
      REQUIRE(topology.coordinates(router) == std::vector<unsigned>{level, place});
      for (unsigned j = 0; j < s.p && level + 1 < s.r; ++j) {
        const RouterId parent = first[level + 1] + h / s.q * width * s.p + j * width + g;
        REQUIRE(topology.far(router, s.q + j).at == PortRef{parent, h % s.q});
        REQUIRE(topology.links()[topology.far(router, s.q + j).link].latency_cycles == 3);
      }
    }
  }
  for (NodeId node = 0; node < topology.nodes(); ++node)
    REQUIRE(topology.node(node).inject == PortRef{node / s.q, node % s.q});
}

TEST_CASE("(4,4,3) is the paper's fat tree of 64 nodes and three times 16 switches") {
  const Topology topology = make_fat_tree(4, 4, 3, 1);
  CHECK(topology.nodes() == 64);
  CHECK(topology.routers() == 48);
  CHECK(topology.links().size() == 128);
}

TEST_CASE("a fly has one path, of one link a stage, from every node to every node") {
  const auto [radix, stages] = GENERATE(std::make_pair(2U, 3U), std::make_pair(4U, 2U),
                                        std::make_pair(3U, 3U), std::make_pair(4U, 1U));
  const Topology topology = make_fly(radix, stages, 2);
  require_consistent(topology);
  REQUIRE(topology.links().size() == std::size_t{stages - 1} * topology.nodes());
  for (RouterId router = 0; router < topology.routers(); ++router) {
    REQUIRE(topology.ports(router) == 2 * radix);
    for (unsigned port = 0; port < 2 * radix; ++port) {
      REQUIRE(topology.far(router, port).receives == (port < radix));
      REQUIRE(topology.far(router, port).sends == (port >= radix));
    }
  }
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    std::map<NodeId, unsigned> ways;
    std::vector<RouterId> routers{topology.node(from).inject.router};
    for (std::size_t i = 0; i < routers.size(); ++i) {
      for (unsigned port = radix; port < 2 * radix; ++port) {
        const Topology::Far& far = topology.far(routers[i], port);
        if (far.kind == Kind::node)
          ++ways[far.node];
        else
          routers.push_back(far.at.router);
      }
    }
    REQUIRE(ways.size() == topology.nodes());
    for (const auto& entry : ways) REQUIRE(entry.second == 1);
  }
}

TEST_CASE("stages of a fly replace the digits of a line, the most significant first") {
  const auto [radix, stages] =
      GENERATE(std::make_pair(2U, 4U), std::make_pair(3U, 3U), std::make_pair(4U, 2U));
  const Topology topology = make_fly(radix, stages, 2);
  for (const RouterLink& link : topology.links()) REQUIRE(link.latency_cycles == 2);
  const unsigned width = topology.routers() / stages;
  for (RouterId router = 0; router < topology.routers(); ++router)
    REQUIRE(topology.coordinates(router) == std::vector<unsigned>{router / width, router % width});
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      RouterId router = topology.node(from).inject.router;
      unsigned weight = topology.nodes();
      for (unsigned stage = 0; stage < stages; ++stage) {
        REQUIRE(topology.coordinates(router)[0] == stage);
        weight /= radix;
        const Topology::Far& far = topology.far(router, radix + to / weight % radix);
        if (stage + 1 < stages)
          router = far.at.router;
        else
          REQUIRE(far.node == to);
      }
    }
  }
}

TEST_CASE("distances follow the directions of links, and mark unreachable routers") {
  RouterLink one_way{{1, 1}, {2, 0}, 1};
  one_way.one_way = true;
  const Topology topology("three and one", {1, 2, 1, 1}, {{{0, 0}, {1, 0}, 9}, one_way}, {{{3, 0}, {3, 0}}},
                          Shape{});
  CHECK(hops_to(topology, 2) == std::vector<std::uint16_t>{2, 1, 0, unreachable});
  CHECK(hops_to(topology, 0) == std::vector<std::uint16_t>{0, 1, unreachable, unreachable});
  for (RouterId router = 0; router < 4; ++router) CHECK(topology.coordinates(router).empty());
}

TEST_CASE("a topology refuses inconsistent parts") {
  const auto build = [](std::vector<RouterLink> links, std::vector<NodePorts> nodes) {
    Topology("test", {2, 2}, std::move(links), std::move(nodes), Shape{});
  };
  const NodePorts first{{0, 0}, {0, 0}}, second{{1, 0}, {1, 0}};
  const RouterLink good{{0, 1}, {1, 1}, 1};
  CHECK_NOTHROW(build({good}, {first, second}));
  CHECK_THROWS_WITH(build({good, {{0, 0}, {1, 1}, 1}}, {second}), Catch::Contains("two links share a port"));
  CHECK_THROWS_WITH(build({{{0, 2}, {1, 1}, 1}}, {first}),
                    Catch::Contains("no such port") && Catch::Contains("router 0 port 2"));
  CHECK_THROWS_WITH(build({{{0, 1}, {1, 1}, 0}}, {first}), Catch::Contains("1 cycle or more"));
  constexpr Cycle longest = 4294967295;
  const std::vector<RouterLink> slow{{{0, 1}, {1, 1}, longest}};
  CHECK(Topology("test", {2, 2}, slow, {first, second}, Shape{}).links()[0].latency_cycles == longest);
  CHECK_THROWS_WITH(build({{{0, 1}, {1, 1}, longest + 1}}, {first}),
                    Catch::Contains("4294967296") && Catch::Contains("at most 4294967295 cycles"));
  CHECK_THROWS_WITH(Topology("test", {1U << 22}, {}, {first}, Shape{}),
                    Catch::Contains("too many ports") && Catch::Contains("at most 4194303"));
  CHECK_THROWS_WITH(build({good}, {first, {}}),
                    Catch::Contains("node 1") && Catch::Contains("has no injection port"));
  CHECK_THROWS_WITH(build({good}, {{{0, 1}, {0, 1}}}), Catch::Contains("is at a port that is used already"));
  CHECK_THROWS_WITH(build({good}, {first, first}), Catch::Contains("is at a port that is used already"));
  CHECK_THROWS_WITH(build({good}, {}), Catch::Contains("without nodes"));
  CHECK_THROWS_WITH(Topology("test", {}, {}, {first}, Shape{}), Catch::Contains("without routers"));
  const std::vector<RouterLink> links{good};
  const std::vector<NodePorts> nodes{first, second};
  CHECK_NOTHROW(Topology("test", {2, 2}, links, nodes, Shape{}, {{0}, {1}}));
  CHECK_THROWS_WITH(
      Topology("test", {2, 2}, links, nodes, Shape{}, {{0}, {1}, {2}}),
      Catch::Contains("coordinates of another number of routers") && Catch::Contains("2, or none"));
}

TEST_CASE("a topology has the links and ports of which it is made") {
  // Two parallel links, one of them one-way and with a separate latency, and an unconnected port.
  RouterLink own{{1, 0}, {0, 3}, 9, true, true};
  const std::vector<RouterLink> links{{{0, 1}, {1, 2}, 70'000}, own};
  const std::vector<NodePorts> nodes{{{0, 0}, {0, 0}}, {{1, 1}, {1, 3}}};
  Topology topology("test", {4, 5}, links, nodes, Shape{}, {{7, 1}, {}});
  topology.set_link_classes({"near", "far"}, [](const RouterLink& link) { return link.one_way ? 1U : 0U; });
  CHECK(topology.links().size() == 2);
  std::size_t index = 0;
  for (const RouterLink& link : topology.links()) {
    CHECK(link.a == links[index].a);
    CHECK(link.b == links[index].b);
    CHECK(link.latency_cycles == links[index].latency_cycles);
    CHECK(link.one_way == links[index].one_way);
    CHECK(link.own_latency == links[index].own_latency);
    CHECK(link.link_class == index);
    ++index;
  }
  CHECK(index == 2);
  LinkClass both{"near"};
  both.latency_cycles = 5;
  topology.set_class_values(both);
  CHECK(topology.links()[0].latency_cycles == 5);
  CHECK(topology.links()[1].latency_cycles == 9);
  const Topology::Far behind = topology.far(0, 3), nothing = topology.far(0, 2), ejects = topology.far(1, 3);
  CHECK(behind.at == PortRef{1, 0});
  CHECK((behind.receives && !behind.sends && behind.link == 1 && behind.node == none));
  CHECK((nothing.kind == Topology::Far::Kind::nothing && nothing.at == PortRef{} && nothing.link == none));
  CHECK((ejects.kind == Topology::Far::Kind::node && ejects.node == 1 && ejects.at == PortRef{}));
  CHECK((ejects.sends && !ejects.receives));
  CHECK(topology.coordinates(0) == std::vector<unsigned>{7, 1});
  CHECK(topology.coordinates(1).empty());
  CHECK(topology.coordinates(1) < topology.coordinates(0));
  CHECK(topology.port_index({1, 2}) == 6);
  CHECK(topology.port_index({2, 0}) == 9);
}

TEST_CASE("impossible sizes are refused with the possible ones") {
  CHECK_THROWS_WITH(make_torus({4, 1}, 1, 1), Catch::Contains("topology.radices") && Catch::Contains("2.."));
  CHECK_THROWS_WITH(make_torus({1024, 1024, 2}, 1, 1), Catch::Contains("too many routers"));
  CHECK_THROWS_WITH(make_torus({4, 4}, 0, 1), Catch::Contains("topology.nodes_per_router"));
  CHECK_THROWS_WITH(make_cube({{4, 4}, {true}, 1}, 1),
                    Catch::Contains("topology.wraps") && Catch::Contains("2 values"));
  CHECK_THROWS_WITH(make_fat_tree(0, 4, 3, 1), Catch::Contains("topology.up_links"));
  CHECK_THROWS_WITH(make_fat_tree(4, 1, 3, 1), Catch::Contains("topology.down_links"));
  CHECK_THROWS_WITH(make_fat_tree(4, 4, 16, 1), Catch::Contains("topology.levels"));
  CHECK_THROWS_WITH(make_fly(1, 3, 1), Catch::Contains("topology.radix"));
  CHECK_THROWS_WITH(make_fly(4, 11, 1), Catch::Contains("topology.stages"));
}

TEST_CASE("sizes at the ends of their ranges are accepted, those beyond are refused") {
  CHECK(make_mesh({2, 2, 2, 2, 2, 2, 2, 2}, 1, 1).routers() == 256);
  CHECK_THROWS_WITH(make_mesh({2, 2, 2, 2, 2, 2, 2, 2, 2}, 1, 1), Catch::Contains("1..8"));
  CHECK_THROWS_WITH(make_mesh({}, 1, 1), Catch::Contains("1..8"));
  CHECK(make_mesh({32768}, 1, 1).routers() == 32768);
  CHECK_THROWS_WITH(make_mesh({32769}, 1, 1), Catch::Contains("2..32768"));
  CHECK_THROWS_WITH(make_mesh({1024, 1025}, 1, 1), Catch::Contains("at most 1048576 in all"));
  CHECK(make_mesh({4096}, 256, 1).nodes() == 1U << 20);
  CHECK_THROWS_WITH(make_mesh({4097}, 256, 1), Catch::Contains("1..255, at most 1048576 nodes in all"));
  CHECK_THROWS_WITH(make_mesh({2}, 257, 1),
                    Catch::Contains("topology.nodes_per_router") && Catch::Contains("1..256"));

  CHECK(make_fat_tree(256, 2, 2, 1).routers() == 2 + 256);
  CHECK_THROWS_WITH(make_fat_tree(257, 2, 2, 1),
                    Catch::Contains("topology.up_links") && Catch::Contains("1..256"));
  CHECK(make_fat_tree(1, 256, 2, 1).nodes() == 65536);
  CHECK_THROWS_WITH(make_fat_tree(1, 257, 2, 1),
                    Catch::Contains("topology.down_links") && Catch::Contains("2..256"));
  CHECK(make_fat_tree(1, 2, 16, 1).nodes() == 65536);
  CHECK_THROWS_WITH(make_fat_tree(1, 2, 0, 1),
                    Catch::Contains("topology.levels") && Catch::Contains("1..16"));
  CHECK_THROWS_WITH(make_fat_tree(1, 2, 17, 1),
                    Catch::Contains("topology.levels") && Catch::Contains("1..16"));
  // 2^20 nodes are the maximum, as are 2^20 switches on the top level.
  CHECK(make_fat_tree(1, 32, 4, 1).nodes() == 1U << 20);
  CHECK_THROWS_WITH(make_fat_tree(1, 102, 3, 1), Catch::Contains("at most 1048576 nodes"));
  CHECK_THROWS_WITH(make_fat_tree(102, 2, 4, 1), Catch::Contains("or switches on a level"));

  CHECK(make_fly(128, 1, 1).nodes() == 128);
  CHECK_THROWS_WITH(make_fly(129, 1, 1), Catch::Contains("topology.radix") && Catch::Contains("2..128"));
  CHECK_THROWS_WITH(make_fly(2, 0, 1), Catch::Contains("topology.stages") && Catch::Contains("1..20"));
  CHECK_THROWS_WITH(make_fly(2, 21, 1), Catch::Contains("topology.stages") && Catch::Contains("1..20"));
  CHECK_THROWS_WITH(make_fly(102, 3, 1), Catch::Contains("at most 1048576 in all"));
}

TEST_CASE("names contain kind and sizes") {
  CHECK(make_mesh({3, 4}, 1, 1).name() == "mesh 3x4");
  CHECK(make_torus({3, 4}, 2, 1).name() == "torus 3x4, 2 nodes a router");
  CHECK(make_cube({{3, 4}, {false, true}, 1}, 1).name() == "cube 3x4w");
  CHECK(make_fat_tree(2, 4, 3, 1).name() == "fat tree (2,4,3)");
  CHECK(make_fly(3, 2, 1).name() == "3-ary 2-fly");
}
