// SPDX-License-Identifier: Apache-2.0

#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/nic/sender/packet_cutter.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;
constexpr std::uint64_t source_at = 0x800000;

/// A switch input whose output is free: head out 9 cycles after head in, and the place is released when the
/// last flit has left (rooms/crosspoint.md, Where the paper is silent, 1 and 2).
Cycle free_switch(const Packet& packet, unsigned, Cycle arrival) {
  return arrival + 9 + packet.flits;
}

void send_one(Lone& lone, std::uint64_t offset, std::uint32_t length) {
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.map(cid, source_at, 40);
  lone.node.push(2, dma(source_at + offset, 0x400000, length));
  lone.node.ring_at_start(2);
  lone.run();
}

/// Cycles between the heads of full packets in the middle of a parcel, in all pages but the first, into FIFOs
/// of two packets.
void has_period(const NicConfig& config, std::uint64_t offset, Cycle period) {
  Lone lone(config, 1, free_switch, {}, 2);
  send_one(lone, offset, 32 * 1024);
  REQUIRE(lone.sink.seen.size() >= 128);
  unsigned steady = 0;
  for (std::size_t i = 20; i < 120; ++i) {
    const Cycle gap = lone.sink.seen[i].arrival - lone.sink.seen[i - 1].arrival;
    CHECK(gap >= lone.sink.seen[i - 1].packet->flits);  // the network's limit
    if (gap == period) ++steady;
  }
  // The other gaps are at page borders, where a walk and short packets occur.
  CHECK(steady >= 75);
}

}  // namespace

namespace {

void sustains(unsigned fifo_packets, Cycle period) {
  Lone lone({}, 1, free_switch, {}, fifo_packets);
  send_one(lone, 0, 128 * 1024);
  REQUIRE(lone.sink.seen.size() == 512);
  for (std::size_t i = 1; i < 512; ++i)
    CHECK(lone.sink.seen[i].arrival - lone.sink.seen[i - 1].arrival == period);
}

}  // namespace

TEST_CASE("an aligned parcel fills the channel into FIFOs of two packets: 1 + 18 + 96 flits") {
  sustains(2, 115);
}
TEST_CASE("an aligned parcel waits 12 cycles for each FIFO of one packet") {
  sustains(1, 115 + 12);
}

TEST_CASE("an unaligned parcel is limited by three coherent reads a packet") {
  NicConfig config;
  config.sender.optimized_first_read = false;
  has_period(config, 64, std::uint64_t{3} * 49);
}

TEST_CASE("optimized reads make the first of the three a noncoherent one") {
  has_period({}, 64, 2 * 49 + 24);
}

TEST_CASE("an inline packet leaves after the sum of its steps' cycles") {
  Lone lone({}, 1, free_switch);
  elaborate();
  lone.node.open_set(2, cid);
  ParcelHeader header = inline_word(0x123, 0x400000);
  lone.node.push(2, header);
  lone.at(1000, [&] { lone.node.ring(2); });
  lone.run();
  REQUIRE(lone.sink.seen.size() == 1);
  const Packet& packet = *lone.sink.seen[0].packet;
  // Seen and chosen 1001; read request 1002, granted 1003, its four words 1036..1039; checked 1039, table
  // read request 1040, granted 1041, there 1049; port bits 1050.
  CHECK(packet.created == 1050);
  // Chosen 1051, header built 1052, head on the wires 1053.
  CHECK(packet.injected == 1053);
  CHECK(lone.sink.seen[0].arrival == 1054);
  CHECK(packet.flits == 1 + 18 + 3);
  CHECK(lone.node.memory.log.size() == 2);
  CHECK(lone.node.memory.log[0].kind == MemoryAccessKind::coherent_read);
  CHECK(lone.node.memory.log[1].kind == MemoryAccessKind::noncoherent_read);
}

TEST_CASE("a packet with data waits for its words, and a TLB miss costs the walk") {
  Lone lone({}, 1, free_switch);
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.map(cid, source_at, 1);
  for (unsigned i = 0; i < 2; ++i) {
    lone.at(1000 * i + 1, [&] {
      lone.node.push(2, dma(source_at, 0x400000, 8));
      lone.node.ring(2);
    });
  }
  lone.run();
  REQUIRE(lone.sink.seen.size() == 2);
  const Packet& miss = *lone.sink.seen[0].packet;
  const Packet& hit = *lone.sink.seen[1].packet;
  // Chosen + 1, translated + 2, built + 3, request + 4, granted + 5, first word 33 later. After a TLB miss, a
  // walk follows the translation: request + 3, granted + 4, 3 words of the segment entry .. + 14, request,
  // granted + 15, page entry + 23; then built + 24, request + 25, granted + 26. The head leaves ahead by port
  // flit and header.
  CHECK(miss.injected - miss.created == 26 + 33 - 19);
  CHECK(hit.injected - hit.created == 5 + 33 - 19);
}

