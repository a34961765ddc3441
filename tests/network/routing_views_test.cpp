// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "network/own_routing.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"

// Routings and routes that change while packets are under way, a router at a time.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

using Question = std::pair<graph::RouterId, PacketId>;

/// A network's own routing, which notes what it is asked.
class Noted final : public OwnRouting {
 public:
  using OwnRouting::OwnRouting;
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    ++asked[{query.router, query.packet}];
    OwnRouting::route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    ++began[source];
    return OwnRouting::injection_vcs(source, destination);
  }

  mutable std::map<Question, unsigned> asked;
  mutable std::map<NodeId, unsigned> began;  ///< attempts of nodes to send a packet
};

/// Dimension order with the dimensions the other way round: along y first, on a mesh.
class YFirst final : public routing::Routing {
 public:
  YFirst(const graph::Topology& topology, unsigned vcs) : topology_(topology), vcs_(vcs) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    const routing::VcMask all = routing::vc_range(0, vcs_);
    const graph::PortRef to = topology_.node(query.destination.node()).eject;
    for (const unsigned d : {1U, 0U}) {
      const unsigned here = topology_.coordinates(query.router)[d],
                     there = topology_.coordinates(to.router)[d];
      if (here == there) continue;
      return candidates.add(here < there ? graph::CubeShape::up_port(d) : graph::CubeShape::down_port(d),
                            all);
    }
    candidates.add(to.port, all);
  }
  routing::VcMask injection_vcs(End, End) const override { return routing::vc_range(0, vcs_); }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }

 private:
  const graph::Topology& topology_;
  const unsigned vcs_;
};

NetworkConfig mesh(unsigned k) {
  NetworkConfig config = torus(k);
  config.topology.kind = "mesh";
  return config;
}

