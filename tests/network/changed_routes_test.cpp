// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/lookup/switch_lookup.h"
#include "tsuji/routing/checkers/changed_routes.h"
#include "tsuji/routing/dimension_order.h"

// Changes of single routing-table entries while packets are in flight.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

TEST_CASE("a changed entry allows the virtual channels that a memory's entry would, from every input") {
  for (const routing::Dateline dateline : {routing::Dateline::crossing, routing::Dateline::switching}) {
    NetworkConfig config = torus(5);
    config.network.vcs = 4;
    config.routing.of<routing::DimensionOrderConfig>().dateline = dateline;
    const VcRig rig(config);
    const lookup::NodeKeys keys(25, config.lookup.identifiers, config.lookup.identifier_seed);
    const lookup::LookupParts parts{*rig.plan.routing, keys, nullptr, {}, 4};
    const graph::RouterId router = 8;
    lookup::CamLookup memory(parts, router, rig.plan.topology.ports(router));
    const routing::ChangedRoutes none(*rig.plan.routing);
    std::unique_ptr<const routing::ChangedRoutes> changed;
    const auto change = [&](NodeId destination, std::uint16_t port, routing::VcMask vcs) {
      memory.change_route(10, destination, {port, vcs});
      changed = std::make_unique<const routing::ChangedRoutes>(changed ? *changed : none, destination,
                                                               routing::RouteCandidate{port, vcs, 0});
    };
    change(10, 2, 0xf);
    change(3, 0, 0x6);
    change(24, 3, 0xc);
    change(9, 0, 0);
    change(3, 1, 0xd);
    unsigned narrowed = 0;
    for (unsigned port = 0; port < rig.plan.topology.ports(router); ++port) {
      for (unsigned vc = 0; vc < 4; ++vc) {
        for (NodeId destination = 0; destination < 25; ++destination) {
          routing::RouteQuery query;
          query.router = router;
          query.in_port = port;
          query.in_vc = vc;
          query.destination = destination;
          routing::RouteSet expected, found;
          const bool is_changed =
              destination == 10 || destination == 3 || destination == 24 || destination == 9;
          if (is_changed)
            memory.request(20, query, 1, expected);
          else
            rig.plan.routing->route(query, expected);
          changed->route(query, found);
          CAPTURE(port, vc, destination);
          REQUIRE(found.size() == expected.size());
          if (destination == 9) CHECK(found.size() == 0);
          if (found.size() == 0) continue;
          CHECK(found[0].port == expected[0].port);
          CHECK(found[0].vcs == expected[0].vcs);
          if (destination == 10) narrowed += found[0].vcs != 0xf ? 1 : 0;
        }
      }
    }
    CHECK((narrowed > 0) == (dateline == routing::Dateline::crossing));
  }
}

TEST_CASE(
    "a changed entry of a router's own table routes as a changed entry of a memory does, to the cycle") {
  // One packet at a time, before and after each change, from three sources over router 0 and beside it.
  struct Fabric {
    const char* topology;
    routing::Dateline dateline;
  };
  const Fabric fabrics[] = {{"mesh", routing::Dateline::crossing},
                            {"torus", routing::Dateline::crossing},
                            {"torus", routing::Dateline::switching}};
  std::vector<VcRig::Send> list;
  for (Cycle at = 100; at < 1300; at += 400) {
    Cycle next = at;
    for (const NodeId source : {0U, 1U, 4U, 12U, 3U}) list.push_back({source, 10, next += 60, 3});
  }
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Fabric& fabric : fabrics) {
    for (const char* const kind : {"local", "cam"}) {
      NetworkConfig config = torus(4);
      config.topology.kind = fabric.topology;
      config.network.vcs = 4;
      config.routing.of<routing::DimensionOrderConfig>().ties = routing::Ties::up;
      config.routing.of<routing::DimensionOrderConfig>().dateline = fabric.dateline;
      config.lookup.kind = kind;
      config.lookup.timing.cam_cycles = config.network.rc_cycles = 3;
      rigs.push_back(std::make_unique<VcRig>(config));
      rigs.back()->build(list);
    }
  }
  const auto north = static_cast<std::uint16_t>(graph::CubeShape::up_port(1));
  for (const auto& rig : rigs) {
    rig->loaded->run_to(450);
    // Node 10 is (2,2): along y first, at one router and then at two.
    rig->loaded->changes().change_route(0, 10, {north, 0xf});
    rig->loaded->changes().change_route(1, 9, {north, 0xf});
  }
  for (const auto& rig : rigs) {
    rig->loaded->run_to(850);
    rig->loaded->changes().change_route(1, 10, {north, 0x3});
    rig->loaded->changes().change_route(0, 10, {0, 0});
    CHECK(rig->loaded->group_cycles() == 1);
  }
  for (std::size_t i = 0; i < rigs.size(); i += 2) {
    CAPTURE(fabrics[i / 2].topology);
    for (const std::size_t r : {i, i + 1}) {
      CHECK(rigs[r]->run_until_idle(20'000));
      CHECK(rigs[r]->loaded->supervisor().dropped(NetworkDropCause::no_route) > 0);
      CHECK(rigs[r]->delivered.size() + rigs[r]->loaded->supervisor().packets_dropped() == list.size());
    }
    CHECK(tails(*rigs[i]) == tails(*rigs[i + 1]));
    for (const unsigned port : {0U, 1U, 2U, 3U})
      for (const graph::RouterId router : {0U, 1U}) {
        const auto flits = [&](std::size_t r) {
          const FlitChannel* const out = rigs[r]->loaded->network().router(router).port(port).out;
          return out == nullptr ? 0 : out->flits_sent();
        };
        CHECK(flits(i) == flits(i + 1));
      }
    // The packets of the second third went over router 4, those of the last from router 1 over 5.
    CHECK(rigs[i]->loaded->network().router(0).port(north).out->flits_sent() > 0);
    CHECK(rigs[i]->loaded->network().router(1).port(north).out->flits_sent() > 0);
    CHECK(rigs[i]->loaded->changes().routing_view(0).generation == 2);
    CHECK(rigs[i]->loaded->changes().routing_view(4).generation == 0);
  }
}
