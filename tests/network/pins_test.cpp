// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/pick.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/instruments/packet_ledger.h"

// Links over pins: a network has the cycles of one whose links' ends share their rings.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using tsuji::test::pick;

namespace {

NetworkConfig draw(std::uint64_t seed) {
  CounterRandom random(seed, 6);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random.below(bound)); };
  const RoutedFabric fabric =
      pick<RoutedFabric>(random, {{"mesh", "dimension_order", 1},
                                  {"torus", "dimension_order", 2},
                                  {"torus", "duato", 3},
                                  {"fat_tree", "least_common_ancestor", 1},
                                  {"fly", "destination_digits", 1}});  // one-way links
  NetworkConfig config = network_on(fabric);
  config.topology.of<graph::CubeConfig>().radices = {4, 3};
  config.topology.of<graph::FatTreeConfig>().levels = 2;
  config.topology.of<graph::FlyConfig>().stages = 2;
  VcNetworkConfig& network = config.network;
  network.vcs = fabric.vcs + below(3);
  if (below(3) == 0) network.node_vcs = 1 + below(4);
  config.link_latency_cycles = below(3) == 0 ? 1 + below(70) : 1 + below(3);
  network.inject_latency_cycles = 1 + below(3);
  network.eject_latency_cycles = 1 + below(3);
  network.credit_latency_cycles = below(2) == 0 ? 0 : 1 + below(8);
  network.credit_process_cycles = below(3);
  if (below(4) == 0) network.flit_cycles = 2 + below(2);
  network.whole_flit = below(3) == 0;
  network.buffer_flits = 4 + below(5);
  router::VcRouterConfig& router = network.router;
  using router::Switching;
  router.switching =
      pick(random, {Switching::wormhole, Switching::virtual_cut_through, Switching::store_and_forward});
  router.atomic_vcs = std::string(fabric.routing) == "duato" || below(4) == 0;
  router.va_cycles = below(3);
  router.sa_cycles = 1 + below(2);
  router.st_cycles = below(2);
  router.des_cycles = below(2);
  router.ser_cycles = below(2);
  if (below(3) == 0) router.route_at = router::RouteAt::arrival;
  if (below(3) == 0) router.vc_change_cycles = 1;
  return config;
}

struct RunMode {
  const char* name;
  bool nodes = false;
  std::uint32_t link = ~0U;  ///< over pins; ~0: none, `all`: all of them
  ProcessMode processes = ProcessMode::one_for_all;
  std::uint64_t shuffle = 0;
  bool ledger = false;
  static constexpr std::uint32_t all = ~1U;
};

/// Returns every packet, with the parts of its latency, and the sums.
std::string play(std::uint64_t seed, const RunMode& mode) {
  NetworkConfig config = draw(seed);
  config.process_mode = mode.processes;
  config.shuffle_seed = mode.shuffle;
  VcRig rig(config);
  if (mode.link != ~0U)
    rig.parts->custom.over_pins.links = [&](std::uint32_t link) {
      return mode.link == RunMode::all || link == mode.link % rig.plan.topology.links().size();
    };
  if (mode.nodes) rig.parts->custom.over_pins.nodes = [](NodeId) { return true; };
  rig.run_ahead();
  TrafficConfig traffic = load(0.1 * static_cast<double>(1 + seed % 9), 1, 250);
  traffic.length = "range";
  traffic.lengths.of<workload::LengthRange>().largest_packet_flits = 4;
  rig.build(traffic, seed);
  std::unique_ptr<PacketLedger> ledger;
  if (mode.ledger) ledger = std::make_unique<PacketLedger>(rig.loaded->network(), rig.loaded->pool());
  std::ostringstream out;
  for (Cycle end = 50; end < 500; end += 50) {
    rig.loaded->run_to(end);
    rig.loaded->check_conservation();
    rig.loaded->accounts().for_each_link([&out](const observe::LinkLoad& link) { out << link.flits << ' '; });
    out << end << ": " << rig.loaded->network().flits_in_flight() << ' '
        << rig.loaded->accounts().packets_under_way() << '\n';
  }
  if (!rig.run_until_idle(60000)) return "not idle";
  rig.loaded->check_conservation();
  for (const auto& [id, p] : rig.by_packet()) {
    out << packet_name(id) << ' ' << p.created << ' ' << p.injected << ' ' << p.head_cycle << ' '
        << p.tail_cycle << ' ' << p.hops;
    if (ledger)
      for (const Cycle part : ledger->take(p)) out << ' ' << part;
    out << '\n';
  }
  out << rig.loaded->network().counters().flits << ' ' << rig.loaded->pool().in_use();
  return out.str();
}

}  // namespace

