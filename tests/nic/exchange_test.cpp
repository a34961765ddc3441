// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <map>
#include <vector>

#include "nic/rig.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr unsigned tasks = 3, parcels = 12;
constexpr unsigned set = 2;
constexpr std::uint64_t source_at = 0x10000, destination_at = 0x40000;
constexpr std::uint64_t os_page = sender_os_base + set * sender_set_stride;

unsigned cid_of(unsigned task) {
  return 4 + task;
}

/// Three tasks of node a that put their data to node b through one control-register set, which an operating
/// system assigns to them in turn.
struct Shared {
  explicit Shared(const std::string& name) : pair(name) {
    elaborate();
    for (unsigned task = 0; task < tasks; ++task) {
      const unsigned cid = cid_of(task);
      pair.a.map(cid, source_at, 8);
      pair.b.map(cid, destination_at, 8);
      for (unsigned node = 0; node < 2; ++node) {
        NodeEntry entry;
        entry.valid = true;
        entry.node = static_cast<std::uint16_t>(node);
        entry.cid = static_cast<std::uint8_t>(cid);
        pair.a.memory.poke_word(nodes_at(task) + std::uint64_t{8} * node, entry.encode());
      }
      data[task] = random_bytes(random, std::size_t{parcels} * 512);
      pair.a.fill(cid, source_at, data[task]);
      for (unsigned n = 0; n < parcels; ++n) write_header(task, n);
    }
    for (auto* node : {&pair.a, &pair.b}) {
      node->set(common_os_base + segment_table_base, segments_at);
      node->set(common_os_base + buffer_table_base, buffers_at);
      node->set(common_os_base + buffer_limit_table_base, limits_at);
    }
  }
  static std::uint64_t queue_of(unsigned task) { return queues_at + std::uint64_t{task} * 0x10000; }
  static std::uint64_t nodes_at(unsigned task) { return node_table_at + std::uint64_t{task} * 0x1000; }
  void write_header(unsigned task, unsigned n) {
    ParcelHeader header = dma(source_at + std::uint64_t{512} * n, destination_at + std::uint64_t{512} * n,
                              8 + 8 * static_cast<std::uint32_t>(random.below(64)), 1);
    header.source -= header.source % 8;
    lengths[task][n] = header.length;
    const auto words = header.encode();
    pair.a.memory.poke(queue_of(task) + std::uint64_t{32} * n, words.data(), ParcelHeader::bytes);
  }
  void load(unsigned task) {
    Node& a = pair.a;
    a.set(os_page + queue_cid, cid_of(task));
    a.set(os_page + node_table_base, nodes_at(task));
    a.set(os_page + node_table_entries, 2);
    a.set(os_page + queue_base, queue_of(task));
    a.set(os_page + queue_bytes, 4096);
    a.set(os_page + queue_state, saved[task]);
    present = task;
  }
  void exchange(unsigned next) {
    pair.a.set(os_page + queue_bytes, 0);
    saved[present] = pair.a.get(os_page + queue_state);
    load(next);
  }
  void ring(std::uint64_t headers) {
    pair.a.set(sender_set_base + set * sender_set_stride + queue_write_pointer, 32 * headers);
  }

  CounterRandom random{77, 3};
  Pair pair;
  std::array<std::vector<unsigned char>, tasks> data;
  std::array<std::array<std::uint32_t, parcels>, tasks> lengths{};
  std::array<std::uint64_t, tasks> saved{};
  unsigned present = 0;
};

}  // namespace

TEST_CASE("a control-register set is exchanged in any cycle: each task's parcels go once, and in order") {
  Shared shared("pair");
  shared.load(0);
  std::array<unsigned, tasks> rung{};
  Cycle at = 2;
  unsigned exchanges = 0;
  for (unsigned turn = 0; turn < 400; ++turn) {
    shared.pair.at(at, [&, turn] {
      if (turn > 0) shared.exchange((shared.present + 1 + turn / 7 % 2) % tasks);
      unsigned& done = rung[shared.present];
      const std::uint64_t pointer = shared.saved[shared.present] & 0xffff;
      CHECK(pointer == 32 * done);
      done = std::min(parcels, done + static_cast<unsigned>(shared.random.below(3)));
      if (turn > 300) done = parcels;
      shared.ring(done);
      ++exchanges;
    });
    at += 1 + shared.random.below(turn > 390 ? 20000 : 40);
  }
  shared.pair.run();
  CHECK(exchanges == 400);
  std::map<std::uint64_t, unsigned> next;
  for (unsigned task = 0; task < tasks; ++task) {
    CHECK(rung[task] == parcels);
    for (unsigned n = 0; n < parcels; ++n) {
      const auto got =
          shared.pair.b.bytes(cid_of(task), destination_at + std::uint64_t{512} * n, shared.lengths[task][n]);
      const auto from = shared.data[task].begin() + std::ptrdiff_t{512} * n;
      CHECK(std::equal(got.begin(), got.end(), from));
    }
  }
  // Each parcel is sent once: the number of packets equals that of the parcels.
  std::uint64_t packets = 0, sent = 0;
  for (unsigned task = 0; task < tasks; ++task)
    for (const std::uint32_t length : shared.lengths[task]) packets += (length + 255) / 256;
  for (const std::uint64_t kind : shared.pair.a.nic.sender_counters().packets) sent += kind;
  CHECK(sent == packets);
  CHECK(shared.pair.b.deliveries.size() == packets);
}

