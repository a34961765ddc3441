// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "nic/rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned cid = 1;
constexpr std::uint64_t source_at = 0x800000;

void open(Lone& lone) {
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.open_set(3, cid);
  lone.node.map(cid, source_at, 16);
}

}  // namespace

TEST_CASE("a parcel with disjoint ports passes a blocked one, one with a common port does not") {
  const Cycle unblocked = 20000;
  Lone lone({}, 4, [&](const Packet&, unsigned fifo, Cycle arrival) {
    return fifo == 0 ? unblocked : arrival + 100;
  });
  lone.hops.ports = [](NodeId node) { return 1U << (node % 4); };
  open(lone);
  lone.node.push(2, dma(source_at, 0x100000, 1024, 4));  // port 0
  lone.node.push(2, dma(source_at, 0x200000, 2048, 5));  // port 1
  lone.node.push(2, dma(source_at, 0x300000, 256, 8));   // port 0
  lone.node.ring_at_start(2);
  lone.run();
  REQUIRE(lone.sink.seen.size() == 4 + 8 + 1);
  unsigned port1_before = 0;
  std::uint64_t next = 0x100000;
  for (const auto& seen : lone.sink.seen) {
    if (seen.ports == 2) {
      if (seen.arrival < unblocked) ++port1_before;
    } else {
      CHECK(seen.header.address == next);
      next = next == 0x100000 + 768 ? 0x300000 : next + 256;
    }
  }
  CHECK(port1_before == 8);
}

TEST_CASE("under random blocking no parcel passes one that shares a port with it") {
  CounterRandom holds(21, 1);
  Lone lone({}, 4, [&](const Packet& packet, unsigned, Cycle arrival) {
    return arrival + packet.flits + (holds.below(4) == 0 ? holds.below(4000) : holds.below(50));
  });
  lone.hops.ports = [](NodeId node) {
    return node == 14 ? 0b1111U : node == 13 ? 0b0110U : 1U << (node % 4);
  };
  open(lone);
  CounterRandom random(22, 1);
  std::map<std::uint64_t, unsigned> offsets;  // per parcel
  for (unsigned parcel = 0; parcel < 120; ++parcel) {
    const auto length = static_cast<std::uint32_t>(8 * (1 + random.below(200)));
    lone.node.push(2, dma(source_at + 8 * random.below(512), std::uint64_t{parcel} << 20, length,
                          static_cast<std::uint16_t>(random.below(15))));
  }
  lone.node.ring_at_start(2);
  lone.run();
  std::array<std::uint64_t, 4> newest{};
  bool passed = false;
  std::uint64_t newest_of_all = 0;
  std::uint64_t bytes = 0;
  for (const auto& seen : lone.sink.seen) {
    const std::uint64_t parcel = seen.header.address >> 20;
    CHECK(offsets[parcel] == (seen.header.address & 0xfffff));
    offsets[parcel] += seen.packet->payload_bytes;
    bytes += seen.packet->payload_bytes;
    for (unsigned fifo = 0; fifo < 4; ++fifo) {
      if ((seen.ports >> fifo & 1U) == 0) continue;
      CHECK(parcel >= newest[fifo]);
      newest[fifo] = parcel;
    }
    if (parcel < newest_of_all) passed = true;
    newest_of_all = std::max(newest_of_all, parcel);
  }
  CHECK(passed);
  CHECK(bytes == lone.node.nic.sender_counters().bytes[0]);
  CHECK(lone.node.nic.sender_counters().parcels[0] == 120);
  CHECK(lone.node.nic.drained(lone.domain.now() + 200));
}

TEST_CASE("header queues are served in turn, and a long parcel delays no header") {
  Lone lone({}, 4, [](const Packet& packet, unsigned, Cycle arrival) { return arrival + 9 + packet.flits; });
  lone.hops.ports = [](NodeId node) { return 1U << (node % 4); };
  open(lone);
  lone.node.push(2, dma(source_at + 64, 0x100000, 40000, 0));
  lone.node.ring_at_start(2);
  Cycle long_one_ends = 0, short_ones_end = 0;
  lone.sink.on_packet = [&](const Sink::Seen& seen) {
    (seen.ports == 1 ? long_one_ends : short_ones_end) = seen.arrival;
  };
  for (unsigned parcel = 0; parcel < 8; ++parcel) {
    ParcelHeader header = dma(0, 0x200000 + 8 * parcel, 8, 1);
    header.inline_data = true;
    lone.node.push(3, header);
  }
  lone.at(2000, [&] { lone.node.ring(3); });
  lone.run();
  CHECK(short_ones_end < 8000);
  CHECK(long_one_ends > 18000);
}

