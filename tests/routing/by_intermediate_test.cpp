// SPDX-License-Identifier: Apache-2.0
// Valiant and UGAL-L: routing by an intermediate router.

#include <map>
#include <set>

#include "routing/capacity_cases.h"
#include "routing/decisions_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/graph/node_distances.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/checkers/vc_use.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/routing_kinds.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;

namespace {

unsigned hops(const Topology& topology, RouterId from, RouterId to) {
  return graph::hops_to(topology, to)[from];
}

struct Network {
  Topology topology;
  unsigned vcs;
};
std::vector<Network> networks() {
  return {{graph::make_mesh({4, 3}, 1, 1), 2},    {graph::make_mesh({3, 2}, 2, 1), 3},
          {graph::make_torus({5, 4}, 1, 1), 4},   {graph::make_torus({3, 3}, 1, 1), 2},
          {graph::make_mesh({2, 3, 2}, 1, 1), 4}, {graph::make_cube({{6, 3}, {true, false}, 1}, 1), 5}};
}

}  // namespace

TEST_CASE("with an intermediate router a packet takes two shortest routes, on two halves of the channels") {
  for (const Network& network : networks()) {
    const Topology& topology = network.topology;
    const auto valiant = made("valiant", topology, network.vcs);
    const unsigned lower = network.vcs - network.vcs / 2;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        const RouteQuery packet = at_source(topology, from, to);
        const RouterId last = topology.node(to).eject.router;
        // One decision for every router; that for the source's own router is the direct path.
        const auto possible = valiant->decisions()->possible(packet);
        REQUIRE(possible.size() == topology.routers());
        std::set<Decision> different;
        std::set<unsigned> lengths;
        for (RouterId middle = 0; middle < topology.routers(); ++middle) {
          RouteQuery query = packet;
          query.decision = possible[middle].decision;
          different.insert(query.decision);
          unsigned links = 0;
          bool met = middle == query.router;
          for (RouteSet candidates;; ++links) {
            REQUIRE(links < 20);
            valiant->route(query, candidates);
            REQUIRE(candidates.size() == 1);
            const Topology::Far& far = topology.far(query.router, candidates[0].port);
            if (far.kind == Topology::Far::Kind::node) {
              REQUIRE(far.node == to);
              break;
            }
            REQUIRE((candidates[0].vcs & (met ? vc_range(0, lower) : vc_range(lower, 16 - lower))) == 0);
            query.router = far.at.router;
            query.in_port = far.at.port;
            query.in_vc = static_cast<unsigned>(__builtin_ctz(candidates[0].vcs));
            met |= query.router == middle;
            const auto next = valiant->decisions()->possible(query);
            REQUIRE(next.size() == 1);
            REQUIRE(next[0].share == 1.0);
            query.decision = next[0].decision;
          }
          REQUIRE(met);
          REQUIRE(links == hops(topology, packet.router, middle) + hops(topology, middle, last));
        }
        REQUIRE(different.size() == possible.size());
      }
    }
  }
}

TEST_CASE("Valiant draws every intermediate router equally often, for any credits") {
  const Topology topology = graph::make_mesh({4, 4}, 1, 1);
  const auto valiant = made("valiant", topology, 2);
  Held buffers;
  buffers.held = {{0, 3}, {2, 90}};
  std::map<Decision, unsigned> drawn;
  constexpr unsigned packets = 16'000;
  for (PacketId id = 0; id < packets; ++id) {
    const RouteQuery query = at_source(topology, 5, 6, id);
    const Decision decision = valiant->decisions()->decide(query, buffers);
    ++drawn[decision];
    RouteQuery again = query;
    again.decision = decision;
    REQUIRE(valiant->decisions()->decide(again, buffers) == decision);  // a head that is routed again
    REQUIRE(valiant->decisions()->decide(query, Held{}) == decision);
  }
  double shares = 0;
  for (const auto& possible : valiant->decisions()->possible(at_source(topology, 5, 6))) {
    CHECK(std::abs(static_cast<int>(drawn[possible.decision]) - 1000) < 130);
    shares += possible.share;
  }
  CHECK(drawn.size() == 16);
  CHECK(shares == Approx(1.0));
}

