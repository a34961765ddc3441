// SPDX-License-Identifier: Apache-2.0
// Parts of a network other than its routing that decide the verdict: refusals, failing links, switching,
// nodes.

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>

#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/destination_digits.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using graph::CubeShape;
using graph::Topology;

namespace {

DeadlockConfig with_vcs(unsigned vcs) {
  DeadlockConfig config;
  config.vcs = vcs;
  return config;
}

std::string all_problems(const DeadlockReport& report) {
  std::string text;
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text;
}

struct Case {
  Topology topology;
  std::unique_ptr<const Routing> routing;
  unsigned vcs;
};

template <class R, class... Parts>
Case make_case(const Topology& topology, unsigned vcs, Parts... parts) {
  return {topology, std::make_unique<R>(topology, vcs, parts...), vcs};
}

std::vector<Case> cases() {
  const Topology torus = graph::make_torus({4, 5}, 1, 1), mesh = graph::make_mesh({3, 4}, 2, 1),
                 tree = graph::make_fat_tree(2, 3, 3, 1), graph = graph::make_random_regular(20, 4, 3, 1);
  std::vector<Case> list;
  for (const Dateline dateline :
       {Dateline::crossing, Dateline::balanced, Dateline::switching, Dateline::none})
    for (const Ties ties : {Ties::random, Ties::up})
      list.push_back(make_case<DimensionOrder>(torus, 2, DimensionOrderConfig{ties, dateline}));
  list.push_back(make_case<Duato>(torus, 4));
  list.push_back(make_case<Duato>(mesh, 2));
  for (const Turns turns : {Turns::negative_first, Turns::west_first, Turns::north_last})
    list.push_back(make_case<TurnModel>(mesh, 2, turns));
  list.push_back(make_case<UpDown>(graph, 1));
  list.push_back(make_case<UpDown>(torus, 1, UpDownConfig{3, false}));
  for (const UpPort up : {UpPort::adaptive, UpPort::one_to_one, UpPort::random})
    list.push_back(make_case<LeastCommonAncestor>(tree, 1, up));
  list.push_back(make_case<DestinationDigits>(graph::make_fly(3, 2, 1), 1));
  list.push_back(make_case<SourceTable>(graph, 4));
  for (const char* kind : {"valiant", "ugal", "ugal_g"}) {
    list.push_back({torus, routing_kinds().make(kind, {torus, 5}), 5});
    list.push_back({mesh, routing_kinds().make(kind, {mesh, 2}), 2});
  }
  return list;
}

/// Both directions round a ring of two routers; `first_only`: nodes use the first virtual channel only.
ScriptedRouting two_ways(unsigned vcs, bool first_only = false) {
  return ScriptedRouting(
      1,
      [first_only, all = vc_range(0, vcs)](const RouteQuery& query, RouteSet& candidates) {
        if (first_only && query.in_port == 2 && query.in_vc > 0) return;
        if (query.router == query.destination) return candidates.add(2, all);
        candidates.add(0, all);
        candidates.add(1, all);
      },
      2);
}

/// The first port of a ring of two for all heads, and either one to escape.
void two_escapes(const RouteQuery& query, RouteSet& candidates) {
  if (query.router == query.destination) return candidates.add(2, 3);
  candidates.add(0, 2);
  candidates.add(0, 1, 1);
  candidates.add(1, 1, 1);
}

/// Dimension order on channel 0 as escape; on channel 1 any port. Escape hops alone keep the order of
/// dimensions; only hops on channel 1 in between reverse it.
ScriptedRouting escape_or_anywhere(const Topology& topology) {
  return ScriptedRouting(
      3,
      [&topology, order = DimensionOrder(topology, 1)](const RouteQuery& query, RouteSet& candidates) {
        RouteSet escape;
        order.route(query, escape);
        const bool arrived = escape[0].port >= 4;
        for (unsigned port = 0; port < 4 && !arrived; ++port)
          if (topology.far(query.router, port).kind == Topology::Far::Kind::router) candidates.add(port, 2);
        candidates.add(escape[0].port, 1, arrived ? 0 : 1);
      },
      5);
}

}  // namespace

