// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "routing/walk.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/turn_model.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::CubeShape;
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

unsigned dimension(unsigned port) {
  return port / 2;
}

}  // namespace

TEST_CASE(
    "dimension order delivers every pair on every cube by a shortest path, one dimension after another") {
  const CubeShape shape =
      GENERATE(CubeShape{{2}, {true}, 1}, CubeShape{{5}, {true}, 2}, CubeShape{{4, 4}, {true, true}, 1},
               CubeShape{{4, 3}, {false, false}, 1}, CubeShape{{5, 2, 3}, {true, true, false}, 1},
               CubeShape{{2, 2, 2, 2}, {true, true, true, true}, 1}, CubeShape{{3, 4}, {false, true}, 3});
  const Dateline dateline = GENERATE(Dateline::crossing, Dateline::crossing_down_inverted, Dateline::balanced,
                                     Dateline::switching, Dateline::none);
  const Topology topology = graph::make_cube(shape, 1);
  const DimensionOrder routing(topology, 3, {Ties::random, dateline});
  test::require_minimal_delivery(topology, routing, 3, 4);
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      follow(topology, routing, 3, packet(from, to), 16, [&](const Step& step) {
        if (step.hop > 0) REQUIRE(dimension(step.port) >= dimension(step.query.in_port));
      });
    }
  }
}

TEST_CASE("dimension order keeps its direction through a dimension, and ties are even over packets") {
  const Topology topology = graph::make_torus({6, 4}, 1, 1);
  const DimensionOrder random(topology, 2), fixed(topology, 2, {Ties::up, Dateline::crossing});
  // From (0,0) to (3,2): both dimensions are ties.
  std::map<std::set<unsigned>, unsigned> ports_used;
  for (PacketId id = 0; id < 4000; ++id) {
    std::set<unsigned> ports;
    follow(topology, random, 2, packet(0, 15, id), 5, [&](const Step& step) { ports.insert(step.port); });
    REQUIRE(ports.size() == 2);  // one direction a dimension
    ++ports_used[ports];
  }
  REQUIRE(ports_used.size() == 4);
  for (const auto& entry : ports_used) CHECK(std::abs(static_cast<int>(entry.second) - 1000) < 150);
  follow(topology, fixed, 2, packet(0, 15), 5, [&](const Step& step) { CHECK(step.port % 2 == 0); });
}

TEST_CASE("dimension order and least common ancestor refuse a packet to a router") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1), tree = graph::make_fat_tree(2, 2, 2, 1);
  const DimensionOrder cube(mesh, 1);
  const LeastCommonAncestor up_down(tree, 1, UpPort::adaptive);
  RouteQuery query = packet(0, 0);
  query.destination = End::of_router(2);
  RouteSet candidates;
  for (const Routing* routing : {static_cast<const Routing*>(&cube), static_cast<const Routing*>(&up_down)})
    CHECK_THROWS_WITH(routing->route(query, candidates),
                      Catch::Contains("router 2: is not a valid end of a packet"));
}

TEST_CASE("virtual channel classes at the dateline follow their names") {
  const Topology topology = graph::make_torus({8}, 1, 1);
  const auto classes = [&](Dateline dateline, NodeId from, NodeId to, PacketId id = 0) {
    const DimensionOrder routing(topology, 4, {Ties::up, dateline});
    std::map<RouterId, VcMask> masks;
    follow(topology, routing, 4, packet(from, to, id), 4,
           [&](const Step& step) { masks[step.query.router] |= static_cast<VcMask>(1U << step.vc); });
    return masks;
  };
  using Masks = std::map<RouterId, VcMask>;
  constexpr VcMask low = 0b0011, high = 0b1100;
  CHECK(classes(Dateline::crossing, 6, 1) == Masks{{6, high}, {7, high}, {0, high}});
  CHECK(classes(Dateline::crossing, 1, 6) == Masks{{1, high}, {0, high}, {7, high}});
  CHECK(classes(Dateline::crossing, 2, 5) == Masks{{2, low}, {3, low}, {4, low}});
  CHECK(classes(Dateline::crossing, 1, 2) == Masks{{1, low}});
  CHECK(classes(Dateline::crossing_down_inverted, 6, 1) == Masks{{6, high}, {7, high}, {0, high}});
  CHECK(classes(Dateline::crossing_down_inverted, 1, 6) == Masks{{1, low}, {0, low}, {7, low}});
  CHECK(classes(Dateline::crossing_down_inverted, 1, 4) == Masks{{1, low}, {2, low}, {3, low}});
  CHECK(classes(Dateline::crossing_down_inverted, 5, 2) == Masks{{5, high}, {4, high}, {3, high}});
  CHECK(classes(Dateline::switching, 6, 1) == Masks{{6, low}, {7, low}, {0, high}});
  CHECK(classes(Dateline::switching, 1, 6) == Masks{{1, low}, {0, low}, {7, high}});
  CHECK(classes(Dateline::switching, 2, 5) == Masks{{2, high}, {3, high}, {4, high}});
  CHECK(classes(Dateline::balanced, 6, 1) == Masks{{6, high}, {7, high}, {0, high}});
  CHECK(classes(Dateline::balanced, 2, 5) == Masks{{2, low}, {3, low}, {4, low}});
  CHECK(classes(Dateline::none, 6, 1) == Masks{{6, 15}, {7, 15}, {0, 15}});
  unsigned lows = 0;
  for (PacketId id = 0; id < 1000; ++id) {
    const Masks masks = classes(Dateline::balanced, 1, 3, id);
    REQUIRE(masks.at(1) == masks.at(2));
    REQUIRE((masks.at(1) == low || masks.at(1) == high));
    lows += masks.at(1) == low ? 1 : 0;
  }
  CHECK(lows > 420);
  CHECK(lows < 580);
}

