// SPDX-License-Identifier: Apache-2.0
// Detour-NF: Duato's protocol without faults, negative-first detours with them, and its refusals.

#include "tsuji/routing/detour/detour_nf.h"

#include <memory>

#include "graph/faulty_cubes.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/detour/detour_ud.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using Catch::Contains;
using graph::CubeShape;

namespace {

/// Null if it is refused.
std::unique_ptr<const DetourNf> try_nf(const Topology& topology, const FaultSet& faults, unsigned vcs = 4) {
  try {
    return std::make_unique<const DetourNf>(topology, vcs, faults);
  } catch (const ConfigError& error) {
    REQUIRE_THAT(error.what(), Contains("detour_nf has no path around them from router "));
    return nullptr;
  }
}

std::vector<bool> silent_nodes(const Topology& topology, const graph::LivingNetwork& network) {
  std::vector<bool> silent;
  for (NodeId node = 0; node < topology.nodes(); ++node)
    silent.push_back(!network.lives(topology.node(node).eject.router));
  return silent;
}

/// Requires that escape channels and NF channel together close no cycle, and every message arrives on any
/// channels.
void require_proof(const Topology& topology, const DetourNf& routing, unsigned vcs) {
  for (const bool whole_packets : {false, true}) {
    DeadlockConfig config;
    config.vcs = vcs;
    config.uturn_network = true;
    config.whole_packets = whole_packets;
    config.silent_nodes = silent_nodes(topology, routing.network());
    const DeadlockReport report = check_deadlock(topology, routing, config);
    INFO(report.text(topology));
    REQUIRE(report.good());
    REQUIRE(report.extended());
  }
}

/// Requires that each hop is over a living link, and NF hops use no wrap-around and never go down after up.
void require_rules(const Topology& topology, const DetourNf& routing, unsigned vcs) {
  const unsigned nf = vcs - 1;
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      if (!routing.network().lives(from) || !routing.network().lives(to)) continue;
      RouteQuery packet;
      packet.source = from;
      packet.destination = to;
      follow(topology, routing, vcs, packet, 60, [&](const Step& step) {
        REQUIRE(routing.network().lives_at(step.query.router, step.port));
        if (step.vc != nf) return;
        const unsigned d = step.port / 2;
        const unsigned here = topology.coordinates(step.query.router)[d];
        const unsigned next = topology.coordinates(topology.far(step.query.router, step.port).at.router)[d];
        REQUIRE((here + 1 == next || next + 1 == here));
        REQUIRE((here + 1 == next) == (step.port % 2 == 0));
        const bool on_nf = step.query.in_vc == nf && step.query.in_port < 2 * topology.coordinates(0).size();
        if (on_nf && step.query.in_port % 2 != 0) REQUIRE(step.port % 2 == 0);
      });
    }
  }
}

}  // namespace

TEST_CASE("without faults Detour-NF equals Duato's protocol, and its last channel stays empty") {
  const CubeShape shape =
      GENERATE(CubeShape{{4, 5}, {true, true}, 1}, CubeShape{{5, 4}, {false, false}, 2},
               CubeShape{{4, 3, 2}, {true, true, true}, 1}, CubeShape{{3, 3}, {true, true}, 1});
  const Topology topology = graph::make_cube(shape, 1);
  const unsigned vcs = 5;
  const DetourNf routing(topology, vcs, {});
  const Duato duato(topology, vcs - 1);
  for (RouterId here = 0; here < topology.routers(); ++here) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      RouteQuery query;
      query.router = here;
      query.in_port = topology.node(here * shape.nodes_per_router).inject.port;
      query.destination = to;
      RouteSet own, expected;
      routing.route(query, own);
      duato.route(query, expected);
      REQUIRE(own.size() == expected.size());
      const bool arrived = topology.node(to).eject.router == here;
      for (unsigned i = 0; i < own.size(); ++i) {
        REQUIRE(own[i].port == expected[i].port);
        REQUIRE(own[i].rank == expected[i].rank);
        if (!arrived) REQUIRE(own[i].vcs == expected[i].vcs);
      }
    }
  }
  require_minimal_delivery(topology, routing, vcs);
  CHECK_FALSE(routing.promises().turns_back);
  require_proof(topology, routing, vcs);
}

TEST_CASE("every single dead link and node of a 2-D torus with k >= 4 is avoided, without deadlock") {
  const Topology topology = GENERATE(graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 5}, 1, 1),
                                     graph::make_torus({4, 6}, 1, 1), graph::make_torus({7, 4}, 1, 1));
  for (const FaultSet& faults : single_faults(topology)) {
    const auto routing = try_nf(topology, faults);
    REQUIRE(routing);
    require_proof(topology, *routing, 4);
  }
}

TEST_CASE("every single fault of a 10x10 torus is avoided") {
  const Topology topology = graph::make_torus({10, 10}, 1, 1);
  for (const FaultSet& faults : single_faults(topology)) REQUIRE(try_nf(topology, faults));
}

TEST_CASE("NF channels hold negative-first hops without wrap-around, on every path, and some are taken") {
  const Topology topology = GENERATE(graph::make_torus({5, 4}, 1, 1), graph::make_mesh({4, 4}, 1, 1));
  unsigned routed = 0;
  for (const FaultSet& faults : single_faults(topology)) {
    const auto routing = try_nf(topology, faults, 5);
    if (!routing) continue;
    ++routed;
    require_rules(topology, *routing, 5);
  }
  CHECK(routed > 4);
}