TEST_CASE("following all sources at once gives the results of following each of them") {
  for (const Case& c : cases()) {
    for (const bool whole : {false, true}) {
      DeadlockConfig config = with_vcs(c.vcs);
      config.whole_packets = whole;
      config.uturn_network = c.routing->promises().turns_back;
      config.outages = {{1, 5, 9}, {2, 7, never}};
      const DeadlockReport together = check_deadlock(c.topology, *c.routing, config);
      const DeadlockReport each = check_deadlock(c.topology, ScriptedRouting(*c.routing), config);
      INFO(together.text(c.topology) << each.text(c.topology));
      CHECK(together.deadlock_free == each.deadlock_free);
      CHECK(together.theorem == each.theorem);
      CHECK(together.channels == each.channels);
      CHECK(together.escape_channels == each.escape_channels);
      CHECK(together.dependencies == each.dependencies);
      CHECK(together.cycle == each.cycle);
      CHECK(together.delivers == each.delivers);
      CHECK(together.finite == each.finite);
      CHECK(together.minimal == each.minimal);
      CHECK(together.longest_path == each.longest_path);
    }
  }
}

TEST_CASE("dependencies equal those of a simple recursion") {
  using Edge = std::tuple<RouterId, unsigned, unsigned, RouterId, unsigned, unsigned>;
  for (const Case& c : cases()) {
    DeadlockConfig config = with_vcs(c.vcs);
    config.atomic_vcs = false;  // all channels alike
    config.uturn_network = c.routing->promises().turns_back;
    std::set<Edge> edges;
    for (NodeId to = 0; to < c.topology.nodes(); ++to) {
      for (NodeId from = 0; from < c.topology.nodes(); ++from) {
        for (PacketId id = 0; id < (c.routing->random_choices() == nullptr ? 1U : 60U); ++id) {
          RouteQuery packet;
          packet.source = from;
          packet.destination = to;
          packet.packet = id;
          test::follow(c.topology, *c.routing, c.vcs, packet, 20, [&](const test::Step& step) {
            const Topology::Far& before = c.topology.far(step.query.router, step.query.in_port);
            if (before.kind != Topology::Far::Kind::router) return;
            edges.insert(
                {before.at.router, before.at.port, step.query.in_vc, step.query.router, step.port, step.vc});
          });
        }
      }
    }
    const DeadlockReport report = check_deadlock(c.topology, *c.routing, config);
    INFO(report.text(c.topology));
    CHECK(report.theorem == DeadlockTheorem::acyclic);
    CHECK(report.dependencies == edges.size());
    for (std::size_t i = 0; i < report.cycle.size(); ++i) {
      const Channel& a = report.cycle[i];
      const Channel& b = report.cycle[(i + 1) % report.cycle.size()];
      CHECK(edges.count({a.router, a.port, a.vc, b.router, b.port, b.vc}) == 1);
    }
  }
}

TEST_CASE("a node's packets to itself are refused where a router allows no u-turn to a node") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const DimensionOrder routing(topology, 1);
  DeadlockConfig config = with_vcs(1);
  CHECK(check_deadlock(topology, routing, config).good());
  config.uturn_node = false;
  const DeadlockReport dropped = check_deadlock(topology, routing, config);
  CHECK_FALSE(dropped.delivers);
  CHECK(dropped.deadlock_free);
  CHECK_THAT(dropped.problems.at(0),
             Catch::Contains("from node 0 to 0: router 0 refuses its only candidate, back out of port 4") &&
                 Catch::Contains("router.uturn_node") && Catch::Contains("dropped (no_way)"));
  config.dead_route_waits = true;
  const DeadlockReport waits = check_deadlock(topology, routing, config);
  CHECK_FALSE(waits.deadlock_free);
  CHECK_THAT(waits.problems.at(0), Catch::Contains("waits forever"));
  config.to_self = false;
  CHECK(check_deadlock(topology, routing, config).good());
  // Another node of the same router has another port.
  const Topology pairs = graph::make_mesh({2, 2}, 2, 1);
  CHECK(check_deadlock(pairs, DimensionOrder(pairs, 1), config).good());
}