TEST_CASE("UGAL takes the path with the lower product of queue and hops, the minimal one on a tie") {
  const Topology topology = graph::make_mesh({5, 5}, 1, 1);
  CHECK(made("ugal", topology, 2)->decisions()->reads_waiting());
  CHECK_FALSE(made("valiant", topology, 2)->decisions()->reads_waiting());
  for (const unsigned threshold : {0U, 7U}) {
    const auto ugal = made("ugal", topology, 4, std::to_string(threshold));
    const auto valiant = made("valiant", topology, 4);
    unsigned direct = 0, detours = 0, equal = 0;
    for (PacketId id = 0; id < 4000; ++id) {
      CounterRandom random(11, id);
      Held buffers;
      for (unsigned port = 0; port < 5; ++port) {
        buffers.held[port] = static_cast<unsigned>(random.below(4));
        buffers.queued[port] = static_cast<unsigned>(random.below(3));
      }
      const auto queue = [&](unsigned port) { return buffers.held[port] + buffers.queued[port]; };
      const RouteQuery query = at_source(topology, static_cast<NodeId>(random.below(25)),
                                         static_cast<NodeId>(random.below(25)), id);
      // The intermediate router is that of Valiant.
      const RouterId middle = static_cast<RouterId>(CounterRandom(query.seed, id).bits(0) % 25);
      const RouterId to = query.destination.node();
      // Dimension order, computed by hand.
      const auto port_to = [&](RouterId end) {
        const unsigned x = query.router % 5, y = query.router / 5;
        if (end % 5 != x) return end % 5 > x ? 0U : 1U;
        if (end / 5 != y) return end / 5 > y ? 2U : 3U;
        return 4U;
      };
      const unsigned minimal = queue(port_to(to)) * hops(topology, query.router, to);
      const unsigned detour = queue(port_to(middle == query.router ? to : middle)) *
                              (hops(topology, query.router, middle) + hops(topology, middle, to));
      const Decision direct_way = ugal->decisions()->decide(at_source(topology, 3, 3), Held{});
      const Decision decision = ugal->decisions()->decide(query, buffers);
      CAPTURE(id, minimal, detour, threshold);
      REQUIRE(decision ==
              (minimal <= detour + threshold ? direct_way : valiant->decisions()->decide(query, buffers)));
      if (decision == direct_way) ++direct;
      if (decision != direct_way) ++detours;
      if (minimal == detour) ++equal;
    }
    CHECK(direct > 1000);
    CHECK(detours > (threshold == 0 ? 300U : 100U));
    CHECK(equal > 100);
  }
}

TEST_CASE("with queues by credits UGAL leaves out the flits that wait in the router") {
  const Topology topology = graph::make_hyperx({{8}, {1}, 1}, {1});
  const auto by_credits = made("ugal", topology, 4, "2", "credits"), by_port = made("ugal", topology, 4, "2");
  const RouteQuery query = at_source(topology, 0, 7);  // by port 6
  const Decision straight = by_port->decisions()->decide(query, Held{});
  unsigned detours = 0;
  for (PacketId id = 0; id < 50; ++id) {
    const RouteQuery one = at_source(topology, 0, 7, id);
    Held waits, left;
    waits.queued = {{6, 90}};
    left.held = {{6, 90}};
    CHECK(by_credits->decisions()->decide(one, waits) == straight);
    CHECK(by_credits->decisions()->decide(one, left) == by_port->decisions()->decide(one, waits));
    if (by_credits->decisions()->decide(one, left) == straight) continue;
    ++detours;
    left.credited = {{6, 88}};  // credits that return in the cycle of the request count, too
    CHECK(by_credits->decisions()->decide(one, left) == straight);
    left.credited = {{6, 87}};
    CHECK(by_credits->decisions()->decide(one, left) != straight);
    CHECK(by_port->decisions()->decide(one, left) != straight);
    left.credited.clear();
    left.held = {{6, 2}};  // 2 flits over 1 hop are no more than the threshold
    CHECK(by_credits->decisions()->decide(one, left) == straight);
  }
  CHECK(detours > 25);
  // A packet on the minimal path enters the upper half.
  RouteSet candidates;
  RouteQuery decided = query;
  decided.decision = straight;
  by_credits->route(decided, candidates);
  CHECK(candidates[0].vcs == 0b1100);
  by_port->route(decided, candidates);
  CHECK(candidates[0].vcs == 0b1111);
}

