// SPDX-License-Identifier: Apache-2.0
// Puts between any words of a whole machine, through the library, compared with copies of memory.

#include <vector>

#include "machines/machines.h"
#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::test;
using host::HeapBlock;
using host::RankRuntime;
using host::Realignment;
using host::Target;

namespace {

constexpr std::uint64_t words = 6000, puts = 40, changes = 30;

std::uint32_t first_value(std::uint32_t rank, std::uint64_t word) {
  return rank << 24 | static_cast<std::uint32_t>(word * 2654435761 % 0xffffff);
}

/// A put of `count` words, and the words of its source that are overwritten after it.
struct Put {
  std::uint64_t from, to, count;
  std::vector<std::uint64_t> changed;
};

/// The puts of a rank; its receiver draws the same sequence again.
class Puts {
 public:
  explicit Puts(std::uint32_t rank) : source(words), random_(31, rank) {
    for (std::uint64_t w = 0; w < words; ++w) source[w] = first_value(rank, w);
  }
  Put next() {
    Put put;
    const bool line = random_.below(4) == 0;  // 1..32 words, at borders of pages
    put.count = 1 + random_.below(line ? 32 : random_.below(4) == 0 ? 3500 : 200);
    put.from = random_.below(words - put.count);
    put.to = random_.below(words - put.count);
    if (line) put.from = 1024 * (1 + random_.below(4)) - random_.below(40);
    for (std::uint64_t c = 0; c < changes; ++c) {
      // Often first lines of pages: the interface reads them ahead if no packet has read them.
      put.changed.push_back(random_.below(2) != 0 ? random_.below(6) * 1024 % words : random_.below(words));
    }
    return put;
  }
  std::uint32_t new_value() { return static_cast<std::uint32_t>(random_.next()); }
  std::vector<std::uint32_t> source;

 private:
  CounterRandom random_;
};

struct Seen {
  std::uint64_t words = 0, wrong = 0, parcels = 0;
};

void send_all(RankRuntime& runtime, std::uint64_t out, std::uint64_t in, std::uint64_t notification) {
  Puts mine(runtime.rank());
  const Target to = Target::pe((runtime.rank() + 1) % runtime.ranks());
  for (std::uint64_t n = 0; n < puts; ++n) {
    const Put put = mine.next();
    runtime.cpu.store(notification, 0);
    runtime.paralib.put(to, out + 4 * put.from, in + 4 * put.to, 4 * put.count, notification);
    const std::string what = "a put";
    runtime.waiter.until([&] { return runtime.cpu.load(notification) == nic::sent_pattern; }, what,
                         notification);
    for (const std::uint64_t word : put.changed) runtime.cpu.store_word(out + 4 * word, mine.new_value());
  }
  runtime.paralib.put_word(to, notification + 8, 1);
}

/// Compares with the expected memory: a copy for each put, in order.
void compare(RankRuntime& runtime, std::uint64_t in, Seen& seen) {
  Puts theirs((runtime.rank() + runtime.ranks() - 1) % runtime.ranks());
  std::vector<std::uint32_t> expected(words, 0xdeadbeef), found(words);
  for (std::uint64_t n = 0; n < puts; ++n) {
    const Put put = theirs.next();
    std::copy_n(theirs.source.begin() + static_cast<std::ptrdiff_t>(put.from), put.count,
                expected.begin() + static_cast<std::ptrdiff_t>(put.to));
    for (const std::uint64_t word : put.changed) theirs.source[word] = theirs.new_value();
  }
  runtime.cpu.load_block(in, found.data(), 4 * words);
  for (std::uint64_t w = 0; w < words; ++w) seen.wrong += found[w] == expected[w] ? 0 : 1;
  seen.words += words;
}

void exchange(RankRuntime& runtime, Seen& seen) {
  const HeapBlock out(runtime.heap, 4 * words), in(runtime.heap, 4 * words), told(runtime.heap, 16);
  const Puts mine(runtime.rank());
  const std::vector<std::uint32_t> empty(words, 0xdeadbeef);
  runtime.cpu.store_block(out.address(), mine.source.data(), 4 * words);
  runtime.cpu.store_block(in.address(), empty.data(), 4 * words);
  runtime.cpu.store(told.address() + 8, 0);
  runtime.collectives.barrier();
  send_all(runtime, out.address(), in.address(), told.address());
  const std::string what = "the last put";
  const std::uint64_t last = told.address() + 8;
  runtime.waiter.until([&] { return runtime.cpu.load(last) != 0; }, what, last);
  compare(runtime, in.address(), seen);
  seen.parcels += runtime.paralib.parcels();
  runtime.collectives.barrier();
}

/// Checks puts between any words. `optimized`: reads of the network interface.
void all_words_arrive(Realignment realignment, bool optimized, std::uint64_t cache_bytes) {
  machines::Cenju4Config config = small_machine(5);
  config.library.realignment = realignment;
  config.nic.sender.optimized_first_read = optimized;
  config.processor.cache.bytes = cache_bytes;
  on_all_variants<Seen>(config, exchange, [](const Seen& seen) {
    CHECK(seen.words == 5 * words);
    CHECK(seen.wrong == 0);
    CHECK(seen.parcels > 5 * puts);
  });
}

}  // namespace

TEST_CASE("puts between any words, shifted by the network interface, are copies") {
  all_words_arrive(Realignment::hardware, true, 65536);
}
TEST_CASE("puts between any words, shifted by the network interface, are copies in a small cache") {
  all_words_arrive(Realignment::hardware, true, 4096);
}
TEST_CASE("puts between any words without optimized reads are copies") {
  all_words_arrive(Realignment::hardware, false, 65536);
}
TEST_CASE("puts between any words, copied by the processor, are copies") {
  all_words_arrive(Realignment::software, true, 65536);
}
