// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <vector>

#include "host/node_bench.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/core/run_time.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;
using Kind = MemoryAccessKind;

namespace {
constexpr std::uint64_t heap = Node::heap;

/// Reference: the loop that poll_until models, turn by turn.
void spin_until(Cpu& cpu, Cycle loop, const std::function<bool()>& condition) {
  const Cycle start = cpu.now();
  for (;;) {
    const Cycle turn = cpu.now();
    if (condition()) return;
    const Cycle least = std::max(cpu.now(), turn + 1);
    cpu.compute(start + (least - start + loop - 1) / loop * loop - cpu.now());
  }
}

}  // namespace

TEST_CASE("poll: the processor continues exactly at the first point of its grid after the write") {
  constexpr unsigned rounds = 40;
  constexpr Cycle loop = 8;
  Clocks clocks;
  std::vector<Cycle> starts, ends;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    for (unsigned i = 0; i < rounds; ++i) {
      const std::uint64_t address = heap + 128 * i;
      cpu.compute(1000 * (i + 1) - cpu.now());
      starts.push_back(cpu.now());
      cpu.poll_until(
          &address, 1, [&] { return cpu.load(address) != 0; }, "a flag");
      ends.push_back(cpu.now());
    }
  });
  std::vector<Requester::Request> plan;
  for (unsigned i = 0; i < rounds; ++i) {
    plan.push_back({1000 * (i + 1) + 200 + i, Kind::coherent_write, node.physical(heap + 128 * i), 128, 1});
  }
  node.receiver.plan(plan);
  clocks.run();
  REQUIRE(ends.size() == rounds);
  for (unsigned i = 0; i < rounds; ++i) {
    const Cycle written = node.receiver.answers[i].granted;
    const Cycle turn = starts[i] + (written - starts[i] + loop - 1) / loop * loop;
    const Cycle fetched = std::max(turn + 1, written + 18) + 23;  // the controller may still be writing
    REQUIRE(ends[i] == fetched + 1);
  }
}

TEST_CASE("poll: waiting does not count as work") {
  Clocks clocks;
  std::uint64_t before = 0, after = 0;
  Cycle end = 0;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    const std::uint64_t addresses[] = {heap, heap + 4096};
    cpu.load(heap);
    cpu.load(heap + 4096);
    before = clocks.half.steps();
    cpu.poll_until(
        addresses, 2, [&] { return cpu.load(heap) + cpu.load(heap + 4096) != 0; }, "one of two");
    after = clocks.half.steps();
    end = cpu.now();
  });
  node.receiver.plan({{1000000, Kind::coherent_write, node.physical(heap + 4096), 8, 1}});
  clocks.run();
  REQUIRE(end > 1000000);
  REQUIRE(after - before < 10);
  REQUIRE(clocks.main.steps() < 20);
  REQUIRE(node.processor.counters().poll_turns == 2);
}

TEST_CASE("poll: a write of the same value wakes once") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    const std::uint64_t address = heap;
    cpu.load(heap);
    cpu.poll_until(
        &address, 1, [&] { return cpu.load(heap) == 2; }, "the second write");
  });
  node.receiver.plan({{1000, Kind::coherent_write, node.physical(heap), 8, 1},
                      {100000, Kind::coherent_write, node.physical(heap), 8, 2}});
  clocks.run();
  REQUIRE(node.processor.finished());
  REQUIRE(node.processor.counters().poll_turns == 3);
}

