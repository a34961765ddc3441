// SPDX-License-Identifier: Apache-2.0
// Remote read, swap and compare & swap between tasks of a whole machine, through the library.

#include <algorithm>

#include "machines/machines.h"
#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::test;
using host::HeapBlock;
using host::Paralib;
using host::RankRuntime;

namespace {

Paralib::Reply await(RankRuntime& runtime, unsigned rrid) {
  Paralib::Reply reply;
  const std::string what = "a reply";
  runtime.waiter.until(
      [&] {
        reply = runtime.paralib.reply(rrid);
        return reply.arrived;
      },
      what, runtime.paralib.reply_address(rrid));
  return reply;
}

std::uint64_t value_of(unsigned rank, std::uint64_t word) {
  return std::uint64_t{rank} << 32 | (word * 2654435761 + 1);
}

constexpr std::uint64_t words = 1500;

struct Reads {
  std::uint64_t words = 0, wrong = 0;
};

/// Words of a rank's block, read into one half of another block.
struct Part {
  std::uint32_t from = 0;
  std::uint64_t first = 0, count = 0, to = 0;
};

void read_twice(RankRuntime& runtime, CounterRandom& random, std::uint64_t own, std::uint64_t got,
                Reads& log) {
  std::array<Part, 2> parts;
  for (unsigned p = 0; p < 2; ++p) {
    Part& part = parts[p];
    part.count = 1 + random.below(random.below(3) == 0 ? words / 2 : 20);
    part.from = static_cast<std::uint32_t>(random.below(runtime.ranks()));
    part.first = random.below(words - part.count);
    part.to = p * words / 2;
    runtime.paralib.get(part.from, own + 8 * part.first, got + 8 * part.to,
                        static_cast<std::uint32_t>(8 * part.count), 5 + p);
  }
  for (unsigned p = 0; p < 2; ++p) {
    (void)await(runtime, 5 + p);
    for (std::uint64_t w = 0; w < parts[p].count; ++w) {
      const std::uint64_t found = runtime.cpu.load(got + 8 * (parts[p].to + w));
      log.wrong += found == value_of(parts[p].from, parts[p].first + w) ? 0 : 1;
      ++log.words;
    }
  }
}

}  // namespace

TEST_CASE("tasks read each other's memory, and their own, with two requests in flight") {
  on_all_variants<Reads>(
      small_machine(9),
      [](RankRuntime& runtime, Reads& log) {
        const HeapBlock own(runtime.heap, 8 * words), got(runtime.heap, 8 * words);
        for (std::uint64_t w = 0; w < words; ++w)
          runtime.cpu.store(own.address() + 8 * w, value_of(runtime.rank(), w));
        runtime.collectives.barrier();
        CounterRandom random(7, runtime.rank());
        for (unsigned round = 0; round < 6; ++round)
          read_twice(runtime, random, own.address(), got.address(), log);
        runtime.collectives.barrier();
      },
      [](const Reads& log) {
        CHECK(log.wrong == 0);
        CHECK(log.words > 1000);
      });
}

TEST_CASE("every value that is swapped into a word comes out once") {
  constexpr unsigned rounds = 20;
  std::vector<std::uint64_t> expected{1};
  for (unsigned rank = 0; rank < 8; ++rank)
    for (unsigned round = 0; round < rounds; ++round) expected.push_back(value_of(rank, round + 1));
  std::sort(expected.begin(), expected.end());
  using Seen = std::vector<std::uint64_t>;
  on_all_variants<Seen>(
      small_machine(8),
      [](RankRuntime& runtime, Seen& seen) {
        const HeapBlock word(runtime.heap, 8), old(runtime.heap, 8 * rounds);
        if (runtime.rank() == 3) runtime.cpu.store(word.address(), 1);
        for (unsigned round = 0; round < rounds; ++round) runtime.cpu.store(old.address() + 8 * round, 0);
        runtime.collectives.barrier();
        const std::string what = "a swap";
        for (unsigned round = 0; round < rounds; ++round) {
          const std::uint64_t to = old.address() + 8 * round;
          runtime.paralib.swap(3, word.address(), value_of(runtime.rank(), round + 1), to);
          runtime.waiter.until([&] { return runtime.cpu.load(to) != 0; }, what, to);
          seen.push_back(runtime.cpu.load(to));
        }
        runtime.collectives.barrier();
        if (runtime.rank() == 3) seen.push_back(runtime.cpu.load(word.address()));
        runtime.collectives.barrier();
      },
      [&expected](Seen seen) {
        std::sort(seen.begin(), seen.end());
        CHECK(seen == expected);
      });
}

namespace {

struct Locks {
  std::uint64_t counted = 0, inside = 0, most_inside = 0, failed = 0;
};

void count_under_lock(RankRuntime& runtime, std::uint64_t lock, std::uint64_t counter, std::uint64_t own,
                      Locks& log) {
  while (true) {
    runtime.paralib.compare_swap(2, lock, 0, runtime.rank() + 1, 63);
    const Paralib::Reply reply = await(runtime, 63);
    if (reply.equal) break;
    if (reply.old == 0) throw std::runtime_error("an old value that was not compared");
    ++log.failed;
  }
  log.most_inside = std::max(log.most_inside, ++log.inside);
  runtime.paralib.get(2, counter, own, 8, 0);
  (void)await(runtime, 0);
  runtime.paralib.put_word(host::Target::pe(2), counter, runtime.cpu.load(own) + 1);
  --log.inside;
  // Arrives after the counter: both take the same route.
  runtime.paralib.put_word(host::Target::pe(2), lock, 0);
}

}  // namespace

TEST_CASE("a lock by compare & swap lets one task at a time count") {
  constexpr std::uint64_t rounds = 5;
  on_all_variants<Locks>(
      small_machine(6),
      [](RankRuntime& runtime, Locks& log) {
        const HeapBlock lock(runtime.heap, 8), counter(runtime.heap, 8), own(runtime.heap, 8);
        runtime.cpu.store(lock.address(), 0);
        runtime.cpu.store(counter.address(), 0);
        runtime.collectives.barrier();
        for (std::uint64_t round = 0; round < rounds; ++round)
          count_under_lock(runtime, lock.address(), counter.address(), own.address(), log);
        runtime.collectives.barrier();
        if (runtime.rank() == 2) log.counted = runtime.cpu.load(counter.address());
      },
      [](const Locks& log) {
        CHECK(log.counted == 6 * rounds);
        CHECK(log.most_inside == 1);
        CHECK(log.failed > 0);
      });
}

TEST_CASE("Senders have two outstanding requests, and fewer where two of every node would overrun a queue") {
  const auto of = [](unsigned nodes) {
    machines::Cenju4Config config;
    config.network.topology.nodes = nodes;
    config.resolve();
    return config.nic.sender.outstanding_requests;
  };
  CHECK(of(4) == 2);
  CHECK(of(512) == 2);
  CHECK(of(1024) == 1);
  CHECK(host::OsAgent::outstanding_requests(1023, 2) == 2);
  CHECK(host::OsAgent::outstanding_requests(100, 40) == 20);
}
