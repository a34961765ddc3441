// SPDX-License-Identifier: Apache-2.0

#include "tsuji/routing/checkers/deadlock.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/destination_digits.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using graph::CubeShape;
using graph::Topology;

namespace {

void require_good(const Topology& topology, const Routing& routing, unsigned vcs, bool minimal = true) {
  const DeadlockReport report = check_deadlock(topology, routing, vcs);
  INFO(report.text(topology));
  REQUIRE(report.good());
  REQUIRE(report.deadlock_free);
  REQUIRE(report.all_outcomes);
  REQUIRE(report.problems.empty());
  REQUIRE(report.cycle.empty());
  if (minimal) REQUIRE(report.minimal);
}

/// Requires that each channel of the cycle ends at the router that feeds the next one.
void require_cycle(const Topology& topology, const DeadlockReport& report, std::size_t length) {
  INFO(report.text(topology));
  REQUIRE_FALSE(report.deadlock_free);
  REQUIRE_FALSE(report.good());
  REQUIRE(report.cycle.size() == length);
  for (std::size_t i = 0; i < length; ++i) {
    const Channel& here = report.cycle[i];
    const Channel& next = report.cycle[(i + 1) % length];
    REQUIRE(topology.far(here.router, here.port).at.router == next.router);
  }
}

/// Every shortest route on every virtual channel: all turns.
ScriptedRouting all_turns(const Topology& topology) {
  return ScriptedRouting(
      1,
      [cube = CubeTables(topology, "all_turns")](const RouteQuery& query, RouteSet& candidates) {
        for (unsigned d = 0; d < cube.dimensions(); ++d) {
          const unsigned here = cube.router(query.router)[d], to = cube.node(query.destination.node())[d];
          const auto shortest = cube.directions(d, here, to);
          if (shortest.up) candidates.add(CubeShape::up_port(d), 1);
          if (shortest.down) candidates.add(CubeShape::down_port(d), 1);
        }
        if (candidates.size() == 0) candidates.add(cube.node_port(query.destination.node()), 1);
      },
      4);
}

/// A routing with changed virtual channels of each candidate; a candidate without any is left out.
ScriptedRouting changed(const Routing& base,
                        const std::function<VcMask(const RouteQuery&, const RouteCandidate&)>& change) {
  return ScriptedRouting(base, [change](const RouteQuery& query, RouteSet& candidates) {
    const RouteSet good = candidates;
    candidates.clear();
    for (const RouteCandidate& one : good)
      if (const VcMask vcs = change(query, one)) candidates.add(one.port, vcs, one.rank);
  });
}

/// A correct routing that sends packets for one node out of another port; -1: out of none.
ScriptedRouting one_wrong_port(const Routing& good, RouterId router, NodeId destination, int port) {
  std::vector<RouteCandidate> instead;
  if (port >= 0) instead.push_back({static_cast<std::uint16_t>(port), 1, 0});
  return ScriptedRouting(good, planted(router, destination, instead));
}

}  // namespace

TEST_CASE("dimension order is free of deadlock with every choice of classes at the dateline") {
  const CubeShape shape = GENERATE(
      CubeShape{{4}, {true}, 1}, CubeShape{{5}, {true}, 1}, CubeShape{{8}, {true}, 1},
      CubeShape{{7}, {true}, 1}, CubeShape{{4, 4}, {true, true}, 1}, CubeShape{{6, 5}, {true, true}, 1},
      CubeShape{{4, 4}, {false, true}, 2}, CubeShape{{4, 2, 4}, {true, true, false}, 1});
  const Dateline dateline =
      GENERATE(Dateline::crossing, Dateline::crossing_down_inverted, Dateline::balanced, Dateline::switching);
  const Ties ties = GENERATE(Ties::random, Ties::up);
  const unsigned vcs = GENERATE(2U, 3U);
  const Topology topology = graph::make_cube(shape, 1);
  require_good(topology, DimensionOrder(topology, vcs, {ties, dateline}), vcs);
}

TEST_CASE("dimension order on meshes and on rings of two and three needs one virtual channel") {
  for (const Topology& topology :
       {graph::make_mesh({4, 4}, 1, 1), graph::make_mesh({8, 8}, 1, 1), graph::make_mesh({3, 4, 2}, 2, 1),
        graph::make_torus({3, 3}, 1, 1), graph::make_torus({2, 2, 3}, 1, 1)})
    require_good(topology, DimensionOrder(topology, 1), 1);
}

