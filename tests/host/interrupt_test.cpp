// SPDX-License-Identifier: Apache-2.0
// Interrupts of a processor: when they are taken, and the delay of the interrupted program by the handler.

#include <algorithm>

#include "host/node_bench.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/recorded_wave.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;

namespace {

constexpr std::uint64_t heap = Node::heap;
constexpr Cycle entry = 50;

/// A device: raises the line at edges of the main clock.
class Device final : public Clocked {
 public:
  Device(ClockDomain& clock, Processor& processor) : Clocked(clock), processor_(processor) {}
  void raise_at(Cycle cycle) {
    at_.push_back(cycle);
    wake_at(cycle);
  }
  void step(Cycle now) override {
    if (std::count(at_.begin(), at_.end(), now) > 0) processor_.raised(now);
  }

 private:
  Processor& processor_;
  std::vector<Cycle> at_;
};

/// Takes `work` cycles, and the test's further cycles.
class Handler final : public InterruptHandler {
 public:
  void interrupt(Cpu& cpu) override {
    begins.push_back(cpu.now());
    cpu.compute(work);
    if (also) also(cpu);
  }
  Cycle work = 100;
  std::function<void(Cpu&)> also;
  std::vector<Cycle> begins;
};

ProcessorConfig config() {
  ProcessorConfig config;
  config.interrupt_ns = 12.5 * static_cast<double>(entry);
  return config;
}

struct Interrupted {
  explicit Interrupted(const std::function<void(Cpu&)>& body)
      : node("n", clocks.main, clocks.half, config(), body), device(clocks.main, node.processor) {
    node.processor.set_interrupt_handler(handler);
  }
  Clocks clocks;
  Node node;
  Handler handler;
  Device device;
};

}  // namespace

TEST_CASE("interrupt: cuts a computation, which continues after the handler") {
  std::vector<Cycle> times;
  Interrupted run([&](Cpu& cpu) {
    cpu.compute(1000);
    cpu.load(heap);
    times.push_back(cpu.now());
    cpu.compute(500);
  });
  run.device.raise_at(300);
  run.clocks.run();
  // At the host's edge in cycle 300, half a period after the device's.
  CHECK(run.handler.begins == std::vector<Cycle>{300 + entry});
  CHECK(times == std::vector<Cycle>{1000 + entry + 100 + 1 + 8 + 15 + 1});
  CHECK(run.node.processor.end_cycle() == times[0] + 500);
  CHECK(run.node.processor.counters().interrupts == 1);
  CHECK(run.node.processor.counters().interrupted_cycles == entry + 100);
}

TEST_CASE("interrupt: one in the last cycle of a computation is taken before the next action") {
  std::vector<Cycle> times;
  Interrupted run([&](Cpu& cpu) {
    cpu.compute(300);
    cpu.store(heap, 1);
    times.push_back(cpu.now());
  });
  run.device.raise_at(300);
  run.clocks.run();
  CHECK(run.handler.begins == std::vector<Cycle>{300 + entry});
}

TEST_CASE("interrupt: an access to memory is finished first") {
  std::vector<Cycle> times;
  Interrupted run([&](Cpu& cpu) {
    cpu.load(heap);
    times.push_back(cpu.now());
    cpu.load(heap + 4096);
    times.push_back(cpu.now());
  });
  run.device.raise_at(5);
  run.clocks.run();
  const Cycle fetch = 1 + 8 + 15;
  CHECK(run.handler.begins == std::vector<Cycle>{fetch + entry});
  CHECK(times == std::vector<Cycle>{fetch + 1, fetch + 1 + entry + 100 + fetch + 1});
}

TEST_CASE("interrupt: an access to memory of a poll that was woken is finished first, too") {
  for (Cycle raised = 990; raised < 1060; ++raised) {
    CAPTURE(raised);
    const std::string seen = tsuji::test::forked([raised] {
      std::string words;
      Interrupted run([&](Cpu& cpu) {
        const std::uint64_t address = heap;
        const auto look = [&] {
          const std::uint64_t word = cpu.load(heap);
          words += std::to_string(word) + " ";
          return word != 0;
        };
        cpu.poll_until(&address, 1, look, "a word");
      });
      run.node.receiver.plan({{997, MemoryAccessKind::coherent_write, run.node.physical(heap), 128, 1}});
      run.device.raise_at(raised);
      run.clocks.run();
      return words + std::to_string(run.handler.begins.size());
    });
    CHECK(seen == "0 1 1");
  }
}

TEST_CASE("interrupt: one that comes during a system call is taken before its service") {
  std::vector<Cycle> served;
  Interrupted run([&](Cpu& cpu) { cpu.system_call([&] { served.push_back(cpu.now()); }); });
  run.device.raise_at(300);
  run.clocks.run();
  CHECK(run.handler.begins == std::vector<Cycle>{300 + entry});
  CHECK(served == std::vector<Cycle>{1040 + entry + 100});  // 13 us
}

