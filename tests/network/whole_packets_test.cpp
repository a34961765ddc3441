// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "network/drawn_network.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/pick.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/router/allocators/kinds.h"

// Routers that handle packets instead of flits, as modules and in neighbourhoods: every packet, and every
// count in any cycle, is that of routers that handle flits.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::router::SwitchHold;
using tsuji::router::Switching;
using tsuji::test::pick;

namespace {

constexpr unsigned longest_packet = 5;

/// A network with drawn times, buffers, topologies and routings in which a packet fits into a buffer.
NetworkConfig network_of(std::uint64_t seed) {
  CounterRandom random(seed, 14);
  NetworkConfig config = drawn(seed);
  config.topology.of<graph::CubeConfig>().radices = {4, 3};
  config.link_latency_cycles = random.below(8) == 0 ? 70 : 1 + random.below(6);
  VcNetworkConfig& n = config.network;
  n.flit_cycles = 1;
  n.rc_cycles = random.below(4);
  n.buffer_flits = longest_packet + static_cast<unsigned>(random.below(8));
  n.router.va_cycles = 1 + random.below(3);
  n.router.switch_hold = SwitchHold::packet;
  n.router.switching = pick(random, {Switching::virtual_cut_through, Switching::store_and_forward});
  n.router.atomic_vcs = random.below(4) == 0;
  n.router.va_allocator = pick<std::string>(random, {"islip", "separable", "matrix"});
  n.router.selection = pick(random, {router::Selection::first, router::Selection::most_credits,
                                     router::Selection::round_robin, router::Selection::random});
  if (random.below(3) == 0) {
    config.topology.kind = "torus";
    n.vcs = 2 + static_cast<unsigned>(random.below(3));
  }
  if (random.below(3) == 0) {
    config.routing.kind = "duato";
    n.vcs = 3 + static_cast<unsigned>(random.below(2));
  }
  return config;
}

/// A network of network_of() whose routers may be in neighbourhoods, in more topologies and routings.
NetworkConfig dense_network_of(std::uint64_t seed) {
  CounterRandom random(seed, 26);
  NetworkConfig config = network_of(seed);
  VcNetworkConfig& n = config.network;
  n.router.va_allocator = "islip";
  n.router.switching = Switching::virtual_cut_through;
  n.credit_latency_cycles = random.below(3);
  n.credit_process_cycles = random.below(3);
  n.first_injection_vc = static_cast<unsigned>(random.below(2));
  if (random.below(4) == 0) n.node_vcs = 1 + static_cast<unsigned>(random.below(4));
  if (random.below(3) == 0) n.rc_cycles = n.router.va_cycles = 1;
  switch (random.below(5)) {
    case 0:
      config.topology.kind = "dragonfly";
      config.routing.kind = pick(random, {"minimal", "valiant"});
      n.vcs = 5;
      break;
    case 1:
      config.topology.kind = "fat_tree";
      config.routing.kind = "least_common_ancestor";
      break;
    case 2:
      config.topology.of<graph::CubeConfig>().radices = {9, 8};
      break;
    default:;
  }
  return config;
}

struct How {
  bool by_flit = false;
  RunOrder order = {};
  unsigned threads = 1;
  bool dense = false;       ///< a network of dense_network_of(), in neighbourhoods unless `by_flit`
  bool interrupts = false;  ///< the sources answer and listen, and the run ends before the network is empty
  bool by_credits = false;  ///< ByCredits
};

/// Dimension order, on one of two virtual channels at each router: by the credits of the cycle before and
/// those that come back in the cycle.
class ByCredits final : public routing::Routing, private routing::RouteDecisions {
 public:
  explicit ByCredits(const routing::Routing& ports) : ports_(ports) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    ports_.route(query, candidates);
    candidates.set_vcs(0, static_cast<routing::VcMask>(1U << query.decision));
  }
  routing::VcMask injection_vcs(End, End) const override { return 3; }
  unsigned vcs_needed() const override { return 2; }
  unsigned max_candidates() const override { return ports_.max_candidates(); }
  routing::RoutingPromises promises() const override { return ports_.promises(); }
  const routing::RouteDecisions* decisions() const override { return this; }

