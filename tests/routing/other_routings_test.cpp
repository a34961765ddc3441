// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "routing/walk.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/routing/destination_digits.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::Topology;
using tsuji::test::follow;
using tsuji::test::Step;

namespace {

RouteQuery packet(NodeId source, NodeId destination, PacketId id = 0) {
  RouteQuery query;
  query.source = source;
  query.destination = destination;
  query.packet = id;
  return query;
}

Topology from_text(const std::string& text) {
  std::istringstream stream(text);
  return graph::read_topology(stream, "text", 1);
}

/// Graphs of several kinds for the routings that run on any.
std::vector<Topology> any_graphs() {
  std::vector<Topology> list;
  list.push_back(graph::make_torus({4, 4}, 1, 1));
  list.push_back(graph::make_torus({2, 3}, 2, 1));
  list.push_back(graph::make_fat_tree(2, 3, 3, 1));
  list.push_back(graph::make_random_regular(20, 3, 1, 1));
  list.push_back(graph::make_random_grid({25, 4, 3, 1, 0}, 1));
  list.push_back(
      from_text("link 0 1\nlink 1 2\nlink 2 0\nlink 2 3\nlink 3 4\nlink 0 1\nnode 0 at 0\nnode 1 at 4\n"
                "node 2 at 1\nnode 3 at 4\n"));
  return list;
}

/// The shortest legal path by exhaustive search over (router, went down), independent of UpDown's tables.
unsigned legal_distance(const Topology& topology, const UpDown& routing, RouterId from, RouterId to) {
  std::set<std::pair<RouterId, bool>> reached{{from, false}};
  for (unsigned hops = 0;; ++hops) {
    std::set<std::pair<RouterId, bool>> next;
    for (const auto& [router, down] : reached) {
      if (router == to) return hops;
      for (unsigned port = 0; port < topology.ports(router); ++port) {
        const Topology::Far& far = topology.far(router, port);
        if (far.kind != Topology::Far::Kind::router) continue;
        const bool up = routing.order().leads_up(router, far.at.router);
        if (down && up) continue;
        next.emplace(far.at.router, !up);
      }
    }
    REQUIRE(hops < topology.routers());
    reached = std::move(next);
  }
}

}  // namespace

TEST_CASE("up*/down* delivers every pair by a shortest legal path and never turns up after down") {
  const bool all_paths = GENERATE(true, false);
  for (const Topology& topology : any_graphs()) {
    for (RouterId root : {0U, topology.routers() / 2}) {
      CAPTURE(topology.name(), root);
      const UpDown routing(topology, 1, {root, all_paths});
      CHECK(routing.order().level(root) == 0);
      if (!all_paths) CHECK(routing.max_candidates() == 1);
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        for (NodeId to = 0; to < topology.nodes(); ++to) {
          const unsigned legal = legal_distance(topology, routing, topology.node(from).inject.router,
                                                topology.node(to).eject.router);
          const unsigned longest =
              follow(topology, routing, 1, packet(from, to), legal, [&](const Step& step) {
                if (step.hop == 0) return;
                const RouterId here = step.query.router;
                const RouterId before = topology.far(here, step.query.in_port).at.router;
                const RouterId after = topology.far(here, step.port).at.router;
                const bool came_down = !routing.order().leads_up(before, here);
                REQUIRE_FALSE((came_down && routing.order().leads_up(here, after)));
              });
          REQUIRE(longest == legal);
        }
      }
    }
  }
}

TEST_CASE("up*/down* levels are distances from the root, and equal levels go by identifier") {
  const Topology topology = graph::make_torus({4, 4}, 1, 1);
  const UpDown routing(topology, 1, {5, true});
  CHECK(routing.order().level(5) == 0);
  CHECK(routing.order().level(6) == 1);
  CHECK(routing.order().level(15) == 4);
  CHECK(routing.order().leads_up(6, 5));
  CHECK_FALSE(routing.order().leads_up(5, 6));
  const Topology ring = graph::make_torus({5}, 1, 1);
  const UpDown on_ring(ring, 1);  // routers 2 and 3 have level 2
  CHECK(on_ring.order().leads_up(3, 2));
  CHECK_FALSE(on_ring.order().leads_up(2, 3));
}

