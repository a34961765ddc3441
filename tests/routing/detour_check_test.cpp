// SPDX-License-Identifier: Apache-2.0
// Verdicts on Detour-UD under faults, and planted errors that they must report.

#include "tsuji/routing/detour/detour_check.h"

#include <memory>

#include "graph/faulty_cubes.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/routing/detour/detour_ud.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using Catch::Contains;
using graph::CubeShape;

namespace {

struct Detour {
  Detour(const Topology& t, const FaultSet& faults, unsigned distance = 2, unsigned vcs = 4)
      : topology(t),
        generation(std::make_shared<const DetourGeneration>(t, faults, DetourConfig{distance, true, {}})),
        routing(topology, vcs, generation) {}

  RecoveryVerdict recovery() const { return recovery(routing); }
  RecoveryVerdict recovery(const Routing& judged) const {
    return check_recovery(topology, *generation, judged, routing.ud_vcs());
  }
  AdaptiveVerdict adaptive() const { return check_adaptive(topology, *generation, routing); }

  Topology topology;
  std::shared_ptr<const DetourGeneration> generation;
  DetourUd routing;
};

std::string problems_of(const RecoveryVerdict& verdict) {
  std::string text;
  for (const std::string& problem : verdict.problems) text += problem + "\n";
  return text;
}

/// Numbers of states on FA channels by transitive closure, for one destination.
struct PlainCounts {
  std::uint64_t states = 0, circling = 0, circles = 0, hopeless = 0;
};

PlainCounts plain_counts(const Detour& detour, NodeId to) {
  using State = std::pair<RouterId, unsigned>;
  std::map<State, std::size_t> numbers;
  std::vector<State> states;
  std::vector<std::vector<std::size_t>> next;
  const auto number = [&](RouterId router, unsigned port) {
    const auto [entry, is_new] = numbers.emplace(State{router, port}, states.size());
    if (is_new) states.push_back({router, port});
    return entry->second;
  };
  const unsigned node_port = detour.topology.node(0).eject.port;
  for (RouterId r = 0; r < detour.topology.routers(); ++r)
    if (detour.generation->network().lives(r)) number(r, node_port);
  for (std::size_t i = 0; i < states.size(); ++i) {
    next.emplace_back();
    RouteQuery query;
    query.router = states[i].first;
    query.in_port = states[i].second;
    query.destination = to;
    RouteSet candidates;
    detour.routing.route(query, candidates);
    for (const RouteCandidate& candidate : candidates) {
      if (candidate.port == node_port) continue;
      const graph::PortRef at = detour.topology.far(query.router, candidate.port).at;
      next[i].push_back(number(at.router, at.port));
    }
  }
  const std::size_t n = states.size();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b : next[a]) reach[a][b] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; reach[a][k] && b < n; ++b)
        if (reach[k][b]) reach[a][b] = true;
  PlainCounts counts;
  counts.states = n;
  for (std::size_t a = 0; a < n; ++a) {
    if (reach[a][a]) ++counts.circling;
    bool first = reach[a][a], arrives = states[a].first == to;
    for (std::size_t b = 0; b < n; ++b) {
      if (b < a && reach[a][b] && reach[b][a]) first = false;
      if (reach[a][b] && states[b].first == to) arrives = true;
    }
    if (first) ++counts.circles;
    if (!arrives) ++counts.hopeless;
  }
  return counts;
}

}  // namespace

TEST_CASE("recovery is free of deadlock and reaches every router after every single fault") {
  const Topology topology = GENERATE(graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 5}, 1, 1),
                                     graph::make_torus({3, 3, 3}, 1, 1), graph::make_mesh({4, 4}, 1, 1));
  for (const FaultSet& faults : single_faults(topology)) {
    const Detour detour(topology, faults);
    const RecoveryVerdict verdict = detour.recovery();
    INFO(verdict.text());
    REQUIRE(verdict.holds());
    REQUIRE(verdict.problems.empty());
  }
}

