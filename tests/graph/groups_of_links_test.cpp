// SPDX-License-Identifier: Apache-2.0
// Topologies of full, grouped and algebraic graphs: HyperX, dragonfly, dragonfly+, Slim Fly, PolarFly.

#include <map>
#include <set>

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/dragonfly_plus.h"
#include "tsuji/graph/finite_field.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/graph/node_groups.h"
#include "tsuji/graph/paths.h"
#include "tsuji/graph/polar_fly.h"
#include "tsuji/graph/slim_fly.h"
#include "tsuji/graph/topology_kinds.h"

using namespace tsuji;
using namespace tsuji::graph;
using Kind = Topology::Far::Kind;

namespace {

/// Number of links of a router.
unsigned degree(const Topology& topology, RouterId router) {
  unsigned links = 0;
  for (unsigned port = 0; port < topology.ports(router); ++port)
    if (topology.far(router, port).kind == Kind::router) ++links;
  return links;
}

/// Longest shortest path between two nodes, in links between routers.
unsigned diameter(const Topology& topology) {
  unsigned longest = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const RouterId to = topology.node(node).eject.router;
    if (node != 0 && topology.node(node - 1).eject.router == to) continue;
    const auto hops = hops_to(topology, to);
    for (NodeId from = 0; from < topology.nodes(); ++from)
      longest = std::max<unsigned>(longest, hops[topology.node(from).inject.router]);
  }
  return longest;
}

/// Number of links between each pair of different routers.
std::map<std::pair<RouterId, RouterId>, unsigned> pairs(const Topology& topology) {
  std::map<std::pair<RouterId, RouterId>, unsigned> count;
  for (const RouterLink& link : topology.links()) {
    REQUIRE(link.a.router != link.b.router);
    ++count[std::minmax(link.a.router, link.b.router)];
  }
  return count;
}

/// Links that a word of topology.arrangement makes between groups: [group][link] = far group.
std::vector<std::vector<unsigned>> far_groups(const Topology& topology, const DragonflyShape& shape) {
  std::vector<std::vector<unsigned>> far(shape.groups);
  for (RouterId router = 0; router < topology.routers(); ++router) {
    for (unsigned port = shape.first_global_port(); port < shape.first_node_port(); ++port) {
      const Topology::Far& end = topology.far(router, port);
      if (end.kind == Kind::router)
        far[router / shape.group_routers].push_back(end.at.router / shape.group_routers);
    }
  }
  return far;
}

}  // namespace

TEST_CASE("a finite field has the axioms' properties") {
  for (const unsigned q : {2U, 3U, 4U, 5U, 7U, 8U, 9U, 16U, 25U, 27U}) {
    CAPTURE(q);
    const FiniteField field(q, "topology.field");
    std::set<unsigned> powers;
    for (unsigned a = 0; a < q; ++a) {
      if (a != 0) powers.insert(field.power(a));
      REQUIRE(field.add(a, 0) == a);
      REQUIRE(field.multiply(a, 1) == a);
      REQUIRE(field.multiply(a, 0) == 0);
      std::set<unsigned> sums, products;
      for (unsigned b = 0; b < q; ++b) {
        sums.insert(field.add(a, b));
        products.insert(field.multiply(a, b));
        REQUIRE(field.add(a, b) == field.add(b, a));
        for (unsigned c = 0; c < q; ++c)
          REQUIRE(field.multiply(a, field.add(b, c)) ==
                  field.add(field.multiply(a, b), field.multiply(a, c)));
      }
      REQUIRE(sums.size() == q);
      REQUIRE(products.size() == (a == 0 ? 1 : q));
    }
    REQUIRE(powers.size() == q - 1);
    REQUIRE(powers.count(0) == 0);
  }
  for (const unsigned q : {0U, 1U, 6U, 12U, 100U, 1025U})
    CHECK_THROWS_WITH(FiniteField(q, "topology.field"),
                      Catch::Contains("topology.field") && Catch::Contains("power of a prime"));
}

