// SPDX-License-Identifier: Apache-2.0
#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/instruments/port_waits.h"
#include "tsuji/router/allocators/kinds.h"

// Configurations that run as networks of neighbourhoods, and what these have not.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::router::Switching;

TEST_CASE("dense: where nothing needs modules or what only other drivers have") {
  const auto dense = [](const auto& change) {
    VcRig rig(torus(4));
    rig.parts->only_results = true;
    change(*rig.parts, const_cast<NetworkConfig&>(rig.config));
    return rig.parts->runs_densely();
  };
  const auto of_router = [&](const auto& change) {
    return dense([&](LoadedParts&, NetworkConfig& config) { change(config.network.router); });
  };
  CHECK(of_router([](router::VcRouterConfig&) {}));
  CHECK(of_router([](router::VcRouterConfig& r) { r.switching = Switching::virtual_cut_through; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.atomic_vcs = true; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.switching = Switching::store_and_forward; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.switch_hold = router::SwitchHold::packet; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_cycles = 0; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.input_speedup = 2; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.vc_change_cycles = 1; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.block_timeout_cycles = 9; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.hop_limit = 9; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.sa_allocator = "separable"; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_allocator = "separable"; }));
  CHECK_FALSE(of_router(
      [](router::VcRouterConfig& r) { r.va_allocators.of<router::IslipConfig>().islip_iterations = 2; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_requests = router::VaRequests::all; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.route_at = router::RouteAt::arrival; }));
  const auto predicts = [&](router::PredictionCheck check, bool serial, const auto& change) {
    return dense([&](LoadedParts& parts, NetworkConfig& config) {
      config.network.router.prediction.kind = "straight";
      config.network.router.prediction.check = check;
      config.network.router.prediction.serial = serial;
      change(parts, config.network.router.prediction);
    });
  };
  const auto unchanged = [](LoadedParts&, router::PredictionConfig&) {};
  CHECK(predicts(router::PredictionCheck::kill, false, unchanged));
  CHECK_FALSE(predicts(router::PredictionCheck::wait, false, unchanged));
  CHECK_FALSE(predicts(router::PredictionCheck::kill, true, unchanged));
  CHECK(predicts(router::PredictionCheck::kill, false, [](LoadedParts& parts, router::PredictionConfig&) {
    parts.heads_are_observed = parts.counts_waits = true;
  }));
  const auto predicts_late = [&](const auto& change) {
    return of_router([&](router::VcRouterConfig& r) {
      r.prediction.kind = "straight";
      change(r);
    });
  };
  CHECK_FALSE(predicts_late([](router::VcRouterConfig& r) { r.block_timeout_cycles = 9; }));
  CHECK_FALSE(predicts_late([](router::VcRouterConfig& r) { r.hop_limit = 9; }));
  const auto recovers = [](const auto& change, const char* predictor = "none") {
    NetworkConfig config = torus(4);
    config.routing.kind = "detour_ud";
    config.dead.random_routers = 1;
    config.network.router.prediction.kind = predictor;
    VcRig rig(config);
    rig.parts->only_results = true;
    change(*rig.parts, const_cast<NetworkConfig&>(rig.config));
    return rig.parts->runs_densely();
  };
  const auto looks_up = [&](const char* kind, const auto& change) {
    return dense([&](LoadedParts& parts, NetworkConfig& config) {
      config.network.rc_cycles = 1;
      config.lookup.kind = kind;
      change(parts, config);
    });
  };
  const auto no_change = [](LoadedParts&, NetworkConfig&) {};
  for (const char* kind : {"cam", "cached", "ideal"}) CHECK(looks_up(kind, no_change));
  const auto shares = [](LoadedParts&, NetworkConfig& config) { config.lookup.timing.cam_of_switch = true; };
  CHECK(looks_up("cam", shares));
  CHECK_FALSE(looks_up("cached", shares));  // answers come after the requests
  CHECK_FALSE(looks_up("cached", [](LoadedParts&, NetworkConfig& config) {
    config.lookup.model = lookup::LookupModel::modules;
  }));
  CHECK(looks_up("cached", [](LoadedParts& parts, NetworkConfig&) { parts.heads_are_observed = true; }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts& parts, NetworkConfig&) { parts.cycles_are_shown = true; }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts& parts, NetworkConfig&) { parts.counts_waits = true; }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts&, NetworkConfig& config) {
    config.network.router.switching = Switching::virtual_cut_through;
    config.network.router.switch_hold = router::SwitchHold::packet;
  }));
  CHECK_FALSE(looks_up("cached", [](LoadedParts&, NetworkConfig& config) {
    config.network.router.prediction.kind = "straight";
  }));
  CHECK(recovers(no_change));
  CHECK_FALSE(recovers(no_change, "latest_port"));
  CHECK(recovers([](LoadedParts& parts, NetworkConfig&) { parts.heads_are_observed = true; }));
  CHECK_FALSE(recovers([](LoadedParts& parts, NetworkConfig&) { parts.cycles_are_shown = true; }));
  CHECK_FALSE(recovers([](LoadedParts& parts, NetworkConfig&) { parts.counts_waits = true; }));
  CHECK_FALSE(recovers([](LoadedParts&, NetworkConfig& c) { c.classify_timeouts = true; }));
  CHECK_FALSE(recovers([](LoadedParts&, NetworkConfig& c) { c.network.table_cycles = 200; }));
  CHECK_FALSE(recovers([](LoadedParts&, NetworkConfig& c) { c.dead.events = "router 3 dies at 100"; }));
  CHECK_FALSE(of_router(
      [](router::VcRouterConfig& r) { r.va_input_arbiter = router::VaInputArbiter::ports_and_vcs; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.uturn_node = false; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.flit_cycles = 2; }));
  CHECK(dense([](LoadedParts&, NetworkConfig& c) { c.network.vcs = 16; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.ejects_by_class = true; }));
  const auto of_ports = [](unsigned ports, unsigned vcs, const char* predictor = "none") {
    NetworkConfig config;
    config.network.router.prediction.kind = predictor;
    config.topology.kind = "hyperx";
    config.topology.of<graph::HyperXConfig>().radices = {ports};  // with one for the node
    config.network.vcs = vcs;
    VcRig rig(config);
    rig.parts->only_results = true;
    return rig.parts->runs_densely();
  };
  CHECK(of_ports(63, 4));
  CHECK(of_ports(64, 3));
  CHECK(of_ports(48, 5));  // twelve ports a word
  CHECK_FALSE(of_ports(64, 4));
  CHECK_FALSE(of_ports(49, 5));
  CHECK(of_ports(63, 1, "latest_port"));
  CHECK_FALSE(of_ports(64, 1, "latest_port"));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.rc_cycles = 200; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.buffer_flits = 5000; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.link_faults = "0@10"; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.classify_timeouts = true; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.network.errors.bit_error_rate = 1e-9; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.shuffle_seed = 3; }));
  CHECK_FALSE(dense([](LoadedParts&, NetworkConfig& c) { c.process_mode = ProcessMode::process_each; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) { parts.only_results = false; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) { parts.flits_are_observed = true; }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) { parts.cycles_are_shown = true; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.cycles_are_shown = true;
    parts.threads = 2;
  }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig& c) {
    parts.cycles_are_shown = true;
    c.network.router.prediction.kind = "latest_port";
  }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) { parts.threads = 2; }));
  CHECK(dense(
      [](LoadedParts& parts, NetworkConfig&) { parts.heads_are_observed = parts.counts_waits = true; }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.heads_are_observed = true;
    parts.threads = 2;
  }));
  CHECK(dense([](LoadedParts& parts, NetworkConfig&) { parts.sources_have_channels = true; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.sources_have_channels = parts.cycles_are_shown = true;
  }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) { parts.ports_wake_each_other = true; }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.make_control = [](graph::RouterId) { return nullptr; };
  }));
  CHECK_FALSE(dense([](LoadedParts& parts, NetworkConfig&) {
    parts.custom.over_pins.nodes = [](NodeId) { return false; };
  }));
}

TEST_CASE("dense: a use of modules or channels is refused with what to set") {
  VcRig rig(torus(4));
  rig.parts->only_results = true;
  rig.build(load(0.1, 1, 100));
  CHECK_THROWS_WITH(rig.loaded->network().channels(), Catch::Contains("LoadedParts::only_results"));
  CHECK_THROWS_WITH(rig.loaded->network().module(0), Catch::Contains("InstrumentKind::sees_flits()"));
  CHECK_THROWS_WITH(rig.loaded->network().link(0), Catch::Contains("no modules"));
  CHECK_THROWS_WITH(instruments::PacketLedger(rig.loaded->network(), rig.loaded->pool()),
                    Catch::Contains("built for it"));
  CHECK_THROWS_WITH(instruments::PortWaits(rig.loaded->network()).settle(1),
                    Catch::Contains("count the states of their ports"));
}
