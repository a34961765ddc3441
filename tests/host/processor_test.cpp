// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/processor.h"

#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "host/node_bench.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/core/run_time.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;
using Kind = MemoryAccessKind;

namespace {
constexpr std::uint64_t heap = Node::heap;

/// In cycles, with the default times: a request registered at a half edge is granted half a cycle later.
constexpr Cycle fetch = 1 + 8 + 15, write_back = 1 + 2 + 16;
}  // namespace

TEST_CASE("processor: hits, misses and dirty victims take exactly their time") {
  Clocks clocks;
  std::vector<Cycle> times;
  Node node("n", clocks.main, clocks.half, tiny_cache(), [&](Cpu& cpu) {
    const auto timed = [&](auto action) {
      const Cycle before = cpu.now();
      action();
      times.push_back(cpu.now() - before);
    };
    timed([&] { cpu.load(heap); });
    timed([&] { cpu.load(heap + 8); });
    timed([&] { cpu.store(heap + 16, 5); });
    timed([&] { cpu.store(heap + 256, 6); });  // the other way of the set
    timed([&] { cpu.load(heap + 512); });      // evicts the first line, which is dirty
    timed([&] { cpu.load(heap + 768); });      // and the second
    timed([&] { cpu.load(heap + 1024); });     // a clean victim
    timed([&] { cpu.load(heap + 128); });      // the other set
    timed([&] { cpu.compute(1000); });
    timed([&] { cpu.system_call([] {}); });
  });
  clocks.run();
  REQUIRE(times == std::vector<Cycle>{fetch + 1, 1, 1, fetch + 1, write_back + fetch + 1,
                                      write_back + fetch + 1, fetch + 1, fetch + 1, 1000, 1040});
  REQUIRE(node.memory_word(heap + 16) == 5);
  REQUIRE(node.memory_word(heap + 256) == 6);
  REQUIRE(node.processor.finished());
  REQUIRE(node.processor.end_cycle() == std::accumulate(times.begin(), times.end(), Cycle{0}));
  REQUIRE(node.processor.counters().write_backs == 2);
  REQUIRE(node.processor.counters().misses == 6);
}

TEST_CASE("processor: each kind of action takes its own time, and is counted") {
  ProcessorConfig config = tiny_cache();
  const auto cycles = [](Cycle count) { return 12.5 * static_cast<double>(count); };
  config.hit_ns = cycles(3);
  config.store_ns = cycles(5) - 1;  // rounded up
  config.block_word_ns = cycles(7);
  config.register_write_ns = cycles(11);
  config.register_read_ns = cycles(13);
  config.system_call_ns = cycles(17);
  Clocks clocks;
  std::vector<Cycle> times;
  std::vector<unsigned char> block(300);
  Node node("n", clocks.main, clocks.half, config, [&](Cpu& cpu) {
    const auto timed = [&](auto action) {
      const Cycle before = cpu.now();
      action();
      times.push_back(cpu.now() - before);
    };
    CHECK(cpu.node() == 3);
    for (std::uint64_t line = 0; line < 512; line += 128) cpu.load(heap + line);
    cpu.compute(1000);
    timed([&] { cpu.load(heap); });
    timed([&] { cpu.store(heap + 8, 1); });
    timed([&] { cpu.load_word(heap + 12); });
    timed([&] { cpu.store_word(heap + 12, 2); });
    timed([&] { cpu.load_block(heap + 8, block.data(), 8); });
    timed([&] { cpu.load_block(heap + 4, block.data(), 8); });
    timed([&] { cpu.store_block(heap + 8, block.data(), 9); });
    timed([&] { cpu.load_block(heap, block.data(), 300); });
    timed([&] { cpu.register_write(8, 1); });
    timed([&] { cpu.register_read(8); });
    timed([&] { cpu.system_call([] {}); });
    timed([&] { cpu.app_write(heap, block.data(), 300); });
    timed([&] { cpu.app_read(heap, block.data(), 300); });
  });
  clocks.run();
  REQUIRE(times == std::vector<Cycle>{3, 5, 3, 5, 7, 14, 14, 38 * 7, 11, 13, 17, 0, 0});
  const ProcessorCounters& counters = node.processor.counters();
  REQUIRE(counters.loads == 4 + 2 + 1 + 1 + 3);  // blocks count once a line
  REQUIRE(counters.stores == 2 + 1);
  REQUIRE(counters.misses == 4);
  REQUIRE(counters.register_writes == 1);
  REQUIRE(counters.register_reads == 1);
  REQUIRE(counters.system_calls == 1);
  REQUIRE(counters.polls == 0);
  REQUIRE(counters.write_backs == 0);
  REQUIRE(counters.invalidations == 0);
}

