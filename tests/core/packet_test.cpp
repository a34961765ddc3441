// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/packet.h"
#include "tsuji/core/packet_image.h"

using namespace tsuji;

TEST_CASE("a packet returns to its pool with its last reference, and is reused") {
  PacketPool pool;
  PacketRef a = pool.make();
  const Packet* where = &*a;
  {
    const PacketRef b = a;
    a.reset();
    CHECK(pool.in_use() == 1);
  }
  CHECK(pool.in_use() == 0);
  a = pool.make();
  CHECK(&*a == where);
  const PacketRef& from = a;
  const PacketRef moved = std::move(a);
  CHECK_FALSE(from);
  CHECK(&*moved == where);
  CHECK(pool.in_use() == 1);
}

TEST_CASE("a reused packet keeps nothing of its previous use") {
  PacketPool pool;
  {
    PacketRef used = pool.make();
    Packet& packet = used.edit();
    packet.id = packet.created = packet.injected = packet.map = 5;
    packet.header = {5, 5};
    packet.source = packet.destination = 5;
    packet.group = packet.order = 5;
    packet.kind = PacketKind::multicast;
    packet.packet_class = PacketClass::recovery;
    packet.sid = packet.spelling.error_count = 2;
    packet.flits = packet.payload_bytes = packet.hops = packet.decision = 64;
    packet.spelling.header_flits = packet.spelling.word_flits = 6;
    packet.oldest = 7;
    packet.acknowledges = true;
  }
  const bool bare = GENERATE(false, true);
  const PacketRef fresh = bare ? pool.make_bare() : pool.make();
  CHECK(fresh->id == 0);
  CHECK(fresh->created == 0);
  CHECK(fresh->injected == 0);
  CHECK(fresh->map == 0);
  CHECK(fresh->header == std::array<std::uint64_t, 2>{0, 0});
  CHECK(fresh->source == 0);
  CHECK(fresh->destination == 0);
  CHECK(fresh->group == 0);
  CHECK(fresh->order == 0);
  CHECK(fresh->kind == PacketKind::single_cast);
  CHECK(fresh->packet_class == PacketClass::normal);
  CHECK(fresh->sid == 0);
  CHECK(fresh->spelling.error_count == 0);
  CHECK(fresh->flits == 0);
  CHECK(fresh->payload_bytes == 0);
  CHECK(fresh->hops == 0);
  CHECK(fresh->decision == 0);
  CHECK(fresh->spelling.header_flits == 0);
  CHECK(fresh->spelling.word_flits == 0);
  CHECK(fresh->oldest == 0);
  CHECK_FALSE(fresh->acknowledges);
}

TEST_CASE("a clone has every field and byte of its packet, and a separate identity in the pool") {
  PacketPool pool;
  PacketRef original = pool.make();
  Packet& from = original.edit();
  from.id = packet_id(3, 9);
  from.created = 11;
  from.injected = 12;
  from.map = 13;
  from.header = {14, 15};
  from.source = 3;
  from.destination = 17;
  from.group = 18;
  from.kind = PacketKind::multicast;
  from.packet_class = PacketClass::control;
  from.sid = 19;
  from.spelling.error_count = 2;
  from.spelling.errors[1] = {20, true, 21};
  from.flits = 22;
  from.hops = 23;
  from.decision = 24;
  from.order = 24;
  from.oldest = 25;
  from.acknowledges = true;
  from.tables = 26;
  from.spelling.header_flits = 27;
  from.spelling.word_flits = 28;
  from.payload_bytes = 16;
  for (unsigned b = 0; b < 16; ++b) from.payload.data()[b] = std::byte{static_cast<unsigned char>(100 + b)};
  PacketRef copy = pool.clone(from);
  CHECK(pool.in_use() == 2);
  CHECK(copy->id == packet_id(3, 9));
  CHECK(copy->created == 11);
  CHECK(copy->injected == 12);
  CHECK(copy->map == 13);
  CHECK(copy->header == std::array<std::uint64_t, 2>{14, 15});
  CHECK(copy->source == 3);
  CHECK(copy->destination == 17);
  CHECK(copy->group == 18);
  CHECK(copy->kind == PacketKind::multicast);
  CHECK(copy->packet_class == PacketClass::control);
  CHECK(copy->sid == 19);
  CHECK(copy->spelling.error_count == 2);
  CHECK(copy->spelling.errors[1].flit == 20);
  CHECK(copy->spelling.errors[1].lost);
  CHECK(copy->spelling.errors[1].flip == 21);
  CHECK(copy->flits == 22);
  CHECK(copy->hops == 23);
  CHECK(copy->decision == 24);
  CHECK(copy->order == 24);
  CHECK(copy->oldest == 25);
  CHECK(copy->acknowledges);
  CHECK(copy->tables == 26);
  CHECK(copy->spelling.header_flits == 27);
  CHECK(copy->spelling.word_flits == 28);
  CHECK(copy->payload_bytes == 16);
  CHECK(std::equal(from.payload.data(), from.payload.data() + 16, copy->payload.data()));
  copy.edit().payload.data()[0] = std::byte{0};
  CHECK(from.payload.data()[0] == std::byte{100});
}

