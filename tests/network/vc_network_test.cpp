// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/router/allocators/kinds.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

bool same(const observe::DeliveredPacket& a, const observe::DeliveredPacket& b) {
  return a.id == b.id && a.source == b.source && a.destination == b.destination && a.created == b.created &&
         a.injected == b.injected && a.head_cycle == b.head_cycle && a.tail_cycle == b.tail_cycle &&
         a.hops == b.hops;
}

/// Checks that every packet has arrived once, at its node, and nothing is left anywhere.
void check_all_delivered(const VcRig& rig) {
  CHECK(rig.delivered.size() == rig.loaded->accounts().packets_born());
  CHECK(rig.by_packet().size() == rig.delivered.size());
  rig.loaded->check_conservation();
  CHECK(rig.loaded->network().flits_in_flight() == 0);
  CHECK(rig.loaded->pool().in_use() == 0);
}

struct Fabric {
  const char* topology;
  const char* routing;
  unsigned vcs;
  bool atomic;
};

const std::vector<Fabric> fabrics = {
    {"mesh", "dimension_order", 1, false},
    {"torus", "dimension_order", 2, false},
    {"torus", "duato", 3, true},
    {"mesh", "duato", 2, true},
    {"mesh", "negative_first", 1, false},
    {"mesh", "west_first", 1, false},
    {"mesh", "up_down", 1, false},
    {"fat_tree", "least_common_ancestor", 1, false},
    {"fly", "destination_digits", 1, false},
    {"random_regular", "up_down", 1, false},
    {"random_regular", "source_table", 4, false},
    {"random_grid", "up_down", 2, false},
};

NetworkConfig network_of(const Fabric& fabric) {
  NetworkConfig config;
  config.topology.kind = fabric.topology;
  config.topology.of<graph::CubeConfig>().radices = {4, 4};
  config.topology.of<graph::FatTreeConfig>().levels = 2;
  config.topology.of<graph::FlyConfig>().stages = 2;
  config.topology.of<graph::RandomGraphConfig>().nodes = 16;
  config.routing.kind = fabric.routing;
  config.network.vcs = fabric.vcs;
  config.network.router.atomic_vcs = fabric.atomic;
  config.network.buffer_flits = 3;
  return config;
}

}  // namespace

TEST_CASE("at twice saturation, with the fewest virtual channels, everything drains") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Fabric& fabric : fabrics) {
    rigs.push_back(std::make_unique<VcRig>(network_of(fabric)));
    rigs.back()->config.watchdog_cycles = 2000;
    rigs.back()->build(load(1.0, 5, 1500));
  }
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    CAPTURE(fabrics[i].topology, fabrics[i].routing);
    rigs[i]->loaded->run_to(60000);
    CHECK(rigs[i]->loaded->accounts().packets_born() > 1000);
    check_all_delivered(*rigs[i]);
  }
}

TEST_CASE("at any time packets are delivered, dropped, or counted where they wait or move") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Fabric& fabric : fabrics) {
    rigs.push_back(std::make_unique<VcRig>(network_of(fabric)));
    rigs.back()->config.network.router.uturn_node = fabric.vcs == 1;
    if (fabric.vcs == 1) rigs.back()->config.link_faults = "3@300:800,1@500";
    rigs.back()->build(load(0.6, 9, 1500));
  }
  // On a slow link there are cycles in which no flit of a packet is anywhere but at its source.
  rigs.push_back(std::make_unique<VcRig>(network_of({"mesh", "dimension_order", 1, false})));
  rigs.back()->config.network.flit_cycles = 50;
  rigs.back()->build(load(0.001, 9, 1500));
  std::uint64_t most_under_way = 0, most_in_flight = 0, dropped = 0;
  for (Cycle end = 1; end < 3000; end += 37) {
    for (const auto& rig : rigs) {
      CAPTURE(rig->config.topology.kind, rig->config.routing.kind, end);
      rig->loaded->run_to(end);
      const std::uint64_t under_way = rig->loaded->accounts().packets_under_way();
      CHECK(rig->loaded->accounts().packets_born() ==
            rig->delivered.size() + rig->loaded->supervisor().packets_dropped() + under_way);
      most_under_way = std::max(most_under_way, under_way);
      observe::NetworkMetrics metrics;
      rig->loaded->accounts().add_counters(metrics);
      CHECK(metrics.flits_in_flight_at_end == rig->loaded->network().flits_in_flight());
      most_in_flight = std::max(most_in_flight, metrics.flits_in_flight_at_end);
    }
  }
  for (const auto& rig : rigs) dropped += rig->loaded->supervisor().packets_dropped();
  CHECK(most_under_way > 100);
  CHECK(most_in_flight > 100);
  CHECK(dropped > 0);
}