TEST_CASE("processor: a second program runs after the first has finished, with its cache") {
  Clocks clocks;
  Cycle began = 0, hit = 0;
  FunctionProgram second([&](Cpu& cpu) {
    began = cpu.now();
    cpu.load(heap);
    hit = cpu.now() - began;
  });
  Node node("n", clocks.main, clocks.half, {}, [](Cpu& cpu) { cpu.store(heap, 7); });
  REQUIRE_THROWS_AS(node.processor.start(second), ModelError);  // the first has not finished
  clocks.run();
  REQUIRE(node.processor.finished());
  const Cycle first_end = node.processor.end_cycle();
  node.processor.start(second);
  REQUIRE_FALSE(node.processor.finished());
  REQUIRE_THROWS_AS(node.processor.start(second), ModelError);
  clocks.run();
  REQUIRE(node.processor.finished());
  REQUIRE(began == first_end + 1);
  REQUIRE(hit == 1);
  REQUIRE(node.processor.end_cycle() == began + 1);
}

TEST_CASE("processor: blocks of any alignment, at the cost of their words") {
  Clocks clocks;
  std::vector<unsigned char> bytes(1000), back(1000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 13 + 1);
  Cycle cold = 0, warm = 0;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    Cycle start = cpu.now();
    cpu.store_block(heap + 4001, bytes.data(), 1000);
    cold = cpu.now() - start;
    start = cpu.now();
    cpu.load_block(heap + 4001, back.data(), 1000);
    warm = cpu.now() - start;
  });
  clocks.run();
  REQUIRE(back == bytes);
  REQUIRE(warm == 126);  // bytes 4001..5000 touch words 500..625
  REQUIRE(cold == 126 + 9 * fetch);
}

TEST_CASE("processor: scattered pages have the physical addresses of the address space") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, [](Cpu& cpu) {
    for (std::uint64_t page = 0; page < Node::heap_pages; ++page) cpu.store(heap + page * 4096 + 8, page + 1);
  });
  clocks.run();
  std::vector<bool> used(Node::heap_pages);
  for (std::uint64_t page = 0; page < Node::heap_pages; ++page) {
    const std::uint64_t at = node.physical(heap + page * 4096 + 8);
    REQUIRE(at % 4096 == 8);
    const std::uint64_t place = (at - Node::heap_physical) / 4096;
    REQUIRE(place < Node::heap_pages);
    REQUIRE_FALSE(used[place]);
    used[place] = true;
    if (page > 0) REQUIRE(at - 4096 != node.physical(heap + (page - 1) * 4096 + 8));
    REQUIRE(node.newest_word(heap + page * 4096 + 8) == page + 1);
  }
}

TEST_CASE("processor: registers are reached after their time, and their annotation is waited for") {
  Clocks clocks;
  Cycle write_time = 0, read_time = 0;
  std::uint64_t read = 0;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    cpu.compute(10);
    cpu.register_write(0x40, 99);
    write_time = cpu.now();
    read = cpu.register_read(0x40);
    read_time = cpu.now();
  });
  node.registers.delay = sc_core::sc_time(13, sc_core::SC_NS);
  clocks.run();
  REQUIRE(write_time == 10 + 8 + 2);
  REQUIRE(read == 99);
  REQUIRE(read_time == 20 + 16 + 2);
  REQUIRE(node.registers.last_access == clocks.half.time_of(36));
}

namespace {
template <typename Error>
void program_fails(const std::function<void(Cpu&)>& body) {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, body);
  REQUIRE_THROWS_AS(clocks.run(), Error);
  REQUIRE_FALSE(node.processor.finished());
}
}  // namespace