 private:
  routing::Decision decide(const routing::RouteQuery& query,
                           const routing::OutputBuffers& outputs) const override {
    routing::RouteSet candidates;
    ports_.route(query, candidates);
    const unsigned port = candidates.begin()->port;
    const auto of = [&](routing::VcMask vc) {
      return outputs.credits(port, vc) + 2 * outputs.returning(port, vc);
    };
    return of(1) < of(2) ? 1 : 0;
  }
  std::vector<Possible> possible(const routing::RouteQuery&) const override {
    return {{0, unknown_share}, {1, unknown_share}};
  }

  const routing::Routing& ports_;
};

std::string counts(const VcRig& rig) {
  observe::NetworkMetrics metrics;
  rig.loaded->accounts().add_counters(metrics);
  std::string text = std::to_string(metrics.packets_sent) + " " + std::to_string(metrics.flit_hops) + " " +
                     std::to_string(metrics.flits_in_flight_at_end) + " " +
                     std::to_string(rig.loaded->accounts().flits_ejected_in_window()) + " " +
                     std::to_string(rig.loaded->accounts().flits_sent()) + " " +
                     std::to_string(rig.loaded->accounts().packets_under_way()) + " " +
                     std::to_string(rig.loaded->accounts().packets_not_ended()) + ": ";
  rig.loaded->accounts().for_each_link(
      [&](const observe::LinkLoad& load) { text += std::to_string(load.flits) + " "; });
  return text + "; ";
}

/// Counts after some cycles that are drawn, and "PACKET injected head tail hops; " for each packet.
std::string deliveries(std::uint64_t seed, const How& how) {
  return tsuji::test::forked([=] {
    NetworkConfig config = how.dense ? dense_network_of(seed) : network_of(seed);
    if (how.by_credits) {
      config.topology.kind = "mesh";
      config.routing.kind = "dimension_order";
      config.network.vcs = 2;
    }
    VcRig rig(in_order(std::move(config), how.order));
    const ByCredits by_credits(*rig.plan.routing);
    if (how.by_credits) rig.route_by(by_credits);
    if (how.order.ahead || how.threads > 1) rig.run_ahead();
    rig.parts->threads = how.threads;
    rig.parts->flits_are_observed = how.by_flit;
    rig.parts->only_results = how.dense;
    TrafficConfig traffic = lengths(0.1 + 0.07 * static_cast<double>(seed % 10), 1500);
    if (how.interrupts) traffic.kind = "closed_loop";
    rig.build(traffic, seed);
    if (rig.loaded->network().is_dense() != (how.dense && !how.by_flit))
      throw std::logic_error("another driver");
    if (!rig.loaded->network().is_dense() &&
        rig.loaded->network().channels().front().channel->whole_packets() !=
            (!how.by_flit && !how.by_credits))
      throw std::logic_error("another driver");
    std::string text;
    CounterRandom random(seed, 15);
    bool windowed = false;
    for (Cycle stop = 50 + random.below(100); stop < 1500; stop += 1 + random.below(300)) {
      rig.loaded->run_to(stop);
      rig.loaded->check_conservation();
      text += counts(rig);
      if (!windowed) rig.loaded->accounts().set_window(stop + seed % 3, 900 + 3 * seed);
      windowed = true;
    }
    if (!how.interrupts) {
      if (!rig.run_until_idle(400'000)) throw std::logic_error("does not drain");
      if (rig.loaded->pool().in_use() != 0) throw std::logic_error("packets are left in the pool");
    }
    rig.loaded->check_conservation();
    for (const auto& [id, packet] : rig.by_packet())
      text += packet_name(id) + " " + std::to_string(packet.injected) + " " +
              std::to_string(packet.head_cycle) + " " + std::to_string(packet.tail_cycle) + " " +
              std::to_string(packet.hops) + "; ";
    return text + counts(rig);
  });
}

/// Where the texts begin to differ, with what comes before and after; empty: nowhere.
std::string difference(const std::string& one, const std::string& other) {
  const auto places = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  if (places.first == one.end() && places.second == other.end()) return "";
  const auto at = static_cast<std::size_t>(places.first - one.begin()),
             from = at - std::min<std::size_t>(at, 60);
  return one.substr(from, 120) + " | " + other.substr(from, 120);
}

void compare_dense(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    How how;
    how.dense = how.by_flit = true;
    how.interrupts = seed % 5 == 0;
    how.by_credits = seed % 7 == 0;
    const std::string expected = deliveries(seed, how);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 2000);
    how.by_flit = false;
    CHECK(difference(expected, deliveries(seed, how)) == "");
    if (how.by_credits) {
      How modules = how;
      modules.dense = false;
      CHECK(difference(deliveries(seed, {true, {}, 1, false, how.interrupts, true}),
                       deliveries(seed, modules)) == "");
    }
    how.order.ahead = true;
    how.threads = 1 + seed % 3;
    CHECK(difference(expected, deliveries(seed, how)) == "");
  }
}