TEST_CASE("a disabled set keeps its pointers and status, and a queue gets its own back") {
  Shared shared("pair");
  shared.load(1);
  shared.saved[2] = 0x40 | 0x20 << 16 | (std::uint64_t{3} | 0x60 << 16) << 32;
  shared.pair.at(5, [&] {
    shared.ring(2);
    shared.exchange(2);
    CHECK(shared.saved[1] == (0x40 | 0x0 << 16));
    CHECK(shared.pair.a.get(sender_set_base + set * sender_set_stride + queue_write_pointer) == 0x40);
    CHECK(shared.pair.a.get(sender_set_base + set * sender_set_stride + queue_read_pointer) == 0x20);
    CHECK(shared.pair.a.get(sender_set_base + set * sender_set_stride + queue_status) == (3 | 0x60 << 16));
  });
  shared.pair.run();
  // Only task 2's second header is sent, and none of task 1's.
  CHECK(shared.pair.b.deliveries.size() == (shared.lengths[2][1] + 255) / 256);
}

TEST_CASE("pointers that belong to no queue are the operating system's error") {
  Shared shared("pair");
  shared.load(0);
  const auto refuses = [&](std::uint64_t state, const std::string& why) {
    CHECK_THROWS_WITH(shared.pair.a.set(os_page + queue_state, state), Catch::Contains(why));
  };
  refuses(0x1000, "write pointer 4096 lies outside the queue");
  refuses(0x20 << 16 | 0x10, "not a multiple of 32");
  refuses(std::uint64_t{0x1000} << 16, "lies outside the queue");
  shared.ring(1);
  refuses(0, "queue pointers changed while the queue holds headers");
  refuses(0, "queue pointers changed");
}

TEST_CASE("a refusal for a queue that has left its set is no status of the set's present queue") {
  Shared shared("pair");
  struct Line final : InterruptLine {
    void raised(Cycle) override {}
  } line;
  shared.pair.a.nic.set_interrupt_line(&line);
  // Beyond the node table, which RHM detects some 20 cycles later, when it has read the header.
  ParcelHeader header = dma(source_at, destination_at, 8, 9);
  const auto words = header.encode();
  shared.pair.a.memory.poke(Shared::queue_of(0), words.data(), ParcelHeader::bytes);
  header.logical_pe = 1;
  header.source = 0x9000000;  // no segment: detected by SPM
  const auto unmapped = header.encode();
  shared.pair.a.memory.poke(Shared::queue_of(1), unmapped.data(), ParcelHeader::bytes);
  shared.load(1);
  const auto status = [&] {
    return shared.pair.a.get(sender_set_base + set * sender_set_stride + queue_status);
  };
  shared.pair.at(2, [&] { shared.ring(1); });
  shared.pair.at(400, [&] {
    CHECK(shared.pair.a.get(event_os_base + sender_fault_state) != 0);
    shared.exchange(2);
    shared.pair.a.set(event_os_base + sender_fault_state, fault_refuse);
  });
  shared.pair.at(500, [&] {
    CHECK(status() == 0);
    CHECK((shared.pair.a.get(event_os_base + sender_refusal) >> 8 & 0xff) == cid_of(1));
    shared.exchange(0);
    shared.ring(1);
  });
  shared.pair.at(900, [&] { CHECK((status() & 0xff) == static_cast<unsigned>(Violation::destination)); });
  shared.pair.run();
}

TEST_CASE("a task's registers are written to its own entries of the tables") {
  Pair pair("pair");
  elaborate();
  pair.a.open_set(2, 1);
  const auto limit = [&](unsigned cid, unsigned word) {
    return pair.a.memory.peek_word(limits_at + std::uint64_t{128} * cid + std::uint64_t{8} * word);
  };
  pair.at(3, [&] {
    pair.a.set(common_os_base + receiver_cid, 6);
    for (unsigned n = 0; n < 3; ++n) {
      pair.a.set(receiver_task_base + address_register0 + 8 * n, 0x100 + n);
      pair.a.set(receiver_task_base + message_read_pointer0 + 8 * n, 0x200 + n);
    }
    pair.a.set(common_os_base + receiver_cid, 7);
    pair.a.set(receiver_task_base + log_read_pointer, 0x300);
  });
  pair.run();
  for (unsigned n = 0; n < 3; ++n) {
    CHECK(pair.a.buffer_word(6, BufferEntry::address_register_word + n) == 0x100 + n);
    CHECK(limit(6, BufferLimits::read_pointer_word + n) == 0x200 + n);
    CHECK(pair.a.buffer_word(7, BufferEntry::address_register_word + n) == 0);
    CHECK(limit(7, BufferLimits::read_pointer_word + n) == (n == 2 ? 0x300U : 0U));
  }
}

TEST_CASE("a queue that enters a set is not held back by a request of the previous queue") {
  Lone lone({}, 1, [](const Packet& packet, unsigned, Cycle arrival) { return arrival + packet.flits; });
  elaborate();
  lone.node.open_set(set, 1);
  lone.node.map(1, source_at, 1);
  ParcelHeader read = dma(source_at, source_at, 8);
  read.protocol = Protocol::remote_read;
  for (unsigned n = 0; n < 3; ++n) lone.node.push(set, read);  // without replies, so the third one waits
  lone.node.ring_at_start(set);
  lone.at(2000, [&] {
    CHECK(lone.sink.seen.size() == 2);
    const std::uint64_t other = queues_at + 0x30000;
    const auto words = dma(source_at, destination_at, 8).encode();
    lone.node.memory.poke(other, words.data(), ParcelHeader::bytes);
    lone.node.set(os_page + queue_bytes, 0);
    lone.node.set(os_page + queue_base, other);
    lone.node.set(os_page + queue_bytes, 4096);
    lone.node.set(sender_set_base + set * sender_set_stride + queue_write_pointer, 32);
  });
  lone.run();
  REQUIRE(lone.sink.seen.size() == 3);
  CHECK(lone.sink.seen.back().header.protocol == Protocol::remote_dma);
}
