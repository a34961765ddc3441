// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <set>

#include "nic/rig.h"
#include "nic/system.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::nic;
using namespace tsuji::test;

namespace {

constexpr std::uint64_t source_at = 0x800000, destination_at = 0x400000;
constexpr unsigned cid = 3, pages = 48;
constexpr std::uint64_t region = std::uint64_t{pages} * page_bytes;

/// Node a's pages are not adjacent, and the memory that physically follows each page is unmapped. `expected`
/// models node b's memory by bytes.
struct Bench {
  explicit Bench(std::uint64_t seed, const MemoryTimes& times = {}, const NicConfig& config = {})
      : random(seed, 7), pair("pair", config, times) {
    elaborate();
    pair.a.open_set(2, cid, 65536);
    pair.b.open_set(2, cid, 65536);
    pair.a.map(cid, source_at, pages);
    pair.b.map(cid, destination_at, pages);
    source = random_bytes(random, region);
    expected = random_bytes(random, region);
    pair.a.fill(cid, source_at, source);
    pair.b.fill(cid, destination_at, expected);
    for (std::uint64_t page = 0; page < pages; ++page) {
      const auto word = random_bytes(random, 4);
      const std::uint64_t behind = pair.a.physical(cid, source_at + page * page_bytes) + page_bytes;
      pair.a.memory.poke(behind, word.data(), 4);
      neighbours.push_back(word);
    }
  }

  /// The word that a shifted parcel carries instead of the first word of page `page`.
  const unsigned char* neighbour(std::uint64_t page) const { return neighbours[page - 1].data(); }

  void parcel(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    pair.a.push(2, dma(source_at + from, destination_at + to, static_cast<std::uint32_t>(bytes)));
  }

  /// Splits a transfer by hand as the paper does: a separate word where the destination is odd, then A or C,
  /// then the first words of all further source pages.
  void transfer(std::uint64_t from, std::uint64_t to, std::uint64_t bytes, bool resends) {
    std::memcpy(&expected[to], &source[from], bytes);
    if (to % 8 != 0) {
      parcel(from, to, 4);
      from += 4, to += 4, bytes -= 4;
    }
    if (bytes == 0) return;
    parcel(from, to, bytes);
    if (from % 8 == 0) return;
    for (std::uint64_t page = from / page_bytes + 1; page * page_bytes < from + bytes; ++page) {
      const std::uint64_t at = to + page * page_bytes - from;
      ++wrong;
      if (resends) {
        parcel(page * page_bytes, at, 4);
      } else {
        std::memcpy(&expected[at], neighbour(page), 4);
      }
    }
  }

  void run() {
    pair.a.ring_at_start(2);
    pair.run();
    CHECK(pair.b.bytes(cid, destination_at, region) == expected);
    CHECK(pair.pool.in_use() == 0);
  }

  CounterRandom random;
  Pair pair;
  std::vector<unsigned char> source, expected;
  std::vector<std::vector<unsigned char>> neighbours;
  unsigned wrong = 0;
};

/// All 32 x 32 word offsets of source and destination in a line, `rounds` times, each with another length of
/// 4 .. 600 bytes; 150 rounds have all lengths. Many transfers are at borders of pages.
void every_offset(bool resends, std::uint64_t seed, unsigned rounds, const MemoryTimes& times = {}) {
  Bench bench(seed, times);
  std::set<std::uint64_t> lengths;
  const auto push_round = [&](unsigned round) {
    for (std::uint64_t i = 0; i < 1024; ++i) {
      const std::uint64_t bytes = 4 * (1 + (i * 7 + std::uint64_t{150} / rounds * round + seed) % 150);
      lengths.insert(bytes);
      const auto place = [&](std::uint64_t word) {
        const std::uint64_t page = 1 + bench.random.below(pages - 3);
        const std::uint64_t line =
            bench.random.below(2) != 0 ? 31 - bench.random.below(5) : bench.random.below(32);
        return page * page_bytes + line * 128 + word * 4;
      };
      bench.transfer(place(i / 32), place(i % 32), bytes, resends);
    }
  };
  for (unsigned round = 1; round < rounds; ++round) {
    bench.pair.at(Cycle{round} * 2'000'000, [&, round] {
      push_round(round);
      bench.pair.a.ring(2);
    });
  }
  push_round(0);
  bench.run();
  CHECK(lengths.size() == 150);
  CHECK(bench.wrong > 200);
}

}  // namespace