TEST_CASE("the planted cycle: dimension order on a torus without datelines") {
  const unsigned radix = GENERATE(4U, 5U, 6U), vcs = GENERATE(1U, 2U);
  const Topology topology = graph::make_torus({radix, radix}, 1, 1);
  const DimensionOrder routing(topology, vcs, {Ties::up, Dateline::none});
  const DeadlockReport report = check_deadlock(topology, routing, vcs);
  require_cycle(topology, report, radix);  // once round a ring
  for (const Channel& channel : report.cycle) CHECK(channel.port == report.cycle[0].port);
  CHECK(report.delivers);
  CHECK(report.minimal);
  CHECK_THAT(report.text(topology), Catch::Contains("not free of deadlock") &&
                                        Catch::Contains("a cycle of " + std::to_string(radix)) &&
                                        Catch::Contains("router 0 port "));
}

TEST_CASE("the planted cycle: all turns on a mesh") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const DeadlockReport report = check_deadlock(topology, all_turns(topology), 1);
  require_cycle(topology, report, 4);  // four turns round a square
  CHECK(report.finite);
  CHECK(report.longest_path == 4);
}

TEST_CASE("numbers of channels and dependencies of a small line equal those counted by hand") {
  // Routers 0-1-2: four channels; 0->1 may wait for 1->2, and 2->1 for 1->0.
  const Topology topology = graph::make_mesh({3}, 1, 1);
  const DeadlockReport report = check_deadlock(topology, DimensionOrder(topology, 1), 1);
  CHECK(report.channels == 4);
  CHECK(report.dependencies == 2);
  CHECK(report.longest_path == 2);
  CHECK_FALSE(report.extended());
  const DeadlockReport two = check_deadlock(topology, DimensionOrder(topology, 2), 2);
  CHECK(two.channels == 8);
  CHECK(two.dependencies == 8);
}

TEST_CASE("Duato's protocol is free of deadlock by its extended dependency graph") {
  for (const Topology& topology :
       {graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 4}, 1, 1), graph::make_torus({8}, 1, 1),
        graph::make_cube({{4, 3}, {true, false}, 2}, 1), graph::make_torus({4, 3, 2}, 1, 1)}) {
    const Duato routing(topology, 3);
    require_good(topology, routing, 3);
    const DeadlockReport report = check_deadlock(topology, routing, 3);
    CHECK(report.extended());
    CHECK(report.escape_channels < report.channels);
  }
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  require_good(mesh, Duato(mesh, 2), 2);
  require_good(mesh, Duato(mesh, 4), 4);
  require_good(mesh, Duato(mesh, 2, {false}), 2);
}

TEST_CASE("broken escape channels are found") {
  const Topology topology = graph::make_torus({4, 4}, 1, 1);
  const Duato duato(topology, 3);
  const auto report = [&](const auto& change) { return check_deadlock(topology, changed(duato, change), 3); };
  const DeadlockReport no_dateline = report([](const RouteQuery&, const RouteCandidate& candidate) {
    return candidate.rank == 0 ? candidate.vcs : VcMask{1};  // escape channels of one class only
  });
  require_cycle(topology, no_dateline, 4);
  CHECK(no_dateline.extended());
  // Packets that take escape channels in any order make them wait for each other, by indirect dependencies
  // only.
  const DeadlockReport for_all = report([](const RouteQuery&, const RouteCandidate& candidate) {
    return static_cast<VcMask>(candidate.vcs | (candidate.rank == 0 ? 3 : 0));
  });
  CHECK_FALSE(for_all.deadlock_free);
  CHECK_FALSE(for_all.cycle.empty());
  const DeadlockReport forgotten = report([](const RouteQuery& query, const RouteCandidate& candidate) {
    return candidate.rank == 0 || query.router != 5 ? candidate.vcs : VcMask{0};
  });
  CHECK_FALSE(forgotten.deadlock_free);
  CHECK_THAT(forgotten.problems.at(0), Catch::Contains("no escape channel is offered"));
}

TEST_CASE("turn models are free of deadlock with one virtual channel") {
  const Topology topology = graph::make_mesh({4, 5}, 1, 1), cube = graph::make_mesh({3, 3, 3}, 1, 1);
  require_good(topology, TurnModel(topology, 1, Turns::negative_first), 1);
  require_good(topology, TurnModel(topology, 1, Turns::west_first), 1);
  require_good(topology, TurnModel(topology, 1, Turns::north_last), 1);
  require_good(cube, TurnModel(cube, 1, Turns::negative_first), 1);
}