TEST_CASE("processor: an exception of a program keeps its type") {
  program_fails<ConfigError>([](Cpu& cpu) {
    cpu.compute(5);
    throw ConfigError("a.key", "1", "on purpose", "nothing");
  });
}
TEST_CASE("processor: an exception of a poll's condition keeps its type") {
  program_fails<std::out_of_range>([](Cpu& cpu) {
    const std::uint64_t address = heap;
    cpu.poll_until(
        &address, 1, [&]() -> bool { return cpu.load(heap) == 0 ? throw std::out_of_range("x") : false; },
        "nothing");
  });
}
TEST_CASE("processor: a program that computes past the longest run is a model error") {
  program_fails<ModelError>([](Cpu& cpu) {
    const Cycle half = last_run_cycle(ClockDomainConfig{}.period) / 2;
    cpu.compute(half);
    cpu.load(heap);
    cpu.compute(half);
    cpu.load(heap);
  });
}
TEST_CASE("processor: unmapped addresses are model errors") {
  program_fails<ModelError>([](Cpu& cpu) { cpu.load(0x50000000); });
}
TEST_CASE("processor: stores to read-only pages are model errors") {
  program_fails<ModelError>([](Cpu& cpu) {
    cpu.load(Node::read_only);
    cpu.store(Node::read_only, 1);
  });
}
TEST_CASE("processor: unaligned loads are model errors") {
  program_fails<ModelError>([](Cpu& cpu) { cpu.load(heap + 4); });
}
TEST_CASE("processor: unaligned words are model errors") {
  program_fails<ModelError>([](Cpu& cpu) { cpu.load_word(heap + 6); });
}
TEST_CASE("processor: unaligned stores of words are model errors") {
  program_fails<ModelError>([](Cpu& cpu) { cpu.store_word(heap + 1, 0); });
}
TEST_CASE("processor: words of 4 bytes are halves of those of 8") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, [](Cpu& cpu) {
    cpu.store(heap, 0x1111111122222222);
    CHECK(cpu.load_word(heap) == 0x22222222);
    CHECK(cpu.load_word(heap + 4) == 0x11111111);
    cpu.store_word(heap + 4, 0x33333333);
    CHECK(cpu.load(heap) == 0x3333333322222222);
    cpu.store_word(heap + 124, 7);  // a line's last word
    CHECK(cpu.load_word(heap + 124) == 7);
    CHECK(cpu.load_word(heap + 128) == 0);
  });
  clocks.run();
  CHECK(node.processor.finished());
}
TEST_CASE("processor: unknown registers are model errors") {
  program_fails<ModelError>([](Cpu& cpu) { cpu.register_write(FakeRegisters::unknown, 1); });
}

TEST_CASE("processor: the application's accesses without time are coherent") {
  Clocks clocks;
  std::vector<unsigned char> reference(16 * 4096);
  bool equal = true;
  Cycle end = 1;
  Node node("n", clocks.main, clocks.half, tiny_cache(), [&](Cpu& cpu) {
    CounterRandom random(5, 5);
    std::vector<unsigned char> bytes;
    for (unsigned i = 0; i < 2000; ++i) {
      const std::size_t count = 1 + random.below(400);
      const std::size_t at = random.below(reference.size() - count);
      bytes.resize(count);
      if (random.below(2) == 0) {
        for (auto& byte : bytes) byte = static_cast<unsigned char>(random.next());
        cpu.app_write(heap + at, bytes.data(), count);
        std::memcpy(reference.data() + at, bytes.data(), count);
      } else {
        cpu.app_read(heap + at, bytes.data(), count);
        equal &= std::memcmp(bytes.data(), reference.data() + at, count) == 0;
      }
    }
    end = cpu.now();
  });
  clocks.run();
  REQUIRE(equal);
  REQUIRE(end == 0);
  for (std::size_t at = 0; at < reference.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, reference.data() + at, 8);
    REQUIRE(node.newest_word(heap + at) == word);
  }
}

TEST_CASE(
    "processor: app_write makes lines dirty, so that a coherent reader gets them and a noncoherent one does "
    "not") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, [](Cpu& cpu) {
    const std::uint64_t word = 31;
    cpu.app_write(heap + 64, &word, 8);
  });
  const std::uint64_t at = node.physical(heap + 64);
  node.sender.plan({{10, Kind::noncoherent_read, at, 8, 0}, {20, Kind::coherent_read, at, 8, 0}});
  clocks.run();
  REQUIRE(node.sender.answers[0].word == 0);
  REQUIRE(node.sender.answers[1].word == 31);
  REQUIRE(node.sender.answers[1].last - node.sender.answers[1].granted == 34);
}

