// SPDX-License-Identifier: Apache-2.0

#include "support/catch.h"
#include "support/network_bench.h"

using namespace tsuji;
using namespace tsuji::test;
using traffic::Emission;

namespace {

Emission single(Cycle created, NodeId destination, unsigned payload_bytes) {
  Emission e;
  e.created = created;
  e.destination = destination;
  e.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
  e.flits = static_cast<std::uint16_t>(7 + 3 * payload_bytes / 8);
  return e;
}

Emission to_map(PacketKind kind, Cycle created, std::uint64_t map, unsigned payload_bytes) {
  Emission e = single(created, 0, payload_bytes);
  e.kind = kind;
  e.map = map;
  e.flits = static_cast<std::uint16_t>(10 + 3 * payload_bytes / 8);
  return e;
}

NetworkBench::Options options(unsigned nodes, unsigned stages, crosspoint::SwitchMode mode) {
  NetworkBench::Options o;
  o.network.topology.nodes = nodes;
  o.network.topology.stages = stages;
  o.network.crosspoint.mode = mode;
  return o;
}

void one_switch_takes(Emission emission, crosspoint::SwitchMode mode, Cycle cycles) {
  // One 4x4 switch: the head is at the switch's input one cycle after it left the node.
  NetworkBench bench(options(4, 1, mode), from({{1, {emission}}}));
  bench.run();
  REQUIRE_FALSE(bench.arrivals.empty());
  for (const Arrival& arrival : bench.arrivals) {
    const Cycle at_switch = arrival.injected + 1;
    CHECK(arrival.head - at_switch == cycles);
    CHECK(bench.domain.period().ns(arrival.head - at_switch) == Approx(static_cast<double>(cycles) * 12.5));
  }
  CHECK(bench.conserved());
}

}  // namespace

// Kanoh 2000, section 3: 125, 187.5 and 200 ns at 80 MHz.
TEST_CASE("single cast: 10 cycles, 125 ns", "[cenju4.switch]") {
  one_switch_takes(single(5, 2, 256), crosspoint::SwitchMode::event_per_packet, 10);
}
TEST_CASE("single cast, flit by flit: 10 cycles", "[cenju4.switch]") {
  one_switch_takes(single(5, 2, 256), crosspoint::SwitchMode::flit_by_flit, 10);
}
TEST_CASE("multicast: 15 cycles, 187.5 ns, to every branch", "[cenju4.switch]") {
  one_switch_takes(to_map(PacketKind::multicast, 5, 0b1101, 64), crosspoint::SwitchMode::event_per_packet,
                   15);
}
TEST_CASE("multicast, flit by flit: 15 cycles", "[cenju4.switch]") {
  one_switch_takes(to_map(PacketKind::multicast, 5, 0b1101, 64), crosspoint::SwitchMode::flit_by_flit, 15);
}
TEST_CASE("synchronization alone at its table: 16 cycles, 200 ns", "[cenju4.switch]") {
  one_switch_takes(to_map(PacketKind::synchronization, 5, 0b0010, 0),
                   crosspoint::SwitchMode::event_per_packet, 16);
}
TEST_CASE("synchronization, flit by flit: 16 cycles", "[cenju4.switch]") {
  one_switch_takes(to_map(PacketKind::synchronization, 5, 0b0010, 0), crosspoint::SwitchMode::flit_by_flit,
                   16);
}

namespace {

/// Plays a switch with the shortest allowed times.
void shortest(Emission emission, crosspoint::SwitchMode mode, Cycle cycles) {
  // All flits are here one cycle after the head, when the table reads.
  if (emission.kind == PacketKind::synchronization) emission.flits = 2;
  auto o = options(4, 1, mode);
  o.network.crosspoint.single_cast_cycles = 2;
  o.network.crosspoint.multicast_cycles = 2;
  o.network.crosspoint.table_access_cycles = 3;
  o.network.crosspoint.synchronization_cycles = 5;
  NetworkBench bench(o, from({{1, {emission}}}));
  bench.run();
  REQUIRE_FALSE(bench.arrivals.empty());
  for (const Arrival& arrival : bench.arrivals) CHECK(arrival.head - (arrival.injected + 1) == cycles);
  CHECK(bench.conserved());
}

}  // namespace

TEST_CASE("the shortest synchronization: its table's access and two cycles") {
  shortest(to_map(PacketKind::synchronization, 5, 0b0010, 0), crosspoint::SwitchMode::event_per_packet, 5);
}
TEST_CASE("the shortest synchronization, flit by flit") {
  shortest(to_map(PacketKind::synchronization, 5, 0b0010, 0), crosspoint::SwitchMode::flit_by_flit, 5);
}
TEST_CASE("the shortest multicast: two cycles") {
  shortest(to_map(PacketKind::multicast, 5, 0b1101, 64), crosspoint::SwitchMode::event_per_packet, 2);
}
TEST_CASE("the shortest single cast, flit by flit: two cycles") {
  shortest(single(5, 2, 256), crosspoint::SwitchMode::flit_by_flit, 2);
}

TEST_CASE("four synchronizations at once wait for the table: a = 0, 2, 4, 6 cycles", "[cenju4.switch]") {
  std::map<NodeId, std::vector<Emission>> all;
  for (NodeId node = 0; node < 4; ++node) all[node] = {to_map(PacketKind::synchronization, 5, 0b1111, 0)};
  NetworkBench bench(options(4, 1, crosspoint::SwitchMode::event_per_packet), from(all));
  bench.run();
  REQUIRE(bench.arrivals.size() == 4);
  for (const Arrival& arrival : bench.arrivals) CHECK(arrival.head - (5 + 1) == 16 + 6);
}