namespace {

/// The head of a packet of 256 B, whose second line comes last, leaves ahead of that line's first word, word
/// 16, by the length of port flit, header and 16 words.
void runs_ahead(PacketKind kind, unsigned header_flits, unsigned word_flits) {
  NicConfig config;
  PacketSizes& sizes = config.sizes;
  (kind == PacketKind::multicast ? sizes.multicast_header_flits : sizes.header_flits) = header_flits;
  sizes.flits_per_word = word_flits;
  MemoryTimes times;
  times.coherent_first = 400;  // longer than any head's wait for a word
  Lone lone(config, 1, free_switch, times);
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.map(cid, source_at, 1);
  const auto multicast = MulticastEntry{true, 0b10, 0, cid}.encode();
  lone.node.memory.poke(multicast_table_at + std::uint64_t{16} * 4, multicast.data(), 16);
  ParcelHeader parcel = dma(source_at, 0x400000, 256, kind == PacketKind::multicast ? 4 : 1);
  parcel.kind = kind;
  lone.node.push(2, parcel);
  lone.node.ring_at_start(2);
  lone.run();
  REQUIRE(lone.sink.seen.size() == 1);
  const Packet& packet = *lone.sink.seen[0].packet;
  REQUIRE(packet.kind == kind);
  CHECK(packet.flits == 1 + header_flits + 32 * word_flits);
  CHECK(packet.spelling.header_flits == header_flits);
  CHECK(packet.spelling.word_flits == word_flits);
  const Cycle word16 = lone.node.memory.log.back().last_word - 15;
  CHECK(word16 - packet.injected == 1 + header_flits + 16 * word_flits);
}

}  // namespace

TEST_CASE("a head leaves ahead of its words by their distance to it: single cast") {
  runs_ahead(PacketKind::single_cast, 18, 3);
}
TEST_CASE("a head leaves ahead of its words by their distance to it: a short header") {
  runs_ahead(PacketKind::single_cast, 6, 3);
}
TEST_CASE("a head leaves ahead of its words by their distance to it: words of 8 flits") {
  runs_ahead(PacketKind::single_cast, 18, 8);
}
TEST_CASE("a head leaves ahead of its words by their distance to it: multicast") {
  runs_ahead(PacketKind::multicast, 20, 3);
}

TEST_CASE("every packet flows without bubbles, and none waits longer than necessary") {
  NicConfig config;
  MemoryTimes times;
  times.stall_bound = 90;
  times.seed = 5;
  // An ideal network: its FIFO is full only while the packet passes.
  Lone lone(
      config, 1, [](const Packet&, unsigned, Cycle arrival) { return arrival; }, times);
  send_one(lone, std::uint64_t{8} * 7, 60000);
  const PacketCutter cutter(256);
  std::vector<MemoryRequest> reads;
  for (const MemoryRequest& request : lone.node.memory.log) {
    if (request.bytes == 128) reads.push_back(request);
  }
  std::size_t next = 0;
  std::uint64_t last_line = PacketCutter::no_line;
  Cycle link_free = 0;
  unsigned bound_by_words = 0;
  for (const auto& seen : lone.sink.seen) {
    const auto offset = static_cast<std::uint32_t>(seen.header.address - 0x400000);
    const PacketCut cut = cutter.next(source_at + std::uint64_t{8} * 7, 0x400000, 60000, offset, last_line);
    REQUIRE(cut.bytes == seen.packet->payload_bytes);
    last_line = cut.read[cut.reads - 1].line;
    Cycle earliest = 0;
    for (unsigned r = 0; r < cut.reads; ++r) {
      const MemoryRequest& request = reads.at(next++);
      CHECK((request.kind == MemoryAccessKind::noncoherent_read) == cut.read[r].again);
      for (unsigned w = 0; w < cut.read[r].bytes / 8U; ++w) {
        const unsigned k = cut.read[r].payload / 8U + w;
        const Cycle there = request.last_word - 15 + cut.read[r].skip / 8U + w;
        CHECK(there <= seen.packet->injected + 19 + std::uint64_t{3} * k);
        if (there > 19 + 3 * k) earliest = std::max(earliest, there - 19 - std::uint64_t{3} * k);
      }
      earliest = std::max(earliest, request.granted + 1);
    }
    CHECK(seen.packet->injected == std::max(earliest, link_free));
    if (earliest >= link_free) ++bound_by_words;
    link_free = seen.packet->injected + seen.packet->flits;
  }
  CHECK(next == reads.size());
  CHECK(bound_by_words > 100);
}

