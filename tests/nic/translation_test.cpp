// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <list>

#include "nic/rig.h"
#include "support/catch.h"
#include "tsuji/nic/sender/packet_cutter.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

/// Reference TLB: four pages, replaced least recently used first.
struct Naive {
  std::list<std::uint64_t> pages;
  TranslationCounters counters;
  void use(std::uint64_t address) {
    const std::uint64_t page = address / page_bytes;
    const auto held = std::find(pages.begin(), pages.end(), page);
    ++(held == pages.end() ? counters.misses : counters.hits);
    if (held != pages.end()) pages.erase(held);
    pages.push_front(page);
    if (pages.size() > 4) pages.pop_back();
  }
};

}  // namespace

TEST_CASE("TLB misses are exactly those of the four least recently used pages") {
  constexpr unsigned cid = 2;
  constexpr std::uint64_t source_at = 0x800000, destination_at = 0x400000;
  OpenPair pair(cid);
  pair.a.map(cid, source_at, 8);
  pair.b.map(cid, 0x200000, 2);  // another segment before the used one
  pair.b.map(cid, destination_at, 8);
  CounterRandom random(31, 1);
  Naive sender, receiver;
  const PacketCutter cutter(256);
  for (unsigned i = 0; i < 100; ++i) {
    const auto length = static_cast<std::uint32_t>(8 * (1 + random.below(i % 10 == 0 ? 1024 : 40)));
    const ParcelHeader header = dma(source_at + 8 * random.below(8 * 512 - length / 8),
                                    destination_at + 8 * random.below(8 * 512 - length / 8), length);
    pair.a.push(2, header);
    for (std::uint32_t offset = 0; offset < length;) {
      const PacketCut cut = cutter.next(header.source, header.destination, length, offset, 0);
      sender.use(header.source + offset);
      receiver.use(header.destination + offset);
      offset += cut.bytes;
    }
  }
  pair.a.ring_at_start(2);
  pair.run();
  const auto& sent = pair.a.nic.sender_counters();
  const auto& got = pair.b.nic.receiver_counters();
  CHECK(sent.translations.misses == sender.counters.misses);
  CHECK(sent.translations.hits == sender.counters.hits);
  CHECK(got.translations.misses == receiver.counters.misses);
  CHECK(got.translations.hits == receiver.counters.hits);
  CHECK(sender.counters.misses > 20);
  // Each walk of the Sender reads one segment entry (at 24 * 8 = 192: in one line) and the page; headers read
  // a node entry.
  const auto noncoherent = static_cast<unsigned>(MemoryAccessKind::noncoherent_read);
  unsigned again = 0;
  for (const MemoryRequest& request : pair.a.memory.log) {
    if (request.kind == MemoryAccessKind::noncoherent_read && request.bytes == 128) ++again;
  }
  CHECK(sent.memory_requests[noncoherent] == 100 + 2 * sent.translations.misses + again);
  // The Receiver's second segment entry does not cross a line border (192 + 24 = 216; 216..240 is in one
  // line).
  CHECK(got.memory_requests[noncoherent] == 3 * got.translations.misses);
}

TEST_CASE("flushed translations are walked again") {
  constexpr unsigned cid = 2;
  OpenPair pair(cid);
  pair.a.map(cid, 0x10000, 1);
  pair.b.map(cid, 0x10000, 1);
  for (unsigned i = 0; i < 3; ++i) {
    pair.at(std::uint64_t{2000} * (i + 1), [&pair, i] {
      if (i == 2) pair.a.write(common_os_base + flush_tlbs, 1);
      if (i == 2) pair.b.write(common_os_base + flush_tlbs, 1);
      pair.a.push(2, dma(0x10000, 0x10000, 64));
      pair.a.ring(2);
    });
  }
  pair.run();
  CHECK(pair.a.nic.sender_counters().translations.misses == 2);
  CHECK(pair.a.nic.sender_counters().translations.hits == 1);
  CHECK(pair.b.nic.receiver_counters().translations.misses == 2);
  CHECK(pair.b.nic.receiver_counters().translations.hits == 1);
}

namespace {

/// Messages to cids 4 and 5 in turn, eight in all, at a Receiver that caches the entries of `buffer_entries`
/// cids.
ReceiverCounters messages_to_two_tasks(unsigned buffer_entries) {
  NicConfig config;
  config.receiver.buffer_entries = buffer_entries;
  Pair pair("pair", config);
  elaborate();
  pair.a.open_set(2, 4);
  pair.b.open_set(2, 4);
  for (std::uint8_t cid : {4, 5}) {
    pair.b.map(cid, 0x10000, 1);
    pair.b.buffer(cid, 0, 0x10000, page_bytes);
    NodeEntry entry;
    entry.valid = true;
    entry.node = 1;
    entry.cid = cid;
    pair.a.memory.poke_word(node_table_at + std::uint64_t{8} * cid, entry.encode());
  }
  for (unsigned i = 0; i < 8; ++i) {
    pair.a.push(2, word_message(i, i % 2 == 0 ? 4 : 5));
  }
  pair.a.ring_at_start(2);
  pair.run();
  for (unsigned i = 0; i < 8; ++i)
    CHECK(pair.b.word(i % 2 == 0 ? 4 : 5, 0x10000 + std::uint64_t{128} * (i / 2)) == i);
  return pair.b.nic.receiver_counters();
}

}  // namespace

TEST_CASE("a Receiver with a place for both tasks' buffers reads each of them once") {
  const ReceiverCounters counters = messages_to_two_tasks(2);
  CHECK(counters.buffer_entry_misses == 2);
  CHECK(counters.buffer_entry_hits == 6);
}

TEST_CASE("a Receiver with a place for one task's buffers reads them whenever the task changes") {
  const ReceiverCounters counters = messages_to_two_tasks(1);
  CHECK(counters.buffer_entry_misses == 8);
  CHECK(counters.buffer_entry_hits == 0);
}