TEST_CASE("processor: no store is lost, whenever another writer invalidates its line") {
  constexpr unsigned phases = 140;
  constexpr Cycle round = 1000;
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, {}, [](Cpu& cpu) {
    for (unsigned i = 0; i < phases; ++i) {
      cpu.compute(round * (i + 1) - cpu.now());
      cpu.store(heap + 128 * i, 1000 + i);  // misses
      cpu.store(heap + 128 * i + 8, 2000 + i);
    }
  });
  std::vector<Requester::Request> plan;
  for (unsigned i = 0; i < phases; ++i) {
    plan.push_back(
        {round * (i + 1) + i - 70, Kind::coherent_write, node.physical(heap + 128 * i + 16), 8, 3000 + i});
  }
  node.receiver.plan(plan);
  clocks.run();
  for (unsigned i = 0; i < phases; ++i) {
    REQUIRE(node.newest_word(heap + 128 * i) == 1000 + i);
    REQUIRE(node.newest_word(heap + 128 * i + 8) == 2000 + i);
    REQUIRE(node.newest_word(heap + 128 * i + 16) == 3000 + i);
  }
}

TEST_CASE("processor: a load gets the words of its fetch, even if the line is invalidated as they arrive") {
  constexpr unsigned phases = 60;
  constexpr Cycle round = 1000;
  Clocks clocks;
  std::vector<std::uint64_t> seen;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    for (unsigned i = 0; i < phases; ++i) {
      cpu.compute(round * (i + 1) - cpu.now());
      seen.push_back(cpu.load(heap + 128 * i));
    }
  });
  std::vector<Requester::Request> plan;
  for (unsigned i = 0; i < phases; ++i) {
    const std::uint64_t old = 500 + i, at = node.physical(heap + 128 * i);
    node.memory.storage().write(at, &old, 8);
    plan.push_back({round * (i + 1) + i - 30, Kind::coherent_write, at, 128, 900 + i});
  }
  node.receiver.plan(plan);
  clocks.run();
  REQUIRE(seen.size() == phases);
  for (unsigned i = 0; i < phases; ++i) {
    // Either may be granted first: the write is requested in cycle i - 30 of the round, the fetch in cycle 0
    // and a half.
    REQUIRE(seen[i] == (i <= 30 ? 900 + i : 500 + i));
  }
}

TEST_CASE("processor: a write-back never overwrites a newer write, at any time") {
  constexpr unsigned phases = 140;
  constexpr Cycle round = 1000;
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, tiny_cache(), [](Cpu& cpu) {
    for (unsigned i = 0; i < phases; ++i) {
      const std::uint64_t page = heap + 4096 * (i % 64) + 2048 * (i / 64 % 2) + 128 * (i / 128);
      cpu.compute(round * (i + 1) - 500 - cpu.now());
      cpu.store(page, 1000 + i);
      cpu.load(page + 256);  // now the dirty line is the older one of its set
      cpu.compute(round * (i + 1) - cpu.now());
      cpu.load(page + 512);
    }
  });
  std::vector<Requester::Request> plan, occupation;
  for (unsigned i = 0; i < phases; ++i) {
    const std::uint64_t page = heap + 4096 * (i % 64) + 2048 * (i / 64 % 2) + 128 * (i / 128);
    const bool whole = i % 2 == 0;
    plan.push_back({round * (i + 1) + i - 70, Kind::coherent_write, node.physical(page + (whole ? 0 : 8)),
                    whole ? 128U : 8U, 3000 + i});
    // The controller is busy when the write-back is registered, so that there is time to overtake it.
    occupation.push_back({round * (i + 1) - 4, Kind::noncoherent_read, Node::heap_physical, 128, 0});
  }
  node.receiver.plan(plan);
  node.sender.plan(occupation);
  clocks.run();
  REQUIRE(node.controller.counters().void_write_backs > 5);
  REQUIRE(node.controller.counters().write_backs > 5);
  for (unsigned i = 0; i < phases; ++i) {
    const std::uint64_t page = heap + 4096 * (i % 64) + 2048 * (i / 64 % 2) + 128 * (i / 128);
    REQUIRE(node.newest_word(page) == (i % 2 == 0 ? 3000 + i : 1000 + i));
    REQUIRE(node.newest_word(page + 8) == 3000 + i);
  }
}

