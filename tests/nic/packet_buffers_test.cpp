// SPDX-License-Identifier: Apache-2.0
#include "tsuji/nic/sender/packet_buffers.h"

#include <array>
#include <optional>
#include <vector>

#include "support/catch.h"
#include "tsuji/nic/sender/header_registers.h"

using namespace tsuji;
using namespace tsuji::nic;

namespace {

/// A channel whose room signals a test sets.
struct Wires final : PacketOutIf {
  struct Sent {
    PacketId id;
    Cycle now;
    std::uint32_t ports;
    bool operator==(const Sent& o) const { return id == o.id && now == o.now && ports == o.ports; }
  };
  void send(Cycle now, PacketTransfer&& transfer) override {
    sent.push_back({transfer.packet->id, now, transfer.port_bits});
  }
  std::uint32_t room(Cycle) const override { return open; }
  Cycle room_at(unsigned fifo) const override { return rises[fifo]; }
  void watch_room(std::uint32_t fifos) override { watched = fifos; }
  void bind_sender(Clocked&) override {}

  std::uint32_t open = ~0U;
  std::array<Cycle, 4> rises{never, never, never, never};
  std::uint32_t watched = 0;
  std::vector<Sent> sent;
};

/// Packet buffers of a channel on which a packet of `flits` flits takes `flits` cycles.
struct Bench {
  explicit Bench(unsigned packets) {
    config.fifo_packets = packets;
    buffers.emplace(config, counters);
    buffers->bind(wires);
  }
  /// Enters a packet that may leave from `ready_at` on; `never`: it is still being read.
  void put(PacketId id, std::uint32_t ports, Cycle ready_at, unsigned flits = 10) {
    PacketRef packet = pool.make();
    packet.edit().id = id;
    packet.edit().flits = static_cast<std::uint16_t>(flits);
    buffers->open(std::move(packet), ports);
    if (ready_at != never) buffers->close(ready_at);
  }
  PacketPool pool;
  SenderConfig config;
  SenderCounters counters;
  Wires wires;
  std::optional<PacketBuffers> buffers;
};

using Sent = std::vector<Wires::Sent>;

}  // namespace

TEST_CASE("a packet that shares one of its ports with an older one does not pass it") {
  Bench bench(4);
  // The older packet's words come late; the younger one, to both ports, and a third, to another port, are
  // ready.
  bench.put(1, 0b001, 100);
  bench.put(2, 0b011, 50);
  bench.put(3, 0b100, 50);
  bench.buffers->output(60);
  CHECK(bench.wires.sent == Sent{{3, 60, 0b100}});
  bench.buffers->output(80);
  CHECK(bench.wires.sent.size() == 1);
  bench.buffers->output(100);
  bench.buffers->output(110);
  CHECK(bench.wires.sent == Sent{{3, 60, 0b100}, {1, 100, 0b001}, {2, 110, 0b011}});
}

TEST_CASE("of packets with disjoint ports the oldest that is ready and has room leaves") {
  Bench bench(4);
  bench.put(1, 0b0001, never);
  bench.put(2, 0b0010, 10);
  bench.put(3, 0b0100, 10);
  bench.put(4, 0b1000, 10);
  bench.wires.open = 0b1101;
  bench.wires.rises[1] = 40;
  bench.buffers->output(10);
  CHECK(bench.wires.sent == Sent{{3, 10, 0b0100}});
  // The channel is busy for ten cycles.
  bench.buffers->output(19);
  CHECK(bench.wires.sent.size() == 1);
  bench.buffers->output(20);
  CHECK(bench.wires.sent == Sent{{3, 10, 0b0100}, {4, 20, 0b1000}});
}

TEST_CASE("a packet's wait for room counts from its first cycle without") {
  Bench bench(2);
  bench.put(1, 0b1, 10);
  bench.wires.open = 0;
  for (Cycle now : {5, 10, 17, 30}) bench.buffers->output(now);
  CHECK(bench.counters.room_blocked_cycles == 0);
  bench.wires.open = 1;
  bench.buffers->output(42);
  CHECK(bench.counters.room_blocked_cycles == 42 - 10);
}

TEST_CASE("a place is held until the last flit has left, and room for staged packets is not offered") {
  Bench bench(2);
  CHECK(bench.buffers->has_place(0));
  bench.put(1, 0b01, 10);
  CHECK(bench.buffers->room(0) == ~0b01U);
  CHECK(bench.buffers->has_place(0));
  bench.put(2, 0b10, 20);
  CHECK(bench.buffers->room(0) == ~0b11U);
  CHECK_FALSE(bench.buffers->has_place(0));
  const auto departure = bench.buffers->output(10);
  CHECK(departure.parcel == -1);
  CHECK(departure.left_at == 20);
  CHECK(bench.buffers->unsent() == 1);
  CHECK_FALSE(bench.buffers->has_place(19));
  CHECK(bench.buffers->has_place(20));
  CHECK(bench.buffers->room(20) == ~0b10U);
}

TEST_CASE("the buffers schedule a step when a packet is ready, the channel free, or a room signal rises") {
  Bench bench(3);
  CHECK(bench.buffers->due(0) == never);
  bench.put(1, 0b01, 10, 25);
  bench.put(2, 0b10, 15);
  CHECK(bench.buffers->due(0) == 10);
  bench.buffers->output(10);
  CHECK(bench.buffers->due(10) == 35);
  bench.wires.open = 0;
  bench.wires.rises[1] = 60;
  bench.buffers->output(35);
  CHECK(bench.buffers->due(35) == 60);
  CHECK(bench.wires.watched == 0);
  // The time of the rise is not known in advance: the channel wakes the buffers.
  bench.wires.rises[1] = never;
  bench.buffers->output(60);
  CHECK(bench.buffers->due(60) == never);
  CHECK(bench.wires.watched == 0b10);
}

TEST_CASE("of parcels with due notifications the oldest one's is written first") {
  HeaderRegisters registers(3);
  for (unsigned index = 0; index < 3; ++index) REQUIRE(registers.claim() == index);
  CHECK_FALSE(registers.has_free());
  // The parcels enter in another order than that of the registers.
  for (unsigned index : {2, 0, 1}) registers.enter(index, 100);
  for (unsigned index = 0; index < 3; ++index) {
    registers.cut_through(index);
    registers[index].left_at = 200 + index;
  }
  CHECK(registers.notification(199) == -1);
  CHECK(registers.notification_at() == 200);
  CHECK(registers.notification(200) == 0);
  CHECK(registers.notification(202) == 2);
  registers.release(2);
  CHECK(registers.has_free());
  CHECK(registers.notification(202) == 0);
  registers.release(0);
  CHECK(registers.notification(202) == 1);
  CHECK(registers.notification_at() == 201);
}
