// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "routing/decisions_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/graph/paths.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/slim_fly.h"
#include "tsuji/routing/checkers/deadlock.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;

namespace {

struct Graph {
  Topology topology;
  unsigned diameter;
};

std::vector<Graph> graphs() {
  return {{graph::make_hyperx({{4, 3}, {1, 1}, 1}, {1, 1}), 2},
          {graph::make_dragonfly({3, 1, 2, 4, graph::GlobalLinks::palmtree}, 1, 1), 3},
          {graph::make_slim_fly(3, 1, 1), 2},
          {graph::make_mesh({3, 3}, 2, 1), 4},
          {graph::make_torus({6}, 1, 1), 3},
          {graph::make_random_regular(14, 3, 5, 1), 0}};
}

unsigned diameter_of(const Graph& one) {
  if (one.diameter != 0) return one.diameter;
  unsigned most = 0;
  for (RouterId to = 0; to < one.topology.routers(); ++to)
    for (const std::uint16_t hops : graph::hops_to(one.topology, to)) most = std::max<unsigned>(most, hops);
  return most;
}

/// Ports that the definition allows: of the sum of distances from the source and minus that to the
/// destination, none may fall, and one that stays must lead away from the nearer of the two ends.
std::set<unsigned> legal_ports(const Topology& topology, RouterId here, RouterId source,
                               RouterId destination) {
  const auto from = graph::hops_to(topology, source), to = graph::hops_to(topology, destination);
  std::set<unsigned> ports;
  for (unsigned port = 0; port < topology.ports(here); ++port) {
    const Topology::Far& far = topology.far(here, port);
    if (far.kind != Topology::Far::Kind::router) continue;
    const int before = from[here] - to[here], after = from[far.at.router] - to[far.at.router];
    const bool away = from[far.at.router] > from[here], nearer = to[far.at.router] < to[here];
    if (after > before || (after == before && (from[here] < to[here] ? away : nearer))) ports.insert(port);
  }
  return ports;
}

DeadlockConfig with(unsigned vcs) {
  DeadlockConfig config;
  config.vcs = vcs;
  config.uturn_network = true;
  return config;
}

}  // namespace

TEST_CASE("polarized: free of deadlock with as many channels as the diameter, and one fewer is refused") {
  for (const Graph& one : graphs()) {
    const unsigned diameter = diameter_of(one);
    CAPTURE(one.topology.name(), diameter);
    for (const unsigned vcs : {diameter, diameter + 1, diameter + 3, 4 * diameter}) {
      const auto routing = made("polarized", one.topology, std::min(vcs, 16U));
      CHECK(routing->vcs_needed() == diameter);
      CHECK(routing->promises().turns_back);
      const DeadlockReport report = check_deadlock(one.topology, *routing, with(std::min(vcs, 16U)));
      INFO(report.text(one.topology));
      CHECK(report.good());
      // The bound of the paper, and that of the classes.
      CHECK(report.longest_path <= std::min(vcs, 4 * diameter - 3));
      if (vcs > diameter) CHECK(report.longest_path > diameter);
    }
    CHECK_THROWS_WITH(made("polarized", one.topology, diameter - 1),
                      Catch::Contains("router.vcs") && Catch::Contains(std::to_string(diameter) + "..16"));
  }
}

TEST_CASE("polarized: a packet takes legal links, and minimal ones where none is left") {
  for (const Graph& one : graphs()) {
    const unsigned vcs = diameter_of(one) + 2;
    CAPTURE(one.topology.name());
    const auto routing = made("polarized", one.topology, vcs);
    std::uint64_t legal = 0, fallbacks = 0;
    for (NodeId from = 0; from < one.topology.nodes(); from += 3)
      for (NodeId to = 0; to < one.topology.nodes(); to += 2) {
        const RouterId source = one.topology.node(from).inject.router,
                       destination = one.topology.node(to).eject.router;
        const auto left = graph::hops_to(one.topology, destination);
        follow(one.topology, *routing, vcs, at_source(one.topology, from, to), vcs, [&](const Step& step) {
          const RouterId here = step.query.router, next = one.topology.far(here, step.port).at.router;
          const std::set<unsigned> ports = legal_ports(one.topology, here, source, destination);
          if (ports.count(step.port) != 0) {
            ++legal;
            return;
          }
          // Each legal link would leave fewer classes than links.
          for (const unsigned port : ports)
            REQUIRE(left[one.topology.far(here, port).at.router] + step.hop + 1U > vcs);
          REQUIRE(left[next] < left[here]);
          ++fallbacks;
        });
      }
    CHECK(legal > fallbacks);
  }
}