namespace {

/// Records everything that a program can see: accesses of all kinds on a few lines that others read and
/// write, too.
std::vector<std::uint64_t> random_walk(Cpu& cpu) {
  std::vector<std::uint64_t> seen;
  CounterRandom random(21, 1);
  for (unsigned i = 0; i < 3000; ++i) {
    const std::uint64_t address = heap + 8 * random.below(10 * 16);
    std::array<std::uint64_t, 20> block{};
    switch (random.below(8)) {
      case 0:
        cpu.store(address, random.next());
        break;
      case 1:
        cpu.compute(random.below(30));
        break;
      case 2:
        cpu.load_block(address, block.data(), sizeof block);
        break;
      case 3:
        cpu.store_block(address, block.data(), 40);
        break;
      case 4:
        seen.push_back(cpu.register_read(8));
        break;
      case 5:
        cpu.app_write(address, block.data(), 16);
        break;
      default:
        seen.push_back(cpu.load(address));
    }
    seen.push_back(block[random.below(block.size())]);
    seen.push_back(cpu.now());
  }
  return seen;
}

std::vector<Requester::Request> disturbance(const Node& node, std::uint64_t who) {
  std::vector<Requester::Request> plan;
  CounterRandom random(22, who);
  for (Cycle at = 10; at < 60000; at += 1 + random.below(150)) {
    const std::uint64_t address = heap + 8 * random.below(10 * 16);
    const auto kind = random.below(3) == 0 ? Kind::coherent_read : Kind::coherent_write;
    plan.push_back({at, kind, node.physical(address), 8, random.next()});
  }
  return plan;
}

}  // namespace

TEST_CASE("processor: lazy time gives the same results as waiting for each action at once") {
  Clocks clocks;
  std::vector<std::uint64_t> late, at_once;
  ProcessorConfig config = tiny_cache();
  Node first("late", clocks.main, clocks.half, config, [&](Cpu& cpu) { late = random_walk(cpu); });
  config.wait_each = true;
  Node second("once", clocks.main, clocks.half, config, [&](Cpu& cpu) { at_once = random_walk(cpu); });
  for (Node* node : {&first, &second}) {
    node->receiver.plan(disturbance(*node, 1));
    node->sender.plan(disturbance(*node, 2));
  }
  clocks.run();
  REQUIRE(late == at_once);
  REQUIRE(late.size() > 6000);
  REQUIRE(first.processor.end_cycle() == second.processor.end_cycle());
  REQUIRE(first.receiver.answers == second.receiver.answers);
  REQUIRE(first.sender.answers == second.sender.answers);
  REQUIRE(first.processor.counters().invalidations > 100);
}

namespace {

/// Number of wake-ups of a processor whose program computes ten times.
std::uint64_t wake_ups(bool wait_each) {
  Clocks clocks;
  ProcessorConfig config;
  config.wait_each = wait_each;
  Node node("n", clocks.main, clocks.half, config, [](Cpu& cpu) {
    for (unsigned i = 0; i < 10; ++i) cpu.compute(5);
  });
  clocks.run();
  REQUIRE(node.processor.end_cycle() == 50);
  return clocks.half.steps();
}

}  // namespace

TEST_CASE("processor: time without visible effects is waited for once") {
  REQUIRE(wake_ups(false) == 2);
}
TEST_CASE("processor: the oracle waits for every action's time at once") {
  REQUIRE(wake_ups(true) == 11);
}

TEST_CASE("processor: without a program it needs no wake-ups") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half);
  clocks.run();
  REQUIRE(clocks.half.steps() == 0);
  REQUIRE_FALSE(node.processor.finished());
  REQUIRE(node.processor.cache().lines_allocated() == 0);
}

TEST_CASE("processor: 1,024 nodes run their programs") {
  Clocks clocks;
  std::vector<std::unique_ptr<Node>> nodes;
  unsigned done = 0;
  for (unsigned n = 0; n < 1024; ++n) {
    nodes.push_back(std::make_unique<Node>("n" + std::to_string(n), clocks.main, clocks.half,
                                           ProcessorConfig{}, [&done](Cpu& cpu) {
                                             cpu.store(heap, 7);
                                             cpu.compute(100);
                                             done += cpu.load(heap) == 7;
                                           }));
  }
  clocks.run();
  REQUIRE(done == 1024);
  for (const auto& node : nodes) REQUIRE(node->processor.end_cycle() == fetch + 102);
}
