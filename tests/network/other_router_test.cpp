// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "network/vc_rig.h"
#include "own_kinds.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/router/flit_router.h"

// A router of another kind in a network, that of platforms/example: a class, the struct that makes its
// RouterKind, and an entry in a copy of the table.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

/// The router of platforms/example, with a key that selects whether it declares its time.
struct OneBufferConfig {
  Cycle departs_after_cycles = 0;

  void add_keys(config::KeyTable& keys) {
    keys.add("router.departs_after_cycles", departs_after_cycles, {0, 1}, "cycles", "time that it states");
  }
  router::RouterKind make(const router::VcRouterConfig& config) const {
    router::RouterKinds kinds;
    example::add_one_buffer(kinds);
    router::RouterKind kind = kinds.make("one_buffer", config);
    if (departs_after_cycles == 0) kind.departs_after_cycles = 0;
    return kind;
  }
};

NetworkConfig of_one_buffer(NetworkConfig config) {
  config.network.router_kinds.add<OneBufferConfig>("one_buffer");
  config.network.router_kind = "one_buffer";
  return config;
}

/// A network of one-way links: packets that wait for each other never form a cycle.
NetworkConfig fly(unsigned stages, Cycle link_latency_cycles = 1) {
  NetworkConfig config;
  config.topology.kind = "fly";
  config.topology.of<graph::FlyConfig>() = {2, stages};
  config.link_latency_cycles = link_latency_cycles;
  config.network.vcs = 1;
  config.network.buffer_flits = 8;
  return of_one_buffer(config);
}

}  // namespace

TEST_CASE("a network of routers of another kind delivers everything, and its accounts hold in every cycle") {
  VcRig rig(fly(3));
  rig.build(load(0.3, 4, 400));
  std::uint64_t inside = 0;
  for (Cycle end = 1; end < 300; ++end) {
    rig.loaded->run_to(end);
    rig.loaded->check_conservation();
    REQUIRE(rig.loaded->accounts().packets_under_way() ==
            rig.loaded->accounts().packets_born() - rig.loaded->accounts().packets_delivered());
    inside += rig.loaded->network().flits_in_flight();
  }
  CHECK(inside > 0);
  const std::string report = wait_report(rig.loaded->network(), rig.loaded->pool(), rig.loaded->now(), 99);
  CHECK(report.find("has not begun") != std::string::npos);
  REQUIRE(rig.run_until_idle(20000));
  CHECK(rig.loaded->accounts().packets_born() > 100);
  CHECK(rig.loaded->accounts().packets_delivered() == rig.loaded->accounts().packets_born());
  CHECK(rig.loaded->network().counters().flits == 4 * 3 * rig.loaded->accounts().packets_born());
  for (const observe::DeliveredPacket& packet : rig.delivered) CHECK(packet.hops == 3);
}

TEST_CASE("a router of another kind gets late answers of its look-up") {
  NetworkConfig config = fly(3);
  config.lookup.kind = "cached";
  config.lookup.timing.cam_of_switch = GENERATE(false, true);
  CHECK(std::stoul(tsuji::test::forked([&] {
          VcRig rig(config);
          rig.build(load(0.2, 4, 400));
          rig.loaded->run_to(300);
          rig.loaded->check_conservation();
          if (!rig.run_until_idle(40000)) return std::string("0");
          return std::to_string(rig.loaded->accounts().packets_delivered());
        })) > 100);
}

TEST_CASE("a packet that a router of another kind cannot store as a whole ends the run") {
  VcRig rig(fly(2));
  rig.build({VcRig::Send{0, 3, 10, 9}});
  CHECK_THROWS_WITH(rig.run_until_idle(2000), Catch::Contains("longer than an input's buffer"));
}

TEST_CASE(
    "store and forward in a router of another kind: a further stage costs the packet, the link, route "
    "computation") {
  const unsigned flits = GENERATE(1U, 4U, 8U);
  const Cycle rc_cycles = GENERATE(1, 5), latency = GENERATE(1, 7);
  const auto tail = [&](unsigned stages) {
    return std::stoul(tsuji::test::forked([&] {
      NetworkConfig config = fly(stages, latency);
      config.network.rc_cycles = rc_cycles;
      VcRig rig(config);
      rig.build({VcRig::Send{0, 3, 10, flits}});
      rig.run_until_idle(2000);
      return std::to_string(rig.delivered.at(0).tail_cycle);
    }));
  };
  CHECK(tail(3) - tail(2) == flits + latency + rc_cycles);
}

TEST_CASE(
    "order of modules and windows change nothing for routers of another kind, and windows need their "
    "declaration") {
  struct RunMode {
    ProcessMode processes = ProcessMode::one_for_all;
    std::uint64_t shuffle = 0;
    Cycle departs = 0;
  };
  const auto play = [](const RunMode& mode) {
    NetworkConfig config = fly(3, 9);
    config.process_mode = mode.processes;
    config.shuffle_seed = mode.shuffle;
    config.network.inject_latency_cycles = config.network.eject_latency_cycles = 9;
    config.network.router_kinds.of<OneBufferConfig>().departs_after_cycles = mode.departs;
    VcRig rig(config);
    rig.run_ahead();
    rig.build(load(0.3, 3, 500));
    if ((rig.loaded->group_cycles() > 1) != (mode.departs != 0)) return std::string("windows");
    if (!rig.run_until_idle(20000)) return std::string("not idle");
    std::ostringstream out;
    for (const auto& [id, p] : rig.by_packet())
      out << id << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
    return out.str();
  };
  const std::string expected = tsuji::test::forked([&] { return play({}); });
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 100);
  for (const RunMode& mode : {RunMode{ProcessMode::process_each}, RunMode{ProcessMode::one_for_all, 5},
                              RunMode{ProcessMode::one_for_all, 0, 1}})
    CHECK(tsuji::test::forked([&] { return play(mode); }) == expected);
}