TEST_CASE("a HyperX connects the routers of each line, by as many links as there are trunks") {
  const HyperXShape shape = GENERATE(HyperXShape{{4}, {1}, 2}, HyperXShape{{3, 4}, {1, 2}, 1},
                                     HyperXShape{{2, 3, 4}, {3, 1, 2}, 2}, HyperXShape{{8, 8}, {1, 1}, 8});
  std::vector<Cycle> latencies;
  for (std::size_t d = 0; d < shape.radices.size(); ++d) latencies.push_back(d + 2);
  const Topology topology = make_hyperx(shape, latencies);
  unsigned routers = 1, ports = 0;
  for (std::size_t d = 0; d < shape.radices.size(); ++d) {
    routers *= shape.radices[d];
    ports += (shape.radices[d] - 1) * shape.trunks[d];
  }
  REQUIRE(topology.routers() == routers);
  REQUIRE(topology.nodes() == routers * shape.nodes_per_router);
  REQUIRE(shape.network_ports() == ports);
  REQUIRE(topology.links().size() == routers * ports / 2);
  CHECK(diameter(topology) == shape.radices.size());  // Ahn 2009: the diameter is the number of dimensions
  for (const RouterLink& link : topology.links()) {
    const auto &a = topology.coordinates(link.a.router), &b = topology.coordinates(link.b.router);
    unsigned differing = 0;
    for (std::size_t d = 0; d < a.size(); ++d) {
      if (a[d] == b[d]) continue;
      ++differing;
      REQUIRE(link.latency_cycles == d + 2);
    }
    REQUIRE(differing == 1);
  }
  for (const auto& [ends, count] : pairs(topology)) {
    const auto &a = topology.coordinates(ends.first), &b = topology.coordinates(ends.second);
    std::size_t d = 0;
    while (a[d] == b[d]) ++d;
    REQUIRE(count == shape.trunks[d]);
  }
  for (RouterId router = 0; router < routers; ++router) {
    unsigned weight = 1, number = 0;
    for (std::size_t d = 0; d < shape.radices.size(); weight *= shape.radices[d], ++d)
      number += topology.coordinates(router)[d] * weight;
    REQUIRE(number == router);
    unsigned port = 0;
    for (std::size_t d = 0; d < shape.radices.size(); ++d)
      for (unsigned to = 0; to < shape.radices[d]; ++to)
        for (unsigned t = 0; to != topology.coordinates(router)[d] && t < shape.trunks[d]; ++t)
          REQUIRE(topology.coordinates(topology.far(router, port++).at.router)[d] == to);
    for (unsigned n = 0; n < shape.nodes_per_router; ++n)
      REQUIRE(topology.far(router, port + n).node == router * shape.nodes_per_router + n);
  }
}

TEST_CASE("the latency of a HyperX's link grows with each further step between its coordinates") {
  const Topology topology = make_hyperx({{4, 5}, {1, 2}, 1}, {3, 7}, {2, 10});
  std::set<Cycle> seen;
  for (const RouterLink& link : topology.links()) {
    const auto &a = topology.coordinates(link.a.router), &b = topology.coordinates(link.b.router);
    const std::size_t d = a[0] == b[0] ? 1 : 0;
    const unsigned steps = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
    REQUIRE(link.latency_cycles == (d == 0 ? 3 + (steps - 1) * 2 : 7 + (steps - 1) * 10));
    seen.insert(link.latency_cycles);
  }
  CHECK(seen.size() == 6);  // 3, 5, 7; 7, 17, 27, 37
  HyperXConfig config;
  config.radices = {3};
  config.step_latency_cycles = {4};
  CHECK(config.make(9).links()[1].latency_cycles == 9 + 4);
}