TEST_CASE("a thousand packets of a pool have separate places and bytes, and flits name them") {
  PacketPool pool;
  std::vector<PacketRef> packets;
  for (unsigned i = 0; i < 1000; ++i) {
    packets.push_back(i % 3 == 0 ? pool.make_bare() : pool.make());
    Packet& packet = packets.back().edit();
    packet.id = i;
    if (i % 3 != 0)
      for (unsigned b = 0; b < Packet::max_payload_bytes; ++b)
        packet.payload.data()[b] = std::byte{static_cast<unsigned char>(i)};
  }
  CHECK(pool.in_use() == 1000);
  for (unsigned i = 0; i < 1000; ++i) {
    const Packet& packet = *packets[i];
    CHECK(packet.id == i);
    if (i % 3 != 0) {
      CHECK(packet.payload.data()[0] == std::byte{static_cast<unsigned char>(i)});
      CHECK(packet.payload.data()[Packet::max_payload_bytes - 1] == std::byte{static_cast<unsigned char>(i)});
    }
    const PacketIndex index = packets[i].detach();
    CHECK(&pool.at(index) == &packet);
    CHECK(&std::as_const(pool).at(index) == &packet);
    packets[i] = pool.attach(index);
  }
  CHECK(pool.in_use() == 1000);
  packets.clear();
  CHECK(pool.in_use() == 0);
}

TEST_CASE("references to a packet are counted once each, when they are copied, moved and assigned") {
  PacketPool pool;
  PacketRef a = pool.make();
  PacketRef b = pool.make();
  CHECK(a);
  CHECK_FALSE(PacketRef());
  const Packet* const first = &*a;
  b = a;  // b's previous packet returns to its pool
  CHECK(pool.in_use() == 1);
  CHECK(&*b == first);
  a = std::move(b);
  CHECK_FALSE(b);  // NOLINT(bugprone-use-after-move): moving leaves it empty
  CHECK(pool.in_use() == 1);
  const PacketRef copy = a;
  a.reset();
  CHECK_FALSE(a);
  CHECK(pool.in_use() == 1);
  CHECK(copy.operator->() == first);
  a.reset();
  const PacketRef none = a;
  CHECK_FALSE(none);
  CHECK(pool.in_use() == 1);
}

TEST_CASE("packets are numbered from 0 in the order in which a pool has made them, and places are reused") {
  PacketPool pool;
  std::vector<PacketRef> packets;
  for (PacketIndex i = 0; i < 200; ++i) {
    packets.push_back(pool.make_bare());
    REQUIRE(packets.back()->payload.data() == nullptr);
    REQUIRE(&pool.at(i) == &*packets.back());
  }
  packets.clear();
  std::vector<const Packet*> again;
  for (unsigned i = 0; i < 200; ++i) {
    packets.push_back(pool.make_bare());
    const PacketIndex index = packets.back().detach();
    CHECK(index < 200);
    packets.back() = pool.attach(index);
  }
}

TEST_CASE("names of packets") {
  CHECK(packet_name(packet_id(3, 9)) == "3.9");
  CHECK(packet_name(packet_id(0xffffffff, 0xffffffff)) == "r2147483647.4294967295");
  const PacketId of_router = packet_id(End::of_router(7), 1);
  CHECK(packet_name(of_router) == "r7.1");
  CHECK(packet_source(of_router) == End::of_router(7));
}

TEST_CASE("an error gives place, value and accepted values") {
  const ConfigError error("network.nodes", "7000", "out of range", "2..1024");
  CHECK(std::string(error.at("machine.yaml:3:10").what()) ==
        "machine.yaml:3:10: network.nodes: out of range (got '7000'); accepted: 2..1024");
  CHECK(error.key() == "network.nodes");
  CHECK(error.value() == "7000");
  CHECK(error.accepted() == "2..1024");
  CHECK_FALSE(error.has_place());
  CHECK(error.at("machine.yaml:3:10").has_place());
  CHECK(error.at("machine.yaml:3:10").accepted() == "2..1024");
  CHECK(std::string(ConfigError("", "", "no", "").what()) == "no");
  CHECK(std::string(ModelError("switch0", 17, packet_name(packet_id(3, 9)), "FIFO overrun").what()) ==
        "switch0, cycle 17, packet 3.9: FIFO overrun");
}

TEST_CASE("the image of a packet has every field that a flit network reads") {
  PacketPool pool;
  PacketRef original = pool.make(), copy = pool.make();
  Packet& from = original.edit();
  from.id = packet_id(3, 9);
  from.created = 11;
  from.injected = 12;
  from.header = {14, 15};
  from.source = 3;
  from.destination = 17;
  from.group = 18;
  from.kind = PacketKind::multicast;
  from.packet_class = PacketClass::control;
  from.sid = 19;
  from.flits = 22;
  from.hops = 23;
  from.decision = 24;
  from.order = 25;
  from.oldest = 26;
  from.acknowledges = true;
  from.tables = 27;
  from.payload_bytes = 16;
  PacketImage(from).copy_to(copy.edit());
  CHECK(copy->id == packet_id(3, 9));
  CHECK(copy->created == 11);
  CHECK(copy->injected == 12);
  CHECK(copy->header == std::array<std::uint64_t, 2>{14, 15});
  CHECK(copy->source == 3);
  CHECK(copy->destination == 17);
  CHECK(copy->group == 18);
  CHECK(copy->kind == PacketKind::multicast);
  CHECK(copy->packet_class == PacketClass::control);
  CHECK(copy->sid == 19);
  CHECK(copy->flits == 22);
  CHECK(copy->hops == 23);
  CHECK(copy->decision == 24);
  CHECK(copy->order == 25);
  CHECK(copy->oldest == 26);
  CHECK(copy->acknowledges);
  CHECK(copy->tables == 27);
  CHECK(copy->payload_bytes == 16);
}