TEST_CASE("up*/down* is free of deadlock with one virtual channel on any graph") {
  for (const Topology& topology :
       {graph::make_torus({4, 4}, 1, 1), graph::make_torus({2, 3}, 1, 1), graph::make_fat_tree(2, 3, 3, 1),
        graph::make_random_regular(24, 4, 1, 1), graph::make_random_grid({36, 4, 3, 2, 0}, 1)}) {
    require_good(topology, UpDown(topology, 1), 1, false);
    require_good(topology, UpDown(topology, 1, {3, false}), 1, false);
  }
}

TEST_CASE("trees and flies are free of deadlock with one virtual channel") {
  const UpPort up = GENERATE(UpPort::adaptive, UpPort::one_to_one, UpPort::random);
  for (const Topology& topology : {graph::make_fat_tree(4, 4, 3, 1), graph::make_fat_tree(2, 2, 4, 1),
                                   graph::make_fat_tree(3, 2, 3, 1), graph::make_fat_tree(1, 4, 2, 1)})
    require_good(topology, LeastCommonAncestor(topology, 1, up), 1);
  const Topology fly = graph::make_fly(4, 3, 1);
  require_good(fly, DestinationDigits(fly, 1), 1);
}

TEST_CASE("source tables are free of deadlock with their required number of virtual channels") {
  const bool random_ties = GENERATE(false, true);
  for (const Topology& topology :
       {graph::make_torus({5, 5}, 1, 1), graph::make_random_regular(32, 3, 1, 1),
        graph::make_random_regular(64, 6, 2, 1), graph::make_random_grid({36, 4, 4, 2, 0}, 1)}) {
    const SourceTable table(topology, 16, {random_ties, 1});
    const unsigned needed = table.vcs_needed();
    require_good(topology, SourceTable(topology, needed, {random_ties, 1}), needed);
    require_good(topology, SourceTable(topology, needed + 2, {random_ties, 1}), needed + 2);
  }
}

TEST_CASE("packets without a route, off their route or to the wrong node are found") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const DimensionOrder good(topology, 1);
  const auto problem = [&](RouterId router, NodeId destination, int port) {
    const DeadlockReport report =
        check_deadlock(topology, one_wrong_port(good, router, destination, port), 1);
    CHECK_FALSE(report.delivers);
    CHECK_FALSE(report.good());
    return report.problems.at(0);
  };
  CHECK_THAT(problem(4, 8, -1), Catch::Contains("to 8") && Catch::Contains("no route out of router 4"));
  CHECK_THAT(problem(4, 8, 4), Catch::Contains("router 4 sends it out of port 4"));  // to node 4
  CHECK_THAT(problem(0, 8, 1), Catch::Contains("router 0 sends it out of port 1"));  // over the border
}

TEST_CASE("routes that never end are found") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const DimensionOrder good(topology, 1);
  // Router 5 sends back to 4, which sends to 5 again.
  DeadlockConfig config;
  config.uturn_network = true;
  const DeadlockReport report = check_deadlock(topology, one_wrong_port(good, 5, 8, 1), config);
  CHECK_FALSE(report.finite);
  CHECK_FALSE(report.minimal);
  CHECK_FALSE(report.good());
  CHECK_THAT(report.problems.at(0), Catch::Contains("to 8: its routes can form a cycle (livelock)"));
}

TEST_CASE("a routing that gives ports or channels that a router lacks breaks an invariant") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const DimensionOrder good(topology, 1);
  CHECK_THROWS_AS(check_deadlock(topology, one_wrong_port(good, 4, 8, 9), 1), ModelError);
  CHECK_THROWS_AS(check_deadlock(topology, DimensionOrder(topology, 2), 1), ModelError);
}

TEST_CASE("too many random outcomes are sampled and reported as such, and too large a network is refused") {
  const Topology topology = graph::make_torus({4, 4}, 1, 1);
  const DimensionOrder routing(topology, 2, {Ties::random, Dateline::balanced});
  CHECK(outcomes_of(routing) == 16);
  DeadlockConfig config;
  config.vcs = 2;
  config.most_outcomes = 8;
  const DeadlockReport report = check_deadlock(topology, routing, config);
  CHECK_FALSE(report.all_outcomes);
  CHECK_THAT(report.text(topology), Catch::Contains("left out: random choices"));
  const Topology large = graph::make_torus({128, 128}, 1, 1);
  CHECK_THROWS_WITH(check_deadlock(large, DimensionOrder(large, 2), 2), Catch::Contains("too many"));
}
