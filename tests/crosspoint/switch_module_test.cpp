// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/switch_module.h"

#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.h"
#include "support/forked.h"
#include "support/network_bench.h"
#include "tsuji/core/error.h"
#include "tsuji/crosspoint/crosspoint_switch.h"

using namespace tsuji;
using namespace tsuji::test;
using crosspoint::CrosspointConfig;
using crosspoint::SwitchKind;
using traffic::Emission;

namespace {

Emission packet(PacketKind kind, Cycle created, NodeId destination, std::uint64_t map = 0) {
  Emission e;
  e.kind = kind;
  e.created = created;
  e.destination = destination;
  e.map = map;
  e.flits = kind == PacketKind::single_cast ? 7 : 10;
  return e;
}

NetworkBench::Options options(unsigned nodes, SwitchKind kind = {}) {
  NetworkBench::Options o;
  o.network.topology.nodes = nodes;
  o.switch_kind = std::move(kind);
  return o;
}

SwitchKind able_to(bool multicast, bool synchronize) {
  SwitchKind kind = crosspoint::crosspoint_switch({});
  kind.name = "some switch";
  kind.multicasts = multicast;
  kind.synchronizes = synchronize;
  return kind;
}

std::map<NodeId, std::vector<Emission>> crowded() {
  CounterRandom random(6, 1);
  std::map<NodeId, std::vector<Emission>> all;
  for (NodeId node = 0; node < 16; ++node) {
    Cycle at = 0;
    for (unsigned i = 0; i < 60; ++i) {
      at += random.below(20);
      all[node].push_back(
          packet(PacketKind::single_cast, at, static_cast<NodeId>(random.below(2) * random.below(16))));
    }
  }
  return all;
}

/// Arrivals as text, from a separate process.
std::string arrivals_with(const SwitchKind& kind, const std::map<NodeId, std::vector<Emission>>& emissions) {
  return forked([&] {
    NetworkBench bench(options(16, kind), from(emissions));
    bench.run();
    std::string text;
    for (const Arrival& one : bench.sorted())
      text += packet_name(one.id) + "@" + std::to_string(one.head) + " ";
    return text;
  });
}

}  // namespace

TEST_CASE("a kind of switch refuses packets that it does not support, with its name, and no others") {
  for (const bool multicast : {false, true}) {
    for (const bool synchronize : {false, true}) {
      CAPTURE(multicast, synchronize);
      const SwitchKind kind = able_to(multicast, synchronize);
      const auto play = [&](PacketKind of) {
        return arrivals_with(kind, {{3, {packet(of, 5, 2, 1U << 3)}}});
      };
      const std::string where = "exception: network.switch0_3, cycle 15, packet 3.0: a some switch cannot ";
      CHECK(play(PacketKind::single_cast) == "3.0@26 ");
      CHECK(play(PacketKind::multicast) == (multicast ? "3.0@36 " : where + "multicast"));
      CHECK(play(PacketKind::synchronization) == (synchronize ? "3.0@38 " : where + "synchronize"));
    }
  }
}

TEST_CASE("channels with an adapter: the same packets in the same cycles") {
  const std::string direct = arrivals_with({}, crowded());
  CHECK(std::count(direct.begin(), direct.end(), ' ') == 16 * 60);
  // A kind that does not accept all packets has an adapter at each input.
  const bool same = arrivals_with(able_to(false, true), crowded()) == direct;
  CHECK(same);
}

TEST_CASE("a crosspoint switch multicasts, synchronizes and reports synchronizations") {
  const SwitchKind kind = crosspoint::crosspoint_switch({});
  CHECK(kind.multicasts);
  CHECK(kind.synchronizes);
  CHECK(kind.tells_synchronizations);
  const SwitchKind other;
  CHECK_FALSE(other.multicasts);
  CHECK_FALSE(other.synchronizes);
  CHECK_FALSE(other.tells_synchronizations);
  CrosspointConfig config;
  config.fifo_packets = 5;
  CHECK_THROWS_AS(crosspoint::crosspoint_switch(config), ConfigError);
}

namespace {

struct Told final : crosspoint::SyncProbe {
  void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                std::uint32_t owed) override {
    entries.emplace_back(at, sid, arrived, early, owed);
  }
  std::vector<std::tuple<Cycle, unsigned, std::uint32_t, std::uint32_t, std::uint32_t>> entries;
};

