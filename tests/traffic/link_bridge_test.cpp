// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/link_bridge.h"

#include <vector>

#include "support/catch.h"
#include "traffic/bridge_interface.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::traffic;
using tsuji::traffic::test::Interface;

namespace {

struct Rig {
  Rig() : bridge(config, interface, interface, 5, 16) {}
  PacketRef packet(NodeId source, NodeId destination, unsigned flits, std::uint32_t order = 0) {
    PacketRef ref = pool.make();
    ref.edit().id = packet_id(source, serial++);
    ref.edit().source = source;
    ref.edit().destination = destination;
    ref.edit().flits = static_cast<std::uint16_t>(flits);
    ref.edit().order = order;
    return ref;
  }
  /// Lets the bridge run in `from` and in all cycles of [from, to) that it schedules.
  void run(Cycle from, Cycle to) {
    bridge.advance(from);
    for (Cycle next = bridge.next_event(); next < to; next = bridge.next_event()) {
      REQUIRE(next > from);
      from = next;
      bridge.advance(next);
    }
  }

  PacketPool pool;
  Interface interface;
  LinkBridgeConfig config;
  LinkBridge bridge;
  std::uint32_t serial = 0;
};

}  // namespace

TEST_CASE("bridge: an interface's packets are injected with their bytes, numbered for each destination") {
  Rig rig;
  std::vector<PacketId> ids;
  const std::vector<NodeId> destinations = {3, 4, 3, 3, 4};
  for (const NodeId destination : destinations) {
    PacketRef packet = rig.packet(5, destination, 10 + destination);
    ids.push_back(packet->id);
    rig.interface.coming.push_back({7, {std::move(packet), 1, 0}});
  }
  rig.bridge.advance(6);
  Emission emission;
  CHECK_FALSE(rig.bridge.next(emission));
  rig.bridge.advance(7);
  const std::vector<std::uint32_t> orders = {0, 0, 1, 2, 1};
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    REQUIRE(rig.bridge.next(emission));
    CHECK(emission.created == 7);
    CHECK(emission.destination == destinations[i]);
    CHECK(emission.flits == 10 + destinations[i]);
    REQUIRE(emission.packet != no_packet);
    const PacketRef packet = rig.pool.attach(emission.packet);
    CHECK(packet->id == ids[i]);
    CHECK(packet->order == orders[i]);
    rig.bridge.departed(20 + i, *packet);
  }
  CHECK_FALSE(rig.bridge.next(emission));
  CHECK(rig.interface.released == std::vector<Cycle>{20, 21, 22, 23, 24});
}

TEST_CASE("bridge: packets that overtook others wait for them, separately for each source") {
  Rig rig;
  const std::vector<std::pair<NodeId, std::uint32_t>> arrivals = {{1, 2}, {2, 0}, {1, 0}, {2, 2},
                                                                  {1, 3}, {1, 1}, {2, 1}, {1, 4}};
  Cycle now = 10;
  for (const auto& [source, order] : arrivals) {
    rig.bridge.take(now, rig.packet(source, 5, 3, order));
    rig.run(now, now + 1);
    ++now;
  }
  rig.run(now, now + 100);
  REQUIRE(rig.interface.sent.size() == arrivals.size());
  std::vector<std::uint32_t> seen(3, 0);
  for (const auto& sent : rig.interface.sent)
    CHECK(sent.transfer.packet->order == seen[sent.transfer.packet->source.node()]++);
  CHECK(rig.interface.sent[0].transfer.port_bits == 1);
  CHECK(rig.bridge.packets_early() == 3);
  CHECK(rig.bridge.packets_held() == 0);
}

TEST_CASE("bridge: an early packet that finds no room is a model failure with its name") {
  Rig rig;
  rig.config.early_packets = 2;
  rig.bridge.take(10, rig.packet(1, 5, 3, 1));
  rig.bridge.take(11, rig.packet(2, 5, 3, 1));
  CHECK_THROWS_WITH(rig.bridge.take(12, rig.packet(1, 5, 3, 2)),
                    "bridge of node 5, cycle 12, packet 1.2: 2 packets already wait for those that they "
                    "overtook, as many as nic.early_packets");
  // A packet in order always finds room, and makes room.
  rig.bridge.take(13, rig.packet(1, 5, 3, 0));
  CHECK_NOTHROW(rig.bridge.take(14, rig.packet(2, 5, 3, 2)));
  CHECK_THROWS_AS(rig.bridge.take(15, rig.packet(2, 5, 3, 3)), ModelError);
}

