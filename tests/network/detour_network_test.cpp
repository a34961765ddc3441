// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

#include "network/detour_rig.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/instruments/recovery_metrics.h"
#include "tsuji/network/deadlock_scan.h"

// Detour-UD in a network (Yoshinaga 2004): every message arrives, in any order of modules and for any faults;
// without a timeout the same load deadlocks.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;

TEST_CASE("detour network: one adaptive and one recovery channel deliver every message of a burst") {
  using router::Switching;
  const DetourCase cases[] = {
      {{4, 4}, "torus", 1},
      {{4, 4}, "torus", 16},
      {{5, 5}, "torus", 40},
      {{4, 4}, "torus", 16, 3, 0},
      {{5, 5}, "torus", 16, 2, 3},
      {{5, 5}, "torus", 40, 1, 4},
      {{3, 3, 3}, "torus", 16, 4, 3},
      {{2, 2, 2}, "torus", 16, 1, 1},
      {{4, 4}, "mesh", 16, 2, 1},
      {{7}, "torus", 16, 1, 0},
      {{5, 5}, "torus", 8, 2, 2, Switching::virtual_cut_through},
      {{5, 5}, "torus", 8, 2, 2, Switching::store_and_forward},
  };
  std::vector<std::unique_ptr<DetourRig>> rigs;
  std::uint64_t seed = 0;
  for (const DetourCase& one : cases) {
    rigs.push_back(std::make_unique<DetourRig>(one, ++seed));
    rigs.back()->burst(60, seed);
    rigs.back()->build();
  }
  std::uint64_t recoveries = 0;
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    DetourRig& one = *rigs[r];
    CAPTURE(r);
    REQUIRE(one.rig.run_until_idle(200'000));
    CHECK(one.rig.by_packet().size() == one.list.size());
    CHECK(one.rig.delivered.size() == one.list.size());
    CHECK(one.rig.loaded->accounts().packets_under_way() == 0);
    one.rig.loaded->check_conservation();
    recoveries += one.counters().recoveries;
  }
  CHECK(recoveries > 100);
}

TEST_CASE("detour network: without a timeout the same bursts deadlock, and the run reports it") {
  DetourCase stuck{{10, 10}, "torus", 16};
  stuck.timeout_cycles = 60'000;
  DetourRig one(stuck, 1);
  one.burst(20, 1);
  one.build();
  CHECK_THROWS_WITH(one.rig.run_until_idle(200'000),
                    Catch::Contains("no flit has moved for 2000 cycles\ndeadlock: ") &&
                        Catch::Contains(" packets wait only for each other, since cycle "));
}

TEST_CASE(
    "deadlock scan: deadlocked packets never move again, and at a standstill all packets are deadlocked") {
  using Place = std::tuple<graph::RouterId, unsigned, unsigned>;
  struct Found {
    PacketIndex packet;
    Cycle since;
  };
  DetourCase stuck{{6, 6}, "torus", 16};
  stuck.timeout_cycles = 60'000;
  DetourRig one(stuck, 1);
  one.burst(60, 1);
  one.build();
  const VcNetwork& network = one.rig.loaded->network();
  const auto each_place = [&](const auto& visit) {
    for (graph::RouterId id = 0; id < network.routers(); ++id)
      for (unsigned port = 0; port < network.router(id).ports(); ++port)
        for (unsigned vc = 0; vc < network.router(id).vcs(port); ++vc)
          visit(VcNetwork::InputPlace{{id, port}, vc}, network.router(id).view(port, vc));
  };
  std::map<Place, Found> found;
  unsigned clear = 0, first_packets = 0;
  try {
    for (Cycle now = 20;; now += 20) {
      one.rig.loaded->run_to(now);
      const DeadlockScan scan(network, one.rig.loaded->pool());
      clear += scan.knots().empty() ? 1 : 0;
      CHECK((scan.stuck() == 0) == scan.knots().empty());
      if (first_packets == 0 && !scan.knots().empty()) first_packets = scan.knots()[0].packets;
      each_place([&](const VcNetwork::InputPlace& place, const router::VcView& view) {
        if (scan.is_stuck(place))
          found.insert({{place.port.router, place.port.port, place.vc}, {view.packet, view.blocked_since}});
      });
    }
  } catch (const ModelError& error) {
    CHECK_THAT(error.what(), Catch::Contains("packets wait only for each other, since cycle"));
  }
  CHECK(clear > 5);  // the network moves for a while before it blocks
  CHECK(first_packets >= 3);
  const DeadlockScan last(network, one.rig.loaded->pool());
  REQUIRE_FALSE(last.knots().empty());
  each_place([&](const VcNetwork::InputPlace& place, const router::VcView& view) {
    if (view.state != router::VcState::idle) CHECK(last.is_stuck(place));
    const auto early = found.find({place.port.router, place.port.port, place.vc});
    if (early == found.end()) return;
    CHECK(view.packet == early->second.packet);
    CHECK(view.blocked_since == early->second.since);
  });
  CHECK(found.size() > 20);
}

TEST_CASE("detour network: neither the order of modules nor a probe changes any message's cycles") {
  const DetourCase one{{6, 6}, "torus", 24, 1, 1, router::Switching::wormhole, 40};
  std::vector<std::unique_ptr<DetourRig>> rigs;
  for (const RunOrder& order : run_orders) {
    rigs.push_back(std::make_unique<DetourRig>(one, 3, order));
    rigs.back()->burst(30, 3);
    rigs.back()->build();
  }
  PacketLedger ledger(rigs[0]->rig.loaded->network(), rigs[0]->rig.loaded->pool());
  for (auto& rig : rigs) REQUIRE(rig->rig.run_until_idle(200'000));
  Cycle longest_wait = 0;
  for (const observe::DeliveredPacket& packet : rigs[0]->rig.delivered) {
    const std::vector<Cycle> parts = ledger.take(packet);
    REQUIRE(std::accumulate(parts.begin(), parts.end(), Cycle{0}) == packet.tail_cycle - packet.created);
    longest_wait = std::max(longest_wait, parts[5]);
  }
  REQUIRE(ledger.part_names()[5] == "wait_vc");
  CHECK(longest_wait >= one.timeout_cycles);
  const auto first = rigs[0]->rig.by_packet();
  CHECK(rigs[0]->counters().recoveries > 10);
  const auto recovered =
      std::count_if(rigs[0]->rig.delivered.begin(), rigs[0]->rig.delivered.end(),
                    [](const observe::DeliveredPacket& packet) { return packet.recovered; });
  for (auto& rig : rigs) {
    CHECK(rig->counters().recoveries == rigs[0]->counters().recoveries);
    CHECK(rig->counters().recoveries == static_cast<std::uint64_t>(recovered));
    for (const auto& [id, packet] : rig->rig.by_packet()) {
      REQUIRE(packet.tail_cycle == first.at(id).tail_cycle);
      REQUIRE(packet.hops == first.at(id).hops);
    }
  }
}

TEST_CASE(
    "detour network: recoveries, reads and their waits are metrics, and so is the share of measured "
    "messages") {
  DetourCase one{{6, 6}, "torus", 24, 1, 1, router::Switching::wormhole, 40};
  one.hop_limit = 5;
  DetourRig detour(one, 3);
  detour.burst(30, 3);
  observe::MeasureConfig measure;
  measure.warmup_cycles = 0;
  measure.cycles = 1000;
  measure.drain_cycles = 100'000;
  observe::LoadMeasurement measurement(measure, detour.rig.plan.topology.nodes());
  detour.rig.parts->measurement = &measurement;
  detour.build();
  REQUIRE(detour.rig.run_until_idle(200'000));
  measurement.flits_ejected(detour.rig.loaded->accounts().flits_ejected_in_window());
  measurement.close(detour.rig.loaded->now());
  observe::Results results("detour_network_test", "", 1);
  add_recovery(results, detour.rig.loaded->network());
  add_recovered(results, measurement);
  const auto metric = [&](const char* name) { return results.value(name).number(); };
  const router::RouterCounters counters = detour.counters();
  CHECK(counters.recoveries_by_hops > 0);
  CHECK(metric("recoveries_by_timeout") == counters.recoveries);
  CHECK(metric("recoveries_by_hops") == counters.recoveries_by_hops);
  const auto recovered = counters.recoveries + counters.recoveries_by_hops;
  CHECK(metric("measured_packets_recovered") == recovered);
  CHECK(metric("measured_recovered_share") ==
        Approx(static_cast<double>(recovered) / static_cast<double>(detour.list.size())));
  const TableCounters tables = detour.rig.loaded->network().table_counters();
  CHECK(tables.wait_cycles > 0);
  CHECK(metric("table_reads") == tables.reads);
  CHECK(metric("table_wait_cycles_mean") ==
        Approx(static_cast<double>(tables.wait_cycles) / static_cast<double>(tables.reads)));
}

TEST_CASE("detour network: a message alone takes 5 cycles a hop, and 5 more where tables are read") {
  // Every router is in the region of the dead link.
  std::vector<std::unique_ptr<DetourRig>> rigs;
  for (const unsigned dead_links : {0U, 1U}) {
    DetourCase one{{5, 4}, "torus", 3, dead_links, 0};
    one.vcs = 4;
    rigs.push_back(std::make_unique<DetourRig>(one, 7, RunOrder{}, 9));
    DetourRig& detour = *rigs.back();
    Cycle created = 10;
    for (const NodeId source : detour.living) {
      for (const NodeId destination : detour.living) {
        detour.list.push_back({source, destination, created, one.flits});
        created += 150;
      }
    }
    detour.build();
  }
  for (const unsigned dead_links : {0U, 1U}) {
    DetourRig& detour = *rigs[dead_links];
    REQUIRE(detour.rig.run_until_idle(100'000));
    REQUIRE(detour.rig.delivered.size() == detour.list.size());
    for (const observe::DeliveredPacket& packet : detour.rig.delivered) {
      // H routers of 4 cycles, H + 1 links of 1, and the flits after the head.
      const Cycle bare = 4 * packet.hops + (packet.hops - 1) + 2 + detour.flits;
      const Cycle reads = dead_links == 0 ? 0 : 5 * (packet.hops - 1);
      CHECK(packet.tail_cycle - packet.created == bare + reads);
    }
    CHECK(detour.counters().recoveries == 0);
    std::uint64_t hops = 0;
    for (const observe::DeliveredPacket& packet : detour.rig.delivered) hops += packet.hops - 1;
    CHECK(detour.rig.loaded->network().table_counters().reads == (dead_links == 0 ? 0 : hops));
    CHECK(detour.rig.loaded->network().table_counters().wait_cycles == 0);
  }
}