TEST_CASE("a process for each module, a shuffled order and running ahead change nothing for any packet") {
  struct RunMode {
    ProcessMode processes;
    std::uint64_t shuffle;
  };
  const std::vector<RunMode> modes = {
      {ProcessMode::one_for_all, 0}, {ProcessMode::process_each, 0}, {ProcessMode::one_for_all, 99}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Fabric& fabric : fabrics) {
    for (const RunMode& mode : modes) {
      rigs.push_back(std::make_unique<VcRig>(network_of(fabric)));
      rigs.back()->config.process_mode = mode.processes;
      rigs.back()->config.shuffle_seed = mode.shuffle;
      rigs.back()->build(load(0.5, 4, 800));
    }
  }
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    rigs[i]->loaded->run_to(20000);
    check_all_delivered(*rigs[i]);
  }
  for (std::size_t i = 0; i < rigs.size(); i += modes.size()) {
    const auto reference = rigs[i]->by_packet();
    REQUIRE(reference.size() > 500);
    for (std::size_t w = 1; w < modes.size(); ++w) {
      const auto other = rigs[i + w]->by_packet();
      REQUIRE(other.size() == reference.size());
      for (const auto& [id, packet] : reference) CHECK(same(packet, other.at(id)));
    }
  }
}

TEST_CASE("groups of modules that run ahead of each other change nothing for any packet") {
  struct Case {
    Fabric fabric;
    std::function<void(NetworkConfig&)> change;
  };
  const std::vector<Case> cases = {
      {{"torus", "dimension_order", 2, false}, [](NetworkConfig&) {}},
      {{"torus", "duato", 3, true}, [](NetworkConfig& c) { c.link_latency_cycles = 4; }},
      {{"mesh", "dimension_order", 1, false},
       [](NetworkConfig& c) { c.network.router.switching = router::Switching::store_and_forward; }},
      {{"mesh", "dimension_order", 2, false}, [](NetworkConfig& c) { c.link_latency_cycles = 80; }},
      {{"fat_tree", "least_common_ancestor", 2, false},
       [](NetworkConfig& c) { c.network.credit_latency_cycles = 2; }},
      {{"random_regular", "up_down", 2, false}, [](NetworkConfig& c) { c.network.flit_cycles = 2; }}};
  // Only a network that is alone in its process has the kernel's time to itself, and only then groups run
  // ahead.
  const auto play = [](const Case& one, bool groups) {
    NetworkConfig config = network_of(one.fabric);
    config.topology.of<graph::CubeConfig>().radices = {12, 12};
    config.topology.of<graph::FatTreeConfig>().levels = 3;
    graph::FatTreeConfig& tree = config.topology.of<graph::FatTreeConfig>();
    tree.up_links = tree.down_links = 4;
    config.topology.of<graph::RandomGraphConfig>().nodes = 150;
    config.network.buffer_flits = 5;
    one.change(config);
    config.process_mode = groups ? ProcessMode::one_for_all : ProcessMode::process_each;
    VcRig rig(config);
    rig.run_ahead(groups);
    rig.build(load(0.5, 4, 400));
    if ((rig.loaded->group_cycles() > 1) != groups) return std::string("windows");
    rig.loaded->run_to(40000);
    if (rig.delivered.size() != rig.loaded->accounts().packets_born())
      return std::string("not all delivered");
    rig.loaded->check_conservation();
    std::ostringstream out;
    for (const auto& [id, p] : rig.by_packet())
      out << id << ' ' << p.created << ' ' << p.injected << ' ' << p.head_cycle << ' ' << p.tail_cycle << ' '
          << p.hops << '\n';
    return out.str();
  };
  for (const Case& one : cases) {
    CAPTURE(one.fabric.topology, one.fabric.routing);
    const std::string expected = tsuji::test::forked([&] { return play(one, false); });
    CHECK(std::count(expected.begin(), expected.end(), '\n') > 500);
    CHECK((tsuji::test::forked([&] { return play(one, true); }) == expected));
  }
}