TEST_CASE("up*/down* refuses a missing root, one-way links and disconnected routers") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1);
  CHECK_THROWS_WITH(UpDown(torus, 1, {16, true}),
                    Catch::Contains("routing.root") && Catch::Contains("0..15"));
  CHECK_THROWS_WITH(UpDown(graph::make_fly(2, 2, 1), 1),
                    Catch::Contains("routing.kind") && Catch::Contains("without one-way links"));
  const Topology apart = from_text("link 0 1\nlink 2 3\nnode 0 at 0\nnode 1 at 3\n");
  CHECK_THROWS_WITH(UpDown(apart, 1), Catch::Contains("router 2 is not connected"));
  CHECK_THROWS_WITH(UpDown(torus, 0), Catch::Contains("router.vcs"));
}

TEST_CASE("least common ancestor delivers every pair on every fat tree by a shortest path") {
  const UpPort up = GENERATE(UpPort::adaptive, UpPort::one_to_one, UpPort::random);
  for (const Topology& topology : {graph::make_fat_tree(4, 4, 2, 1), graph::make_fat_tree(2, 2, 4, 1),
                                   graph::make_fat_tree(1, 3, 3, 1), graph::make_fat_tree(3, 2, 3, 1),
                                   graph::make_fat_tree(2, 4, 2, 1), graph::make_fat_tree(2, 5, 1, 1)}) {
    const LeastCommonAncestor routing(topology, 2, up);
    test::require_minimal_delivery(topology, routing, 2, up == UpPort::random ? 8 : 1);
  }
}

TEST_CASE("up ports are all ports, the opposite one, or one that is even over packets") {
  const Topology topology = graph::make_fat_tree(4, 4, 3, 1);
  const LeastCommonAncestor adaptive(topology, 1), opposite(topology, 1, UpPort::one_to_one),
      random(topology, 1, UpPort::random);
  std::set<unsigned> ports;
  follow(topology, adaptive, 1, packet(2, 63), 4, [&](const Step& step) {
    if (step.hop == 0) ports.insert(step.port);
  });
  CHECK(ports == std::set<unsigned>{4, 5, 6, 7});
  // Node 2 is at port 2 of its switch; it goes up by port 6 and enters the next switch by port 0.
  std::vector<unsigned> path;
  follow(topology, opposite, 1, packet(2, 63), 4, [&](const Step& step) { path.push_back(step.port); });
  CHECK(path == std::vector<unsigned>{6, 4, 3, 3});
  std::map<std::pair<unsigned, unsigned>, unsigned> candidates;
  for (PacketId id = 0; id < 8000; ++id) {
    unsigned first = 0, second = 0;
    follow(topology, random, 1, packet(2, 63, id), 4, [&](const Step& step) {
      if (step.hop == 0) first = step.port;
      if (step.hop == 1) second = step.port;
    });
    ++candidates[{first, second}];
  }
  REQUIRE(candidates.size() == 16);
  for (const auto& entry : candidates) CHECK(std::abs(static_cast<int>(entry.second) - 500) < 110);
}

TEST_CASE("hints of a fat tree are exactly the up ports of a head from below") {
  for (const unsigned levels : {1U, 2U, 3U, 5U}) {
    const unsigned ways = levels == 5 ? 2 : 3;
    const Topology tree = graph::make_fat_tree(ways, ways, levels, 1);
    for (const UpPort up : {UpPort::adaptive, UpPort::one_to_one, UpPort::random}) {
      const LeastCommonAncestor routing(tree, 2, up);
      const RouteHints& hints = *routing.hints();
      CHECK(hints.bits() == (levels == 5 ? 3 : levels == 3 ? 2 : levels - 1));
      std::uint64_t wrong = 0, told = 0;
      for (NodeId from = 0; from < tree.nodes(); ++from) {
        for (NodeId to = 0; to < tree.nodes(); ++to) {
          RouteQuery query;
          query.source = from;
          query.destination = to;
          query.router = tree.node(from).inject.router;
          query.in_port = tree.node(from).inject.port;
          for (;;) {  // up by the first candidate
            RouteSet routes;
            routing.route(query, routes);
            unsigned confirmed = 0;
            for (unsigned port = 0; port < tree.ports(query.router); ++port) {
              if (!hints.may_confirm(query.router, query.in_port, port)) continue;
              if (!hints.confirms(query, port)) continue;
              ++confirmed;
              wrong += std::any_of(routes.begin(), routes.end(),
                                   [&](const RouteCandidate& candidate) {
                                     return candidate.port == port && candidate.vcs == vc_range(0, 2);
                                   })
                           ? 0
                           : 1;
            }
            const bool goes_up = routes[0].port >= ways;
            wrong += confirmed == (!goes_up || up == UpPort::random ? 0 : routes.size()) ? 0 : 1;
            told += confirmed;
            if (!goes_up) break;
            const Topology::Far far = tree.far(query.router, routes[0].port);
            query.router = far.at.router;
            query.in_port = far.at.port;
          }
          // A head from above has no hint.
          for (unsigned port = 0; port < tree.ports(query.router); ++port)
            wrong += hints.may_confirm(query.router, ways, port) ? 1 : 0;
        }
      }
      CHECK(wrong == 0);
      CHECK((told == 0) == (levels == 1 || up == UpPort::random));
    }
  }
}