TEST_CASE("recovery is so after random sets of faults, too, with numbers that rise along every hop") {
  const Topology topology = GENERATE(graph::make_torus({5, 5}, 1, 1), graph::make_torus({2, 5}, 2, 1),
                                     graph::make_mesh({4, 5}, 1, 1), graph::make_torus({9}, 1, 1));
  for (const FaultSet& faults : random_faults(topology, 100, 3)) {
    const Detour detour(topology, faults);
    const RecoveryVerdict verdict = detour.recovery();
    INFO(verdict.text());
    REQUIRE(verdict.holds());
    const graph::LivingNetwork& network = detour.generation->network();
    const DetourTables& tables = detour.generation->tables();
    for (RouterId to = 0; to < topology.routers(); ++to) {
      for (RouterId here = 0; here < topology.routers(); ++here) {
        for (unsigned port = 0; port < tables.ports(); ++port) {
          if ((tables.up_down(here, to) >> port & 1) == 0) continue;
          const RouterId next = network.neighbour(here, port);
          const std::uint32_t number = verdict.numbers[here * tables.ports() + port];
          REQUIRE(number > 0);
          REQUIRE(number <= verdict.longest_chain);
          for (unsigned after = 0; after < tables.ports(); ++after)
            if ((tables.up_down(next, to) >> after & 1) != 0)
              REQUIRE(verdict.numbers[next * tables.ports() + after] > number);
        }
      }
    }
  }
}

TEST_CASE("planted errors in up/down words are reported") {
  const Figure2 figure;
  const Detour detour(figure.torus, figure.dead);
  const auto at_letter = [&](char letter) { return figure.router.at(letter); };
  const auto judge = [&](char here, char to, unsigned port, VcMask vcs = 0b1000) {
    std::vector<RouteCandidate> instead;
    if (port < 16) instead.push_back({static_cast<std::uint16_t>(port), vcs, 0});
    return detour.recovery(ScriptedRouting(
        detour.routing, planted(at_letter(here), at_letter(to), instead, PacketClass::recovery)));
  };
  const auto name = [&](char letter) { return "router " + std::to_string(at_letter(letter)); };
  REQUIRE(detour.recovery().holds());

  // E to H to B is down, then up (fig. 4).
  const RecoveryVerdict up_after_down = judge('E', 'B', CubeShape::up_port(1));
  CHECK_FALSE(up_after_down.holds());
  CHECK_THAT(problems_of(up_after_down),
             Contains(name('H') + " routes it up to port 1, after it has gone down"));

  const RecoveryVerdict nowhere = judge('E', 'B', 16);
  CHECK_FALSE(nowhere.leads_on);
  CHECK_THAT(problems_of(nowhere), Contains(name('E') + " has no candidate"));

  const RecoveryVerdict dead = judge('A', 'B', CubeShape::up_port(1));
  CHECK_FALSE(dead.leads_on);
  CHECK_THAT(problems_of(dead),
             Contains(name('A') + " routes it to port 2, which leads to no living router or node"));

  const RecoveryVerdict to_fa = judge('E', 'B', CubeShape::down_port(0), 0b1100);
  CHECK_FALSE(to_fa.leads_on);
  CHECK_THAT(problems_of(to_fa), Contains(name('E') + " routes it to port 1 onto channels that are not UD"));

  const RecoveryVerdict past = judge('B', 'B', CubeShape::up_port(0));
  CHECK_FALSE(past.leads_on);
  CHECK_THAT(problems_of(past), Contains(name('B') + " routes it to port 0, away from its node"));

  // A's word for B points back to E, which points to A.
  const RecoveryVerdict round = judge('A', 'B', CubeShape::up_port(0));
  CHECK_FALSE(round.acyclic);
  CHECK(round.numbers.empty());
  CHECK(round.cycle.size() == 2);
  CHECK_THAT(round.text(), Contains("not free of deadlock"));
}

TEST_CASE("cyclic and hopeless states before recovery equal those of the transitive closure") {
  const Topology topology = GENERATE(graph::make_torus({4, 4}, 1, 1), graph::make_mesh({4, 4}, 1, 1),
                                     graph::make_torus({3, 5}, 1, 1));
  std::uint64_t circles = 0;
  for (const FaultSet& faults : random_faults(topology, 40, 17)) {
    for (unsigned distance = 1; distance <= 2; ++distance) {
      const Detour detour(topology, faults, distance);
      const AdaptiveVerdict verdict = detour.adaptive();
      PlainCounts sum;
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        if (!detour.generation->network().lives(to)) continue;
        const PlainCounts counts = plain_counts(detour, to);
        sum.states += counts.states;
        sum.circling += counts.circling;
        sum.circles += counts.circles;
        sum.hopeless += counts.hopeless;
      }
      INFO(verdict.text());
      REQUIRE(verdict.states == sum.states);
      REQUIRE(verdict.circling == sum.circling);
      REQUIRE(verdict.circles == sum.circles);
      REQUIRE(verdict.hopeless == sum.hopeless);
      REQUIRE(verdict.circle.empty() == (sum.circles == 0));
      REQUIRE(verdict.hopeless_path.empty() == (sum.hopeless == 0));
      circles += sum.circles;
    }
  }
  CHECK(circles > 0);
}

