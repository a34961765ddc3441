// SPDX-License-Identifier: Apache-2.0
// Valiant's and UGAL-L routing in networks.

#include <algorithm>
#include <numeric>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "tsuji/core/random.h"
#include "tsuji/router/vc/full_vc_router.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

NetworkConfig cube(const char* topology, const std::vector<unsigned>& radices, const char* routing,
                   unsigned vcs = 4) {
  NetworkConfig config;
  config.topology.kind = topology;
  config.topology.of<graph::CubeConfig>().radices = radices;
  config.routing.kind = routing;
  config.network.vcs = vcs;
  config.network.buffer_flits = 8;
  return config;
}

TrafficConfig pattern(const char* name, double flits, Cycle last_cycle, unsigned packet_flits = 4) {
  TrafficConfig traffic = load(flits, packet_flits, last_cycle);
  traffic.pattern = name;
  return traffic;
}

double mean_latency(const VcRig& rig) {
  const auto add = [](double sum, const observe::DeliveredPacket& p) {
    return sum + static_cast<double>(p.tail_cycle - p.created);
  };
  return std::accumulate(rig.delivered.begin(), rig.delivered.end(), 0.0, add) /
         static_cast<double>(rig.delivered.size());
}

double mean_hops(const VcRig& rig) {
  const auto add = [](double sum, const observe::DeliveredPacket& p) { return sum + p.hops; };
  return std::accumulate(rig.delivered.begin(), rig.delivered.end(), 0.0, add) /
         static_cast<double>(rig.delivered.size());
}

using Rigs = std::vector<std::unique_ptr<VcRig>>;

void add_rigs(Rigs& rigs, const std::vector<NetworkConfig>& configs, const TrafficConfig& traffic) {
  for (const NetworkConfig& config : configs) {
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(traffic);
  }
}

/// A packet that a planted routing sends round a ring of 4 routers stops the run by the bound on hops that
/// its decisions state.
void require_bound(const char* kind, unsigned most_hops) {
  VcRig rig(cube("torus", {4}, kind));
  const tsuji::test::ScriptedRouting circling(*rig.plan.routing,
                                              [](const routing::RouteQuery&, routing::RouteSet& candidates) {
                                                candidates.clear();
                                                candidates.add(graph::CubeShape::up_port(0), 0xF);
                                              });
  rig.route_by(circling);
  rig.build(std::vector<VcRig::Send>{{0, 2, 1, 1}});
  CHECK_THROWS_WITH(rig.run_until_idle(5000),
                    Catch::Contains("has made " + std::to_string(most_hops + 1) + " hops") &&
                        Catch::Contains("of at most " + std::to_string(most_hops)));
}

