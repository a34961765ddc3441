// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/nic/sender/packet_cutter.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr std::uint64_t source_at = 0x800000, destination_at = 0x400000, rings_at = 0x600000;
constexpr std::uint64_t region = std::uint64_t{64} * page_bytes, ring_bytes = std::uint64_t{16} * page_bytes;
constexpr unsigned cid = 3;

/// Expected memory of node b: every parcel applied in order to an array of bytes.
struct Expected {
  std::vector<unsigned char> bytes;  // from destination_at on
  std::array<std::vector<unsigned char>, 2> rings;
  std::array<std::uint64_t, 2> pointers{};  // offsets in the rings
  std::array<std::uint64_t, 3> address_registers{};
  std::array<std::uint64_t, 3> payload{};  // by packet kind

  void apply(const ParcelHeader& header, const std::vector<unsigned char>& data) {
    payload[static_cast<unsigned>(header.kind)] += data.size();
    const auto protocol = static_cast<unsigned>(header.protocol);
    if (header.protocol == Protocol::atomic_add) {
      std::uint64_t word = 0;
      unsigned char* at = bytes.data() + header.destination - destination_at;
      std::memcpy(&word, at, 8);
      word += header.source;
      std::memcpy(at, &word, 8);
    } else if (header.protocol == Protocol::message0 || header.protocol == Protocol::message1) {
      message(protocol - 4, header, data);
    } else {
      const std::uint64_t base = protocol == 0 ? 0 : address_registers[protocol - 1];
      std::memcpy(bytes.data() + base + header.destination - destination_at, data.data(), data.size());
    }
  }

  void message(unsigned buffer, const ParcelHeader& header, const std::vector<unsigned char>& data) {
    const PacketCutter cutter(256);
    for (std::uint32_t done = 0; done < header.length;) {
      const std::uint64_t source = header.inline_data ? 0 : header.source;
      const PacketCut cut = cutter.next(source, 0, header.length, done, 0);
      std::memcpy(rings[buffer].data() + pointers[buffer], data.data() + done, cut.bytes);
      pointers[buffer] += (std::uint64_t{cut.bytes} + 127) / 128 * 128;
      done += cut.bytes;
    }
  }
};

void open(Pair& pair, Expected& expected, CounterRandom& random) {
  pair.a.open_set(2, cid, 8192);
  pair.b.open_set(2, cid);
  pair.a.map(cid, source_at, region / page_bytes, false);
  pair.b.map(cid, destination_at, region / page_bytes);
  pair.b.map(cid, rings_at, 2 * ring_bytes / page_bytes);
  expected.bytes = random_bytes(random, region);
  pair.b.fill(cid, destination_at, expected.bytes);
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    expected.rings[buffer].resize(ring_bytes);
    pair.b.buffer(cid, buffer, rings_at + buffer * ring_bytes, ring_bytes);
  }
  MulticastEntry entry{true, 0b10, 0, cid};  // node 1 alone
  const auto words = entry.encode();
  pair.a.memory.poke(multicast_table_at + std::uint64_t{16} * 2, words.data(), 16);
  pair.b.set(common_os_base + receiver_cid, cid);
  for (unsigned n = 0; n < 3; ++n) {
    expected.address_registers[n] = destination_at + 8 * random.below(4096);
    pair.b.set(receiver_task_base + address_register0 + std::uint64_t{8} * n, expected.address_registers[n]);
  }
}

ParcelHeader random_parcel(CounterRandom& random) {
  ParcelHeader header;
  header.protocol = static_cast<Protocol>(random.below(7));
  header.kind = random.below(3) == 0 ? PacketKind::multicast : PacketKind::single_cast;
  header.logical_pe = header.kind == PacketKind::multicast ? 2 : 1;
  const bool message = header.protocol == Protocol::message0 || header.protocol == Protocol::message1;
  header.length =
      static_cast<std::uint32_t>(8 * (1 + random.below(random.below(8) == 0 && !message ? 3000 : 120)));
  header.inline_data = random.below(4) == 0;
  if (header.inline_data || header.protocol == Protocol::atomic_add) header.length = 8;
  header.source = source_at + 8 * random.below((region - header.length) / 8);
  if (header.inline_data || header.protocol == Protocol::atomic_add) header.source = random.next();
  const bool by_register =
      header.protocol >= Protocol::remote_dma_register0 && header.protocol < Protocol::message0;
  const std::uint64_t room = by_register ? region - std::uint64_t{8} * 4096 : region;
  header.destination = (by_register ? 0 : destination_at) + 8 * random.below((room - header.length) / 8);
  return header;
}