TEST_CASE("UGAL over differing dimensions draws every such router, and no other") {
  const Topology topology = graph::make_hyperx({{3, 4, 2}, {1, 1, 1}, 2}, {1, 1, 1});
  const std::vector<std::string> settings = {"routing.intermediates=differing_dimensions"};
  const auto between = made("ugal", topology, 4, "0", "port", settings), any = made("ugal", topology, 4);
  const unsigned radices[] = {3, 4, 2}, strides[] = {1, 3, 12};
  Held full;
  for (unsigned port = 0; port < topology.ports(0); ++port) full.queued[port] = 50;
  for (const RouterId to : {0U, 2U, 3U, 14U, 23U}) {
    std::set<Decision> wanted, possible, decided;
    unsigned differing = 1;
    for (unsigned d = 0; d < 3; ++d) differing *= to / strides[d] % radices[d] != 0 ? radices[d] : 1;
    for (RouterId middle = 0; middle < 24; ++middle) {
      bool lies_between = true;
      for (unsigned d = 0; d < 3; ++d)
        lies_between &= middle / strides[d] % radices[d] == 0 || to / strides[d] % radices[d] != 0;
      if (lies_between)
        wanted.insert(any->decisions()->possible(at_source(topology, 0, 2 * to)).at(middle).decision);
    }
    REQUIRE(wanted.size() == differing);
    for (const auto& one : between->decisions()->possible(at_source(topology, 0, 2 * to)))
      possible.insert(one.decision);
    CHECK(possible == wanted);
    // The minimal path's queue is the longest: a detour is taken wherever it has another first link.
    Held one_full;
    const RouteSet direct = [&] {
      RouteQuery query = at_source(topology, 0, 2 * to);
      query.decision = any->decisions()->decide(query, Held{});
      RouteSet candidates;
      any->route(query, candidates);
      return candidates;
    }();
    one_full.queued = {{direct[0].port, 90}};
    for (PacketId id = 0; id < 2000; ++id)
      decided.insert(between->decisions()->decide(at_source(topology, 0, 2 * to, id), one_full));
    for (const Decision one : decided) CHECK(wanted.count(one) == 1);
    // Not over routers that the minimal path's first link leads to or over.
    unsigned same_link = 0;
    for (const Decision one : wanted) {
      RouteQuery query = at_source(topology, 0, 2 * to);
      query.decision = one;
      RouteSet candidates;
      any->route(query, candidates);
      same_link += candidates[0].port == direct[0].port ? 1U : 0U;
    }
    CHECK(decided.size() == wanted.size() - same_link + 1);
  }
  const auto on = [&](const Topology& other) { return made("ugal", other, 4, "0", "port", settings); };
  CHECK_THROWS_WITH(on(graph::make_mesh({4, 4}, 1, 1)),
                    Catch::Contains("routing.intermediates") && Catch::Contains("topology.kind hyperx"));
  DeadlockConfig config;
  config.vcs = 4;
  config.uturn_network = true;
  CHECK(check_deadlock(topology, *between, config).good());
}

TEST_CASE("with an early exit Valiant's packets leave at their destination's router") {
  const Topology topology = graph::make_mesh({3, 3}, 2, 1);
  const auto early = made("valiant", topology, 2, "0", "port", {"routing.early_exit=true"});
  const auto late = made("valiant", topology, 2);
  const auto exits = [&](const Routing& routing, RouteQuery query) {
    query.decision = routing.decisions()->decide(query, Held{});
    RouteSet candidates;
    routing.route(query, candidates);
    return topology.far(query.router, candidates[0].port).kind == Topology::Far::Kind::node;
  };
  unsigned others = 0;
  for (PacketId id = 0; id < 60; ++id) {
    const RouteQuery own = at_source(topology, 0, 1, id);  // both at router 0
    CHECK(exits(*early, own));
    if (exits(*late, own)) continue;
    ++others;
    RouteQuery later = at_source(topology, 17, 1, id);  // from router 8, by router 0 to a drawn one
    later.decision = late->decisions()->decide(own, Held{});
    later.router = 0;
    later.in_port = 0;
    CHECK(exits(*early, later));
    CHECK_FALSE(exits(*late, later));
    for (const auto& possible : early->decisions()->possible(own))
      CHECK(possible.decision == early->decisions()->decide(own, Held{}));
  }
  CHECK(others > 40);
}

