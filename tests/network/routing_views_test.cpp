// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"

// Routings and routes that change while packets are in flight, one router at a time.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

using Question = std::pair<graph::RouterId, PacketId>;

/// A network's configured routing; records the queries that it answers.
struct Noted {
  explicit Noted(const routing::Routing& own)
      : routing(own, [this](const routing::RouteQuery& query, const auto&) {
          ++asked[{query.router, query.packet}];
        }) {
    routing.injection = [this, inject = routing.injection](End source, End destination) {
      ++began[source];
      return inject(source, destination);
    };
  }
  ScriptedRouting routing;
  std::map<Question, unsigned> asked;
  std::map<End, unsigned> began;  ///< attempts of nodes to send a packet
};

/// Dimension order with the dimensions reversed: along y first, on a mesh.
ScriptedRouting y_first(const VcRig& rig) {
  const routing::VcMask all = routing::vc_range(0, rig.config.network.vcs);
  return ScriptedRouting(all, [all, &topology = rig.plan.topology](const routing::RouteQuery& query,
                                                                   routing::RouteSet& candidates) {
    const graph::PortRef to = topology.node(query.destination.node()).eject;
    for (const unsigned d : {1U, 0U}) {
      const unsigned here = topology.coordinates(query.router)[d], there = topology.coordinates(to.router)[d];
      if (here == there) continue;
      return candidates.add(here < there ? graph::CubeShape::up_port(d) : graph::CubeShape::down_port(d),
                            all);
    }
    candidates.add(to.port, all);
  });
}

NetworkConfig mesh(unsigned k) {
  NetworkConfig config = torus(k);
  config.topology.kind = "mesh";
  return config;
}

void check_all_delivered(const VcRig& rig) {
  CHECK(rig.delivered.size() == rig.loaded->accounts().packets_born());
  CHECK(rig.by_packet().size() == rig.delivered.size());
  rig.loaded->check_conservation();
  CHECK(rig.loaded->pool().in_use() == 0);
}

/// Packets of heads that wait for their candidates or an output virtual channel.
std::set<PacketId> heads_without_output(const VcRig& rig, graph::RouterId id) {
  std::set<PacketId> packets;
  const router::FlitRouter& router = rig.loaded->network().router(id);
  for (unsigned port = 0; port < router.ports(); ++port) {
    for (unsigned vc = 0; vc < router.vcs(port); ++vc) {
      const router::VcView view = router.view(port, vc);
      if (view.state == router::VcState::routing || view.state == router::VcState::waiting)
        packets.insert(rig.loaded->pool().at(view.packet).id);
    }
  }
  return packets;
}

}  // namespace