namespace {

/// A routing with the candidates of `base`. In a 2-D torus, a packet for node 0 that comes in by a network
/// port is sent back.
ScriptedRouting sends_back(const routing::Routing& base, bool promises) {
  ScriptedRouting routing(base, [](const routing::RouteQuery& query, routing::RouteSet& candidates) {
    if (query.destination != 0 || query.in_port >= 4) return;
    candidates.clear();
    candidates.add(query.in_port, 1);
  });
  routing.promised.always_leads_on = promises;
  return routing;
}

}  // namespace

TEST_CASE(
    "modules run ahead of each other as far as the sources declare, and not at all if one declares nothing") {
  class Source final : public traffic::EmissionSource {
   public:
    explicit Source(Cycle lookahead) : lookahead_(lookahead) {}
    bool next(traffic::Emission&) override { return false; }
    Cycle lookahead_cycles() const override {
      return lookahead_ == 0 ? EmissionSource::lookahead_cycles() : lookahead_;
    }

   private:
    const Cycle lookahead_;
  };
  std::vector<std::unique_ptr<VcRig>> rigs;
  const auto windows = [&](Cycle lookahead) {
    rigs.push_back(std::make_unique<VcRig>(torus(8)));
    rigs.back()->run_ahead();
    rigs.back()->build(
        [lookahead](NodeId node) { return std::make_unique<Source>(node == 9 ? lookahead : never); });
    return rigs.back()->loaded->group_cycles();
  };
  CHECK(windows(never) > 2);
  CHECK(windows(2) == 2);
  CHECK(windows(0) == 1);
}

TEST_CASE("modules run ahead of each other only where no packet can be dropped") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::vector<std::unique_ptr<ScriptedRouting>> routings;
  const auto add = [&](const std::function<void(NetworkConfig&)>& change) {
    NetworkConfig config = torus(8);
    change(config);
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->run_ahead();
    rigs.back()->build(load(0.1, 4, 200));
    return rigs.back()->loaded->group_cycles();
  };
  CHECK(add([](NetworkConfig&) {}) > 1);
  CHECK(add([](NetworkConfig& c) { c.network.router.uturn_network = true; }) > 1);
  CHECK(add([](NetworkConfig& c) { c.network.router.uturn_node = false; }) == 1);
  CHECK(add([](NetworkConfig& c) { c.link_faults = "3@5"; }) == 1);

  NetworkConfig config = torus(8);
  config.network.router.uturn_node = false;
  for (const bool promises : {false, true}) {
    config.network.router.uturn_node = promises;
    rigs.push_back(std::make_unique<VcRig>(config));
    VcRig& rig = *rigs.back();
    routings.push_back(std::make_unique<ScriptedRouting>(sends_back(*rig.plan.routing, promises)));
    rig.route_by(*routings.back());
    rig.run_ahead();
    const auto source = [promises](NodeId node) {
      std::vector<traffic::Emission> own;
      traffic::Emission emission;
      emission.created = 10;
      emission.destination = node == 3 ? 0 : 9;
      emission.flits = 4;
      if (node == 4 || (node == 3 && !promises)) own.push_back(emission);  // a failure stops all rigs
      return std::make_unique<traffic::ListedEmissions>(std::move(own));
    };
    rig.build(source);
    CHECK((rig.loaded->group_cycles() > 1) == promises);
  }
  rigs[4]->loaded->run_to(500);
  CHECK(rigs[4]->delivered.size() == 1);
  CHECK(rigs[4]->loaded->supervisor().dropped(NetworkDropCause::no_route) == 1);
  rigs[4]->loaded->check_conservation();
}

TEST_CASE("a routing that breaks its promise of a candidate for every head ends the run") {
  NetworkConfig config = torus(8);
  VcRig rig(config);
  const ScriptedRouting routing = sends_back(*rig.plan.routing, true);
  const auto source = [](NodeId node) {
    std::vector<traffic::Emission> own(node == 3 ? 1 : 0);
    for (traffic::Emission& emission : own) {
      emission.destination = 0;
      emission.flits = 10;
    }
    return std::make_unique<traffic::ListedEmissions>(std::move(own));
  };
  rig.route_by(routing);
  rig.build(source);
  CHECK_THAT(tsuji::test::text_of<ModelError>([&] { rig.loaded->run_to(500); }),
             Catch::Contains("packet 3.0") && Catch::Contains("its routing promises one"));
}