TEST_CASE("interrupt: the waveform shows it, and the processor's activity") {
  Interrupted run([&](Cpu& cpu) {
    cpu.compute(1000);
    const std::uint64_t address = heap;
    cpu.poll_until(
        &address, 1, [&] { return cpu.load(heap) != 0; }, "a word");
  });
  tsuji::test::RecordedWave wave;
  run.node.processor.add_wave(wave);
  run.node.receiver.plan({{1997, MemoryAccessKind::coherent_write, run.node.physical(heap), 128, 1}});
  run.device.raise_at(300);
  run.clocks.run();
  const auto activity = wave.states("node3.processor.activity");
  CHECK(activity ==
        std::vector<std::string>{"running", "interrupt", "running", "polling", "running", "ended"});
  const auto steps = wave.steps("node3.processor.activity");
  CHECK(steps[1].first == 300);
  CHECK(steps[2].first == 300 + entry + 100);
  CHECK(wave.values("node3.processor.interrupt") == std::vector<std::uint64_t>{0, 1, 0});
  CHECK(wave.width("node3.processor.interrupt") == 1);
}

TEST_CASE("interrupt: two during a handler cause one further handler") {
  Interrupted run([&](Cpu& cpu) { cpu.compute(1000); });
  for (const Cycle at : {100, 120, 130}) run.device.raise_at(at);
  run.clocks.run();
  CHECK(run.handler.begins == std::vector<Cycle>{100 + entry, 100 + entry + 100 + entry});
  CHECK(run.node.processor.end_cycle() == 1000 + 2 * (entry + 100));
}

TEST_CASE("interrupt: wakes a poll, which continues at its grid") {
  std::vector<Cycle> turns;
  Interrupted run([&](Cpu& cpu) {
    const std::uint64_t address = heap;
    cpu.load(heap);
    const Cycle start = cpu.now();
    cpu.poll_until(
        &address, 1,
        [&] {
          turns.push_back(cpu.now() - start);
          return cpu.load(heap) != 0;
        },
        "a word");
  });
  run.handler.also = [&](Cpu& cpu) { cpu.store(heap, 7); };
  run.device.raise_at(1003);
  run.clocks.run();
  REQUIRE(turns.size() == 2);
  CHECK(turns[1] % 8 == 0);
  // After the handler, at the first point of the grid.
  const Cycle end = 1003 + entry + 100 + 1 - (1 + 8 + 15 + 1);
  CHECK(turns[1] >= end);
  CHECK(turns[1] < end + 8);
}

TEST_CASE("interrupt: a processor whose program has ended takes it") {
  Interrupted run([](Cpu&) {});
  run.device.raise_at(700);
  run.clocks.run();
  CHECK(run.handler.begins == std::vector<Cycle>{700 + entry});
  CHECK(run.node.processor.end_cycle() == 0);
}
TEST_CASE("interrupt: a processor without a program takes it") {
  Interrupted run({});
  run.device.raise_at(700);
  run.device.raise_at(2000);
  run.clocks.run();
  CHECK(run.handler.begins == std::vector<Cycle>{700 + entry, 2000 + entry});
}
TEST_CASE("interrupt: the first miss of a program started after it keeps its time") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, config());
  Handler handler;
  node.processor.set_interrupt_handler(handler);
  Device device(clocks.main, node.processor);
  Cycle first = 0, loaded = 0, second = 0, ended = 0;
  FunctionProgram program([&](Cpu& cpu) {
    first = cpu.now();
    cpu.load(heap);
    loaded = cpu.now();
    cpu.load(heap);  // settles the hit's cycle, before which the handler comes
    second = cpu.now();
    cpu.load(heap + 4096);
    ended = cpu.now();
  });
  sc_core::sc_start(clocks.main.time_of(100));
  node.processor.start(program);
  device.raise_at(110);
  clocks.run();
  REQUIRE((first < 110 && 110 < loaded - 1));
  CHECK(loaded - first == ended - second);
  CHECK(handler.begins == std::vector<Cycle>{loaded - 1 + entry});
}
TEST_CASE("interrupt: without a handler stops the run") {
  Clocks clocks;
  Node node("n", clocks.main, clocks.half, config(), [](Cpu& cpu) { cpu.compute(100); });
  Device device(clocks.main, node.processor);
  device.raise_at(10);
  CHECK_THROWS_WITH(clocks.run(), Catch::Contains("interrupted without a handler"));
}

TEST_CASE("interrupt: random programs do the same work, later by exactly their handlers' time") {
  CounterRandom random(3, 1);
  std::vector<std::uint64_t> seen;
  Interrupted run([&](Cpu& cpu) {
    CounterRandom own(5, 1);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t at = heap + 8 * own.below(4096);
      switch (own.below(3)) {
        case 0:
          cpu.compute(own.below(200));
          break;
        case 1:
          cpu.store(at, own.next());
          break;
        default:
          seen.push_back(cpu.load(at));
      }
    }
  });
  for (int i = 0; i < 200; ++i) run.device.raise_at(random.below(150000));
  run.clocks.run();
  std::vector<std::uint64_t> expected;
  std::map<std::uint64_t, std::uint64_t> memory;
  CounterRandom own(5, 1);
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t at = heap + 8 * own.below(4096);
    switch (own.below(3)) {
      case 0:
        own.below(200);
        break;
      case 1:
        memory[at] = own.next();
        break;
      default:
        expected.push_back(memory[at]);
    }
  }
  CHECK(seen == expected);
  const ProcessorCounters& counters = run.node.processor.counters();
  CHECK(counters.interrupts > 50);
  CHECK(counters.interrupted_cycles == counters.interrupts * (entry + 100));
}
