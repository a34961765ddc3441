// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "network/drawn_network.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/instruments/packet_ledger.h"

// Parts of packets' latencies in networks with random times.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;

namespace {

using Parts = std::map<std::string, Cycle>;

Parts parts_of(PacketLedger& ledger, const observe::DeliveredPacket& packet) {
  const std::vector<Cycle> parts = ledger.take(packet);
  Parts named;
  for (std::size_t p = 0; p < parts.size(); ++p) named[ledger.part_names().at(p)] = parts[p];
  return named;
}

}  // namespace

TEST_CASE("parts of a latency: wires, routers and flits by the configuration, and the rest is waiting") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::vector<std::unique_ptr<PacketLedger>> ledgers;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    NetworkConfig config = drawn(seed);
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(lengths(seed == 10 ? 0.001 : 0.3, seed == 10 ? 3000 : 200), seed);
    ledgers.push_back(
        std::make_unique<PacketLedger>(rigs.back()->loaded->network(), rigs.back()->loaded->pool()));
  }
  std::map<std::string, Cycle> waited;
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    REQUIRE(rigs[r]->run_until_idle(60000));
    const NetworkConfig& config = rigs[r]->config;
    const VcNetworkConfig& n = config.network;
    CHECK(rigs[r]->delivered.size() >= 5);
    for (const observe::DeliveredPacket& packet : rigs[r]->delivered) {
      CAPTURE(r, packet_name(packet.id));
      Parts parts = parts_of(*ledgers[r], packet);
      CHECK(parts.size() == 9);
      Cycle sum = 0;
      for (const auto& [name, cycles] : parts) sum += cycles;
      CHECK(sum == packet.tail_cycle - packet.created);
      CHECK(parts["source_queue"] == packet.injected - packet.created);
      const Cycle late = n.flit_cycles - 1;
      const Cycle words = n.whole_flit ? late : 0;
      CHECK(parts["link"] == n.inject_latency_cycles + n.eject_latency_cycles +
                                 (packet.hops - 1) * config.link_latency_cycles + (packet.hops + 1) * words);
      CHECK(parts["router"] ==
            packet.hops * (n.rc_cycles + n.router.va_cycles + n.router.sa_cycles + n.router.st_cycles +
                           n.router.des_cycles + n.router.ser_cycles));
      CHECK(parts["serialization"] ==
            (n.whole_flit ? 1 : n.flit_cycles) + (packet.flits - 1) * n.flit_cycles);
      for (const char* wait : {"wait_front", "wait_vc", "wait_credit", "wait_switch", "wait_body"}) {
        if (r + 1 == rigs.size() && std::string(wait) != "wait_body")
          CHECK(parts[wait] == 0);  // without other packets
        waited[wait] += parts[wait];
      }
      CHECK_THROWS_WITH(ledgers[r]->take(packet), Catch::Contains(packet_name(packet.id)) &&
                                                      Catch::Contains("its head was never seen"));
    }
  }
  for (const char* wait : {"wait_front", "wait_vc", "wait_credit", "wait_switch", "wait_body"}) {
    CAPTURE(wait);
    CHECK(waited[wait] > 20);
  }
}

TEST_CASE("negative parts of a latency stop the run, and a forgotten packet has none") {
  VcRig rig(drawn(1));
  rig.build({{0, 5, 10, 3}, {0, 5, 500, 3}});
  PacketLedger ledger(rig.loaded->network(), rig.loaded->pool());
  REQUIRE(rig.run_until_idle(60000));
  REQUIRE(rig.delivered.size() == 2);
  observe::DeliveredPacket early = rig.delivered[0];
  early.created = early.injected + 1;
  CHECK_THROWS_WITH(ledger.take(early), Catch::Contains("source_queue is negative"));
  ledger.forget(rig.delivered[1].id);
  CHECK_THROWS_WITH(ledger.take(rig.delivered[1]), Catch::Contains("its head was never seen"));
}