TEST_CASE("destination digits deliver every pair of a fly") {
  for (const Topology& topology : {graph::make_fly(2, 4, 1), graph::make_fly(4, 3, 1),
                                   graph::make_fly(3, 2, 1), graph::make_fly(5, 1, 1)}) {
    const DestinationDigits routing(topology, 1);
    test::require_minimal_delivery(topology, routing, 1);
  }
}

TEST_CASE("routings of trees and flies refuse other topologies, and more candidates than a packet can have") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1);
  CHECK_THROWS_WITH(LeastCommonAncestor(torus, 1),
                    Catch::Contains("least_common_ancestor") && Catch::Contains("accepted: a fat tree"));
  CHECK_THROWS_WITH(DestinationDigits(torus, 1),
                    Catch::Contains("destination_digits") && Catch::Contains("accepted: a k-ary n-fly"));
  const Topology wide = graph::make_fat_tree(33, 2, 2, 1);
  CHECK_THROWS_WITH(LeastCommonAncestor(wide, 1), Catch::Contains("33 candidates"));
  CHECK_NOTHROW(LeastCommonAncestor(wide, 1, UpPort::one_to_one));
}

TEST_CASE("source tables deliver every pair of any graph by a shortest path, in layers that only rise") {
  const bool random_ties = GENERATE(false, true);
  std::vector<Topology> graphs = any_graphs();
  graphs.push_back(graph::make_fly(2, 3, 1));
  graphs.push_back(graph::make_torus({6, 6}, 1, 1));
  for (const Topology& topology : graphs) {
    CAPTURE(topology.name());
    const SourceTableConfig config{random_ties, 3};
    // With as many channels as layers, a channel is a layer.
    const unsigned layers = SourceTable(topology, 16, config).layers();
    const SourceTable routing(topology, layers, config), wide(topology, layers + 3, config);
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        const auto path = routing.path(from, to);
        const unsigned shortest = test::distance(topology, from, to);
        REQUIRE(path.size() == shortest + 1);
        REQUIRE(path.back().port == topology.node(to).eject.port);
        for (std::size_t hop = 0; hop < shortest; ++hop) {
          REQUIRE(__builtin_popcount(path[hop].vcs) == 1);
          REQUIRE(path[hop].vcs >= (hop == 0 ? 1 : path[hop - 1].vcs));
        }
        const unsigned longest =
            follow(topology, routing, layers, packet(from, to), shortest, [&](const Step& step) {
              REQUIRE(step.port == path[step.hop].port);
              if (step.hop > 0) REQUIRE(step.vc >= step.query.in_vc);
            });
        REQUIRE(longest == shortest);
        REQUIRE(follow(topology, wide, layers + 3, packet(from, to), shortest) == shortest);
      }
    }
  }
}

TEST_CASE("source tables take the lowest neighbour, or draw one by the seed") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1);
  // From 0 to 10 all four neighbours 1, 3, 4, 12 are equally near.
  CHECK(SourceTable(torus, 4, {false, 1}).path(0, 10)[0].port == 0);
  std::set<unsigned> first_ports;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    first_ports.insert(SourceTable(torus, 8, {true, seed}).path(0, 10)[0].port);
  CHECK(first_ports == std::set<unsigned>{0, 1, 2, 3});
}

TEST_CASE("four virtual channels are enough for 256 routers on a random graph of degree 6") {
  // Hirasawa 2020, case 2, with fig. 8's number of switches.
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CHECK_NOTHROW(SourceTable(graph::make_random_regular(256, 6, seed, 1), 4, {false, 1}));
    CHECK_NOTHROW(SourceTable(graph::make_random_regular(256, 6, seed, 1), 4, {true, 1}));
  }
}