TEST_CASE("random fault sets are refused with a reason, or routed without deadlock") {
  const Topology topology =
      GENERATE(graph::make_torus({5, 5}, 1, 1), graph::make_torus({3, 4}, 1, 1),
               graph::make_torus({3, 3, 3}, 1, 1), graph::make_mesh({4, 4}, 1, 1),
               graph::make_cube({{4, 4}, {true, false}, 1}, 1), graph::make_torus({2, 6}, 1, 1));
  unsigned routed = 0, refused = 0;
  for (const FaultSet& faults : random_faults(topology, 60, 9)) {
    const unsigned vcs = 5;
    const auto routing = try_nf(topology, faults, vcs);
    if (!routing) {
      ++refused;
      continue;
    }
    ++routed;
    require_proof(topology, *routing, vcs);
    require_rules(topology, *routing, vcs);
  }
  CHECK(routed > 5);
  CHECK(refused > 5);
}

TEST_CASE("a fault at the border of a mesh that negative-first hops cannot avoid is refused with the pair") {
  // From (0, 2) to (0, 0) round (0, 1): first up in dimension 0, then down in 1.
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  CHECK_THROWS_WITH(DetourNf(mesh, 3, {{}, {at(mesh, {0, 1})}}),
                    Contains("faults.routers") &&
                        Contains("from router " + std::to_string(at(mesh, {0, 2}))) &&
                        Contains("to router " + std::to_string(at(mesh, {0, 0}))));
  CHECK_THROWS_WITH(DetourNf(mesh, 3, {{link_of(mesh, at(mesh, {0, 2}), at(mesh, {0, 1}))}, {}}),
                    Contains("faults.links"));
}

TEST_CASE("an NF detour: round a dead node in the middle by two hops more") {
  const Topology torus = graph::make_torus({10, 10}, 1, 1);
  const DetourNf routing(torus, 4, {{}, {at(torus, {5, 5})}});
  // From (5, 6) to (5, 4): down on NF channels to (4, 6), (4, 5), (4, 4), then up in dimension order.
  RouteQuery query;
  query.router = at(torus, {5, 6});
  query.in_port = 4;
  query.destination = at(torus, {5, 4});
  RouteSet candidates;
  routing.route(query, candidates);
  REQUIRE(candidates.size() == 1);
  CHECK(candidates[0].port == CubeShape::down_port(0));
  CHECK(candidates[0].vcs == 0b1000);
  CHECK(candidates[0].rank == 1);
  query.router = at(torus, {4, 4});
  query.in_port = CubeShape::up_port(1);
  query.in_vc = 3;
  routing.route(query, candidates);
  // From there on no shortest path needs a detour: adaptive channels are allowed again.
  REQUIRE(candidates.size() == 2);
  CHECK(candidates[0].port == CubeShape::up_port(0));
  CHECK(candidates[0].vcs == 0b0100);
  CHECK(candidates[1].vcs == 0b0010);
  CHECK(candidates[1].rank == 1);
}

TEST_CASE("all NF hops of equally short paths are candidates") {
  const Topology torus = graph::make_torus({5, 5, 5}, 1, 1);
  const DetourNf routing(torus, 4, {{}, {at(torus, {3, 2, 2})}});
  // The corner of dimension order is dead: first one hop down in dimension 1 or 2.
  RouteQuery query;
  query.router = at(torus, {2, 2, 2});
  query.in_port = 6;
  query.destination = at(torus, {3, 1, 1});
  RouteSet candidates;
  routing.route(query, candidates);
  VcMask vcs[6] = {};
  for (const RouteCandidate& candidate : candidates) vcs[candidate.port] |= candidate.vcs;
  CHECK(vcs[CubeShape::up_port(0)] == 0);
  CHECK(vcs[CubeShape::down_port(1)] == 0b1100);
  CHECK(vcs[CubeShape::down_port(2)] == 0b1100);
}

TEST_CASE("table 1: minimum virtual channels, and their split of four") {
  const Topology torus = graph::make_torus({10, 10}, 1, 1);
  const auto generation = std::make_shared<const DetourGeneration>(torus, FaultSet{});
  CHECK(DimensionOrder(torus, 2).vcs_needed() == 2);
  CHECK(Duato(torus, 3).vcs_needed() == 3);
  CHECK(DetourNf(torus, 4, {}).vcs_needed() == 4);
  CHECK(DetourUd(torus, 2, generation).vcs_needed() == 2);
  CHECK_THROWS_WITH(DetourNf(torus, 3, {}), Contains("router.vcs"));

  // Channels on which a head at its source may leave towards any destination, by rank.
  const auto split = [&](const Routing& routing) {
    std::array<VcMask, 2> masks{};
    for (NodeId to = 1; to < 100; ++to) {
      RouteQuery query;
      query.in_port = 4;
      query.destination = to;
      RouteSet candidates;
      routing.route(query, candidates);
      for (const RouteCandidate& candidate : candidates) masks[candidate.rank] |= candidate.vcs;
    }
    return masks;
  };
  using Masks = std::array<VcMask, 2>;
  for (const Dateline dateline : {Dateline::switching, Dateline::crossing})
    CHECK(split(DimensionOrder(torus, 4, {Ties::up, dateline})) == Masks{0b1111, 0});
  CHECK(split(Duato(torus, 4)) == Masks{0b1100, 0b0011});
  CHECK(split(DetourNf(torus, 4, {})) == Masks{0b0100, 0b0011});
  CHECK(split(DetourUd(torus, 4, generation)) == Masks{0b0111, 0});
  CHECK(DetourUd(torus, 4, generation).ud_vcs() == 0b1000);
}