TEST_CASE("links over pins: every packet has the cycles of a network whose links' ends share a ring") {
  std::size_t packets = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    for (const bool ledger : {false, true}) {
      const auto run = [&](RunMode mode) {
        mode.ledger = ledger;
        return tsuji::test::forked([&] { return play(seed, mode); });
      };
      const std::string expected = run({"none"});
      REQUIRE(expected.rfind("exception: ", 0) != 0);
      packets += static_cast<std::size_t>(std::count(expected.begin(), expected.end(), '\n'));
      const auto link = static_cast<std::uint32_t>(seed * 7);
      std::vector<RunMode> modes = {{"all, with nodes", true, RunMode::all}};
      if (!ledger) {
        modes.push_back({"one", false, link});
        modes.push_back({"all", false, RunMode::all});
        modes.push_back({"a process for each", true, RunMode::all, ProcessMode::process_each});
        modes.push_back({"shuffled", true, RunMode::all, ProcessMode::one_for_all, 5});
      }
      for (const RunMode& mode : modes) {
        const std::string other = run(mode);
        CAPTURE(seed, ledger, mode.name);
        if (other != expected) {
          const auto at = std::mismatch(other.begin(), other.end(), expected.begin(), expected.end());
          const auto from = static_cast<std::size_t>(at.first - other.begin());
          FAIL_CHECK(other.substr(from > 60 ? from - 60 : 0, 200)
                     << "\nis to be\n"
                     << expected.substr(from > 60 ? from - 60 : 0, 200));
        }
      }
    }
  }
  CHECK(packets > 6000);
}

TEST_CASE("a network with pins refuses to run ahead and to purge") {
  NetworkConfig config = torus(8);
  const auto refused = [&config](const std::function<void(NetworkConfig&)>& change) {
    return tsuji::test::forked([&] {
      change(config);
      VcRig rig(config);
      rig.parts->custom.over_pins.links = [](std::uint32_t link) { return link == 5; };
      rig.build(load(0.1, 4, 100));
      return std::string("accepted");
    });
  };
  using Catch::Contains;
  CHECK_THAT(refused([](NetworkConfig& c) { c.link_faults = "3@20"; }),
             Contains("link.faults") && Contains("packets cannot be purged across pins"));
  CHECK_THAT(refused([](NetworkConfig& c) { c.network.router.uturn_node = false; }),
             Contains("routing.kind") && Contains("packets cannot be purged across pins"));
  CHECK_THAT(refused([](NetworkConfig& c) { c.network.errors.lane_faults = {5}; }),
             Contains("link.lane_faults") && Contains("links over pins have no lanes"));
  CHECK_THAT(refused([](NetworkConfig& c) { c.network.errors.lane_faults = {4}; }), Contains("accepted"));
  CHECK_THAT(refused([](NetworkConfig& c) { c.network.errors.bit_error_rate = 1e-6; }),
             Contains("link.bit_error_rate") && Contains("links over pins do not err"));
  CHECK_THAT(refused([](NetworkConfig&) {}), Contains("accepted"));

  VcRig direct(config);
  direct.run_ahead();
  direct.build(load(0.1, 4, 100));
  CHECK(direct.loaded->group_cycles() > 1);
  VcRig pins(config);
  pins.run_ahead();
  pins.parts->custom.over_pins.links = [](std::uint32_t link) { return link == 5; };
  pins.build(load(0.1, 4, 100));
  CHECK(pins.loaded->group_cycles() == 1);

  pins.loaded->run_to(40);
  // Between two tables a packet may have no route, and would be purged.
  CHECK_THROWS_WITH(pins.loaded->changes().exchange_routing(3, {pins.plan.routing.get(), 1}),
                    Contains("packets cannot be purged across pins"));
  CHECK_THROWS_AS(pins.loaded->network().purge(0, {{0, 0}, 0}, 39), ModelError);
}
