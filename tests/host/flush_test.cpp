// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "host/node_bench.h"
#include "support/catch.h"
#include "tsuji/host/processor.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;

namespace {
constexpr std::uint64_t heap = Node::heap;

/// In cycles, with the default times: a request registered at a half edge is granted half a cycle later.
constexpr Cycle fetch = 1 + 8 + 15, write_back = 1 + 2 + 16;
}  // namespace

TEST_CASE("processor: a flush writes dirty lines back and leaves the others") {
  Clocks clocks;
  std::vector<Cycle> times;
  Node node("n", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    const auto timed = [&](auto action) {
      const Cycle before = cpu.now();
      action();
      times.push_back(cpu.now() - before);
    };
    cpu.store(heap + 120, 5);
    cpu.load(heap + 128);
    cpu.store(heap + 256, 6);
    timed([&] { cpu.flush(heap + 120, 137); });  // a dirty, a clean and a dirty line
    timed([&] { cpu.flush(heap, 384); });
    timed([&] { cpu.load(heap + 128); });
    timed([&] { cpu.load(heap + 120); });
  });
  clocks.run();
  REQUIRE(times == std::vector<Cycle>{2 * write_back + 3, 3, 1, fetch + 1});
  REQUIRE(node.memory_word(heap + 120) == 5);
  REQUIRE(node.memory_word(heap + 256) == 6);
  REQUIRE(node.processor.counters().write_backs == 2);
}
