// SPDX-License-Identifier: Apache-2.0
// Fault sets, the living part of a network, fault regions, roots and trees.

#include "tsuji/graph/faults.h"
#include "support/thrown.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/faulty_cubes.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/connectivity.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fault_regions.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/living_network.h"
#include "tsuji/graph/up_down_order.h"

using namespace tsuji;
using namespace tsuji::graph;
using namespace tsuji::test;
using Catch::Contains;

namespace {

std::set<RouterId> members(const FaultRegions& regions, unsigned routers) {
  std::set<RouterId> list;
  for (RouterId router = 0; router < routers; ++router)
    if (regions.in_region(router)) list.insert(router);
  return list;
}

}  // namespace

TEST_CASE("links and routers that do not exist or are named twice are refused with their place in the list") {
  const Topology torus = make_torus({4, 4}, 1, 1);
  const auto refusal = [&](const FaultSet& faults) {
    const auto error = thrown<ConfigError>([&] { LivingNetwork network(torus, faults); });
    return error ? error->key() + ": " + error->what() : "";
  };
  CHECK(refusal({{31}, {15}}).empty());
  CHECK_THAT(refusal({{0, 32}, {}}), Contains("faults.links") && Contains("32") &&
                                         Contains("value 2 of the list") && Contains("0..31"));
  CHECK_THAT(refusal({{}, {3, 16}}), Contains("faults.routers") && Contains("value 2") && Contains("0..15"));
  CHECK_THAT(refusal({{5, 7, 5}, {}}), Contains("value 3 of the list") && Contains("value 1"));
  CHECK_THAT(refusal({{}, {9, 9}}), Contains("faults.routers") && Contains("value 2") && Contains("value 1"));
  CHECK_THAT(refusal({{}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}}),
             Contains("leaves no living node"));
  CHECK_THROWS_AS(LivingNetwork(make_fly(2, 3, 1), {}), ConfigError);
}

TEST_CASE("the largest part survives, of equals the one with the lowest router, and the rest is listed") {
  // A ring of eight, cut into 0, 1, 2 and 3..7, then into halves.
  const Topology ring = make_torus({8}, 1, 1);
  const LivingNetwork larger(ring, {{2, 7}, {}});  // link i: i to i + 1
  CHECK(larger.cut_off() == std::vector<RouterId>{0, 1, 2});
  CHECK(larger.living() == 5);
  CHECK(larger.state(1) == RouterState::cut_off);
  CHECK(larger.lives(3));
  CHECK(larger.neighbour(0, CubeShape::up_port(0)) == none);
  CHECK(larger.neighbour(3, CubeShape::up_port(0)) == 4);
  CHECK(larger.neighbour(3, CubeShape::down_port(0)) == none);
  const LivingNetwork halves(ring, {{3, 7}, {}});
  CHECK(halves.cut_off() == std::vector<RouterId>{4, 5, 6, 7});
  const LivingNetwork dead(ring, {{}, {0, 3, 5}});
  CHECK(dead.faults().routers == std::vector<RouterId>{0, 3, 5});
  CHECK(dead.state(0) == RouterState::dead);
  CHECK(dead.cut_off() == std::vector<RouterId>{4, 6, 7});
  CHECK(dead.living() == 2);

  // Parts are compared by their nodes: upper switches of a tree have none.
  const Topology tree = make_fat_tree(2, 2, 2, 1);
  FaultSet cut;
  for (std::uint32_t link = 0; link < tree.links().size(); ++link) cut.links.push_back(link);
  const LivingNetwork leaves(tree, cut);
  CHECK(leaves.living() == 1);
  for (RouterId router = 0; router < tree.routers(); ++router)
    if (leaves.lives(router)) CHECK(router == tree.node(0).eject.router);
}

TEST_CASE("the surviving part, and its distances, equal an independent search over all pairs") {
  const Topology topology = GENERATE(make_torus({5, 4}, 1, 1), make_torus({3, 3, 3}, 1, 1),
                                     make_mesh({4, 4}, 1, 1), make_torus({2, 5}, 1, 1));
  CounterRandom random(7, 1);
  for (unsigned round = 0; round < 60; ++round) {
    FaultSet faults;
    for (RouterId r = 0; r < topology.routers(); ++r)
      if (random.below(100) < 2 * (round % 20)) faults.routers.push_back(r);
    for (std::uint32_t l = 0; l < topology.links().size(); ++l)
      if (random.below(100) < round) faults.links.push_back(l);
    if (faults.routers.size() == topology.routers()) continue;
    const auto hops = all_distances(topology, faults);
    const auto reached = [&](RouterId from) {
      return std::count_if(hops[from].begin(), hops[from].end(), [](unsigned h) { return h < no_path; });
    };
    const LivingNetwork network(topology, faults);
    RouterId lowest = none;
    for (RouterId r = 0; r < topology.routers(); ++r)
      if (std::count(faults.routers.begin(), faults.routers.end(), r) == 0 &&
          (lowest == none || reached(r) > reached(lowest)))
        lowest = r;
    BreadthFirst search;
    const std::vector<std::uint16_t>& from_lowest = network.hops_to(lowest, search);
    for (RouterId r = 0; r < topology.routers(); ++r) {
      REQUIRE(network.lives(r) == (hops[lowest][r] < no_path));
      if (network.lives(r))
        REQUIRE(from_lowest[r] == hops[lowest][r]);
      else
        REQUIRE(from_lowest[r] == unreachable);
    }
  }
}