TEST_CASE("an odd virtual channel belongs to class 0, and short rings and meshes use all channels") {
  const Topology topology = graph::make_cube({{4, 3, 4}, {true, true, false}, 1}, 1);
  const DimensionOrder routing(topology, 3, {Ties::up, Dateline::crossing});
  const auto mask = [&](NodeId from, NodeId to) {
    VcMask vcs = 0;
    follow(topology, routing, 3, packet(from, to), 5,
           [&](const Step& step) { vcs |= static_cast<VcMask>(1U << step.vc); });
    return vcs;
  };
  CHECK(mask(0, 1) == 0b011);
  CHECK(mask(3, 0) == 0b100);
  CHECK(mask(0, 4) == 0b111);
  CHECK(mask(0, 12) == 0b111);
  CHECK(routing.vcs_needed() == 2);
  CHECK(DimensionOrder(graph::make_torus({3, 2}, 1, 1), 1).vcs_needed() == 1);
  CHECK(DimensionOrder(graph::make_mesh({8, 8}, 1, 1), 1).vcs_needed() == 1);
}

TEST_CASE(
    "with classes inverted downwards, rings of three have classes, too, and rings of two and meshes none") {
  const Topology topology = graph::make_cube({{3, 2, 4}, {true, true, false}, 1}, 1);
  const DimensionOrder routing(topology, 3, {Ties::up, Dateline::crossing_down_inverted});
  const auto mask = [&](NodeId from, NodeId to) {
    VcMask vcs = 0;
    follow(topology, routing, 3, packet(from, to), 5,
           [&](const Step& step) { vcs |= static_cast<VcMask>(1U << step.vc); });
    return vcs;
  };
  CHECK(mask(0, 1) == 0b011);
  CHECK(mask(2, 0) == 0b100);
  CHECK(mask(1, 0) == 0b100);
  CHECK(mask(0, 2) == 0b011);
  CHECK(mask(0, 3) == 0b111);
  CHECK(mask(0, 6) == 0b111);
  CHECK(routing.vcs_needed() == 2);
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  CHECK(DimensionOrder(mesh, 1, {Ties::up, Dateline::crossing_down_inverted}).vcs_needed() == 1);
}

TEST_CASE("Duato's protocol offers every shortest route, adaptive first, then one escape") {
  const Topology topology = graph::make_torus({4, 5}, 1, 1);
  const Duato routing(topology, 5);
  test::require_minimal_delivery(topology, routing, 5);
  CHECK(routing.promises().needs_atomic_vcs);
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    const auto hops = graph::hops_to(topology, to);
    for (RouterId here = 0; here < topology.routers(); ++here) {
      if (here == to) continue;
      std::set<unsigned> nearer, offered;
      for (unsigned port = 0; port < 4; ++port)
        if (hops[topology.far(here, port).at.router] < hops[here]) nearer.insert(port);
      RouteQuery query = packet(here, to);
      query.router = here;
      query.in_port = 4;
      RouteSet candidates;
      routing.route(query, candidates);
      for (unsigned i = 0; i + 1 < candidates.size(); ++i) {
        REQUIRE(candidates[i].rank == 0);
        REQUIRE(candidates[i].vcs == 0b11100);
        offered.insert(candidates[i].port);
      }
      REQUIRE(offered == nearer);
      const RouteCandidate& escape = candidates[candidates.size() - 1];
      REQUIRE(escape.rank == 1);
      REQUIRE(nearer.count(escape.port) == 1);
      REQUIRE((escape.vcs == 1 || escape.vcs == 2));
      // Dimension order: the lowest productive dimension.
      REQUIRE(dimension(escape.port) == dimension(*nearer.begin()));
    }
  }
}

TEST_CASE(
    "Duato's protocol reaches its declared number of candidates where all dimensions have two directions") {
  const Topology topology = graph::make_torus({4, 4, 6}, 1, 1);
  const Duato routing(topology, 3);
  unsigned most = 0;
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    RouteQuery query = packet(0, to);
    query.router = 0;
    query.in_port = 6;
    RouteSet candidates;
    routing.route(query, candidates);
    most = std::max(most, static_cast<unsigned>(candidates.size()));
  }
  CHECK(most == 2 * 3 + 1);
  CHECK(routing.max_candidates() == most);
}