TEST_CASE("a u-turn into the network is a candidate only where routers allow it") {
  const Topology topology = graph::make_mesh({3}, 1, 1);
  const DimensionOrder order(topology, 1);
  const ScriptedRouting routing(order, [](const RouteQuery& query, RouteSet& candidates) {
    if (query.router != 1 || query.in_port >= 2) return;
    candidates.clear();
    candidates.add(query.in_port, 1);
  });
  DeadlockConfig config = with_vcs(1);
  const DeadlockReport refused = check_deadlock(topology, routing, config);
  CHECK_FALSE(refused.delivers);
  CHECK(refused.finite);
  CHECK(refused.deadlock_free);
  CHECK_THAT(all_problems(refused), Catch::Contains("router 1 refuses its only candidate") &&
                                        Catch::Contains("router.uturn_network"));
  config.uturn_network = true;
  const DeadlockReport taken = check_deadlock(topology, routing, config);
  CHECK_FALSE(taken.finite);
  CHECK_FALSE(taken.deadlock_free);
}

TEST_CASE("cycles in which all candidates of a packet are down are counted") {
  const Topology ring = graph::make_torus({2}, 1, 1);
  REQUIRE(ring.links().size() == 2);
  const ScriptedRouting routing = two_ways(1);
  DeadlockConfig config = with_vcs(1);
  config.outages = {{0, 10, 20}, {1, 20, 30}};
  CHECK(check_deadlock(ring, routing, config).good());
  config.outages = {{0, 10, 20}, {1, 15, 30}};
  const DeadlockReport dropped = check_deadlock(ring, routing, config);
  CHECK_FALSE(dropped.delivers);
  CHECK(dropped.deadlock_free);
  CHECK_THAT(all_problems(dropped),
             Catch::Contains("from node 1 to 0: router 1 has all candidates for it down from "
                             "cycle 15 to 19; it is dropped (no_way)"));
  config.dead_route_waits = true;
  const DeadlockReport waits = check_deadlock(ring, routing, config);
  CHECK(waits.good());
  CHECK_THAT(waits.waits, Catch::Contains("waits until cycle 20"));
  CHECK_THAT(waits.text(ring), Catch::Contains("waits for a link: packet from node"));
  config.outages = {{0, 10, 20}, {1, 15, 30}, {0, 18, never}, {1, 25, never}};
  const DeadlockReport ever = check_deadlock(ring, routing, config);
  CHECK_FALSE(ever.deadlock_free);
  CHECK_THAT(all_problems(ever), Catch::Contains("down from cycle 15 on; it waits forever"));
  config.outages = {{2, 10, 20}};
  CHECK_THROWS_AS(check_deadlock(ring, routing, config), ConfigError);
}

TEST_CASE("cycles of a link's outages are added up and clipped") {
  const LinkOutages outages(
      {{0, 30, 40}, {0, 10, 20}, {0, 20, 25}, {0, 38, 50}, {0, 5, 11}, {1, 7, never}, {1, 3, 9}}, 3);
  const auto text = [](const Intervals& list) {
    std::string out;
    for (const Interval& part : list) out += interval_text(part) + "; ";
    return out;
  };
  CHECK(text(outages.of(0)) == "from cycle 5 to 24; from cycle 30 to 49; ");
  CHECK(text(outages.of(1)) == "from cycle 3 on; ");
  CHECK(outages.of(2).empty());
  CHECK(text(common(outages.of(0), outages.of(1))) == text(outages.of(0)));
  CHECK(text(common(outages.of(0), {{20, 31}})) == "from cycle 20 to 24; from cycle 30 to 30; ");
  CHECK(text(without(outages.of(0), {{20, 31}})) == "from cycle 5 to 19; from cycle 31 to 49; ");
  CHECK(text(without(outages.of(1), {})) == text(outages.of(1)));
  CHECK(without(outages.of(0), outages.of(1)).empty());
}

TEST_CASE("with its escape channel down a packet has no proof, for cut-through and for wormhole") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1);
  const Duato routing(mesh, 2);
  DeadlockConfig config = with_vcs(2);
  config.whole_packets = GENERATE(false, true);
  CHECK(check_deadlock(mesh, routing, config).good());
  config.dead_route_waits = true;  // heads with one candidate are then no problem
  config.outages = {{mesh.far(0, CubeShape::up_port(0)).link, 100, 200}};
  const DeadlockReport report = check_deadlock(mesh, routing, config);
  CHECK_FALSE(report.deadlock_free);
  CHECK(report.cycle.empty());
  CHECK_THAT(all_problems(report),
             Catch::Contains("router 0 has no escape channel for it from cycle 100 to 199"));
}