TEST_CASE("fig. 2: distance 1 of a dead link is its ends, distance 2 adds their six neighbours") {
  const Figure2 figure;
  const LivingNetwork network(figure.torus, figure.dead);
  const FaultRegions near(figure.torus, network, 1), wider(figure.torus, network, 2);
  CHECK(members(near, 100) == figure.of("AB"));
  CHECK(members(wider, 100) == figure.of("ABCDEFGH"));
  CHECK(near.regions() == 1);
  CHECK(wider.regions() == 1);
  CHECK(wider.members() == 8);
  CHECK_THROWS_WITH(FaultRegions(figure.torus, network, 0), Contains("routing.region_distance"));
  CHECK(FaultRegions(figure.torus, LivingNetwork(figure.torus, {}), 0).regions() == 0);
}

TEST_CASE("the region of a dead router has 4 routers at distance 1 and 12 at distance 2, and is connected") {
  const Topology torus = make_torus({10, 10}, 1, 1);
  const unsigned x = GENERATE(0U, 4U, 9U), y = GENERATE(0U, 5U, 9U);
  const LivingNetwork network(torus, {{}, {at(torus, {x, y})}});
  for (const auto& [distance, count] : std::map<unsigned, unsigned>{{1, 4}, {2, 12}}) {
    const FaultRegions regions(torus, network, distance);
    CHECK(regions.members() == count);
    CHECK(regions.regions() == 1);
    CHECK_FALSE(regions.in_region(at(torus, {x, y})));
  }
}

TEST_CASE("a router outside all regions has living links only, at any distance and for any faults") {
  const Topology topology =
      GENERATE(make_torus({5, 6}, 1, 1), make_mesh({5, 5}, 1, 1), make_torus({3, 3, 3}, 1, 1));
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const FaultSet faults = draw_connected_faults(topology, {2, static_cast<unsigned>(seed % 4), seed});
    const LivingNetwork network(topology, faults);
    const auto hops = all_distances(topology, {});
    for (unsigned distance = 1; distance <= 3; ++distance) {
      const FaultRegions regions(topology, network, distance);
      for (RouterId r = 0; r < topology.routers(); ++r) {
        unsigned nearest = 1000;  // links to a living end of a dead channel
        for (RouterId end = 0; end < topology.routers(); ++end)
          for (unsigned port = 0; port < topology.ports(end); ++port)
            if (network.lives(end) && topology.far(end, port).kind == Topology::Far::Kind::router &&
                network.neighbour(end, port) == none)
              nearest = std::min(nearest, hops[r][end]);
        REQUIRE(regions.in_region(r) == (network.lives(r) && nearest < distance));
      }
    }
  }
}

TEST_CASE("fig. 5: the root of a region is its upper left corner, one a region, across the wrap-around too") {
  const Topology torus = make_torus({10, 10}, 1, 1);
  const auto roots = [&](const FaultSet& faults, unsigned distance) {
    return FaultRegions(torus, LivingNetwork(torus, faults), distance).roots();
  };
  const Figure2 figure;
  CHECK(roots(figure.dead, 2) == std::vector<RouterId>{figure.router.at('C')});
  CHECK(roots(figure.dead, 1) == std::vector<RouterId>{figure.router.at('A')});
  // A dead router: its four neighbours are one region, whose least coordinate vector is the west one.
  CHECK(roots({{}, {at(torus, {5, 5})}}, 1) == std::vector<RouterId>{at(torus, {4, 5})});
  CHECK(roots({{}, {at(torus, {5, 5})}}, 2) == std::vector<RouterId>{at(torus, {3, 5})});
  // Two faults far from each other, then near enough to be one region.
  CHECK(roots({{}, {at(torus, {2, 2}), at(torus, {7, 7})}}, 2) ==
        std::vector<RouterId>{at(torus, {0, 2}), at(torus, {5, 7})});
  CHECK(roots({{}, {at(torus, {4, 4}), at(torus, {6, 6})}}, 2) == std::vector<RouterId>{at(torus, {2, 4})});
  // Across the border in both dimensions: west of column 0 is column 9, which has the greater coordinate.
  CHECK(roots({{}, {at(torus, {0, 0})}}, 2) == std::vector<RouterId>{at(torus, {0, 1})});
  CHECK(roots({{}, {at(torus, {9, 3})}}, 1) == std::vector<RouterId>{at(torus, {0, 3})});
  CHECK(roots({{link_of(torus, at(torus, {9, 6}), at(torus, {0, 6}))}, {}}, 1) ==
        std::vector<RouterId>{at(torus, {0, 6})});
}