TEST_CASE("bridge: one packet is on the channel at a time, and early ones block no other") {
  Rig rig;
  rig.bridge.take(10, rig.packet(1, 5, 9, 1));
  CHECK_FALSE(rig.bridge.is_full());
  CHECK(rig.bridge.flits_held() == 9);
  rig.bridge.take(10, rig.packet(1, 5, 7, 0));
  CHECK(rig.bridge.is_full());
  rig.run(10, 100);
  REQUIRE(rig.interface.sent.size() == 2);
  CHECK(rig.interface.sent[0].cycle == 10);
  CHECK(rig.interface.sent[1].cycle == 10 + 7);
  CHECK_FALSE(rig.bridge.is_full());
}

TEST_CASE("bridge: without room the packet waits, and the room signal wakes the bridge") {
  for (const bool known : {true, false}) {
    Rig rig;
    rig.interface.room_from = 50;
    rig.interface.room_known = known;
    rig.bridge.take(10, rig.packet(1, 5, 9, 0));
    rig.run(10, 45);
    CHECK(rig.interface.sent.empty());
    CHECK(rig.bridge.is_full());
    CHECK(rig.interface.watched == 1);
    CHECK(rig.bridge.next_event() == (known ? 50 : never));
    rig.bridge.advance(50);
    REQUIRE(rig.interface.sent.size() == 1);
    CHECK(rig.interface.watched == 0);
    CHECK_FALSE(rig.bridge.is_full());
  }
}

TEST_CASE("bridge: a packet keeps its hops and bytes, and its flits are held until it is forwarded") {
  Rig rig;
  PacketRef out = rig.packet(5, 15, 10);
  out.edit().payload_bytes = 16;
  rig.interface.coming.push_back({7, {std::move(out), 1, 0}});
  rig.bridge.advance(7);
  CHECK(rig.bridge.packets_held() == 1);
  CHECK(rig.bridge.flits_held() == 10);
  Emission emission;
  REQUIRE(rig.bridge.next(emission));
  CHECK(emission.payload_bytes == 16);
  CHECK(rig.bridge.packets_held() == 0);
  rig.pool.attach(emission.packet);
  rig.config.ready_packets = 2;
  rig.interface.room_from = 30;
  for (std::uint32_t order = 0; order < 2; ++order) {
    CHECK_FALSE(rig.bridge.is_full());
    PacketRef in = rig.packet(1, 5, 9, order);
    in.edit().hops = static_cast<std::uint16_t>(4 + order);
    rig.bridge.take(20, std::move(in));
  }
  CHECK(rig.bridge.is_full());
  CHECK(rig.bridge.packets_held() == 2);
  CHECK(rig.bridge.flits_held() == 18);
  CHECK(rig.bridge.next_event() == 21);
  rig.run(21, 100);
  REQUIRE(rig.interface.sent.size() == 2);
  CHECK(rig.interface.sent[0].cycle == 30);
  CHECK(rig.interface.sent[1].cycle == 39);
  CHECK(rig.interface.sent[0].transfer.hops == 4);
  CHECK(rig.interface.sent[1].transfer.hops == 5);
  CHECK(rig.bridge.flits_held() == 0);
  CHECK(rig.bridge.next_event() == never);
}

TEST_CASE("bridge: a packet that is dropped while it leaves releases its place in the FIFO, once") {
  Rig rig;
  std::vector<PacketRef> packets;
  for (unsigned i = 0; i < 3; ++i) {
    packets.push_back(rig.packet(5, 3, 10, i));
    rig.interface.coming.push_back({7, {rig.pool.clone(*packets.back()), 1, 0}});
  }
  rig.bridge.advance(7);
  Emission emission;
  while (rig.bridge.next(emission)) rig.pool.attach(emission.packet);
  rig.bridge.departed(20, *packets[0]);
  rig.bridge.dropped(22, *packets[0], "link_down");
  CHECK(rig.interface.released == std::vector<Cycle>{20});
  rig.bridge.dropped(25, *packets[1], "link_down");
  CHECK(rig.interface.released == std::vector<Cycle>{20, 25});
  rig.bridge.departed(40, *packets[2]);
  CHECK(rig.interface.released == std::vector<Cycle>{20, 25, 40});
}

TEST_CASE("bridge: packets that wait for others are counted apart from those that can be forwarded") {
  Rig rig;
  rig.interface.room_from = 1000;
  rig.bridge.take(10, rig.packet(1, 5, 9, 0));
  rig.bridge.take(11, rig.packet(1, 5, 7, 2));
  rig.bridge.take(12, rig.packet(1, 5, 5, 3));
  CHECK(rig.bridge.packets_waiting() == 2);
  CHECK(rig.bridge.flits_waiting() == 12);
  CHECK(rig.bridge.flits_held() == 21);
  rig.bridge.take(13, rig.packet(1, 5, 3, 1));
  CHECK(rig.bridge.flits_waiting() == 0);
  CHECK(rig.bridge.flits_held() == 24);
}