TEST_CASE(
    "packets without a proof are the first problems of a report, in the order in which they are found") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1);
  const Duato routing(mesh, 2);
  DeadlockConfig config = with_vcs(2);
  config.dead_route_waits = true;
  for (const RouterId router : {0U, 3U, 6U})
    config.outages.push_back({mesh.far(router, CubeShape::up_port(0)).link, 100, 200});
  const DeadlockReport report = check_deadlock(mesh, routing, config);
  CHECK_FALSE(report.deadlock_free);
  REQUIRE(report.problems.size() == 5);
  CHECK(report.more_problems);
  std::vector<int> destinations;
  for (const std::string& problem : report.problems) {
    CHECK_THAT(problem, Catch::Contains("has no escape channel for it from cycle 100 to 199"));
    destinations.push_back(std::stoi(problem.substr(problem.find(" to ") + 4)));
  }
  CHECK(std::is_sorted(destinations.begin(), destinations.end()));
  CHECK(destinations.front() < destinations.back());
}

TEST_CASE("a report contains its findings, and whether there are more problems") {
  using Catch::Contains;
  const Topology ring = graph::make_torus({2}, 1, 1);
  DeadlockReport report;
  report.channels = 7;
  report.dependencies = 9;
  CHECK_THAT(report.text(ring), Contains("7 virtual channels, 9 dependencies\nnot free of deadlock\n") &&
                                    Contains("not every packet reaches its node, but packets may travel in "
                                             "cycles forever (livelock), not only by shortest paths\n") &&
                                    Contains("left out: random choices of packets"));
  report.deadlock_free = report.delivers = report.finite = report.minimal = report.all_outcomes = true;
  report.longest_path = 3;
  CHECK_THAT(report.text(ring),
             Contains("free of deadlock: no cycle (Dally and Seitz, all candidates counted)\n"
                      "every packet can reach its node, at most 3 links, shortest paths only\n") &&
                 !Contains("left out") && !Contains("problem") && !Contains("waits") &&
                 !Contains("failing links"));
  report.problems = {"one", "two"};
  CHECK_THAT(report.text(ring), Contains("first problem: one\nproblem: two\n") && !Contains("more problems"));
  report.more_problems = report.outages = true;
  report.waits = "a packet";
  CHECK_THAT(report.text(ring), Contains("problem: two\nand more problems\nwaits for a link: a "
                                         "packet\nfailing links: checked for every cycle"));
  report.escape_channels = 4;
  CHECK_THAT(report.text(ring), Contains("7 virtual channels, 4 of them escape channels, 9 dependencies") &&
                                    Contains("escape channels count as any other"));
  report.theorem = DeadlockTheorem::escape_wormhole;
  CHECK_THAT(report.text(ring), Contains("9 extended dependencies") && Contains("Duato 1993") &&
                                    !Contains("count as any other"));
  report.theorem = DeadlockTheorem::escape_cut_through;
  CHECK_THAT(report.text(ring), Contains("9 dependencies") && Contains("Duato 1996"));
}

TEST_CASE("one of several escape channels is enough while links are down") {
  const Topology ring = graph::make_torus({2}, 1, 1);
  const ScriptedRouting routing(3, two_escapes, 3);
  DeadlockConfig config = with_vcs(2);
  config.outages = {{0, 10, 20}};
  CHECK(check_deadlock(ring, routing, config).good());
  config.outages = {{1, 10, 20}};
  CHECK(check_deadlock(ring, routing, config).good());
  // Without any candidate a packet is dropped or waits, and no other packet waits for it in a cycle.
  config.outages = {{0, 10, 20}, {1, 15, 30}};
  config.dead_route_waits = true;
  CHECK(check_deadlock(ring, routing, config).good());
}

TEST_CASE("escape channels that wait for each other only through adaptive ones are found") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const DeadlockReport report = check_deadlock(topology, escape_or_anywhere(topology), 2);
  INFO(report.text(topology));
  CHECK(report.extended());
  CHECK_FALSE(report.deadlock_free);
  CHECK_FALSE(report.cycle.empty());
  for (const Channel& channel : report.cycle) CHECK(channel.vc == 0);
  CHECK_FALSE(report.finite);
  CHECK_FALSE(report.minimal);
}