TEST_CASE("a router of another kind is chosen by router.kind, a key from the second kind on") {
  NetworkConfig one, two = of_one_buffer({});
  two.network.router_kind = "vc";
  config::KeyTable keys_of_one, keys;
  add_network_keys(keys_of_one, one);
  CHECK_FALSE(keys_of_one.has_key("router.kind"));
  add_network_keys(keys, two);
  CHECK(keys.json()["router"]["kind"] == "vc");
  const std::string departs = "router.departs_after_cycles=1";
  keys.set_from_command_line(departs);
  CHECK_THROWS_WITH(keys.refuse_idle(), Catch::Contains("accepted: router.kind one_buffer, or"));
  CHECK(two.network.make_router_kind().name == std::string("virtual-channel router"));
  keys.set_from_command_line("router.kind=one_buffer");
  CHECK_NOTHROW(keys.refuse_idle());
  CHECK_NOTHROW(two.validate());
  CHECK(two.network.make_router_kind().name == std::string("one-buffer router"));
  CHECK(two.network.make_router_kind().departs_after_cycles == 1);
  two.network.router_kind = "none";
  CHECK_THROWS_WITH(two.validate(), Catch::Contains("router.kind: unknown router") &&
                                        Catch::Contains("one of vc, one_buffer"));
}

TEST_CASE("keys of the virtual-channel router that a router of another kind does not read are refused") {
  struct SlowKind {
    router::RouterKind make(const router::VcRouterConfig&) const { return {}; }
  };
  const auto refused = [](const std::string& yaml) {
    NetworkConfig config = of_one_buffer({});
    config.network.router_kinds.add<SlowKind>("slow", {{"router.sa_cycles", "prediction.kind"}});
    config::KeyTable keys;
    add_network_keys(keys, config);
    config::read_yaml_text(keys, yaml, "own.yaml");
    return tsuji::test::text_of<ConfigError>([&] { keys.refuse_idle(); }, "");
  };
  for (const char* key : {"switching: wormhole", "atomic_vcs: true", "va_cycles: 2", "va_allocator: matrix",
                          "islip_iterations: 2", "block_timeout_cycles: 5"})
    CHECK_THAT(refused(std::string("router:\n  kind: one_buffer\n  ") + key),
               Catch::StartsWith("own.yaml:3:") &&
                   Catch::Contains("has no effect with router.kind one_buffer") &&
                   Catch::Contains("accepted: router.kind vc, or"));
  CHECK_THAT(refused("router:\n  sa_cycles: 2"), Catch::Contains("accepted: router.kind vc, slow, or"));
  CHECK(refused("router:\n  kind: slow\n  sa_cycles: 2\nprediction:\n  kind: latest_port").empty());
  CHECK(refused("router:\n  vcs: 2\n  buffer_flits: 9\n  rc_cycles: 2").empty());
}

TEST_CASE("an ability that routers of a kind lack is refused where it is needed") {
  const auto built = [](const NetworkConfig& config, const routing::Routing* routing = nullptr) {
    auto rig = std::make_unique<VcRig>(config);
    if (routing != nullptr) rig->route_by(*routing);
    rig->build(std::vector<VcRig::Send>{{0, 3, 10, 2}});
    return rig;
  };
  NetworkConfig config = fly(2);
  SECTION("links that fail") {
    config.link_faults = "0@20";
    CHECK_THROWS_WITH(built(config), Catch::Contains("link.faults") &&
                                         Catch::Contains("a one-buffer router cannot purge packets"));
  }
  SECTION("routings that may leave a head without a route") {
    const VcRig own(config);
    ScriptedRouting promiseless(*own.plan.routing);
    promiseless.promised = {};
    CHECK_THROWS_WITH(
        built(config, &promiseless),
        Catch::Contains("routing.kind") && Catch::Contains("a one-buffer router cannot purge its packet"));
  }
  SECTION("routings that decide by credits") {
    ScriptedRouting reader(1);
    const tsuji::test::ScriptedDecisions decisions(nullptr);
    reader.promised.always_leads_on = true;
    reader.decider = &decisions;
    CHECK_THROWS_WITH(built(config, &reader),
                      Catch::Contains("it decides by credits, which a one-buffer router cannot show"));
  }
  SECTION("routes that change") {
    config.lookup.kind = "cached";
    const auto rig = built(config);
    CHECK_THROWS_WITH(rig->loaded->changes().change_route(0, 3, {}),
                      Catch::Contains("a one-buffer router cannot route heads again"));
  }
  SECTION("stages, purges and repeated route requests") {
    struct Onlooker final : router::RouterProbe {
      void on_stage(graph::RouterId, unsigned, unsigned, PacketIndex, router::HeadStage, Cycle) override {}
    } onlooker;
    const auto rig = built(config);
    CHECK_THROWS_WITH(rig->loaded->network().module(0).set_probe(&onlooker),
                      Catch::Contains("a one-buffer router does not report the stages of heads"));
    rig->loaded->run_to(5);
    network::VcNetwork& network = rig->loaded->network();
    const std::string who = "router 1, cycle 5: routers of this kind cannot ";
    CHECK_THROWS_WITH(network.purging(1, 5), Catch::Contains(who + "purge packets"));
    CHECK_THROWS_WITH(network.rerouting(1, 5), Catch::Contains(who + "route heads again"));
    CHECK(network.router(1).suspending() == nullptr);
    CHECK(network.router(1).recovering() == nullptr);
    CHECK(network.router(1).predicting() == nullptr);
  }
}