namespace {

/// One form of waiting, to be compared with the other: `wait(addresses, condition)`.
using Wait = std::function<void(Cpu&, const std::vector<std::uint64_t>&, const std::function<bool()>&)>;

/// Repeatedly waits for a counter that others advance, with conditions of several shapes: one line; two
/// lines; one that does other work; one that evicts its polled line; one that takes exactly a whole turn.
/// Longer conditions are not compared: a spinning loop then evaluates only every few points of the grid, a
/// woken poll at the next one.
std::vector<Cycle> waits(Cpu& cpu, unsigned rounds, const Wait& wait) {
  std::vector<Cycle> ends;
  std::uint64_t expected = 0;
  for (unsigned i = 0; i < rounds; ++i) {
    ++expected;
    const std::uint64_t flag = heap + 8 * (i % 4);
    const auto shape = i % 5;
    std::vector<std::uint64_t> addresses = {flag};
    if (shape == 1) addresses.push_back(heap + 128);
    wait(cpu, addresses, [&, shape] {
      if (shape == 1) cpu.load(heap + 128);
      if (shape == 2) cpu.compute(3);
      if (shape == 4) cpu.compute(6);  // with the load exactly a turn
      const bool there = cpu.load(flag) >= expected;
      if (shape == 3) {  // three lines in a set of a 2-way cache
        cpu.load(heap + 512);
        cpu.load(heap + 1024);
      }
      return there;
    });
    ends.push_back(cpu.now());
    cpu.compute(i * 7 % 50);
  }
  return ends;
}

std::vector<Requester::Request> writes(const Node& node, unsigned rounds) {
  std::vector<Requester::Request> plan;
  CounterRandom random(31, 0);
  Cycle at = 5;
  for (unsigned i = 0; i < rounds; ++i) {
    at += random.below(i % 3 == 0 ? 30 : 900);  // sometimes before the program polls, mostly after
    plan.push_back({at, Kind::coherent_write, node.physical(heap), 32, i + 1});
    if (random.below(2) == 0)
      plan.push_back({at + random.below(9), Kind::coherent_write, node.physical(heap + 128), 8, 1});
  }
  return plan;
}

void sleeping_is_spinning(const ClockDomainConfig& clock, bool wait_each) {
  constexpr unsigned rounds = 600;
  Clocks clocks(clock);
  std::vector<Cycle> slept, spun;
  ProcessorConfig config = tiny_cache();
  config.cache.bytes = 8 * 128;
  config.poll_loop_cycles = 7;
  config.wait_each = wait_each;
  const Wait sleep = [](Cpu& cpu, const std::vector<std::uint64_t>& addresses,
                        const std::function<bool()>& condition) {
    cpu.poll_until(addresses.data(), addresses.size(), condition, "a counter");
  };
  const Wait spin = [](Cpu& cpu, const std::vector<std::uint64_t>&, const std::function<bool()>& condition) {
    spin_until(cpu, 7, condition);
  };
  Node first("sleeps", clocks.main, clocks.half, config,
             [&](Cpu& cpu) { slept = waits(cpu, rounds, sleep); });
  Node second("spins", clocks.main, clocks.half, config, [&](Cpu& cpu) { spun = waits(cpu, rounds, spin); });
  for (Node* node : {&first, &second}) node->receiver.plan(writes(*node, rounds));
  clocks.run();
  REQUIRE(slept.size() == rounds);
  REQUIRE(slept == spun);
  REQUIRE(first.receiver.answers == second.receiver.answers);
  REQUIRE(first.processor.counters().polls == rounds);
  REQUIRE(first.processor.counters().poll_turns > 2 * rounds);
}

}  // namespace

TEST_CASE("poll: sleeping gives the cycles of spinning") {
  sleeping_is_spinning({}, false);
}
TEST_CASE("poll: sleeping gives the cycles of spinning, if each action is waited for at once") {
  sleeping_is_spinning({}, true);
}
TEST_CASE("poll: sleeping gives the cycles of spinning, a process each") {
  ClockDomainConfig clock;
  clock.mode = ProcessMode::process_each;
  sleeping_is_spinning(clock, false);
}
TEST_CASE("poll: sleeping gives the cycles of spinning, shuffled") {
  ClockDomainConfig clock;
  clock.shuffle_seed = 17;
  sleeping_is_spinning(clock, false);
}

TEST_CASE("poll: no write is missed in any phase between evaluation and sleep") {
  constexpr unsigned phases = 160;
  constexpr Cycle round = 2000;
  Clocks clocks;
  std::vector<Cycle> slept, spun;
  const auto body = [&](std::vector<Cycle>& ends, bool sleep) {
    return [&ends, sleep](Cpu& cpu) {
      for (unsigned i = 0; i < phases; ++i) {
        const std::uint64_t flag = heap + 256 * i;
        const auto there = [&] {
          const bool seen = cpu.load(flag) != 0;
          cpu.load(flag + 128);  // a second access, some time after the first
          return seen;
        };
        cpu.compute(round * (i + 1) - cpu.now());
        if (sleep) {
          cpu.poll_until(&flag, 1, there, "a flag");
        } else {
          spin_until(cpu, 8, there);
        }
        ends.push_back(cpu.now());
      }
    };
  };
  Node first("sleeps", clocks.main, clocks.half, {}, body(slept, true));
  Node second("spins", clocks.main, clocks.half, {}, body(spun, false));
  for (Node* node : {&first, &second}) {
    std::vector<Requester::Request> plan;
    for (unsigned i = 0; i < phases; ++i) {
      const unsigned bytes = i % 2 == 0 ? 128 : 8;
      plan.push_back(
          {round * (i + 1) + i - 60, Kind::coherent_write, node->physical(heap + 256 * i), bytes, 1});
    }
    node->receiver.plan(plan);
  }
  clocks.run();
  REQUIRE(slept.size() == phases);
  REQUIRE(slept == spun);
}