namespace {

/// Queues of all routers, by router and port; this router's own buffers are empty.
struct QueuesOfAll final : OutputBuffers {
  unsigned credits(unsigned, VcMask) const override { return 0; }
  unsigned capacity(unsigned, VcMask) const override { return 0; }
  unsigned queue_of(RouterId router, unsigned port) const override { return queues[router][port]; }
  std::map<RouterId, std::map<unsigned, unsigned>> mutable queues;
};

}  // namespace

TEST_CASE("UGAL-G compares the queues on whole paths, each with its hops") {
  const Topology topology = graph::make_mesh({5, 5}, 1, 1);
  CHECK(made("ugal_g", topology, 2)->decisions()->reads_network());
  CHECK_FALSE(made("ugal", topology, 2)->decisions()->reads_network());
  for (const unsigned threshold : {0U, 7U}) {
    const auto oracle = made("ugal_g", topology, 4, std::to_string(threshold));
    const auto valiant = made("valiant", topology, 4);
    const Decision direct_way = oracle->decisions()->decide(at_source(topology, 3, 3), QueuesOfAll{});
    unsigned direct = 0, equal = 0;
    for (PacketId id = 0; id < 4000; ++id) {
      CounterRandom random(13, id);
      QueuesOfAll buffers;
      for (RouterId router = 0; router < 25; ++router)
        for (unsigned port = 0; port < 5; ++port)
          buffers.queues[router][port] = static_cast<unsigned>(random.below(12));
      // Dimension order, computed by hand.
      const auto cost = [&](RouterId from, RouterId to) {
        unsigned flits = 0;
        for (RouterId here = from; here != to; ++flits) {
          const unsigned x = here % 5, end_x = to % 5;
          const unsigned port = end_x > x ? 0 : end_x < x ? 1 : to > here ? 2 : 3;
          flits += buffers.queues[here][port];
          here = port == 0 ? here + 1 : port == 1 ? here - 1 : port == 2 ? here + 5 : here - 5;
        }
        return flits;
      };
      const RouteQuery query = at_source(topology, static_cast<NodeId>(random.below(25)),
                                         static_cast<NodeId>(random.below(25)), id);
      const auto middle = static_cast<RouterId>(CounterRandom(query.seed, id).bits(0) % 25);
      const RouterId to = query.destination.node();
      const unsigned minimal = cost(query.router, to);
      const unsigned detour =
          middle == query.router ? minimal : cost(query.router, middle) + cost(middle, to);
      const Decision decision = oracle->decisions()->decide(query, buffers);
      CAPTURE(id, minimal, detour, threshold);
      REQUIRE(decision ==
              (minimal <= detour + threshold ? direct_way : valiant->decisions()->decide(query, buffers)));
      if (decision == direct_way) ++direct;
      if (minimal == detour + threshold) ++equal;
    }
    CHECK(direct > 2000);
    CHECK(direct < 3990);
    CHECK(equal > 3);
  }
}

TEST_CASE("UGAL-G takes the shortest queue of parallel links") {
  // Ports 0 and 1 of router 0 lead to router 1, ports 2 and 3 to router 2.
  const Topology topology = graph::make_hyperx({{3}, {2}, 1}, {1});
  const auto oracle = made("ugal_g", topology, 2);
  const Decision direct_way = oracle->decisions()->decide(at_source(topology, 0, 0), QueuesOfAll{});
  unsigned detours = 0;
  for (PacketId id = 0; id < 60; ++id) {
    const RouteQuery query = at_source(topology, 0, 1, id);
    QueuesOfAll one_full, both_full;
    one_full.queues[0][id % 2] = 10;
    both_full.queues[0] = {{0, 10}, {1, 10}};
    CHECK(oracle->decisions()->decide(query, one_full) == direct_way);
    detours += oracle->decisions()->decide(query, both_full) != direct_way ? 1U : 0U;
  }
  CHECK(detours > 5);
}