TEST_CASE("the head crosses H switches in 10 H cycles, for any packet length") {
  // 4 stages for 32 nodes, as in the paper's section 6: one redundant stage and three that route.
  NetworkBench bench(options(32, 0, crosspoint::SwitchMode::event_per_packet),
                     from({{3, {single(10, 29, 0), single(1000, 3, 8), single(2000, 16, 256)}}}));
  bench.run();
  REQUIRE(bench.network.topology().stages() == 4);
  REQUIRE(bench.arrivals.size() == 3);
  for (const Arrival& arrival : bench.sorted()) {
    CHECK(arrival.hops == 4);
    CHECK(arrival.head - arrival.injected == 1 + 4 * 10);
  }
}

TEST_CASE("one flow through single-packet FIFOs: a packet of F flits in F + 12 cycles") {
  // rooms/crosspoint.md, Where the paper is silent, 1.
  auto o = options(16, 0, crosspoint::SwitchMode::event_per_packet);
  o.network.crosspoint.fifo_packets = 1;
  const Emission packet = single(0, 2, 256);
  NetworkBench bench(o, from({{1, std::vector<Emission>(20, packet)}}));
  bench.run();
  const auto arrivals = bench.sorted();
  REQUIRE(arrivals.size() == 20);
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    CHECK(arrivals[i].head - arrivals[i - 1].head == packet.flits + 12U);
}

TEST_CASE("with the default FIFOs, of two packets, one flow fills the link") {
  auto o = options(16, 0, crosspoint::SwitchMode::event_per_packet);
  std::vector<Emission> flow(20, single(0, 2, 256));
  NetworkBench bench(o, from({{1, flow}}));
  bench.run();
  const auto arrivals = bench.sorted();
  REQUIRE(arrivals.size() == 20);
  for (std::size_t i = 2; i < arrivals.size(); ++i) CHECK(arrivals[i].head - arrivals[i - 1].head == 103);
}

TEST_CASE("a longer cable adds its cycles on every channel") {
  auto o = options(64, 0, crosspoint::SwitchMode::event_per_packet);
  o.network.cable_cycles = 3;
  NetworkBench bench(o, from({{0, {single(10, 63, 8)}}}));
  bench.run();
  REQUIRE(bench.arrivals.size() == 1);
  CHECK(bench.arrivals[0].head - bench.arrivals[0].injected == 1 + 3 + 4 * (10 + 3));
}

namespace {

/// A flow of one length through networks of all depths of FIFOs, side by side on separate clocks.
struct Flow : sc_core::sc_module {
  unsigned flits, depth;
  Cycle latency;
  bool wire;
  NetworkBench bench;

  static NetworkBench::Options options_of(unsigned depth, unsigned cable, bool wire,
                                          crosspoint::SwitchMode mode) {
    auto o = options(16, 0, mode);
    o.network.crosspoint.fifo_packets = depth;
    o.network.cable_cycles = cable;
    o.network.room_signal = wire ? RoomSignal::wire : RoomSignal::credits;
    o.sink.fifo_packets = 4;
    return o;
  }
  static std::vector<Emission> packets(unsigned flits) {
    Emission e = single(0, 2, 0);
    e.flits = static_cast<std::uint16_t>(flits);
    return std::vector<Emission>(60, e);
  }
  Flow(sc_core::sc_module_name n, unsigned flits_each, unsigned fifo_packets, unsigned cable, bool level_wire,
       crosspoint::SwitchMode mode)
      : sc_module(n),
        flits(flits_each),
        depth(fifo_packets),
        latency(1 + cable),
        wire(level_wire),
        bench(options_of(fifo_packets, cable, level_wire, mode), from({{1, packets(flits_each)}})) {}

  void check() const {
    CAPTURE(flits, depth, latency, wire);
    const Cycle apart = wire ? std::max<Cycle>(flits, 2 * latency + 1) : flits;
    const Cycle as_many = std::max(depth * apart, flits + 10 + 2 * latency);
    const auto arrivals = bench.sorted();
    REQUIRE(arrivals.size() == 60);
    bool as_bound = true;
    for (std::size_t i = 20; i + depth < 60; ++i)
      as_bound = as_bound && arrivals[i + depth].head - arrivals[i].head == as_many;
    CHECK(as_bound);
  }
};

void flows(crosspoint::SwitchMode mode) {
  std::vector<std::unique_ptr<Flow>> all;
  for (const unsigned flits : {7U, 10U, 103U}) {
    for (unsigned depth = 1; depth <= 4; ++depth) {
      for (const unsigned cable : {0U, 2U, 3U, 6U}) {
        for (const bool wire : {true, false})
          all.push_back(std::make_unique<Flow>(("flow" + std::to_string(all.size())).c_str(), flits, depth,
                                               cable, wire, mode));
      }
    }
  }
  sc_core::sc_start();
  for (const auto& flow : all) {
    flow->bench.domain.rethrow_failure();
    flow->check();
  }
}

}  // namespace

// rooms/crosspoint.md, Cycle by cycle.
TEST_CASE("one flow: a packet in the larger of F and (F + 12) / D cycles, longer with cables") {
  flows(crosspoint::SwitchMode::event_per_packet);
}
TEST_CASE("one flow, flit by flit: a packet in the larger of F and (F + 12) / D cycles, longer with cables") {
  flows(crosspoint::SwitchMode::flit_by_flit);
}