TEST_CASE(
    "routings that depend on input port and destination alone declare it, and every walk checks the "
    "declaration") {
  const Topology ring = graph::make_torus({8}, 1, 1), odd = graph::make_torus({5, 5}, 1, 1),
                 mesh = graph::make_mesh({4, 4}, 1, 1), tree = graph::make_fat_tree(2, 2, 2, 1);
  const auto form = [](const Topology& topology, Ties ties, Dateline dateline) {
    const DimensionOrder routing(topology, 4, {ties, dateline});
    return routing.table_image() == nullptr ? std::optional<TableForm>() : routing.table_form();
  };
  CHECK(form(mesh, Ties::random, Dateline::crossing) == TableForm::port_and_vcs);
  CHECK(form(odd, Ties::random, Dateline::crossing) == TableForm::port_and_vc_map);
  CHECK(form(odd, Ties::random, Dateline::crossing_down_inverted) == TableForm::port_and_vc_map);
  CHECK(form(odd, Ties::random, Dateline::switching) == TableForm::port_and_vcs);
  CHECK(form(odd, Ties::random, Dateline::none) == TableForm::port_and_vcs);
  CHECK(form(odd, Ties::random, Dateline::balanced) == std::nullopt);
  CHECK(form(ring, Ties::random, Dateline::switching) == std::nullopt);
  CHECK(form(ring, Ties::up, Dateline::switching) == TableForm::port_and_vcs);
  CHECK(Duato(odd, 4).table_image() == nullptr);
  CHECK(TurnModel(mesh, 4, Turns::negative_first).table_image() == nullptr);
  CHECK(UpDown(mesh, 4, {0, true}).table_image() == nullptr);
  CHECK(UpDown(mesh, 4, {0, false}).table_image()->table_form() == TableForm::port_and_vcs);
  CHECK(LeastCommonAncestor(tree, 4, UpPort::adaptive).table_image() == nullptr);
  CHECK(LeastCommonAncestor(tree, 4, UpPort::one_to_one).table_image()->table_form() ==
        TableForm::port_and_vcs);
  for (const Dateline dateline :
       {Dateline::crossing, Dateline::crossing_down_inverted, Dateline::switching, Dateline::none}) {
    test::require_minimal_delivery(odd, DimensionOrder(odd, 4, {Ties::up, dateline}), 4);
    test::require_minimal_delivery(ring, DimensionOrder(ring, 3, {Ties::up, dateline}), 3);
  }
}

TEST_CASE("source tables report their required virtual channels and spread the others") {
  const Topology torus = graph::make_torus({5, 5}, 1, 1);
  const SourceTable routing(torus, 16);
  const unsigned needed = routing.vcs_needed();
  REQUIRE(needed >= 2);  // rings of five need more than one
  CHECK_THROWS_WITH(SourceTable(torus, needed - 1), Catch::Contains("router.vcs") &&
                                                        Catch::Contains("source_table") &&
                                                        Catch::Contains(std::to_string(needed) + "..16"));
  CHECK_NOTHROW(SourceTable(torus, needed));
  // Neighbours may use any channel; path() begins in the lowest layer.
  RouteQuery query = packet(0, 1);
  query.in_port = 4;
  RouteSet candidates;
  routing.route(query, candidates);
  CHECK(candidates[0].vcs == 0xFFFF);
  std::set<VcMask> masks;
  VcMask all = 0;
  for (NodeId from = 0; from < 25; ++from) {
    for (NodeId to = 0; to < 25; ++to) {
      const auto path = routing.path(from, to);
      if (from != to) CHECK((path[0].vcs & 1) == 1);
      for (std::size_t hop = 0; hop + 1 < path.size(); ++hop) masks.insert(path[hop].vcs);
    }
  }
  for (VcMask mask : masks) {
    CHECK((all & mask) == 0);
    all |= mask;
  }
  CHECK(masks.size() == needed);
  CHECK(all == 0xFFFF);
  const Topology apart = from_text("link 0 1\nlink 2 3\nnode 0 at 0\nnode 1 at 3\n");
  CHECK_THROWS_WITH(SourceTable(apart, 4), Catch::Contains("there is no route from router 3 to 0"));
}