TEST_CASE("a living router has living links at its network ports, and none at its node's") {
  const Topology torus = make_torus({4, 4}, 1, 1);
  const LivingNetwork network(torus, {});
  REQUIRE(network.ports() == 4);
  REQUIRE(torus.node(0).eject.port == 4);
  for (unsigned port = 0; port < 6; ++port) CHECK(network.lives_at(0, port) == (port < 4));
}

TEST_CASE("the network's root is the least of the regions', or the first living one of a list") {
  const Topology torus = make_torus({10, 10}, 1, 1);
  const LivingNetwork network(torus, {{}, {at(torus, {7, 1}), at(torus, {2, 8})}});
  const FaultRegions regions(torus, network, 2);
  CHECK(regions.regions() == 2);
  CHECK(choose_root(torus, network, regions) == at(torus, {0, 8}));
  CHECK(choose_root(torus, network, regions, {at(torus, {7, 1}), 55, 3}) == 55);
  CHECK_THROWS_WITH(choose_root(torus, network, regions, {at(torus, {7, 1})}),
                    Contains("no router of the list lives"));
  CHECK_THROWS_WITH(choose_root(torus, network, regions, {5, 100}),
                    Contains("no such router") && Contains("0..99"));
  const LivingNetwork whole(torus, {});
  CHECK(choose_root(torus, whole, FaultRegions(torus, whole, 2)) == 0);
}

TEST_CASE("fig. 4: levels of the tree from C, and its up links") {
  const Figure2 figure;
  const LivingNetwork network(figure.torus, figure.dead);
  BreadthFirst search;
  const UpDownOrder order(network.hops_to(figure.router.at('C'), search));
  for (const auto& [letter, level] : std::map<char, unsigned>{
           {'C', 0}, {'A', 1}, {'F', 1}, {'B', 2}, {'D', 2}, {'E', 2}, {'G', 3}, {'H', 3}})
    CHECK(order.level(figure.router.at(letter)) == level);
  const auto up = [&](char a, char b) { return order.leads_up(figure.router.at(a), figure.router.at(b)); };
  // E to H to B would go down, then up; E to A to C goes up, C to F to B down.
  CHECK_FALSE(up('E', 'H'));
  CHECK(up('H', 'B'));
  CHECK(up('E', 'A'));
  CHECK(up('A', 'C'));
  CHECK_FALSE(up('C', 'F'));
  CHECK_FALSE(up('F', 'B'));
  // Each router comes after all routers above it.
  const std::vector<RouterId> downwards = order.downwards();
  REQUIRE(downwards.size() == 100);
  std::set<RouterId> before;
  for (RouterId router : downwards) {
    network.visit_neighbours(router, [&](RouterId next) {
      REQUIRE(order.leads_up(router, next) == (before.count(next) != 0));
      REQUIRE(order.leads_up(router, next) != order.leads_up(next, router));
    });
    before.insert(router);
  }
}

TEST_CASE("random fault sets have the given numbers, leave the rest connected, and follow from the seed") {
  const Topology torus = make_torus({6, 6}, 1, 1);
  std::set<std::vector<std::uint32_t>> sets;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const FaultSet faults = draw_connected_faults(torus, {3, 4, seed});
    CHECK(faults.links.size() == 3);
    CHECK(faults.routers.size() == 4);
    const LivingNetwork network(torus, faults);
    CHECK(network.living() == 32);
    CHECK(draw_connected_faults(torus, {3, 4, seed}).routers == faults.routers);
    for (std::uint32_t link : faults.links) {
      CHECK(network.lives(torus.links()[link].a.router));
      CHECK(network.lives(torus.links()[link].b.router));
    }
    sets.insert(faults.routers);
  }
  CHECK(sets.size() > 45);
}