TEST_CASE("bridge: a packet to a nonexistent node is a model failure") {
  Rig rig;
  rig.interface.coming.push_back({3, {rig.packet(5, 16, 10), 1, 0}});
  CHECK_THROWS_WITH(rig.bridge.advance(3), Catch::StartsWith("bridge of node 5, cycle 3, packet 5.0: "));
}

TEST_CASE("bridge: a packet for more than one receiver is a model failure") {
  Rig rig;
  PacketRef packet = rig.packet(5, 0, 10);
  packet.edit().kind = PacketKind::multicast;
  rig.interface.coming.push_back({3, {std::move(packet), 1, 0}});
  CHECK_THROWS_AS(rig.bridge.advance(3), ModelError);
}

namespace {

/// A bridge with a tree unit, whose channels the test drives.
struct UnitRig : Rig {
  UnitRig() : with_unit(config, interface, interface, 5, 16, {&unit, &unit, &numbers}) {}
  PacketRef multicast(NodeId source, std::uint64_t map, std::uint32_t list = MulticastNumbers::none) {
    PacketRef ref = packet(source, 0, 10, list);
    ref.edit().kind = PacketKind::multicast;
    ref.edit().map = map;
    return ref;
  }
  void come(Cycle cycle, PacketRef packet) { interface.coming.push_back({cycle, {std::move(packet), 1, 0}}); }

  Interface unit;
  MulticastNumbers numbers;
  LinkBridge with_unit;
};

}  // namespace

TEST_CASE("bridge: a multicast carries its place for members that got single casts since the last one") {
  UnitRig rig;
  rig.come(7, rig.packet(5, 3, 10));
  rig.come(7, rig.multicast(5, 0b11000));
  rig.come(7, rig.multicast(5, 0b11000));
  rig.come(7, rig.packet(5, 4, 10));
  rig.come(7, rig.multicast(5, 0b11000));
  for (const Cycle cycle : {7, 17, 27}) rig.with_unit.advance(cycle);
  REQUIRE(rig.unit.sent.size() == 3);
  const auto list = [&rig](unsigned which) { return rig.unit.sent[which].transfer.packet->order; };
  CHECK(rig.numbers.count(list(0)) == 1);
  CHECK(rig.numbers.count(list(1)) == 0);
  CHECK(rig.numbers.count(list(2)) == 1);
  CHECK(rig.numbers.kept() == 2);
  CHECK(rig.numbers.read(list(0), 3, 0) == 1);
  CHECK(rig.numbers.read(list(0), 4, 0) == 0);
  CHECK(rig.numbers.kept() == 1);
  CHECK(rig.numbers.read(list(2), 3, 3) == 3);
  CHECK(rig.numbers.read(list(2), 4, 2) == 3);
  CHECK(rig.numbers.kept() == 0);
  CHECK(rig.interface.released == std::vector<Cycle>{17, 27, 37});
}

TEST_CASE(
    "bridge: multicasts reach the interface in order with their source's single casts, synchronizations at "
    "once") {
  UnitRig rig;
  PacketRef first = rig.multicast(1, 0b100000, rig.numbers.add({{5, 1}}, 1));
  PacketRef second = rig.multicast(1, 0b100000);
  PacketRef barrier = rig.packet(1, 0, 10);
  barrier.edit().kind = PacketKind::synchronization;
  const PacketId ids[] = {barrier->id, first->id, second->id};
  Cycle now = 10;
  for (PacketRef* const packet : {&first, &second, &barrier}) {
    rig.unit.coming.push_back({now, {std::move(*packet), 1, 4}});
    rig.with_unit.advance(now);
    now += 10;
  }
  CHECK(rig.with_unit.packets_waiting() == 2);
  PacketRef single = rig.packet(1, 5, 10, 0);
  const PacketId of_single = single->id;
  rig.with_unit.take(now, std::move(single));
  for (const Cycle cycle : {41, 51, 61}) rig.with_unit.advance(cycle);
  REQUIRE(rig.interface.sent.size() == 4);
  CHECK(rig.interface.sent[0].transfer.packet->id == ids[0]);
  CHECK(rig.interface.sent[1].transfer.packet->id == of_single);
  CHECK(rig.interface.sent[2].transfer.packet->id == ids[1]);
  CHECK(rig.interface.sent[3].transfer.packet->id == ids[2]);
  CHECK(rig.interface.sent[2].transfer.hops == 4);
  // Early multicasts release the unit's place on arrival, the barrier when it leaves.
  CHECK(rig.unit.released == std::vector<Cycle>{20, 30, 40});
  CHECK(rig.with_unit.packets_held() == 0);
}

TEST_CASE("bridge: a multicast for a node that does not exist stops the run") {
  UnitRig rig;
  rig.come(7, rig.multicast(5, std::uint64_t{1} << 20));
  CHECK_THROWS_WITH(rig.with_unit.advance(7),
                    "bridge of node 5, cycle 7, packet 5.0: its map names node 20, and the last node is 15");
}