TEST_CASE("pipelines, switching and allocators: each packet arrives once, for any router") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  const auto add = [&rigs](const std::function<void(VcNetworkConfig&)>& change) {
    NetworkConfig config = torus(4);
    config.network.vcs = 4;
    config.network.buffer_flits = 8;
    change(config.network);
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(load(0.4, 5, 1000));
  };
  for (const char* const kind : {"separable", "matrix", "islip"}) {
    add([kind](VcNetworkConfig& n) { n.router.va_allocator = n.router.sa_allocator = kind; });
    add([kind](VcNetworkConfig& n) {
      n.router.sa_allocator = kind;
      n.router.input_speedup = 4;
      n.router.sa_allocators.of<router::IslipConfig>().islip_iterations = 3;
    });
  }
  for (const auto switching :
       {router::Switching::virtual_cut_through, router::Switching::store_and_forward}) {
    add([switching](VcNetworkConfig& n) { n.router.switching = switching; });
    add([switching](VcNetworkConfig& n) {
      n.router.switching = switching;
      n.router.atomic_vcs = true;
      n.flit_cycles = 2;
      n.whole_flit = true;
    });
  }
  add([](VcNetworkConfig& n) { n.router.route_at = router::RouteAt::arrival; });
  add([](VcNetworkConfig& n) { n.router.vc_change_cycles = 1; });
  add([](VcNetworkConfig& n) { n.rc_cycles = 0, n.router.va_cycles = 0, n.router.st_cycles = 0; });
  add([](VcNetworkConfig& n) {
    n.rc_cycles = 5, n.router.sa_cycles = 3, n.router.des_cycles = 4, n.router.ser_cycles = 2;
  });
  add([](VcNetworkConfig& n) { n.node_vcs = 2; });
  add([](VcNetworkConfig& n) { n.node_vcs = 16, n.credit_latency_cycles = 9; });
  for (const auto& rig : rigs) {
    rig->loaded->run_to(30000);
    check_all_delivered(*rig);
  }
}

TEST_CASE("cables longer than the rows of arrivals lose nothing") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const auto at : {router::RouteAt::front, router::RouteAt::arrival}) {
    NetworkConfig config = torus(4);
    config.link_latency_cycles = 300;
    config.network.inject_latency_cycles = 90;
    config.network.eject_latency_cycles = 700;
    config.network.buffer_flits = 16;
    config.network.router.route_at = at;
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(load(0.02, 4, 4000));
  }
  for (const auto& rig : rigs) {
    rig->loaded->run_to(100000);
    check_all_delivered(*rig);
  }
}

namespace {

void check_dying_links(router::DeadRoute dead_route) {
  NetworkConfig config = torus(4);
  config.network.router.dead_route = dead_route;
  config.link_faults = "3@200:900,17@250:260,8@400:1200,9@401:1300";
  observe::MeasureConfig measure;
  measure.warmup_cycles = 100;
  measure.cycles = 1500;
  observe::LoadMeasurement measurement(measure, 16);
  VcRig rig(config);
  rig.parts->measurement = &measurement;
  rig.build(load(0.35, 6, 2000));
  CHECK(rig.run_until_idle(60000));
  const std::uint64_t dropped = rig.loaded->supervisor().packets_dropped();
  CHECK(rig.loaded->supervisor().dropped(NetworkDropCause::link_down) > 0);
  CHECK((rig.loaded->supervisor().dropped(NetworkDropCause::no_route) > 0) ==
        (dead_route == router::DeadRoute::drop));
  CHECK(rig.delivered.size() + dropped == rig.loaded->accounts().packets_born());
  CHECK(rig.by_packet().size() == rig.delivered.size());
  rig.loaded->check_conservation();
  CHECK(rig.loaded->network().flits_in_flight() == 0);
  CHECK(rig.loaded->pool().in_use() == 0);
  // All credits are back everywhere.
  VcNetwork& network = rig.loaded->network();
  for (std::uint32_t l = 0; l < rig.plan.topology.links().size(); ++l) {
    for (const FlitChannel* channel : {network.link(l).forward(), network.link(l).backward()}) {
      for (unsigned vc = 0; vc < channel->vcs(); ++vc)
        CHECK(channel->ring(vc).credits(rig.loaded->now() + 10) == channel->depth_flits());
    }
  }
  measurement.close(rig.loaded->now());  // Little's law holds with dropped packets
}

}  // namespace