TEST_CASE("heads without an output query their router's exchanged routing in the next cycle, others do not") {
  VcRig rig(mesh(4));
  Noted first(*rig.plan.routing), second(*rig.plan.routing);
  rig.route_by(first.routing);
  rig.build(load(0.6, 5, 900));
  const graph::RouterId router = 5;
  std::set<PacketId> waiting;
  for (Cycle at = 300; at < 800 && waiting.size() < 3; ++at) {
    rig.loaded->run_to(at);
    waiting = heads_without_output(rig, router);
  }
  REQUIRE(waiting.size() >= 3);
  CHECK(rig.loaded->changes().routing_view(router).generation == 0);
  const auto began_before = first.began;
  const auto asked_before = first.asked;

  rig.loaded->changes().exchange_routing(router, {&second.routing, 4});
  CHECK(rig.loaded->changes().routing_view(router).generation == 4);
  CHECK(rig.loaded->changes().routing_view(router).routing == &second.routing);
  CHECK(rig.loaded->changes().routing_view(6).routing == &first.routing);
  CHECK(rig.loaded->network().router(router).rerouting()->routing_generation() == 4);
  CHECK(rig.loaded->network().router(6).rerouting()->routing_generation() == 0);
  rig.loaded->run_to(rig.loaded->now() + 1);
  std::set<PacketId> asked;
  for (const auto& [question, times] : second.asked) {
    CHECK(question.first == router);
    CHECK(times == 1);
    if (asked_before.count(question) != 0) asked.insert(question.second);
  }
  CHECK(asked == waiting);

  rig.loaded->run_to(60'000);
  check_all_delivered(rig);
  // The second routing has answered this router and its node alone, and the first one neither of them since.
  CHECK(second.asked.size() > 300);
  for (const auto& [question, times] : second.asked) CHECK(question.first == router);
  for (const auto& [question, times] : first.asked) {
    CHECK(times == 1);
    if (question.first == router) CHECK(asked_before.count(question) == 1);
  }
  CHECK(second.began.size() == 1);
  CHECK(second.began.count(router) == 1);
  CHECK(first.began.at(router) == began_before.at(router));
  CHECK(first.began.at(6) > began_before.at(6));
}

TEST_CASE("a routing exchanged at every router routes all packets, at any time and in any order of modules") {
  const auto play = [](const RunOrder& order) {
    NetworkConfig config = in_order(mesh(8), order);
    config.link_latency_cycles = 3;
    VcRig rig(config);
    rig.run_ahead(order.ahead);
    const ScriptedRouting next = y_first(rig);
    rig.build(load(0.12, 4, 900));
    if ((rig.loaded->group_cycles() > 1) != order.ahead) return std::string("windows");
    for (graph::RouterId router = 0; router < 64; ++router) {
      rig.loaded->run_to(203 + 11 * router);
      rig.loaded->changes().exchange_routing(router, {&next, 1});
      if (rig.loaded->group_cycles() > 1) return std::string("still ahead");
    }
    if (!rig.run_until_idle(30'000)) return std::string("not idle");
    if (rig.delivered.size() != rig.loaded->accounts().packets_born())
      return std::string("not all delivered");
    rig.loaded->check_conservation();
    std::ostringstream out;
    for (const auto& [id, tail] : tails(rig)) out << id << ' ' << tail << '\n';
    return out.str();
  };
  const std::string expected = tsuji::test::forked([&] { return play(run_orders[0]); });
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 1000);
  for (const RunOrder& order : run_orders)
    CHECK(tsuji::test::forked([&] { return play(order); }) == expected);
}

TEST_CASE("an exchange that the network does not allow ends the run with the reason") {
  VcRig rig(mesh(4));
  const ScriptedRouting next = y_first(rig);
  ScriptedRouting three(1), atomic(1), all(*rig.plan.routing);
  three.needed = 3;
  atomic.promised.needs_atomic_vcs = true;
  all.needed = 2;
  rig.build(load(0.1, 4, 900));
  CHECK_THROWS_WITH(rig.loaded->changes().exchange_routing(2, {&next, 5}),
                    Catch::Contains("after the first call of run_to()"));
  rig.loaded->run_to(40);
  rig.loaded->changes().exchange_routing(2, {&next, 5});
  CHECK_THROWS_WITH(rig.loaded->changes().exchange_routing(2, {&next, 5}),
                    Catch::Contains("router 2, cycle 39") &&
                        Catch::Contains("a routing of generation 5 comes after one of generation 5"));
  CHECK_NOTHROW(rig.loaded->changes().exchange_routing(7, {&all, 1}));  // as many as the network has
  CHECK_THROWS_WITH(rig.loaded->changes().exchange_routing(2, {&three, 6}),
                    Catch::Contains("generation 6 needs 3 virtual channels, and links have 2"));
  CHECK_THROWS_WITH(rig.loaded->changes().exchange_routing(2, {&atomic, 6}),
                    Catch::Contains("router.atomic_vcs"));
}

TEST_CASE("another routing replaces a router's changed routes, and can be changed itself") {
  VcRig rig(mesh(4));
  rig.build({{0, 15, 100, 2}, {0, 15, 200, 2}, {0, 15, 300, 2}, {0, 15, 400, 2}});
  const ScriptedRouting next = y_first(rig);
  const auto east = static_cast<std::uint16_t>(graph::CubeShape::up_port(0)),
             north = static_cast<std::uint16_t>(graph::CubeShape::up_port(1));
  const auto flits_over = [&](unsigned port) {
    return rig.loaded->network().router(0).port(port).out->flits_sent();
  };
  rig.loaded->run_to(90);
  rig.loaded->changes().change_route(0, 15, {north, 0x3});
  rig.loaded->run_to(190);
  CHECK(flits_over(north) == 2);
  rig.loaded->changes().exchange_routing(0, {rig.plan.routing.get(), 2});
  rig.loaded->run_to(290);
  CHECK(flits_over(east) == 2);
  rig.loaded->changes().exchange_routing(0, {&next, 3});
  rig.loaded->run_to(390);
  CHECK(flits_over(north) == 4);
  rig.loaded->changes().change_route(0, 15, {east, 0x3});
  CHECK(rig.loaded->changes().routing_view(0).generation == 4);
  CHECK(rig.run_until_idle(20'000));
  CHECK(flits_over(east) == 4);
  check_all_delivered(rig);
}

TEST_CASE("a packet that waits for a virtual channel of its node leaves by one that another routing allows") {
  NetworkConfig config = mesh(2);
  config.link_faults = "0@50:500";  // between routers 0 and 1
  config.network.router.dead_route = router::DeadRoute::wait;
  VcRig rig(config);
  REQUIRE(rig.plan.topology.links()[0].a.router == 0);
  REQUIRE(rig.plan.topology.links()[0].b.router == 1);
  ScriptedRouting first(*rig.plan.routing), second(*rig.plan.routing);
  first.injection = ScriptedRouting::always(0b01);
  second.injection = ScriptedRouting::always(0b10);
  // The first packet fills the buffer of the only virtual channel that the second may enter.
  rig.route_by(first);
  rig.build({{0, 1, 100, config.network.buffer_flits}, {0, 2, 100, 2}});
  rig.loaded->run_to(200);
  CHECK(rig.delivered.empty());
  rig.loaded->changes().exchange_routing(3, {&second, 1});
  rig.loaded->run_to(300);
  CHECK(rig.delivered.empty());
  rig.loaded->changes().exchange_routing(0, {&second, 1});
  CHECK(rig.run_until_idle(20'000));
  REQUIRE(rig.delivered.size() == 2);
  CHECK(rig.delivered[0].destination == 2);
  CHECK(rig.delivered[0].injected == 300);
  CHECK(rig.delivered[1].injected < 200);
  CHECK(rig.delivered[1].tail_cycle > 500);
}

TEST_CASE("nodes of a router read its exchanged routing, and those of its neighbours do not") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::vector<std::unique_ptr<Noted>> routings;
  for (const char* kind : {"fat_tree", "torus", "fly"}) {
    NetworkConfig config = torus(3);
    config.topology.kind = kind;
    config.topology.of<graph::FatTreeConfig>().down_links = 2;
    config.topology.of<graph::FatTreeConfig>().up_links = 2;
    config.topology.of<graph::FlyConfig>().radix = 2;
    config.network.vcs = 2;  // no more than a torus needs
    rigs.push_back(std::make_unique<VcRig>(config));
    VcRig& rig = *rigs.back();
    rig.build(load(0.2, 3, 600));
    for (unsigned i = 0; i < 2; ++i) routings.push_back(std::make_unique<Noted>(*rig.plan.routing));
  }
  for (const auto& rig : rigs) rig->loaded->run_to(200);
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    for (unsigned i = 0; i < 2; ++i)
      rigs[r]->loaded->changes().exchange_routing(2 * i, {&routings[2 * r + i]->routing, 1});
  }
  for (const auto& rig : rigs) rig->loaded->run_to(600);
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    const VcRig& rig = *rigs[r];
    for (unsigned i = 0; i < 2; ++i) {
      const graph::RouterId router = 2 * i;
      std::set<End> own, asked;
      for (NodeId node = 0; node < rig.plan.topology.nodes(); ++node)
        if (rig.plan.topology.node(node).inject.router == router) own.insert(node);
      for (const auto& [node, times] : routings[2 * r + i]->began) asked.insert(node);
      CAPTURE(r, router);
      CHECK(asked == own);
    }
  }
}