TEST_CASE("cycles blocked on room are counted") {
  Lone lone({}, 1, [](const Packet& packet, unsigned, Cycle arrival) {
    return PacketHeader::decode(packet.header).first ? 5000 : arrival;
  });
  send_one(lone, 0, 512);
  REQUIRE(lone.sink.seen.size() == 2);
  CHECK(lone.sink.seen[1].packet->injected == 5002);
  // The second packet was ready, and the channel free, when the first's last flit had left.
  const Cycle ready = lone.sink.seen[0].packet->injected + 115;
  CHECK(lone.node.nic.sender_counters().room_blocked_cycles == 5002 - ready);
  CHECK(lone.domain.steps() < 200);
}

TEST_CASE("waits for a step, for memory and for the other module's turn do not count as work") {
  NicConfig config;
  config.sender.select_queue_cycles = config.sender.check_header_cycles = config.sender.set_port_cycles =
      10000;
  config.sender.choose_cycles = config.sender.translate_cycles = config.sender.build_header_cycles = 10000;
  config.receiver.check_cycles = config.receiver.place_cycles = config.receiver.translate_cycles = 10000;
  MemoryTimes times;
  times.coherent_first = times.noncoherent_first = times.write = 25000;
  OpenPair pair(cid, config, times);
  pair.a.map(cid, source_at, 1);
  pair.b.map(cid, source_at, 1);
  pair.b.buffer(cid, 0, source_at, page_bytes);
  pair.b.set(common_os_base + receiver_cid, cid);
  for (unsigned i = 0; i < 3; ++i) {
    ParcelHeader header = dma(source_at, source_at, 256);
    header.protocol = Protocol::message0;
    header.notify = true;
    header.notification = source_at;
    pair.a.push(2, header);
  }
  pair.a.push(2, inline_word(0x123, source_at));
  pair.a.ring_at_start(2);
  pair.at(700000, [&] { pair.b.write(receiver_task_base + address_register0, source_at); });
  pair.run();
  REQUIRE(pair.b.deliveries.size() == 4);
  CHECK(pair.domain.now() > 500000);
  CHECK(pair.domain.steps() < 300);
}

TEST_CASE("a received packet is written after its last flit, pointer after data") {
  OpenPair pair(cid);
  pair.b.map(cid, source_at, 2);
  pair.b.buffer(cid, 0, source_at, 4096);
  ParcelHeader header = word_message();
  pair.a.push(2, header);
  pair.a.ring_at_start(2);
  pair.at(2000, [&] {
    pair.a.push(2, header);
    pair.a.ring(2);
  });
  pair.run();
  REQUIRE(pair.b.deliveries.size() == 2);
  // The second packet, with all entries cached: head in + 1, complete + 22, checked + 1, placed + 1,
  // translated + 1, request; granted + 1, written 9 later; pointer request, granted + 1, written 9 later.
  const Delivery& second = pair.b.deliveries[1];
  CHECK(second.now - second.injected == 1 + 22 + 1 + 1 + 1 + 10 + 10);
  // The first packet: reads of 64 and of 128 bytes (request to last word 16 and 24) and a walk (11 + 9),
  // which ends with a TLB look-up that replaces that of a hit.
  const Delivery& first = pair.b.deliveries[0];
  CHECK(first.now - first.injected == second.now - second.injected + 16 + 24 + 1 + 11 + 9);
  const auto& log = pair.b.memory.log;
  REQUIRE(log.size() == 4 + 2 + 2);
  CHECK(log[0].address == buffers_at + std::uint64_t{64} * cid);
  CHECK(log[1].address == limits_at + std::uint64_t{128} * cid);
  CHECK(log[4].address == pair.b.physical(cid, source_at));
  CHECK(log[5].address == buffers_at + std::uint64_t{64} * cid);
  CHECK(log[5].granted > log[4].last_word);
}