TEST_CASE(
    "without a return, a packet that another router has sent on an escape channel stays on escape channels") {
  const Topology topology = GENERATE(graph::make_torus({4, 5}, 1, 1), graph::make_mesh({3, 3}, 1, 1));
  const Duato returns(topology, 5), stays(topology, 5, {false});
  const unsigned escapes = returns.vcs_needed() - 1, node_port = 4;
  CHECK(stays.promises().needs_atomic_vcs);
  test::require_minimal_delivery(topology, stays, 5);
  RouteSet all, own;
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    for (RouterId here = 0; here < topology.routers(); ++here) {
      for (unsigned in_port = 0; in_port <= node_port; ++in_port) {
        for (unsigned in_vc = 0; in_vc < 5; ++in_vc) {
          RouteQuery query = packet(0, to);
          query.router = here;
          query.in_port = in_port;
          query.in_vc = in_vc;
          returns.route(query, all);
          stays.route(query, own);
          const bool on_escape = in_port != node_port && in_vc < escapes && here != to;
          REQUIRE(own.size() == (on_escape ? 1 : all.size()));
          CHECK(own[own.size() - 1].port == all[all.size() - 1].port);
          CHECK(own[own.size() - 1].vcs == all[all.size() - 1].vcs);
        }
      }
    }
  }
}

TEST_CASE("Duato's protocol on a mesh has one escape channel") {
  const Topology topology = graph::make_mesh({4, 3, 2}, 2, 1);
  const Duato routing(topology, 2);
  CHECK(routing.vcs_needed() == 2);
  test::require_minimal_delivery(topology, routing, 2);
}

TEST_CASE("turn models deliver by shortest paths and never take their excluded turns") {
  const Topology topology = graph::make_mesh({4, 5}, 1, 1);
  const Turns turns = GENERATE(Turns::negative_first, Turns::west_first, Turns::north_last);
  const TurnModel routing(topology, 2, turns);
  test::require_minimal_delivery(topology, routing, 2);
  constexpr unsigned east = 0, west = 1, north = 2, south = 3;
  std::set<std::pair<unsigned, unsigned>> taken;  // directions before and after a turn
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to)
      follow(topology, routing, 2, packet(from, to), 7, [&](const Step& step) {
        if (step.hop > 0) taken.emplace(step.query.in_port ^ 1, step.port);
      });
  }
  std::set<std::pair<unsigned, unsigned>> left_out;
  for (unsigned before : {east, west, north, south})
    for (unsigned after : {east, west, north, south})
      if (dimension(before) != dimension(after) && taken.count({before, after}) == 0)
        left_out.emplace(before, after);
  using Set = std::set<std::pair<unsigned, unsigned>>;
  if (turns == Turns::negative_first) CHECK(left_out == Set{{east, south}, {north, west}});
  if (turns == Turns::west_first) CHECK(left_out == Set{{north, west}, {south, west}});
  if (turns == Turns::north_last) CHECK(left_out == Set{{north, east}, {north, west}});
}

TEST_CASE("negative-first works in any number of dimensions") {
  const Topology topology = graph::make_mesh({3, 2, 3}, 1, 1);
  const TurnModel routing(topology, 1, Turns::negative_first);
  test::require_minimal_delivery(topology, routing, 1);
}

TEST_CASE("routings of cubes refuse unsupported topologies, and report their requirements") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1), mesh = graph::make_mesh({4, 4, 4}, 1, 1),
                 tree = graph::make_fat_tree(2, 2, 2, 1);
  CHECK_THROWS_WITH(DimensionOrder(torus, 1), Catch::Contains("router.vcs") &&
                                                  Catch::Contains("dimension_order") &&
                                                  Catch::Contains("2..16"));
  CHECK_THROWS_WITH(DimensionOrder(torus, 17), Catch::Contains("too many virtual channels"));
  CHECK_THROWS_WITH(DimensionOrder(mesh, 0), Catch::Contains("1..16"));
  CHECK_THROWS_WITH(DimensionOrder(tree, 2), Catch::Contains("routing.kind") &&
                                                 Catch::Contains("fat tree (2,2,2)") &&
                                                 Catch::Contains("a torus or mesh"));
  CHECK_THROWS_WITH(Duato(torus, 2), Catch::Contains("router.vcs") && Catch::Contains("3..16"));
  CHECK_THROWS_WITH(Duato(mesh, 1), Catch::Contains("2..16"));
  CHECK_THROWS_WITH(Duato(tree, 4), Catch::Contains("a torus or mesh"));
  CHECK_THROWS_WITH(TurnModel(torus, 2, Turns::negative_first), Catch::Contains("negative_first") &&
                                                                    Catch::Contains("torus 4x4") &&
                                                                    Catch::Contains("accepted: a mesh"));
  CHECK_THROWS_WITH(TurnModel(mesh, 2, Turns::west_first), Catch::Contains("two dimensions"));
  CHECK_THROWS_WITH(TurnModel(mesh, 2, Turns::north_last), Catch::Contains("north_last"));
}