TEST_CASE("a HyperX has the published numbers of ports, nodes and links through its middle") {
  struct Row {
    unsigned radix, dimensions, ports, nodes;
  };
  // k-ary n-flats of Kim 2007: k^n nodes, n' = n - 1 dimensions, routers of n (k - 1) + 1 ports.
  for (const Row& row :
       std::vector<Row>{{8, 1, 15, 64}, {8, 2, 22, 512}, {16, 2, 46, 4096}, {10, 3, 37, 10'000}}) {
    const Topology flat = make_hyperx({std::vector<unsigned>(row.dimensions, row.radix),
                                       std::vector<unsigned>(row.dimensions, 1), row.radix},
                                      std::vector<Cycle>(row.dimensions, 1));
    CAPTURE(flat.name());
    CHECK(flat.ports(0) == row.ports);
    CHECK(flat.nodes() == row.nodes);
    unsigned cut = 0;
    for (const RouterLink& link : flat.links())
      if ((flat.coordinates(link.a.router)[0] < row.radix / 2) !=
          (flat.coordinates(link.b.router)[0] < row.radix / 2))
        ++cut;
    // Ahn 2009: relative bisection K S / (2 T) = 1/2 of the nodes' rate for S = T and K = 1.
    CHECK(2.0 * cut == Approx(row.nodes / 2.0));
  }
}

TEST_CASE("a dragonfly's groups are full, and every two have a global link") {
  for (const GlobalLinks arrangement :
       {GlobalLinks::absolute, GlobalLinks::relative, GlobalLinks::palmtree, GlobalLinks::circulant}) {
    for (const DragonflyShape& shape :
         {DragonflyShape{4, 2, 2, 9, arrangement}, DragonflyShape{4, 1, 2, 4, arrangement},
          DragonflyShape{1, 1, 3, 4, arrangement}, DragonflyShape{3, 2, 3, 10, arrangement},
          DragonflyShape{4, 1, 2, 2, arrangement}, DragonflyShape{3, 1, 2, 5, arrangement}}) {
      const Topology topology = make_dragonfly(shape, 2, 9);
      CAPTURE(topology.name());
      REQUIRE(topology.routers() == shape.groups * shape.group_routers);
      REQUIRE(topology.nodes() == topology.routers() * shape.nodes_per_router);
      REQUIRE(topology.node(topology.nodes() - 1).eject.router == topology.routers() - 1);
      const unsigned rounds = shape.group_routers * shape.global_links / (shape.groups - 1);
      std::map<std::pair<unsigned, unsigned>, unsigned> global;
      for (const auto& [ends, count] : pairs(topology)) {
        const unsigned a = ends.first / shape.group_routers, b = ends.second / shape.group_routers;
        if (a == b) REQUIRE(count == 1);
        if (a != b) global[{a, b}] += count;
      }
      REQUIRE(global.size() == shape.groups * (shape.groups - 1) / 2);
      for (const auto& entry : global) REQUIRE(entry.second == rounds);
      std::size_t locals = 0;
      for (const RouterLink& link : topology.links()) {
        const bool local = link.a.router / shape.group_routers == link.b.router / shape.group_routers;
        REQUIRE(link.latency_cycles == (local ? 2 : 9));
        if (local) ++locals;
        REQUIRE((link.a.port < shape.first_global_port()) == local);
        REQUIRE((link.b.port < shape.first_global_port()) == local);
      }
      REQUIRE(locals == shape.groups * shape.group_routers * (shape.group_routers - 1) / 2);
      if (shape.group_routers > 1) CHECK(diameter(topology) <= 3);
    }
  }
}

TEST_CASE("global links have the group and router that their arrangement names") {
  const auto far = [](GlobalLinks arrangement) {
    const DragonflyShape shape{2, 1, 2, 5, arrangement};
    return far_groups(make_dragonfly(shape, 1, 1), shape);
  };
  using Table = std::vector<std::vector<unsigned>>;
  CHECK(far(GlobalLinks::absolute) ==
        Table{{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}, {0, 1, 2, 4}, {0, 1, 2, 3}});
  CHECK(far(GlobalLinks::relative) ==
        Table{{1, 2, 3, 4}, {2, 3, 4, 0}, {3, 4, 0, 1}, {4, 0, 1, 2}, {0, 1, 2, 3}});
  CHECK(far(GlobalLinks::palmtree) ==
        Table{{4, 3, 2, 1}, {0, 4, 3, 2}, {1, 0, 4, 3}, {2, 1, 0, 4}, {3, 2, 1, 0}});
  CHECK(far(GlobalLinks::circulant) ==
        Table{{1, 4, 2, 3}, {2, 0, 3, 4}, {3, 1, 4, 0}, {4, 2, 0, 1}, {0, 3, 1, 2}});
  // BookSim2 (dragonfly.cpp): group 0 of the dragonfly with p = h = 2 and a = 4 has links 0..7 to
  // groups 1..8.
  const DragonflyShape figure{4, 2, 2, 9, GlobalLinks::absolute};
  CHECK(far_groups(make_dragonfly(figure, 1, 1), figure)[0] == std::vector<unsigned>{1, 2, 3, 4, 5, 6, 7, 8});
  // Links that are left over after whole repetitions lead nowhere.
  const DragonflyShape some{4, 1, 2, 4, GlobalLinks::relative};
  const Topology topology = make_dragonfly(some, 1, 1);
  CHECK(far_groups(topology, some)[1] == std::vector<unsigned>{2, 3, 0, 2, 3, 0});
  CHECK(topology.far(3, some.first_global_port()).kind == Kind::nothing);
}

TEST_CASE("a dragonfly whose nodes have the first ports has the links of one whose nodes have the last") {
  const DragonflyShape last{4, 3, 2, 9, GlobalLinks::palmtree};
  DragonflyShape first = last;
  first.nodes_first = true;
  REQUIRE(first.ports() == 8);
  const Topology one = make_dragonfly(last, 1, 5), other = make_dragonfly(first, 1, 5);
  REQUIRE(other.ports(0) == one.ports(0));
  for (RouterId router = 0; router < one.routers(); ++router) {
    for (unsigned port = 0; port < 5; ++port) {
      REQUIRE(other.far(router, port + 3).at.router == one.far(router, port).at.router);
      REQUIRE(other.far(router, port + 3).at.port == one.far(router, port).at.port + 3);
    }
    for (unsigned n = 0; n < 3; ++n) REQUIRE(other.far(router, n).node == router * 3 + n);
  }
}

TEST_CASE("one-way ports of a HyperX are nodes, outputs by dimension, and inputs by their senders") {
  const HyperXShape two_way{{3, 4}, {1, 2}, 2};
  HyperXShape shape = two_way;
  shape.one_way_ports = true;
  const Topology one = make_hyperx(two_way, {3, 7}, {1, 1}), other = make_hyperx(shape, {3, 7}, {1, 1});
  const unsigned links = two_way.network_ports();
  REQUIRE(other.ports(0) == 2 + 2 * links);
  REQUIRE(other.links().size() == 2 * one.links().size());
  for (RouterId router = 0; router < other.routers(); ++router) {
    for (unsigned n = 0; n < 2; ++n) REQUIRE(other.far(router, n).node == router * 2 + n);
    RouterId sender = 0;
    for (unsigned port = 0; port < links; ++port) {
      const Topology::Far &out = other.far(router, 2 + port), &as = one.far(router, port),
                          &in = other.far(router, 2 + links + port);
      REQUIRE(out.at.router == as.at.router);
      REQUIRE((out.sends && !out.receives && in.receives && !in.sends));
      REQUIRE(other.links()[out.link].latency_cycles == one.links()[as.link].latency_cycles);
      REQUIRE(other.link_class(out.link).name == one.link_class(as.link).name);
      REQUIRE(in.at.router >= sender);
      sender = in.at.router;
      REQUIRE(other.far(in.at.router, in.at.port).at.router == router);
    }
  }
}

TEST_CASE("a dragonfly has the published numbers of routers, nodes and ports") {
  struct Row {
    unsigned p, a, h, groups, nodes, ports;
  };
  // Kim 2008: N = a p (a h + 1), k = p + a + h - 1; its examples have 72 and 1,056 nodes.
  for (const Row& row :
       std::vector<Row>{{2, 4, 2, 9, 72, 7}, {4, 8, 4, 33, 1056, 15}, {8, 16, 8, 129, 16'512, 31}}) {
    TopologyKinds kinds = topology_kinds();
    auto& config = kinds.of<DragonflyConfig>();
    config.nodes_per_router = row.p;
    config.group_routers = row.a;
    config.global_links = row.h;
    const Topology topology = kinds.make("dragonfly", 1);
    CAPTURE(topology.name());
    CHECK(topology.routers() == row.groups * row.a);
    CHECK(topology.nodes() == row.nodes);
    CHECK(topology.ports(0) == row.ports);
    if (row.nodes < 2000) CHECK(diameter(topology) == 3);
  }
}

TEST_CASE("a dragonfly+ has two-level trees as groups, and the published numbers of nodes") {
  const DragonflyPlusShape shape{3, 2, 2, 4, 9, GlobalLinks::circulant};
  const Topology topology = make_dragonfly_plus(shape, 2, 9);
  CHECK(topology.routers() == 45);
  CHECK(topology.nodes() == 54);
  CHECK(diameter(topology) == 3);  // leaf, spine, spine, leaf
  for (RouterId router = 0; router < 45; ++router)
    REQUIRE(topology.ports(router) == (router % 5 < 3 ? 2 + 2 : 3 + 4));
  std::set<std::pair<unsigned, unsigned>> groups;
  for (const auto& [ends, count] : pairs(topology)) {
    REQUIRE(count == 1);
    const auto &a = topology.coordinates(ends.first), &b = topology.coordinates(ends.second);
    if (a[0] == b[0]) {
      REQUIRE((a[1] < shape.leaves) != (b[1] < shape.leaves));
      continue;
    }
    REQUIRE(a[1] >= shape.leaves);
    REQUIRE(b[1] >= shape.leaves);
    REQUIRE(groups.emplace(a[0], b[0]).second);
  }
  CHECK(groups.size() == 36);
  for (const RouterLink& link : topology.links())
    REQUIRE(link.latency_cycles ==
            (topology.coordinates(link.a.router)[0] == topology.coordinates(link.b.router)[0] ? 2 : 9));
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    REQUIRE(topology.node(node).eject.router == node / 6 * 5 + node / 2 % 3);
    REQUIRE(topology.coordinates(topology.node(node).eject.router)[1] < shape.leaves);
  }
  // Shpiner 2017: routers of k ports, half of them down, make k^4/16 + k^2/4 nodes.
  for (const unsigned k : {4U, 8U, 12U}) {
    TopologyKinds kinds = topology_kinds();
    auto& config = kinds.of<DragonflyPlusConfig>();
    config.leaves = config.spines = config.nodes_per_router = config.global_links = k / 2;
    const Topology balanced = kinds.make("dragonfly_plus", 1);
    CHECK(balanced.nodes() == k * k * k * k / 16 + k * k / 4);
    for (RouterId router = 0; router < balanced.routers(); ++router) REQUIRE(balanced.ports(router) == k);
  }
}

TEST_CASE("a Slim Fly has diameter 2 and the published numbers of routers and links") {
  struct Row {
    unsigned q, routers, degree;
  };
  // Besta 2014: 2 q^2 routers, degree (3 q - d) / 2; q = 5 is the Hoffman-Singleton graph, q = 19 the network
  // of its evaluation (722 routers, degree 29).
  for (const Row& row : std::vector<Row>{{3, 18, 5},
                                         {4, 32, 6},
                                         {5, 50, 7},
                                         {7, 98, 11},
                                         {8, 128, 12},
                                         {9, 162, 13},
                                         {11, 242, 17},
                                         {13, 338, 19},
                                         {16, 512, 24},
                                         {19, 722, 29}}) {
    const Topology topology = make_slim_fly(row.q, 2, 3);
    CAPTURE(topology.name());
    REQUIRE(topology.routers() == row.routers);
    REQUIRE(topology.nodes() == 2 * row.routers);
    for (RouterId router = 0; router < row.routers; ++router) REQUIRE(degree(topology, router) == row.degree);
    for (const auto& entry : pairs(topology)) REQUIRE(entry.second == 1);
    REQUIRE(diameter(topology) == 2);
    REQUIRE(topology.links()[0].latency_cycles == 3);
    REQUIRE(topology.node(5).eject == PortRef{2, row.degree + 1});
  }
  // The Hoffman-Singleton graph has girth 5: adjacent routers share no neighbour, others exactly one.
  const Topology moore = make_slim_fly(5, 1, 1);
  std::vector<std::set<RouterId>> near(50);
  for (const RouterLink& link : moore.links()) {
    near[link.a.router].insert(link.b.router);
    near[link.b.router].insert(link.a.router);
  }
  for (RouterId a = 0; a < 50; ++a)
    for (RouterId b = a + 1; b < 50; ++b) {
      std::size_t common = 0;
      for (const RouterId middle : near[a]) common += near[b].count(middle);
      REQUIRE(common == (near[a].count(b) == 0 ? 1 : 0));
    }
}

TEST_CASE("a PolarFly has diameter 2 and the published numbers of routers and links") {
  for (const unsigned q : {2U, 3U, 4U, 5U, 7U, 8U, 9U, 11U, 13U, 31U}) {
    const Topology topology = make_polar_fly(q, 1, 1);
    CAPTURE(topology.name());
    // Lakhotia 2022: q^2 + q + 1 routers of degree q + 1, but q + 1 quadrics of degree q; q = 31 has 993
    // routers.
    REQUIRE(topology.routers() == q * q + q + 1);
    unsigned quadrics = 0;
    for (RouterId router = 0; router < topology.routers(); ++router) {
      if (degree(topology, router) == q) ++quadrics;
      if (degree(topology, router) != q) REQUIRE(degree(topology, router) == q + 1);
    }
    REQUIRE(quadrics == q + 1);
    REQUIRE(topology.links().size() == q * (q + 1) * (q + 1) / 2);
    REQUIRE(diameter(topology) == 2);
  }
  CHECK(make_polar_fly(3, 2, 1).nodes() == 26);
}

TEST_CASE("a wrong size of these topologies is refused, with its key") {
  const auto refusal = [](const char* kind, const std::vector<std::string>& settings) {
    TopologyKinds kinds = topology_kinds();
    std::string word = kind;
    config::KeyTable keys;
    keys.add_choice("topology.kind", word, kinds.words(), "topology");
    kinds.add_keys(keys);
    for (const std::string& setting : settings) keys.set_from_command_line("topology." + setting);
    try {
      kinds.make(kind, 1);
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Catch::Contains;
  CHECK_THAT(refusal("hyperx", {"trunks=[1,1,1]"}), Contains("topology.trunks") && Contains("1 or 2 values"));
  CHECK(refusal("hyperx", {"trunks=[2,1]"}) == "accepted");
  CHECK_THAT(refusal("hyperx", {"dimension_latency_cycles=[1,1,1]"}),
             Contains("topology.dimension_latency_cycles") && Contains("1 or 2 values"));
  CHECK_THAT(refusal("hyperx", {"step_latency_cycles=[1,1,1]"}),
             Contains("topology.step_latency_cycles") && Contains("1 or 2 values"));
  CHECK_THAT(refusal("hyperx", {"radices=[1000,2]", "trunks=2"}), Contains("topology.radices"));
  CHECK_THAT(refusal("hyperx", {"radices=[1024,1024]"}), Contains("2047 ports"));
  CHECK_THAT(refusal("hyperx", {"radices=[128,128,128]"}), Contains("too many routers"));
  CHECK_THAT(refusal("hyperx", {"radices=[128,128]", "nodes_per_router=65"}), Contains("1..64"));
  CHECK_THAT(refusal("dragonfly", {"groups=10"}), Contains("topology.groups") && Contains("2..9"));
  CHECK_THAT(refusal("dragonfly", {"groups=1"}), Contains("topology.groups"));
  CHECK_THAT(refusal("dragonfly", {"group_routers=256", "global_links=256"}), Contains("topology.groups"));
  CHECK_THAT(refusal("dragonfly", {"group_routers=256", "global_links=255"}),
             Contains("topology.group_routers") && Contains("too many routers"));
  CHECK_THAT(refusal("dragonfly", {"group_routers=64", "global_links=64", "nodes_per_router=5"}),
             Contains("topology.nodes_per_router") && Contains("1..3"));
  CHECK_THAT(refusal("dragonfly_plus", {"groups=10"}), Contains("topology.groups") && Contains("2..9"));
  CHECK_THAT(refusal("dragonfly_plus", {"leaves=256", "spines=128", "global_links=256"}),
             Contains("topology.leaves"));
  CHECK_THAT(refusal("dragonfly_plus", {"leaves=64", "spines=64", "global_links=64", "nodes_per_router=5"}),
             Contains("topology.nodes_per_router") && Contains("1..3"));
  for (const char* q : {"2", "6", "10", "12", "14"})
    CHECK_THAT(refusal("slim_fly", {std::string("field=") + q}), Contains("topology.field"));
  CHECK_THAT(refusal("slim_fly", {"field=125", "nodes_per_router=34"}),
             Contains("topology.nodes_per_router"));
  CHECK_THAT(refusal("polar_fly", {"field=6"}), Contains("topology.field"));
  CHECK_THAT(refusal("polar_fly", {"field=127", "nodes_per_router=65"}),
             Contains("topology.nodes_per_router") && Contains("1..64"));
}

TEST_CASE("nodes are grouped as the topology's routers are") {
  const auto dragonfly = node_groups(make_dragonfly({4, 2, 2, 9, GlobalLinks::absolute}, 1, 1));
  REQUIRE(dragonfly.size() == 9);
  CHECK(dragonfly[2] == std::vector<NodeId>{16, 17, 18, 19, 20, 21, 22, 23});
  const auto plus = node_groups(make_dragonfly_plus({3, 2, 2, 4, 9, GlobalLinks::absolute}, 1, 1));
  REQUIRE(plus.size() == 9);
  CHECK(plus[1] == std::vector<NodeId>{6, 7, 8, 9, 10, 11});
  const auto mesh = node_groups(make_mesh({3, 2}, 2, 1));
  REQUIRE(mesh.size() == 6);
  CHECK(mesh[5] == std::vector<NodeId>{10, 11});
}