TEST_CASE("routing by an intermediate router is free of deadlock, for all decisions") {
  for (const Network& network : networks()) {
    for (const char* kind : {"valiant", "ugal", "ugal_g"}) {
      const auto routing = made(kind, network.topology, network.vcs);
      DeadlockConfig config;
      config.vcs = network.vcs;
      config.uturn_network = true;
      const DeadlockReport report = check_deadlock(network.topology, *routing, config);
      INFO(report.text(network.topology));
      CHECK(report.good());
      CHECK_FALSE(report.minimal);
      unsigned diameter = 0;
      for (RouterId router = 0; router < network.topology.routers(); ++router)
        diameter = std::max(diameter, hops(network.topology, 0, router));
      if (network.topology.name().find("mesh") == 0) CHECK(report.longest_path == 2 * diameter);
      // Routers that refuse the u-turn at an intermediate router drop packets.
      config.uturn_network = false;
      CHECK_FALSE(check_deadlock(network.topology, *routing, config).delivers);
    }
  }
}

TEST_CASE("the deadlock checker finds cycles that only some decision causes") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const auto valiant = made("valiant", topology, 2);
  DeadlockConfig config;
  config.vcs = 2;
  config.uturn_network = true;
  // Both halves on common channels: the turns of one close cycles with those of the other.
  ScriptedRouting mixed(*valiant, [](const RouteQuery&, RouteSet& candidates) {
    const RouteCandidate one = candidates[0];
    candidates.clear();
    candidates.add(one.port, 3);
  });
  mixed.promised.place_decides = true;
  CHECK_FALSE(check_deadlock(topology, mixed, config).deadlock_free);
  // Only packets that decide for router 8 are misrouted there.
  const Decision by_8 = valiant->decisions()->possible(at_source(topology, 0, 5))[8].decision;
  ScriptedRouting astray(*valiant, [by_8](const RouteQuery& query, RouteSet& candidates) {
    if (query.decision == by_8 && query.router == 7) candidates.clear();
  });
  astray.promised.place_decides = true;
  const DeadlockReport report = check_deadlock(topology, astray, config);
  CHECK(report.deadlock_free);
  CHECK_FALSE(report.delivers);
  CHECK_THAT(report.problems.at(0), Catch::Contains("no route out of router 7"));
  // Two routers send a head back and forth, with another decision each time.
  const ScriptedDecisions restless(nullptr, [](const RouteQuery& query) {
    return std::vector<RouteDecisions::Possible>{{static_cast<Decision>(query.decision % 2 + 1), 1.0}};
  });
  ScriptedRouting round(3, [&](const RouteQuery& query, RouteSet& candidates) {
    candidates.add(query.router == 1 ? 1 : 0, query.decision == 1 ? 1 : 2);
  });
  round.decider = &restless;
  CHECK_FALSE(check_deadlock(graph::make_mesh({2}, 1, 1), round, config).finite);
}