/// Runs all networks until nothing is left. All share the kernel.
void drain(const Rigs& rigs) {
  for (const auto& rig : rigs) {
    REQUIRE(rig->run_until_idle(60'000));
    rig->loaded->check_conservation();
    REQUIRE(rig->loaded->network().flits_in_flight() == 0);
    REQUIRE(rig->delivered.size() == rig->loaded->accounts().packets_born());
    REQUIRE(rig->by_packet().size() == rig->delivered.size());
  }
}

}  // namespace

TEST_CASE("Valiant: an uncontended packet takes the cycles of two shortest routes, to the cycle") {
  NetworkConfig config = cube("mesh", {5, 4}, "valiant", 2);
  config.link_latency_cycles = 3;
  VcNetworkConfig& n = config.network;
  n.buffer_flits = 64;
  n.inject_latency_cycles = 2;
  n.eject_latency_cycles = 5;
  n.rc_cycles = 2;
  n.router.va_cycles = 1;
  n.router.sa_cycles = 2;
  n.router.st_cycles = 1;
  constexpr unsigned flits = 3;
  std::vector<VcRig::Send> sends;
  for (NodeId from = 0; from < 20; ++from)
    for (unsigned serial = 0; serial < 6; ++serial)
      sends.push_back({from, (from + 7 * serial) % 20, 1 + 300 * sends.size(), flits});
  VcRig rig(config);
  rig.build(sends);
  REQUIRE(rig.run_until_idle(50'000));
  REQUIRE(rig.delivered.size() == sends.size());
  const auto apart = [](unsigned a, unsigned b) {
    const auto between = [](unsigned x, unsigned y) { return x < y ? y - x : x - y; };
    return between(a % 5, b % 5) + between(a / 5, b / 5);
  };
  unsigned longer = 0;
  for (const observe::DeliveredPacket& packet : rig.delivered) {
    const auto middle = static_cast<unsigned>(CounterRandom(1, packet.id).bits(0) % 20);
    const NodeId from = packet.source.node(), to = packet.destination.node();
    const unsigned links = apart(from, middle) + apart(middle, to);
    CAPTURE(from, middle, to);
    CHECK(packet.hops == links + 1);
    CHECK(packet.tail_cycle - packet.created == (links + 1) * (2 + 1 + 2 + 1) + links * 3 + 2 + 5 + flits);
    if (links > apart(from, to)) ++longer;
  }
  CHECK(longer > 60);
}

TEST_CASE("livelock: a routing that goes in circles stops the run: Valiant") {
  require_bound("valiant", 4);
}

TEST_CASE("livelock: a routing that goes in circles stops the run: UGAL") {
  require_bound("ugal", 4);
}

TEST_CASE("livelock: a routing that goes in circles stops the run: UGAL-G") {
  require_bound("ugal_g", 4);
}

TEST_CASE("livelock: a routing that goes in circles stops the run: polarized") {
  require_bound("polarized", 4);  // as many classes as virtual channels
}

TEST_CASE("with an intermediate router every packet arrives, also above saturation") {
  std::vector<NetworkConfig> configs;
  for (const char* kind : {"valiant", "ugal"}) {
    configs.push_back(cube("mesh", {4, 4}, kind, 2));
    configs.push_back(cube("torus", {4, 5}, kind, 4));
    configs.push_back(cube("mesh", {4, 4}, kind, 3));
    configs.back().network.buffer_flits = 2;
    configs.push_back(cube("mesh", {4, 4}, kind, 3));
    configs.back().network.router.switching = router::Switching::virtual_cut_through;
    configs.back().network.router.route_at = router::RouteAt::arrival;
  }
  Rigs rigs;
  add_rigs(rigs, configs, load(0.9, 5, 600));
  drain(rigs);
  for (const auto& rig : rigs) CHECK(rig->delivered.size() > 1500);
}

TEST_CASE("UGAL carries a load that saturates the minimal paths, and takes detours only then") {
  const std::vector<NetworkConfig> configs{cube("mesh", {8, 8}, "dimension_order"),
                                           cube("mesh", {8, 8}, "ugal"), cube("mesh", {8, 8}, "valiant")};
  enum : std::uint8_t { direct, ugal, valiant, routings };
  Rigs rigs;
  add_rigs(rigs, configs, pattern("transpose", 0.2, 4000));
  add_rigs(rigs, configs, pattern("uniform", 0.02, 6000));
  add_rigs(rigs, configs, pattern("uniform", 0.2, 3000));
  drain(rigs);
  std::vector<double> latency, hops;
  for (const auto& rig : rigs) {
    latency.push_back(mean_latency(*rig));
    hops.push_back(mean_hops(*rig));
  }
  CAPTURE(latency, hops);
  // Under dimension order the transpose puts the packets of seven nodes on one link.
  CHECK(latency[direct] > 300);
  CHECK(latency[ugal] < 100);
  CHECK(hops[ugal] > 1.05 * hops[direct]);
  CHECK(hops[ugal] < 0.9 * hops[valiant]);
  // Uniform traffic needs no detours.
  const std::size_t low = routings, high = 2 * routings;
  CHECK(latency[low + ugal] < 1.01 * latency[low + direct]);
  CHECK(latency[low + valiant] > 1.5 * latency[low + direct]);
  CHECK(latency[high + ugal] < 1.05 * latency[high + direct]);
  CHECK(latency[high + valiant] > 1.5 * latency[high + direct]);
}

TEST_CASE("UGAL decides alike under both drivers, and in any order of modules") {
  const auto play = [](const RunOrder& order, bool full) {
    VcRig rig(in_order(cube("torus", {4, 4}, "ugal"), order));
    rig.run_ahead(order.ahead);
    if (full) {
      rig.parts->custom.router_kind = rig.config.network.router_kinds.make("vc", rig.config.network.router);
      rig.parts->custom.router_kind.make =
          [&rig](graph::RouterId id, const std::vector<router::RouterPort>& ports,
                 const router::RouterParts& parts) -> ArenaPtr<router::FlitRouter> {
        return make_in<router::FullVcRouter>(*parts.arena, rig.config.network.router, id, ports, parts);
      };
    }
    rig.build(pattern("tornado", 0.6, 600));
    if ((rig.loaded->group_cycles() > 1) != order.ahead) return std::string("windows");
    if (!rig.run_until_idle(30'000)) return std::string("not idle");
    std::ostringstream out;
    for (const auto& [id, p] : rig.by_packet())
      out << id << ' ' << p.hops << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
    return out.str();
  };
  const std::string expected = tsuji::test::forked([&] { return play(run_orders[0], true); });
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 1000);
  for (const RunOrder& order : run_orders)
    CHECK(tsuji::test::forked([&] { return play(order, false); }) == expected);
}