TEST_CASE(
    "every pair of word offsets arrives at every length, with the words after page borders sent again") {
  every_offset(true, 1, 150);
}
TEST_CASE("every pair of word offsets arrives with random memory stalls") {
  MemoryTimes times;
  times.stall_bound = 120;
  every_offset(true, 2, 15, times);
}
TEST_CASE(
    "without a second transfer, exactly the words after page borders are those of the physical neighbour") {
  every_offset(false, 3, 150);
}

TEST_CASE("a long parcel from an odd word has one wrong word a page border") {
  Bench bench(4);
  bench.transfer(page_bytes + 20, 64, 40 * page_bytes, false);
  CHECK(bench.wrong == 40);
  bench.run();
  // Packets end at page borders, so they are short there, and the next one begins after the page's first
  // word.
  for (const Delivery& delivery : bench.pair.b.deliveries) CHECK(delivery.header.payload_bytes <= 256);
}

namespace {

/// The last packet's time from the header in its register to its head on the wires, after a previous packet
/// has loaded the translation.
Cycle time_of(std::uint64_t from, std::uint32_t bytes, std::vector<MemoryRequest>* log = nullptr,
              std::uint64_t to = 0x400000) {
  Lone lone({}, 1, [](const Packet& packet, unsigned, Cycle arrival) { return arrival + packet.flits; });
  elaborate();
  lone.node.open_set(2, cid);
  lone.node.map(cid, source_at, 2);
  lone.node.push(2, dma(source_at, 0x400000, 8));
  lone.node.ring_at_start(2);
  lone.at(2000, [&] {
    lone.node.memory.log.clear();
    lone.node.push(2, dma(source_at + from, to, bytes));
    lone.node.ring(2);
  });
  lone.run();
  REQUIRE(lone.sink.seen.size() == 2);
  if (log != nullptr) *log = lone.node.memory.log;
  const Packet& packet = *lone.sink.seen[1].packet;
  CHECK(packet.flits == 1 + 18 + 3 * ((bytes + 7) / 8));
  return packet.injected - packet.created;
}

}  // namespace

TEST_CASE("a packet of case C takes the sum of its steps' cycles") {
  std::vector<MemoryRequest> log;
  // Chosen + 1, translated + 2, built + 3. Line 0: requested + 4, granted + 5, words + 38 .. + 53. Line 1:
  // requested + 53, granted + 54, words + 87 .. + 102. Line 2, for its first half word: requested + 102,
  // granted + 103; the head leaves one cycle later. Word 31 is complete with line 2's first word, + 136, and
  // leaves at + 104 + 19 + 3 x 31.
  CHECK(time_of(4, 256, &log) == 104);
  REQUIRE(log.size() == 5);  // header, table entry, three lines
  for (unsigned line = 0; line < 3; ++line) {
    CHECK(log[2 + line].kind == MemoryAccessKind::coherent_read);
    CHECK(log[2 + line].bytes == 128);
    CHECK(log[2 + line].address % page_bytes == std::uint64_t{128} * line);
  }
}
TEST_CASE("a packet of case A takes less by the time of one line") {
  CHECK(time_of(0, 256) == 55);
}
TEST_CASE("the word that a shift needs from the next line delays the head") {
  // From the last word of line 0: granted + 5, line 1 requested + 53, granted + 54, and its first word, + 87,
  // completes word 0, which leaves 19 cycles after the head.
  CHECK(time_of(124, 120) == 87 - 19);
}
TEST_CASE("a single word leaves the shift register one cycle after its arrival") {
  CHECK(time_of(4, 4) == 5 + 33 + 1 - 19);
}
TEST_CASE("a single word from a doubleword is not shifted") {
  CHECK(time_of(8, 4, nullptr, 0x400004) == 5 + 33 + 1 - 19);  // the line's second 8 bytes
}
TEST_CASE("the last half of a shifted packet leaves the register a cycle later") {
  // 12 bytes: doublewords 0 and 1 come + 38, + 39. Word 0 is complete + 39, word 1 + 40: within the
  // head's 22.
  CHECK(time_of(4, 12) == 39 - 19);
}

namespace {

/// Counts the Sender's line reads by kind, for a parcel of 8 pages whose source lies `words` words further
/// within a line than its destination.
std::array<std::uint64_t, 2> reads_at(std::uint64_t words, const char* name) {
  Pair pair(name);
  elaborate();
  pair.a.open_set(2, cid);
  pair.b.open_set(2, cid);
  pair.a.map(cid, source_at, 10);
  pair.b.map(cid, destination_at, 10);
  pair.a.push(2, dma(source_at + page_bytes + 4 * words, destination_at, 8 * page_bytes));
  pair.a.ring_at_start(2);
  pair.run();
  std::array<std::uint64_t, 2> reads{};
  std::set<std::uint64_t> seen;
  for (const MemoryRequest& request : pair.a.memory.log) {
    if (request.bytes != 128) continue;
    const bool coherent = request.kind == MemoryAccessKind::coherent_read;
    ++reads[coherent ? 1 : 0];
    // Reads of another page do not cause a noncoherent read of this page's first line.
    if (request.address % page_bytes == 0 && seen.insert(request.address).second) CHECK(coherent);
  }
  return reads;
}

}  // namespace