TEST_CASE("possible waits follow from switching and from when virtual channels are allocated") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1);
  const ScriptedRouting anywhere = escape_or_anywhere(mesh);
  DeadlockConfig config = with_vcs(2);
  // Escape may return to the router where an adaptive channel came from, and would not be offered there.
  const DeadlockReport refused = check_deadlock(mesh, anywhere, config);
  CHECK_THAT(refused.problems.at(0), Catch::Contains("no escape channel is offered after router"));
  config.uturn_network = true;
  // A worm holds an escape channel and, after adaptive ones, requests an earlier one; a whole packet does
  // not.
  const DeadlockReport worms = check_deadlock(mesh, anywhere, config);
  CHECK(worms.theorem == DeadlockTheorem::escape_wormhole);
  CHECK_FALSE(worms.deadlock_free);
  CHECK_FALSE(worms.cycle.empty());
  config.whole_packets = true;
  const DeadlockReport packets = check_deadlock(mesh, anywhere, config);
  INFO(packets.text(mesh));
  CHECK(packets.theorem == DeadlockTheorem::escape_cut_through);
  CHECK(packets.deadlock_free);
  CHECK(packets.cycle.empty());
  // A head queued after another packet's tail cannot request an escape channel, so the channel is no escape.
  config = with_vcs(2);
  const Duato duato(mesh, 2);
  CHECK(check_deadlock(mesh, duato, config).deadlock_free);
  config.atomic_vcs = false;
  const DeadlockReport early = check_deadlock(mesh, duato, config);
  CHECK(early.theorem == DeadlockTheorem::acyclic);
  CHECK_FALSE(early.deadlock_free);
  CHECK_THAT(early.text(mesh), Catch::Contains("escape channels count as any other"));
  config.whole_packets = true;
  CHECK(check_deadlock(mesh, duato, config).deadlock_free);
}

TEST_CASE("a processor interface injects into its own number of virtual channels") {
  const Topology ring = graph::make_torus({2}, 1, 1);
  const ScriptedRouting routing = two_ways(2, true);
  DeadlockConfig config = with_vcs(2);
  CHECK(check_deadlock(ring, routing, config).good());
  config.node_vcs = 1;
  CHECK(check_deadlock(ring, routing, config).good());
  config.node_vcs = 3;
  const DeadlockReport report = check_deadlock(ring, routing, config);
  CHECK_FALSE(report.delivers);
  CHECK_THAT(all_problems(report), Catch::Contains("no route out of router 0"));
}

TEST_CASE("the packets of a reported cycle hold its channels and request the next") {
  const unsigned vcs = GENERATE(1U, 3U);
  const Topology torus = graph::make_torus({4, 5}, 1, 1);
  const DimensionOrder routing(torus, vcs, {Ties::up, Dateline::none});
  const DeadlockReport report = check_deadlock(torus, routing, vcs);
  REQUIRE(report.witnesses.size() == report.cycle.size());
  for (std::size_t i = 0; i < report.cycle.size(); ++i) {
    const Channel& held = report.cycle[i];
    const Channel& wanted = report.cycle[(i + 1) % report.cycle.size()];
    RouteQuery packet;
    packet.source = report.witnesses[i].source;
    packet.destination = report.witnesses[i].destination;
    packet.packet = report.witnesses[i].packet;
    bool holds = false, asks = false;
    test::follow(torus, routing, vcs, packet, 4, [&](const test::Step& step) {
      holds |= step.query.router == held.router && step.port == held.port && step.vc == held.vc;
      const auto& before = torus.far(step.query.router, step.query.in_port).at;
      asks |= before == graph::PortRef{held.router, held.port} && step.query.in_vc == held.vc &&
              step.query.router == wanted.router && step.port == wanted.port && step.vc == wanted.vc;
    });
    CHECK(holds);
    CHECK(asks);
    CHECK(report.witnesses[i].links_before == 0);  // here a packet begins at the channel
    CHECK(torus.node(report.witnesses[i].source).inject.router == held.router);
  }
}

TEST_CASE("progress rises to the whole") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1);
  std::vector<double> shares;
  DeadlockConfig config = with_vcs(3);
  config.progress = [&](double share) { shares.push_back(share); };
  CHECK(check_deadlock(torus, Duato(torus, 3), config).good());
  CHECK(shares.size() == 32);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
  CHECK(shares.back() == 1.0);
}