TEST_CASE("poll: a line that is invalidated and fetched again within one turn wakes the poll") {
  // The condition reads word 0, then (later) word 8 of the same line, which another writer wrote in between.
  constexpr unsigned phases = 120;
  Clocks clocks;
  unsigned done = 0;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    for (unsigned i = 0; i < phases; ++i) {
      const std::uint64_t flag = heap + 128 * i;
      cpu.compute(2000 * (i + 1) - cpu.now());
      cpu.poll_until(
          &flag, 1,
          [&] {
            const bool seen = cpu.load(flag) != 0;
            cpu.compute(30);
            cpu.load(flag + 64);
            return seen;
          },
          "a flag");
      ++done;
    }
  });
  std::vector<Requester::Request> plan;
  for (unsigned i = 0; i < phases; ++i) {
    plan.push_back({2000 * (i + 1) + i, Kind::coherent_write, node.physical(heap + 128 * i), 8, 1});
  }
  node.receiver.plan(plan);
  clocks.run();
  REQUIRE(done == phases);
}

TEST_CASE("poll: a write while the first condition computes does not shorten its time") {
  constexpr Cycle compute = 1000;
  Clocks clocks;
  std::vector<Cycle> times;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    const std::uint64_t flag = heap, other = heap + 4096;
    cpu.load(flag);
    cpu.load(other);
    cpu.poll_until(
        &flag, 1,
        [&] {
          const bool seen = cpu.load(flag) != 0;
          const Cycle before = cpu.now();
          cpu.compute(compute);
          cpu.load(other);
          times.push_back(cpu.now() - before);
          return seen;
        },
        "a flag");
  });
  node.receiver.plan({{500, Kind::coherent_write, node.physical(heap), 8, 1}});
  clocks.run();
  REQUIRE(times == std::vector<Cycle>{compute + 1, compute + 1});
}

TEST_CASE("poll: a condition may poll, and a program that waits forever reports its condition") {
  Clocks clocks;
  Cycle inner_end = 0;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    const std::uint64_t outer = heap, inner = heap + 4096;
    bool first = true;
    cpu.poll_until(
        &outer, 1,
        [&] {
          const bool seen = cpu.load(outer) == 2;
          if (first) {
            first = false;
            cpu.poll_until(
                &inner, 1, [&] { return cpu.load(inner) != 0; }, "the inner one");
            inner_end = cpu.now();
            cpu.load(outer + 64);  // the line is cached again, but the flag was read before
          }
          return seen;
        },
        "the outer one");
    cpu.poll_until(
        &inner, 1, [&] { return cpu.load(inner) == 99; }, "what never comes");
  });
  // The outer flag comes while the inner poll waits: it must not be missed.
  node.receiver.plan({{500, Kind::coherent_write, node.physical(heap), 8, 2},
                      {1000, Kind::coherent_write, node.physical(heap + 4096), 8, 1}});
  clocks.run();
  REQUIRE(inner_end > 1000);
  REQUIRE_FALSE(node.processor.finished());
  REQUIRE(node.processor.polling());
  REQUIRE(node.processor.counters().polls == 3);
  REQUIRE(node.processor.waiting_for() == "what never comes");
  REQUIRE(node.processor.waiting_since() > inner_end);
}

TEST_CASE("processor: a program may compute for exactly the longest run") {
  const Cycle longest = last_run_cycle(ClockDomainConfig{}.period);
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) { cpu.compute(longest); });
  clocks.run();
  REQUIRE(node.processor.end_cycle() == longest);
}

TEST_CASE("poll: a condition without a load is evaluated once a turn") {
  Clocks clocks;
  Cycle end = 0;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    unsigned turns = 0;
    const std::uint64_t never_loaded = heap;
    cpu.compute(3);
    cpu.poll_until(
        &never_loaded, 1, [&] { return ++turns == 5; }, "the fifth turn");
    end = cpu.now();
  });
  REQUIRE_FALSE(node.processor.polling());
  clocks.run();
  REQUIRE(end == 3 + 4 * 8);
  REQUIRE_FALSE(node.processor.polling());
  REQUIRE(node.processor.waiting_for().empty());
  REQUIRE(node.processor.waiting_since() == 0);
  REQUIRE(node.processor.counters().poll_turns == 5);
}