TEST_CASE("one word of difference: three coherent reads a packet") {
  const auto reads = reads_at(1, "one");
  CHECK(reads[0] == 0);
  CHECK(reads[1] == 8 * 16 * 3);
}
TEST_CASE("three words of difference: optimized reads") {
  const auto reads = reads_at(3, "three");
  // 15 packets of 256 bytes and one to the source page's border, of which the first finds no line read. From
  // the second page on, a packet of 8 bytes to the destination page's border precedes them.
  CHECK(reads[0] == 15 + 7 * 16);
}
TEST_CASE("31 words of difference: optimized reads") {
  CHECK(reads_at(31, "thirty_one")[0] > 8 * 14);
}
TEST_CASE("33 words of difference equal one word within a line") {
  CHECK(reads_at(33, "thirty_three")[0] == 0);
}

TEST_CASE("inline words go to both halves of a doubleword, and the other half is unchanged") {
  Bench bench(5);
  for (std::uint64_t i = 0; i < 40; ++i) {
    ParcelHeader header = dma(bench.random.next(), destination_at + 4 * (100 + 3 * i), 4);
    header.inline_data = true;
    bench.pair.a.push(2, header);
    std::memcpy(&bench.expected[header.destination - destination_at], &header.source, 4);
  }
  bench.run();
  for (const MemoryRequest& write : bench.pair.b.memory.log) {
    if (write.kind == MemoryAccessKind::coherent_write) CHECK(write.bytes == 4);
  }
}

TEST_CASE("remote reads of odd words are shifted by the node that is read") {
  Bench bench(6);
  bench.pair.a.open_set(reply_set, cid);
  bench.pair.b.open_set(reply_set, cid);
  const std::uint64_t buffer = destination_at + 47 * page_bytes;
  bench.pair.b.memory.poke_word(
      buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * BufferEntry::reply_notification_word, buffer);
  std::fill_n(bench.expected.begin() + 47 * page_bytes, page_bytes, 0);
  bench.pair.b.fill(cid, buffer, std::vector<unsigned char>(page_bytes));
  const std::uint64_t from = 3 * page_bytes - 1036, to = 2048, bytes = 2060;
  ParcelHeader header = dma(source_at + from, destination_at + to, bytes, 0);
  header.protocol = Protocol::remote_read;
  bench.pair.b.push(2, header);
  header.source += bytes;
  header.destination = destination_at + to + bytes;  // an odd word
  header.length = 4;
  bench.pair.b.push(2, header);
  std::memcpy(&bench.expected[to], &bench.source[from], bytes + 4);
  std::memcpy(&bench.expected[to + 1036], bench.neighbour(3), 4);
  bench.expected[47 * page_bytes] = 1;  // notification of rrid 0
  bench.pair.b.ring_at_start(2);
  bench.run();
}

TEST_CASE("a message from an odd word arrives at the ring's next line") {
  Bench bench(8);
  bench.pair.b.buffer(cid, 0, destination_at, 4096);
  ParcelHeader header = dma(source_at + 12, 0, 100);
  header.protocol = Protocol::message0;
  bench.pair.a.push(2, header);
  std::memcpy(&bench.expected[0], &bench.source[12], 100);
  bench.run();
  CHECK(bench.pair.b.buffer_word(cid, 0) == destination_at + 128);
}

TEST_CASE("an odd address register takes single words only") {
  Bench bench(9);
  System system(bench.pair, bench.pair.b);
  bench.pair.b.memory.poke_word(
      buffers_at + std::uint64_t{64} * cid + std::uint64_t{8} * BufferEntry::address_register_word,
      destination_at + 4);
  ParcelHeader header = dma(source_at, 0, 8);
  header.protocol = Protocol::remote_dma_register0;
  bench.pair.a.push(2, header);
  header.destination = 1024;
  header.length = 4;
  bench.pair.a.push(2, header);
  std::memcpy(&bench.expected[1028], &bench.source[0], 4);
  bench.run();
  CHECK(system.refusals == std::vector<Refused>{{Violation::alignment, cid, 0}});
}