TEST_CASE("between the lines of a packet there is one request for a header, and no second") {
  Lone lone({}, 1, [](const Packet&, unsigned, Cycle arrival) { return arrival; });
  open(lone);
  lone.node.push(2, dma(source_at + 64, 0x100000, 512));  // two packets of three lines
  lone.node.push(3, dma(source_at, 0x200000, 8));
  lone.node.ring_at_start(2);
  const auto& log = lone.node.memory.log;
  const std::size_t before = 2 + 2 + 3;  // header and table, walk, the first packet's lines
  bool rung = false;
  for (Cycle cycle = 10; cycle < 1000; ++cycle) {
    lone.at(cycle, [&] {
      if (rung || log.size() <= before) return;
      rung = true;
      lone.node.ring(3);
    });
  }
  lone.run();
  const auto is_line = [&](std::size_t request, std::uint64_t line) {
    return log[request].bytes == 128 &&
           log[request].address == lone.node.physical(cid, source_at + 128 * line);
  };
  REQUIRE(log.size() == before + 3 + 2 + 1);
  CHECK(is_line(before, 2));
  CHECK(log[before + 1].address == queues_at + 3 * 0x10000);
  CHECK(is_line(before + 2, 3));
  CHECK(is_line(before + 3, 4));
  CHECK(log[before + 4].address == node_table_at + 8);
  CHECK(is_line(before + 5, 0));
}

TEST_CASE("a put and the message after it stay in order") {
  MemoryTimes times;
  times.stall_bound = 200;
  OpenPair pair(cid, {}, times);
  pair.a.map(cid, source_at, 16);
  pair.b.map(cid, source_at, 16);
  pair.b.buffer(cid, 0, source_at + std::uint64_t{15} * page_bytes, page_bytes);
  CounterRandom random(23, 1);
  std::vector<std::vector<unsigned char>> data;
  for (unsigned i = 0; i < 20; ++i) {
    data.push_back(random_bytes(random, 8 * (1 + random.below(200))));
    pair.a.fill(cid, source_at + 2048 * i % 0xf000, data.back());
  }
  // Each message reports that the put before it has arrived; a task that polls the pointer then reads.
  for (unsigned i = 0; i < 20; ++i) {
    const std::uint64_t at = source_at + 2048 * i % 0xf000;
    pair.a.push(2, dma(at, at, static_cast<std::uint32_t>(data[i].size())));
    pair.a.push(2, word_message(i));
  }
  pair.a.ring_at_start(2);
  unsigned seen = 0;
  for (Cycle cycle = 10; cycle < 60000; cycle += 10) {
    pair.at(cycle, [&] {
      const std::uint64_t pointer = pair.b.buffer_word(cid, 0) - (source_at + std::uint64_t{15} * page_bytes);
      for (; seen < pointer / 128; ++seen) {
        CHECK(pair.b.word(cid, source_at + std::uint64_t{15} * page_bytes + std::uint64_t{128} * seen) ==
              seen);
        CHECK(pair.b.bytes(cid, source_at + 2048 * seen % 0xf000, data[seen].size()) == data[seen]);
      }
    });
  }
  pair.run();
  CHECK(seen == 20);
}