TEST_CASE(
    "one channel fewer of a routing by an intermediate router is found, and too many hops stop the run") {
  for (const Network& network : networks())
    for (const char* kind : {"valiant", "ugal", "ugal_g"}) {
      CAPTURE(network.topology.name(), kind);
      const auto routing = made(kind, network.topology, network.vcs);
      CHECK_THROWS_WITH(made(kind, network.topology, routing->vcs_needed() - 1),
                        Catch::Contains("router.vcs"));
      DeadlockConfig config;
      config.vcs = network.vcs;
      config.uturn_network = true;
      bool found = false;
      for (unsigned lower = 0; lower + 1 < network.vcs; ++lower) {
        const auto pair = static_cast<VcMask>(3U << lower);
        ScriptedRouting merged(*routing, [pair](const RouteQuery&, RouteSet& candidates) {
          for (unsigned i = 0; i < candidates.size(); ++i)
            if ((candidates[i].vcs & pair) != 0)
              candidates.set_vcs(i, static_cast<VcMask>(candidates[i].vcs | pair));
        });
        merged.promised.place_decides = true;
        found |= !check_deadlock(network.topology, merged, config).deadlock_free;
      }
      CHECK(found);
      unsigned longest = 0;
      for (RouterId router = 0; router < network.topology.routers(); ++router)
        longest = std::max(longest, hops(network.topology, 0, router));
      // All routers of a torus are alike, and router 0 is at a mesh's corner.
      RouteQuery query = at_source(network.topology, 0, network.topology.nodes() - 1);
      query.hops = static_cast<std::uint16_t>(2 * longest);
      CHECK_NOTHROW(routing->decisions()->decide(query, QueuesOfAll{}));
      ++query.hops;
      CHECK_THROWS_WITH(routing->decisions()->decide(query, QueuesOfAll{}),
                        Catch::Contains("hops") && Catch::Contains("at most " + std::to_string(2 * longest)));
    }
}

TEST_CASE("with an intermediate router any permutation has half of uniform traffic's capacity") {
  const Topology topology = graph::make_mesh({6, 6}, 1, 1);
  const auto valiant = made("valiant", topology, 2);
  const double minimal =
      bound_of(topology, DimensionOrder(topology, 1), uniform(topology)).flits_per_node_cycle;
  const auto transpose = permutation([](NodeId from) { return transposed(from, 6); });
  const auto opposite = permutation([](NodeId from) { return 35 - from; });
  for (const Demand& demand : {uniform(topology), Demand(transpose), Demand(opposite)}) {
    const CapacityBound bound = bound_of(topology, *valiant, demand);
    CHECK(bound.kind == CapacityKind::exact);
    CHECK(bound.flits_per_node_cycle == Approx(minimal / 2));
  }
  CHECK(bound_of(topology, *made("ugal", topology, 2), uniform(topology)).reason ==
        "routes that depend on credits");
}

TEST_CASE("refusals of routing by an intermediate router") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1), torus = graph::make_torus({4, 3}, 1, 1),
                 tree = graph::make_fat_tree(2, 2, 2, 1), large = graph::make_mesh({255, 257}, 1, 1);
  for (const std::string kind : {"valiant", "ugal"}) {
    CHECK_THROWS_WITH(made(kind, mesh, 1), Catch::Contains("router.vcs") &&
                                               Catch::Contains("routing " + kind) &&
                                               Catch::Contains("2..16"));
    CHECK_THROWS_WITH(made(kind, torus, 3), Catch::Contains("4..16"));
    CHECK(made(kind, mesh, 2)->vcs_needed() == 2);
    CHECK(made(kind, torus, 4)->vcs_needed() == 4);
    CHECK_THROWS_WITH(made(kind, tree, 4),
                      Catch::Contains("does not fit the topology") && Catch::Contains("a torus or mesh"));
    CHECK_THROWS_WITH(made(kind, large, 4), Catch::Contains("one of 65535 intermediate routers") &&
                                                Catch::Contains("at most 65533 routers"));
    const auto routing = made(kind, mesh, 2);
    RouteQuery query = at_source(mesh, 0, 0);
    query.decision =
        routing->decisions()->possible(at_source(mesh, 0, 0)).front().decision;  // the direct path
    query.destination = End::of_router(2);
    RouteSet candidates;
    CHECK_THROWS_WITH(routing->route(query, candidates),
                      Catch::Contains("router 2: is not a valid end of a packet"));
  }
}

TEST_CASE("the use of virtual channels counts the routes of every decision") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  const auto uses = vc_use(topology, graph::LivingNetwork(topology, {}), *made("ugal", topology, 2), 2);
  REQUIRE(uses.size() == 2);
  CHECK(uses[0].pairs == 72);
  CHECK(uses[0].one_output == 0);
  CHECK(uses[1].pairs == 72);
  CHECK(uses[1].one_output == 72);
}