void all_arrives(std::uint64_t seed, bool optimized, std::uint64_t stalls) {
  NicConfig config;
  config.sender.optimized_first_read = optimized;
  MemoryTimes times;
  times.stall_bound = stalls;
  times.seed = seed;
  Pair pair("pair", config, times);
  elaborate();
  CounterRandom random(seed, 99);
  Expected expected;
  open(pair, expected, random);
  const std::vector<unsigned char> source = random_bytes(random, region);
  pair.a.fill(cid, source_at, source);
  for (unsigned i = 0; i < 100; ++i) {
    const ParcelHeader header = random_parcel(random);
    std::vector<unsigned char> data(header.length);
    if (header.inline_data || header.protocol == Protocol::atomic_add) {
      std::memcpy(data.data(), &header.source, 8);
    } else {
      std::memcpy(data.data(), source.data() + header.source - source_at, header.length);
    }
    pair.a.push(2, header);
    expected.apply(header, data);
  }
  pair.a.ring_at_start(2);
  pair.run();

  CHECK(pair.b.bytes(cid, destination_at, region) == expected.bytes);
  for (unsigned buffer = 0; buffer < 2; ++buffer) {
    const std::uint64_t base = rings_at + buffer * ring_bytes;
    CHECK(pair.b.buffer_word(cid, buffer) == base + expected.pointers[buffer]);
    CHECK(pair.b.bytes(cid, base, ring_bytes) == expected.rings[buffer]);
  }
  for (unsigned n = 0; n < 3; ++n) CHECK(pair.b.buffer_word(cid, 2 + n) == expected.address_registers[n]);
  const SenderCounters& sent = pair.a.nic.sender_counters();
  const ReceiverCounters& got = pair.b.nic.receiver_counters();
  CHECK(sent.packets == got.packets);
  CHECK(sent.bytes == expected.payload);
  CHECK(got.bytes == expected.payload);
  CHECK(sent.parcels[0] + sent.parcels[1] == 100);
  for (const Node* node : {&pair.a, &pair.b}) {
    std::array<PerAccessKind, 2> seen{};  // by initiator
    for (const MemoryRequest& request : node->memory.log)
      ++seen[request.initiator][static_cast<unsigned>(request.kind)];
    CHECK(node->nic.receiver_counters().memory_requests == seen[0]);
    CHECK(node->nic.sender_counters().memory_requests == seen[1]);
  }
  CHECK(pair.a.nic.drained(pair.domain.now() + 1));
  CHECK(pair.b.nic.drained(pair.domain.now() + 1));
  CHECK(pair.pool.in_use() == 0);
  CHECK(pair.a.get(sender_set_base + 2 * sender_set_stride + queue_read_pointer) == std::uint64_t{100} * 32);
}

}  // namespace

TEST_CASE("random parcels of all protocols arrive byte for byte") {
  all_arrives(11, true, 0);
}
TEST_CASE("random parcels arrive byte for byte with random memory stalls") {
  all_arrives(12, true, 150);
}
TEST_CASE("random parcels arrive byte for byte without optimized reads") {
  all_arrives(13, false, 20);
}

namespace {

void big_parcel_arrives(std::uint64_t from, std::uint64_t to) {
  OpenPair pair(cid);
  pair.a.map(cid, source_at, 129);
  pair.b.map(cid, destination_at, 129);
  CounterRandom random(14, 1);
  const auto data = random_bytes(random, std::uint64_t{512} * 1024);
  pair.a.fill(cid, source_at + from, data);
  pair.a.push(2, dma(source_at + from, destination_at + to, 512 * 1024));
  pair.a.ring_at_start(2);
  pair.run();
  CHECK(pair.b.bytes(cid, destination_at + to, data.size()) == data);
}

}  // namespace

TEST_CASE("512 KB arrive, aligned") {
  big_parcel_arrives(0, 0);
}
TEST_CASE("512 KB arrive from and to odd places") {
  big_parcel_arrives(std::uint64_t{8} * 13, std::uint64_t{8} * 203);
}