TEST_CASE("the notification is written when the last flit of the last packet has left, once") {
  Lone lone({}, 4, [](const Packet& packet, unsigned, Cycle arrival) {
    return PacketHeader::decode(packet.header).address == 0x100000 ? 5000 : arrival + packet.flits;
  });
  open(lone);
  lone.node.map(cid, 0x10000, 1);
  ParcelHeader header = dma(source_at, 0x100000, 768, 0);
  header.notify = true;
  header.notification = 0x10100;
  lone.node.push(2, header);
  lone.node.push(2, dma(source_at, 0x200000, 4096, 0));
  lone.node.ring_at_start(2);
  lone.node.memory.watch = lone.node.physical(cid, 0x10100);
  lone.run();
  REQUIRE(lone.node.memory.watched_writes.size() == 1);
  REQUIRE(lone.sink.seen.size() == 3 + 16);
  const Packet& last = *lone.sink.seen[2].packet;
  CHECK(last.injected > 5000);
  CHECK(lone.node.memory.watched_writes[0] > last.injected + last.flits);
  // The notification waits for the packet that is being read, and not for the whole next parcel.
  CHECK(lone.node.memory.watched_writes[0] < last.injected + last.flits + 200);
  CHECK(lone.node.word(cid, 0x10100) == sent_pattern);
  CHECK(lone.node.nic.sender_counters().notifications == 1);
}

namespace {

/// Counts packets that are read while their FIFO has no room.
void read_ahead(unsigned packets) {
  NicConfig config;
  config.sender.fifo_packets = 4;
  config.sender.read_ahead_packets = packets;
  const Cycle blocked = 20000;
  Lone lone(config, 1,
            [&](const Packet&, unsigned, Cycle arrival) { return std::max(arrival + 100, blocked); });
  open(lone);
  lone.node.push(2, dma(source_at, 0x100000, 2048, 0));
  lone.node.ring_at_start(2);
  lone.run();
  REQUIRE(lone.sink.seen.size() == 8);
  unsigned lines = 0;
  for (const MemoryRequest& request : lone.node.memory.log)
    if (request.bytes == 128 && request.granted < blocked) ++lines;
  // The first packet, with two lines like all, is in the FIFO.
  CHECK(lines == 2 * (1 + packets));
}

}  // namespace

TEST_CASE("one packet is read ahead for a FIFO without room") {
  read_ahead(1);
}

TEST_CASE("read_ahead_packets packets are read ahead for a FIFO without room") {
  read_ahead(3);
}

TEST_CASE(
    "after a notification a header that waits for its table entry comes before the next packet's data") {
  // RHM may have one request before SPM's next, once a packet and once a notification.
  NicConfig config;
  config.sender.check_header_cycles = 17;
  MemoryTimes times;
  times.stall_bound = 12;
  Lone lone(
      config, 1, [](const Packet& packet, unsigned, Cycle arrival) { return arrival + packet.flits; }, times);
  open(lone);
  lone.node.open_set(2, cid, 65536);
  CounterRandom random(24, 1);
  for (Cycle cycle = 0; cycle < 120000; cycle += 60) {
    lone.at(cycle + random.below(60), [&] {
      const bool inline_data = random.below(2) == 0;
      const auto words = static_cast<std::uint32_t>(inline_data ? 1 : 1 + random.below(100));
      ParcelHeader header = dma(source_at + 8 * random.below(512), 0x100000, 8 * words);
      header.inline_data = inline_data;
      header.notify = random.below(2) == 0;
      header.notification = source_at;
      lone.node.push(2, header);
      lone.node.ring(2);
    });
  }
  lone.run();
  const auto& log = lone.node.memory.log;
  const auto is_header = [](const MemoryRequest& request) { return request.bytes == ParcelHeader::bytes; };
  const auto is_entry = [](const MemoryRequest& request) {
    return request.address >> 16 == node_table_at >> 16;
  };
  const auto requested = [](const MemoryRequest& request) { return request.granted - 1; };
  unsigned notifications = 0, first = 0;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i].kind != MemoryAccessKind::coherent_write) continue;
    ++notifications;
    std::size_t own = i + 1;  // RHM's next request
    while (own < log.size() && !is_header(log[own]) && !is_entry(log[own])) ++own;
    if (own == log.size() || is_header(log[own])) continue;
    std::size_t fetch = own - 1;
    while (!is_header(log[fetch])) --fetch;
    const Cycle ready = log[fetch].last_word + config.sender.check_header_cycles;
    for (std::size_t other = i + 1; other < own; ++other) CHECK(requested(log[other]) < ready);
    first += own == i + 1 ? 1 : 0;
  }
  CHECK(notifications > 500);
  CHECK(first > 20);
}