void check_all_delivered(const VcRig& rig) {
  CHECK(rig.delivered.size() == rig.loaded->packets_born());
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

TEST_CASE(
    "heads without an output ask the exchanged routing of their router in the next cycle, others do not") {
  VcRig rig(mesh(4));
  const Noted first(*rig.routing), second(*rig.routing);
  rig.build(load(0.6, 5, 900), 1, nullptr, &first);
  const graph::RouterId router = 5;
  std::set<PacketId> waiting;
  for (Cycle at = 300; at < 800 && waiting.size() < 3; ++at) {
    rig.loaded->run_to(at);
    waiting = heads_without_output(rig, router);
  }
  REQUIRE(waiting.size() >= 3);
  CHECK(rig.loaded->routing_view(router).generation == 0);
  const auto began_before = first.began;
  const auto asked_before = first.asked;

  rig.loaded->exchange_routing(router, {&second, 4});
  CHECK(rig.loaded->routing_view(router).generation == 4);
  CHECK(rig.loaded->routing_view(router).routing == &second);
  CHECK(rig.loaded->routing_view(6).routing == &first);
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
  // The second routing has been asked by this router and its node alone, the first by neither any more.
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

TEST_CASE("a routing that is exchanged at every router leads all packets, whenever and however modules run") {
  const auto play = [](const RunOrder& order) {
    NetworkConfig config = in_order(mesh(8), order);
    config.link_latency_cycles = 3;
    VcRig rig(config);
    rig.group_cycles = order.ahead;
    const YFirst next(rig.topology, rig.config.network.vcs);
    rig.build(load(0.12, 4, 900));
    if ((rig.loaded->group_cycles() > 1) != order.ahead) return std::string("windows");
    for (graph::RouterId router = 0; router < 64; ++router) {
      rig.loaded->run_to(203 + 11 * router);
      rig.loaded->exchange_routing(router, {&next, 1});
      if (rig.loaded->group_cycles() > 1) return std::string("still ahead");
    }
    if (!rig.run_until_idle(30'000)) return std::string("not idle");
    if (rig.delivered.size() != rig.loaded->packets_born()) return std::string("not all delivered");
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

namespace {

/// Exchanges routings in cycles of its own, as a router's control would.
class Switcher final : public Clocked {
 public:
  Switcher(LoadedNetwork& network, graph::RouterId router, Cycle at, const routing::RoutingView& next)
      : Clocked(network.domain()), network_(network), router_(router), at_(at), next_(next) {
    wake_at(at);
  }
  void step(Cycle now) override {
    if (now == at_) network_.exchange_routing_after_cycle(router_, next_);
  }

 private:
  LoadedNetwork& network_;
  const graph::RouterId router_;
  const Cycle at_;
  const routing::RoutingView next_;
};

}  // namespace

TEST_CASE("modules exchange routings in their cycles, from the next one on, in any order of modules") {
  struct Mode {
    ProcessMode processes;
    std::uint64_t shuffle;
    bool by_module;  ///< else between two calls of run_to()
  };
  const Mode modes[] = {{ProcessMode::one_for_all, 0, false},
                        {ProcessMode::one_for_all, 0, true},
                        {ProcessMode::process_each, 0, true},
                        {ProcessMode::one_for_all, 5, true}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::vector<std::unique_ptr<YFirst>> others;
  std::vector<std::unique_ptr<Switcher>> switchers;
  for (const Mode& mode : modes) {
    NetworkConfig config = mesh(4);
    config.process_mode = mode.processes;
    config.shuffle_seed = mode.shuffle;
    config.link_latency_cycles = 3;
    rigs.push_back(std::make_unique<VcRig>(config));
    VcRig& rig = *rigs.back();
    rig.group_cycles = true;
    rig.modules_exchange_routings = mode.by_module;
    others.push_back(std::make_unique<YFirst>(rig.topology, rig.config.network.vcs));
    rig.build(load(0.15, 4, 900));
    CHECK((rig.loaded->group_cycles() == 1) == mode.by_module);
    // Two modules ask for router 6 in one cycle, and the later generation asks first.
    if (mode.by_module) {
      const auto switcher = [&](graph::RouterId router, const routing::RoutingView& next) {
        switchers.push_back(std::make_unique<Switcher>(*rig.loaded, router, 202 + 31 * (router / 2), next));
      };
      switcher(6, {others.back().get(), 2});
      for (graph::RouterId router = 0; router < 16; ++router)
        switcher(router, {router == 6 ? rig.routing.get() : others.back().get(), 1});
    }
  }
  for (graph::RouterId router = 0; router < 16; ++router) {
    rigs[0]->loaded->run_to(203 + 31 * (router / 2));
    rigs[0]->loaded->exchange_routing(router, {others[0].get(), router == 6 ? 2U : 1U});
  }
  for (const auto& rig : rigs) {
    rig->loaded->run_to(30'000);
    check_all_delivered(*rig);
    CHECK(tails(*rig) == tails(*rigs[0]));
    for (graph::RouterId router = 0; router < 16; ++router)
      CHECK(rig->loaded->routing_view(router).generation == (router == 6 ? 2 : 1));
  }
}

TEST_CASE("an exchange that was not announced, or that the network cannot bear, ends the run and says why") {
  VcRig rig(mesh(4));
  const YFirst next(rig.topology, 2);
  class Demanding final : public routing::Routing {
   public:
    Demanding(unsigned vcs, bool atomic) : vcs_(vcs), atomic_(atomic) {}
    void route(const routing::RouteQuery&, routing::RouteSet&) const override {}
    routing::VcMask injection_vcs(End, End) const override { return 1; }
    unsigned vcs_needed() const override { return vcs_; }
    unsigned max_candidates() const override { return 1; }
    routing::RoutingPromises promises() const override {
      routing::RoutingPromises all;
      all.needs_atomic_vcs = atomic_;
      return all;
    }

   private:
    const unsigned vcs_;
    const bool atomic_;
  };
  const Demanding three(3, false), atomic(1, true);
  class All final : public OwnRouting {
   public:
    using OwnRouting::OwnRouting;
    unsigned vcs_needed() const override { return 2; }
  };
  const All all(*rig.routing);
  rig.build(load(0.1, 4, 900));
  const Switcher switcher(*rig.loaded, 3, 50, {&next, 1});
  CHECK_THROWS_WITH(rig.loaded->exchange_routing(2, {&next, 5}),
                    Catch::Contains("after the first call of run_to()"));
  rig.loaded->run_to(40);
  rig.loaded->exchange_routing(2, {&next, 5});
  CHECK_THROWS_WITH(rig.loaded->exchange_routing(2, {&next, 5}),
                    Catch::Contains("router 2, cycle 39") &&
                        Catch::Contains("a routing of generation 5 comes after one of generation 5"));
  CHECK_NOTHROW(rig.loaded->exchange_routing(7, {&all, 1}));  // as many as there are
  CHECK_THROWS_WITH(rig.loaded->exchange_routing(2, {&three, 6}),
                    Catch::Contains("generation 6 needs 3 virtual channels, and links have 2"));
  CHECK_THROWS_WITH(rig.loaded->exchange_routing(2, {&atomic, 6}), Catch::Contains("router.atomic_vcs"));
  CHECK_THROWS_WITH(rig.loaded->run_to(100),
                    Catch::Contains("cycle 50") && Catch::Contains("router 3") &&
                        Catch::Contains("Parts::modules_exchange_routings is to be set before the start"));
}

TEST_CASE("another routing takes the place of a router's changed routes, and can be changed itself") {
  VcRig rig(mesh(4));
  rig.build({{0, 15, 100, 2}, {0, 15, 200, 2}, {0, 15, 300, 2}, {0, 15, 400, 2}});
  const YFirst next(rig.topology, 2);
  const auto east = static_cast<std::uint16_t>(graph::CubeShape::up_port(0)),
             north = static_cast<std::uint16_t>(graph::CubeShape::up_port(1));
  const auto flits_over = [&](unsigned port) {
    return rig.loaded->network().router(0).port(port).out->flits_sent();
  };
  rig.loaded->run_to(90);
  rig.loaded->change_route(0, 15, {north, 0x3});
  rig.loaded->run_to(190);
  CHECK(flits_over(north) == 2);
  rig.loaded->exchange_routing(0, {rig.routing.get(), 2});
  rig.loaded->run_to(290);
  CHECK(flits_over(east) == 2);
  rig.loaded->exchange_routing(0, {&next, 3});
  rig.loaded->run_to(390);
  CHECK(flits_over(north) == 4);
  rig.loaded->change_route(0, 15, {east, 0x3});
  CHECK(rig.loaded->routing_view(0).generation == 4);
  CHECK(rig.run_until_idle(20'000));
  CHECK(flits_over(east) == 4);
  check_all_delivered(rig);
}

TEST_CASE("a packet that waits for a virtual channel of its node leaves by one that another routing allows") {
  /// A network's own, into one virtual channel of the first router.
  class Into final : public routing::Routing {
   public:
    Into(const routing::Routing& own, routing::VcMask vcs) : own_(own), vcs_(vcs) {}
    void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
      own_.route(query, candidates);
    }
    routing::VcMask injection_vcs(End, End) const override { return vcs_; }
    unsigned vcs_needed() const override { return own_.vcs_needed(); }
    unsigned max_candidates() const override { return own_.max_candidates(); }

   private:
    const routing::Routing& own_;
    const routing::VcMask vcs_;
  };
  NetworkConfig config = mesh(2);
  config.link_faults = "0@50:500";  // between routers 0 and 1
  config.network.router.dead_way = router::DeadWay::wait;
  VcRig rig(config);
  REQUIRE(rig.topology.links()[0].a.router == 0);
  REQUIRE(rig.topology.links()[0].b.router == 1);
  const Into first(*rig.routing, 0b01), second(*rig.routing, 0b10);
  // The first fills the buffer of the only virtual channel that the second may enter.
  rig.build({{0, 1, 100, config.network.buffer_flits}, {0, 2, 100, 2}}, &first);
  rig.loaded->run_to(200);
  CHECK(rig.delivered.empty());
  rig.loaded->exchange_routing(3, {&second, 1});
  rig.loaded->run_to(300);
  CHECK(rig.delivered.empty());
  rig.loaded->exchange_routing(0, {&second, 1});
  CHECK(rig.run_until_idle(20'000));
  REQUIRE(rig.delivered.size() == 2);
  CHECK(rig.delivered[0].destination == 2);
  CHECK(rig.delivered[0].injected == 300);
  CHECK(rig.delivered[1].injected < 200);
  CHECK(rig.delivered[1].tail_cycle > 500);
}

TEST_CASE("nodes of a router read the routing that is exchanged there, and those of its neighbours do not") {
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
    for (unsigned i = 0; i < 2; ++i) routings.push_back(std::make_unique<Noted>(*rig.routing));
  }
  for (const auto& rig : rigs) rig->loaded->run_to(200);
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    for (unsigned i = 0; i < 2; ++i) rigs[r]->loaded->exchange_routing(2 * i, {routings[2 * r + i].get(), 1});
  }
  for (const auto& rig : rigs) rig->loaded->run_to(600);
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    const VcRig& rig = *rigs[r];
    for (unsigned i = 0; i < 2; ++i) {
      const graph::RouterId router = 2 * i;
      std::set<NodeId> own, asked;
      for (NodeId node = 0; node < rig.topology.nodes(); ++node)
        if (rig.topology.node(node).inject.router == router) own.insert(node);
      for (const auto& [node, times] : routings[2 * r + i]->began) asked.insert(node);
      CAPTURE(r, router);
      CHECK(asked == own);
    }
  }
}