TEST_CASE("links that die and return: packets without a route are dropped, the others delivered") {
  check_dying_links(router::DeadRoute::drop);
}

TEST_CASE("links that die and return: packets without a route wait for them") {
  check_dying_links(router::DeadRoute::wait);
}

TEST_CASE("an adaptive routing goes around a dead link") {
  NetworkConfig config = network_of({"mesh", "duato", 3, true});
  config.link_faults = "5@1";
  config.network.router.dead_route = router::DeadRoute::drop;
  VcRig rig(config);
  std::vector<VcRig::Send> sends;
  for (NodeId s = 0; s < 16; ++s) {
    for (NodeId d = 0; d < 16; ++d) {
      if (s % 4 != d % 4 && s / 4 != d / 4) sends.push_back({s, d, 10 + 200 * (16 * s + d), 3});
    }
  }
  rig.build(sends);
  CHECK(rig.run_until_idle(100000));
  // A packet is lost only if it reaches the row or column of its node on the wrong side of the link.
  CHECK(rig.delivered.size() + rig.loaded->supervisor().dropped(NetworkDropCause::no_route) == sends.size());
  CHECK(rig.delivered.size() > sends.size() * 8 / 10);
  CHECK(rig.delivered.size() < sends.size());
  const graph::RouterLink& dead = rig.plan.topology.links()[5];
  CHECK(rig.loaded->network().link(5).forward()->flits_sent() == 0);
  CHECK(rig.loaded->network().link(5).backward()->flits_sent() == 0);
  CHECK(dead.a.router != dead.b.router);
}

TEST_CASE("an idle network runs no steps") {
  VcRig rig(torus(4));
  rig.build({{0, 5, 10, 4}, {3, 9, 5'000'000'000, 4}});
  CHECK_FALSE(rig.run_until_idle(100));  // a packet will still be generated
  const std::uint64_t steps = rig.loaded->domain().steps();
  rig.loaded->run_to(4'999'999'999);
  CHECK(rig.loaded->domain().steps() - steps <= 3);  // the watchdog goes to sleep
  rig.loaded->run_to(5'000'001'000);
  CHECK(rig.delivered.size() == 2);
}

TEST_CASE("a network reports the next cycle in which it has work") {
  VcRig rig(torus(4));
  rig.build({{0, 5, 40, 2}, {3, 6, 9000, 2}});
  CHECK(rig.loaded->next_activity() == 0);  // unknown before the start
  rig.loaded->run_to(10);
  CHECK(rig.loaded->next_activity() > 10);
  CHECK(rig.loaded->next_activity() <= 40);
  rig.loaded->run_to(5000);
  REQUIRE(rig.delivered.size() == 1);
  CHECK(rig.loaded->next_activity() > 5000);
  CHECK(rig.loaded->next_activity() <= 9000);
  REQUIRE(rig.run_until_idle(60'000));
  CHECK(rig.delivered.size() == 2);
  CHECK(rig.loaded->next_activity() == never);
}

TEST_CASE("heads over the hop limit are counted at every router that they reach") {
  NetworkConfig config = network_on({"mesh", "dimension_order", 1});
  config.topology.of<graph::CubeConfig>().radices = {6};
  config.network.router.hop_limit = 2;
  VcRig rig(config);
  rig.build({{0, 5, 20, 2}, {1, 3, 120, 1}, {5, 1, 220, 1}});
  REQUIRE(rig.run_until_idle(20'000));
  // Routers 3, 4 and 5 see the first packet with more than two hops, routers 2 and 1 the last one.
  CHECK(rig.loaded->network().counters().over_hop_limit == 5);
}

TEST_CASE("a packet to a nonexistent node stops the run, with its source") {
  VcRig rig(network_of({"mesh", "dimension_order", 1, false}));
  const auto build = [&] {
    rig.build(std::vector<VcRig::Send>{{2, 70000, 5, 1}});
    rig.loaded->run_to(10);
  };
  CHECK_THROWS_WITH(
      build(),
      Catch::Matches(
          "node 2, cycle 0: its source generated a packet to node 70000, and the last node is [0-9]+"));
}