void told_of_a_barrier(crosspoint::SwitchMode mode) {
  NetworkBench::Options o = options(4);
  o.network.topology.stages = 1;
  o.network.crosspoint.mode = mode;
  NetworkBench bench(o, from({{1, {packet(PacketKind::synchronization, 5, 0, 0b0110)}},
                              {2, {packet(PacketKind::synchronization, 25, 0, 0b0110)}}}));
  Told told;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  bench.network.at(0, 0).set_sync_probe(&told);
  bench.run();
  REQUIRE(told.entries.size() == 4);
  // The heads reach the switch in 6 and 26; 13 cycles to the table, whose access takes 2
  // (rooms/crosspoint.md, Cycle by cycle).
  CHECK(told.entries[0] == std::make_tuple(Cycle{21}, 0U, 0b0010U, 0U, 0U));
  CHECK(told.entries[1] == std::make_tuple(Cycle{41}, 0U, 0U, 0U, 0b0110U));
  CHECK(told.entries[2] == std::make_tuple(Cycle{42}, 0U, 0U, 0U, 0b0100U));
  CHECK(told.entries[3] == std::make_tuple(Cycle{42}, 0U, 0U, 0U, 0U));
}

}  // namespace

TEST_CASE("a probe is notified of a barrier's entries and ends") {
  told_of_a_barrier(crosspoint::SwitchMode::event_per_packet);
}
TEST_CASE("a probe is notified of a barrier's entries and ends, flit by flit") {
  told_of_a_barrier(crosspoint::SwitchMode::flit_by_flit);
}

TEST_CASE("a switch that does not report its synchronizations refuses a probe") {
  const auto refusal = [](bool tells) {
    return forked([tells]() -> std::string {
      SwitchKind kind = able_to(true, true);
      kind.tells_synchronizations = tells;
      NetworkBench bench(options(4, kind), from({}));
      sc_core::sc_start(sc_core::SC_ZERO_TIME);
      Told told;
      bench.network.at(0, 0).set_sync_probe(&told);
      return "taken";
    });
  };
  CHECK(refusal(true) == "taken");
  CHECK_THAT(refusal(false),
             Catch::Contains("network.switch0_0: a some switch does not report its synchronizations"));
}

namespace {

void waiting_heads(crosspoint::SwitchMode mode) {
  NetworkBench::Options o = options(16);
  o.network.crosspoint.mode = mode;
  o.network.crosspoint.fifo_packets = 1;
  o.sink.stall_cycles = 100000;
  std::map<NodeId, std::vector<Emission>> all;
  for (const NodeId node : {1U, 2U}) all[node].assign(6, packet(PacketKind::single_cast, 5, 9));
  NetworkBench bench(o, from(all));
  sc_core::sc_start(bench.domain.time_of(2000));
  bench.domain.rethrow_failure();
  std::multiset<std::string> waiting;
  for (unsigned stage = 0; stage < bench.network.topology().stages(); ++stage) {
    for (unsigned index = 0; index < bench.network.topology().switches_per_stage(); ++index) {
      const crosspoint::SwitchModule& one = bench.network.at(stage, index);
      CHECK(one.ports() == 4);
      std::uint64_t heads = 0;
      one.packet_switch().visit_waiting([&](const crosspoint::WaitingPacket& packet) {
        ++heads;
        waiting.insert(std::to_string(stage) + ": " + packet.place + " " + packet_name(packet.packet) + " " +
                       packet.waits_for);
      });
      CHECK(heads == one.packet_switch().counters().held);  // FIFOs of one packet
    }
  }
  // Two packets are in the sink; the digits of node 9 in base 4 are 2 and 1.
  CHECK(waiting == std::multiset<std::string>{"0: FIFO (0, 2) 1.2 FIFOs of the next switch, port bits 2",
                                              "0: FIFO (0, 2) 2.2 FIFOs of the next switch, port bits 2",
                                              "1: FIFO (1, 1) 1.1 FIFOs of the next switch, port bits 1",
                                              "1: FIFO (2, 1) 2.1 FIFOs of the next switch, port bits 1"});
}

}  // namespace

TEST_CASE("waiting head packets are reported with their FIFO and their outputs") {
  waiting_heads(crosspoint::SwitchMode::event_per_packet);
}
TEST_CASE("waiting head packets are reported with their FIFO and their outputs, flit by flit") {
  waiting_heads(crosspoint::SwitchMode::flit_by_flit);
}