TEST_CASE("without faults FA channels close cycles on a torus, but no message circulates") {
  const Detour torus(graph::make_torus({4, 4}, 1, 1), {}), line(graph::make_mesh({5}, 1, 1), {});
  const AdaptiveVerdict verdict = torus.adaptive();
  CHECK(verdict.cyclic_channels == 64);  // each output of each router, in both directions of its ring
  CHECK(verdict.channels == 64);
  CHECK(verdict.channel_cycle.size() == 4);
  CHECK(verdict.circles == 0);
  CHECK(verdict.hopeless == 0);
  CHECK(line.adaptive().cyclic_channels == 0);
  CHECK(line.adaptive().channels == 8);
}

TEST_CASE("no message circulates after one fault, as none is sent back where it came from") {
  const Topology torus = graph::make_torus({10, 10}, 1, 1);
  for (unsigned distance = 1; distance <= 3; ++distance) {
    CHECK(Detour(torus, {{}, {at(torus, {5, 5})}}, distance).adaptive().circles == 0);
    CHECK(Detour(torus, {{link_of(torus, at(torus, {5, 5}), at(torus, {5, 6}))}, {}}, distance)
              .adaptive()
              .circles == 0);
  }
}

TEST_CASE("after every single fault each message arrives on any FA channels, without recovery") {
  const Topology topology = GENERATE(graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 5}, 1, 1),
                                     graph::make_torus({3, 3, 3}, 1, 1), graph::make_mesh({4, 4}, 1, 1));
  for (const FaultSet& faults : single_faults(topology)) {
    for (unsigned distance = 1; distance <= 2; ++distance) {
      const AdaptiveVerdict verdict = Detour(topology, faults, distance).adaptive();
      INFO(verdict.text());
      REQUIRE(verdict.circles == 0);
      REQUIRE(verdict.hopeless == 0);
    }
  }
}

TEST_CASE("with tables everywhere each message arrives after any faults, too") {
  const Topology topology = GENERATE(graph::make_torus({5, 5}, 1, 1), graph::make_torus({2, 5}, 2, 1),
                                     graph::make_mesh({4, 5}, 1, 1), graph::make_torus({3, 3, 3}, 1, 1));
  for (const FaultSet& faults : random_faults(topology, 60, 31)) {
    const AdaptiveVerdict verdict = Detour(topology, faults, 100).adaptive();
    INFO(verdict.text());
    REQUIRE(verdict.circles == 0);
    REQUIRE(verdict.hopeless == 0);
  }
}

TEST_CASE("a pocket of dead routers wider than the region makes hopeless states") {
  // The pocket opens to the west. Node (8, 4) is east of its bottom, and the exit is by (4, 4), which is in
  // no region.
  const Topology mesh = graph::make_mesh({12, 9}, 1, 1);
  FaultSet faults;
  for (unsigned x = 3; x <= 7; ++x)
    faults.routers.insert(faults.routers.end(), {at(mesh, {x, 1}), at(mesh, {x, 7})});
  for (unsigned y = 2; y <= 6; ++y) faults.routers.push_back(at(mesh, {7, y}));
  const Detour detour(mesh, faults, 1);
  REQUIRE_FALSE(detour.generation->regions().in_region(at(mesh, {4, 4})));
  const AdaptiveVerdict verdict = detour.adaptive();
  INFO(verdict.text());
  CHECK(verdict.hopeless > 0);
  CHECK(verdict.circles > 0);
  REQUIRE_FALSE(verdict.hopeless_path.empty());
  CHECK_THAT(verdict.text(), Contains("never arrive but by recovery\n  to node"));
  CHECK(detour.recovery().holds());
  // A path from a source, hop by hop.
  for (std::size_t i = 1; i < verdict.hopeless_path.size(); ++i) {
    const HeadState& here = verdict.hopeless_path[i];
    CHECK(mesh.far(here.router, here.in_port).at.router == verdict.hopeless_path[i - 1].router);
  }
  // Tables everywhere leave no such state.
  const AdaptiveVerdict everywhere = Detour(mesh, faults, 30).adaptive();
  CHECK(everywhere.hopeless == 0);
  CHECK(everywhere.circles == 0);
}