TEST_CASE("polarized: the first router may take every link that leads on, and the least product wins") {
  // Ports 0 to 2 to the other coordinates of dimension 0, 3 and 4 of dimension 1. From (0,0) to (3,1).
  const Topology topology = graph::make_hyperx({{4, 3}, {1, 1}, 1}, {1, 1});
  for (const unsigned bonus : {0U, 1U, 5U}) {
    const auto routing =
        made("polarized", topology, 5, "0", "port", {"routing.hop_flits=" + std::to_string(bonus)});
    CHECK(routing->decisions()->reads_waiting());
    CHECK(routing->decisions()->possible(at_source(topology, 0, 7)).size() == 5);
    std::map<unsigned, unsigned> taken, idle;
    for (PacketId id = 0; id < 2000; ++id) {
      CounterRandom random(3, id);
      Held buffers;
      for (unsigned port = 0; port < 5; ++port) {
        buffers.held[port] = static_cast<unsigned>(random.below(4));
        buffers.queued[port] = static_cast<unsigned>(random.below(4));
      }
      const RouteQuery query = at_source(topology, 0, 7, id);
      const unsigned port = routing->decisions()->decide(query, buffers) - 1U;
      const auto product = [&](unsigned of) {
        return (buffers.held[of] + buffers.queued[of] + bonus) * (of == 2 || of == 3 ? 2 : 3);
      };
      for (unsigned other = 0; other < 5; ++other) REQUIRE(product(port) <= product(other));
      ++taken[port];
      ++idle[routing->decisions()->decide(query, Held{}) - 1U];
    }
    CHECK(taken.size() == 5);
    if (bonus == 0) continue;  // all products of empty outputs are 0
    CHECK(idle.size() == 2);
    CHECK(std::abs(static_cast<int>(idle[2]) - 1000) < 130);
  }
}

TEST_CASE("polarized: classes that are one are found, and too many hops stop the run") {
  for (const Graph& one : graphs()) {
    const unsigned vcs = diameter_of(one) + 2;
    CAPTURE(one.topology.name());
    const auto routing = made("polarized", one.topology, vcs);
    bool found = false;
    for (unsigned lower = 0; lower + 1 < vcs; ++lower) {
      const auto pair = static_cast<VcMask>(3U << lower);
      ScriptedRouting merged(*routing, [pair](const RouteQuery&, RouteSet& candidates) {
        RouteSet all;
        for (const RouteCandidate& each : candidates)
          all.add(each.port, static_cast<VcMask>((each.vcs & pair) != 0 ? each.vcs | pair : each.vcs));
        candidates = all;
      });
      found |= !check_deadlock(one.topology, merged, with(vcs)).deadlock_free;
    }
    CHECK(found);
    RouteQuery query = at_source(one.topology, 0, one.topology.nodes() - 1);
    query.hops = static_cast<std::uint16_t>(vcs);
    CHECK_NOTHROW(routing->decisions()->decide(query, Held{}));
    ++query.hops;
    CHECK_THROWS_WITH(routing->decisions()->decide(query, Held{}),
                      Catch::Contains("hops") && Catch::Contains("at most " + std::to_string(vcs)));
  }
}

TEST_CASE("polarized: links of one direction are refused") {
  CHECK_THROWS_WITH(made("polarized", graph::make_fly(2, 3, 1), 4), Catch::Contains("one-way"));
}