void compare(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const std::string expected = deliveries(seed, {true});
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 5000);
    CHECK(difference(expected, deliveries(seed, {})) == "");
  }
}

}  // namespace

TEST_CASE("whole packets: packets and counts are those of flits") {
  compare(1, 60);
}

TEST_CASE("whole packets: packets and counts are those of flits in thousands of networks", "[.][long]") {
  compare(60, 3000);
}

TEST_CASE("whole packets: in neighbourhoods, packets and counts are those of flits") {
  compare_dense(1, 60);
}

TEST_CASE("whole packets: in neighbourhoods, packets and counts are those of flits in thousands of networks",
          "[.][long]") {
  compare_dense(60, 3000);
}

TEST_CASE("whole packets: however modules are run, and on several threads") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::string expected = deliveries(seed, {true});
    for (const RunOrder& order : run_orders) {
      CAPTURE(seed, order.shuffle_seed, order.ahead);
      CHECK(difference(expected, deliveries(seed, {false, order})) == "");
    }
    CAPTURE(seed);
    CHECK(difference(expected, deliveries(seed, {false, {}, 2})) == "");
  }
}

TEST_CASE("whole packets: where nothing sees or needs single flits") {
  const auto whole = [](const auto& change) {
    NetworkConfig config = torus(4);
    config.network.router.switching = Switching::virtual_cut_through;
    config.network.router.switch_hold = SwitchHold::packet;
    VcRig rig(config);
    change(*rig.parts, const_cast<NetworkConfig&>(rig.config));
    return rig.parts->passes_whole_packets();
  };
  const auto of_router = [&](const auto& change) {
    return whole([&](LoadedParts&, NetworkConfig& config) { change(config.network.router); });
  };
  CHECK(of_router([](router::VcRouterConfig&) {}));
  CHECK(of_router([](router::VcRouterConfig& r) { r.switching = Switching::store_and_forward; }));
  CHECK(of_router([](router::VcRouterConfig& r) { r.atomic_vcs = true; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.switching = Switching::wormhole; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.switch_hold = SwitchHold::flit; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.va_cycles = 0; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.input_speedup = 2; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.vc_change_cycles = 1; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.block_timeout_cycles = 9; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.hop_limit = 9; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.sa_allocator = "separable"; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.route_at = router::RouteAt::arrival; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.prediction.kind = "straight"; }));
  CHECK_FALSE(of_router(
      [](router::VcRouterConfig& r) { r.va_input_arbiter = router::VaInputArbiter::ports_and_vcs; }));
  CHECK_FALSE(of_router([](router::VcRouterConfig& r) { r.uturn_node = false; }));
  CHECK_FALSE(whole([](LoadedParts&, NetworkConfig& c) { c.network.flit_cycles = 2; }));
  CHECK_FALSE(whole([](LoadedParts&, NetworkConfig& c) { c.network.vcs = 13; }));
  CHECK_FALSE(whole([](LoadedParts&, NetworkConfig& c) { c.link_faults = "0@10"; }));
  CHECK_FALSE(whole([](LoadedParts&, NetworkConfig& c) { c.classify_timeouts = true; }));
  CHECK_FALSE(whole([](LoadedParts&, NetworkConfig& c) { c.network.errors.bit_error_rate = 1e-9; }));
  CHECK_FALSE(whole([](LoadedParts& parts, NetworkConfig&) { parts.flits_are_observed = true; }));
  CHECK_FALSE(whole([](LoadedParts& parts, NetworkConfig&) { parts.ports_wake_each_other = true; }));
  CHECK_FALSE(whole([](LoadedParts& parts, NetworkConfig&) {
    parts.make_control = [](graph::RouterId) { return nullptr; };
  }));
  CHECK_FALSE(whole([](LoadedParts& parts, NetworkConfig&) {
    parts.custom.over_pins.nodes = [](NodeId) { return false; };
  }));
}