TEST_CASE("random connected sets are drawn evenly among all of them") {
  // A mesh of 3x2 without two of its seven links is a spanning tree, of which there are 15 here.
  const Topology mesh = make_mesh({3, 2}, 1, 1);
  REQUIRE(mesh.links().size() == 7);
  std::map<std::vector<std::uint32_t>, unsigned> drawn;
  for (std::uint32_t a = 0; a < 7; ++a)
    for (std::uint32_t b = a + 1; b < 7; ++b) {
      const auto hops = all_distances(mesh, {{a, b}, {}});
      if (*std::max_element(hops[0].begin(), hops[0].end()) < 6) drawn[{a, b}] = 0;
    }
  constexpr unsigned draws = 6000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const FaultSet faults = draw_connected_faults(mesh, {2, 0, seed});
    REQUIRE(drawn.count(faults.links) == 1);
    ++drawn[faults.links];
  }
  const double expected = static_cast<double>(draws) / static_cast<double>(drawn.size());
  double chi_squared = 0;
  for (const auto& entry : drawn)
    chi_squared += (entry.second - expected) * (entry.second - expected) / expected;
  CHECK(drawn.size() == 15);
  CHECK(chi_squared < 40);  // 14 degrees of freedom: above 36 once in a thousand
}

TEST_CASE("impossible random faults are refused") {
  const Topology ring = make_torus({6}, 1, 1);
  CHECK_THROWS_WITH(draw_connected_faults(ring, {0, 6, 1}),
                    Contains("faults.random_routers") && Contains("0..5"));
  CHECK_THROWS_WITH(draw_connected_faults(ring, {2, 0, 1}),
                    Contains("faults.random_links") && Contains("0..1"));
  CHECK_THROWS_WITH(draw_connected_faults(ring, {1, 1, 1}), Contains("no connected set of 1 dead links"));
  CHECK(draw_connected_faults(ring, {1, 0, 1}).links.size() == 1);
  // 4 of 6 routers that leave 2 neighbours are adjacent to each other.
  CHECK(LivingNetwork(ring, draw_connected_faults(ring, {0, 4, 3})).living() == 2);
}

TEST_CASE("connectivity counts routers, and hops with and without faults, as a search over all pairs does") {
  const Topology topology = GENERATE(make_torus({5, 5}, 1, 1), make_mesh({4, 4}, 1, 1));
  const auto faultless = all_distances(topology, {});
  for (const FaultSet& faults : random_faults(topology, 30, 4)) {
    const LivingNetwork network(topology, faults);
    const FaultRegions regions(topology, network, 1);
    const ConnectivityReport report = connectivity(topology, network, regions);
    const auto hops = all_distances(topology, faults);
    std::uint64_t sum = 0, faultless_sum = 0, longer = 0, pairs = 0;
    unsigned longest = 0, faultless_longest = 0, most_more = 0;
    for (RouterId a = 0; a < topology.routers(); ++a) {
      for (RouterId b = 0; b < topology.routers(); ++b) {
        if (a == b || !network.lives(a) || !network.lives(b)) continue;
        ++pairs;
        sum += hops[a][b];
        faultless_sum += faultless[a][b];
        longer += hops[a][b] > faultless[a][b] ? 1 : 0;
        longest = std::max(longest, hops[a][b]);
        faultless_longest = std::max(faultless_longest, faultless[a][b]);
        most_more = std::max(most_more, hops[a][b] - faultless[a][b]);
      }
    }
    CHECK(report.pairs == pairs);
    CHECK(report.hops == sum);
    CHECK(report.faultless_hops == faultless_sum);
    CHECK(report.longer_pairs == longer);
    CHECK(report.longest == longest);
    CHECK(report.faultless_longest == faultless_longest);
    CHECK(report.most_more == most_more);
    CHECK(report.dead == faults.routers.size());
    CHECK(report.living + report.dead + report.cut_off.size() == topology.routers());
    CHECK(report.region_routers == regions.members());
  }
}

TEST_CASE("the report of connectivity lists what is cut off") {
  const Topology ring = make_torus({8}, 1, 1);
  const LivingNetwork network(ring, {{2, 7}, {}});
  // 3 to 7 are a line: 40 hops over 20 pairs. On the ring 3 and 7 are four apart, too.
  CHECK(connectivity(ring, network, FaultRegions(ring, network, 1)).text() ==
        "5 of 8 routers live, 0 are dead, 3 cut off: 0, 1, 2\n2 routers are in 1 fault regions\nshortest "
        "paths: 2.0000 hops in the mean, 4 at most; without faults 2.0000, 4\n0 of 20 pairs have a longer "
        "path than without faults, by at most 0 hops\n");
  const LivingNetwork line(ring, {{}, {0}});
  // A line of seven has 2 (6 + 10 + 12 + 12 + 10 + 6) hops over 42 pairs; on the ring 5 and 6 are 3 and 2.
  CHECK_THAT(connectivity(ring, line, FaultRegions(ring, line, 1)).text(),
             Contains("2.6667 hops in the mean, 6 at most; without faults 2.2857, 4\n6 of 42 pairs") &&
                 Contains("by at most 4 hops"));
}