TEST_CASE("multicast writes at its named places, synchronization counts at its sid") {
  OpenPair pair(cid);
  const SynchronizationEntry entry{true, 0b11, 77, cid};
  const auto words = entry.encode();
  pair.a.memory.poke(synchronization_table_at + std::uint64_t{16} * 4, words.data(), 16);
  pair.b.memory.poke_word(limits_at + std::uint64_t{128} * cid + 48, counters_at);
  ParcelHeader header;
  header.protocol = Protocol::synchronization;
  header.kind = PacketKind::synchronization;
  header.logical_pe = 4;
  for (unsigned i = 0; i < 5; ++i) pair.a.push(2, header);
  pair.a.ring_at_start(2);
  pair.run();
  CHECK(pair.b.memory.peek_word(counters_at + std::uint64_t{8} * 77) == 5);
  CHECK(pair.b.memory.peek_word(counters_at + std::uint64_t{8} * 76) == 0);
  CHECK(pair.a.nic.sender_counters().parcels[2] == 5);
  CHECK(pair.b.nic.receiver_counters().packets[2] == 5);
  CHECK(pair.b.nic.receiver_counters().buffer_entry_misses == 1);
  CHECK(pair.b.nic.receiver_counters().buffer_entry_hits == 4);
}

TEST_CASE("a multicast reaches the node that its group and map name") {
  std::vector<std::unique_ptr<Pair>> pairs;
  for (const NodeId node : {63U, 64U, 127U, 1023U})
    pairs.push_back(std::make_unique<Pair>("node" + std::to_string(node), NicConfig{}, MemoryTimes{},
                                           ClockDomainConfig{}, node));
  elaborate();
  const std::array<MulticastEntry, 4> entries{{{true, std::uint64_t{1} << 63, 0, cid},
                                               {true, 1, 1, cid},
                                               {true, std::uint64_t{1} << 63, 1, cid},
                                               {true, std::uint64_t{1} << 63, 15, cid}}};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Pair& pair = *pairs[i];
    pair.a.open_set(2, cid);
    pair.b.open_set(2, cid);
    pair.b.map(cid, destination_at, 1);
    const auto words = entries[i].encode();
    pair.a.memory.poke(multicast_table_at + std::uint64_t{16} * 3, words.data(), 16);
    ParcelHeader header = dma(5, destination_at, 8, 3);
    header.kind = PacketKind::multicast;
    header.inline_data = true;
    pair.a.push(2, header);
    pair.a.ring_at_start(2);
  }
  pairs[0]->run();
  for (const auto& pair : pairs) {
    pair->domain.rethrow_failure();
    CHECK(pair->b.word(cid, destination_at) == 5);
  }
}

TEST_CASE("a packet carries the values of its parcel and of its table's entry") {
  Lone lone({}, 1, [](const Packet& packet, unsigned, Cycle arrival) { return arrival + packet.flits; });
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.open_set(3, cid + 1);
  lone.node.set(sender_os_base + 3 * sender_set_stride + source_pe, 0xabc);
  NodeEntry node{true, 900, 77};
  lone.node.memory.poke_word(node_table_at + std::uint64_t{8} * 3, node.encode());
  const auto multicast = MulticastEntry{true, 0xf0f, 13, 78}.encode();
  lone.node.memory.poke(multicast_table_at + std::uint64_t{16} * 4, multicast.data(), 16);
  const auto synchronization = SynchronizationEntry{true, 0xff, 99, 79}.encode();
  lone.node.memory.poke(synchronization_table_at + std::uint64_t{16} * 5, synchronization.data(), 16);
  ParcelHeader header = dma(0x1234567890abcdef, 0x400008, 8, 3);
  header.inline_data = header.log = true;
  lone.node.push(3, header);
  header.kind = PacketKind::multicast;
  header.logical_pe = 4;
  header.log = false;
  header.protocol = Protocol::message1;
  lone.node.push(3, header);
  header.kind = PacketKind::synchronization;
  header.protocol = Protocol::synchronization;
  header.logical_pe = 5;
  header.length = 0;
  lone.node.push(3, header);
  lone.node.ring_at_start(3);
  lone.run();
  REQUIRE(lone.sink.seen.size() == 3);
  for (unsigned i = 0; i < 3; ++i) {
    const Packet& packet = *lone.sink.seen[i].packet;
    const PacketHeader& own = lone.sink.seen[i].header;
    CHECK(packet.id == packet_id(0, i));
    CHECK(packet.source == 0);
    CHECK(packet.kind == static_cast<PacketKind>(i));
    CHECK(packet.payload_bytes == (i < 2 ? 8 : 0));
    CHECK(packet.created < packet.injected);
    CHECK(own.source_pe == 0xabc);
    CHECK(own.payload_bytes == packet.payload_bytes);
    CHECK(own.cid == 77 + i);
    CHECK((own.first && own.last));
    CHECK(own.log == (i == 0));
    if (i < 2) CHECK(std::memcmp(packet.payload.data(), &header.source, 8) == 0);
  }
  const auto& seen = lone.sink.seen;
  CHECK(seen[0].packet->destination == 900);
  CHECK(seen[0].header.node == 900);
  CHECK(seen[0].header.protocol == Protocol::remote_dma);
  CHECK(seen[0].header.address == 0x400008);
  CHECK(seen[1].packet->group == 13);
  CHECK(seen[1].packet->map == 0xf0f);
  CHECK(seen[1].header.protocol == Protocol::message1);
  CHECK(seen[1].header.address == 0);  // for a message, its place in the parcel
  CHECK(seen[2].packet->map == 0xff);
  CHECK(seen[2].packet->sid == 99);
  CHECK(seen[2].header.protocol == Protocol::synchronization);
}

TEST_CASE("the operating system's set takes physical addresses and a node") {
  Pair pair("pair");
  elaborate();
  pair.a.open_set(os_set, cid);
  pair.b.open_set(2, cid);
  pair.a.memory.poke_word(node_table_at + 8, 0);  // no logical PE is looked up
  pair.a.memory.poke_word(0x500008, 0x1234567890);
  ParcelHeader header = dma(0x500008, 0x600010, 8);
  header.physical = true;
  header.notify = true;
  header.notification = 0x500100;
  pair.a.push(os_set, header);
  pair.a.ring_at_start(os_set);
  pair.run();
  CHECK(pair.b.memory.peek_word(0x600010) == 0x1234567890);
  CHECK(pair.a.memory.peek_word(0x500100) == sent_pattern);
  CHECK(pair.a.nic.sender_counters().translations.misses == 0);
  CHECK(pair.b.nic.receiver_counters().translations.misses == 0);
}

TEST_CASE("the log records arrivals at the last packet of a parcel") {
  OpenPair pair(cid);
  pair.a.map(cid, source_at, 1);
  pair.b.map(cid, destination_at, 2);
  pair.b.buffer(cid, 2, destination_at + page_bytes, 128);
  ParcelHeader header = dma(source_at, destination_at + 64, 1024);
  header.log = true;
  pair.a.push(2, header);
  header.log = false;
  pair.a.push(2, header);
  pair.a.ring_at_start(2);
  pair.run();
  CHECK(pair.b.nic.receiver_counters().log_entries == 1);
  CHECK(pair.b.buffer_word(cid, BufferEntry::log_word) == destination_at + page_bytes + 16);
  const std::uint64_t last_packet = 192 + 3 * 256;  // the first ends at the line border
  CHECK(pair.b.word(cid, destination_at + page_bytes) == (7U << 4 | (1024 - last_packet) << 32));
  CHECK(pair.b.word(cid, destination_at + page_bytes + 8) == destination_at + 64 + last_packet);
}

TEST_CASE("messages go around their ring as the task reads") {
  OpenPair pair(cid);
  pair.b.map(cid, rings_at, 1);
  pair.b.buffer(cid, 0, rings_at, 512);
  pair.b.set(common_os_base + receiver_cid, cid);
  ParcelHeader header = word_message();
  // Three messages fit; then the task reads one before each further message.
  for (unsigned i = 0; i < 3; ++i) {
    header.source = i;
    pair.a.push(2, header);
  }
  pair.a.ring_at_start(2);
  for (unsigned i = 3; i < 11; ++i) {
    pair.at(std::uint64_t{1000} * i, [&pair, header, i]() mutable {
      CHECK(pair.b.word(cid, rings_at + std::uint64_t{(i - 1) % 4} * 128) == i - 1);
      pair.b.write(receiver_task_base + message_read_pointer0, rings_at + std::uint64_t{(i - 2) % 4} * 128);
      header.source = i;
      pair.a.push(2, header);
      pair.a.ring(2);
    });
  }
  pair.run();
  CHECK(pair.b.buffer_word(cid, 0) == rings_at + std::uint64_t{3} * 128);
}
