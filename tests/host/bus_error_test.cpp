// SPDX-License-Identifier: Apache-2.0

#include "host/node_bench.h"
#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::host;
using namespace tsuji::host::test;

// Responses that the base protocol allows and the library's controller never gives to a processor.

TEST_CASE("bus error: a program may catch the error response to its access and continue") {
  Clocks clocks;
  std::vector<Cycle> at;
  Node node("node", clocks.main, clocks.half, {}, [&](Cpu& cpu) {
    const auto fails = [&](const std::function<void()>& access) {
      CHECK_THROWS_AS(access(), BusError);
      at.push_back(cpu.now());
    };
    fails([&] { cpu.load(0x30000000); });
    fails([&] { cpu.store(0x30000008, 1); });
    fails([&] { cpu.register_read(FakeRegisters::unknown); });
    cpu.store(Node::heap, 5);
    CHECK(cpu.load(Node::heap) == 5);
  });
  node.space.map(0x30000000 / 4096, 1, std::uint64_t{1} << 40, true, PagePlacement::contiguous);
  clocks.run();
  // Requested at half edge 0 and granted at edge 1; the refusal comes one cycle later, at half edge 2.
  CHECK(at == std::vector<Cycle>{2, 4, 4 + 16});
  CHECK(node.processor.counters().bus_errors == 3);
  CHECK(node.processor.finished());
}

namespace {

/// A processor whose memory socket is bound to a memory, without a controller.
void loads_from_memory(bool early) {
  Clocks clocks;
  MemoryConfig config;
  config.early_completion = early;
  Memory memory("memory", config);
  Processor processor("processor", clocks.half, 0, {});
  FakeRegisters registers("registers");
  AddressSpace space;
  space.map(0, 16, 0, true, PagePlacement::contiguous);
  const std::uint64_t value = 9;
  memory.storage().write(256, &value, 8);
  std::vector<Cycle> at;
  FunctionProgram program([&](Cpu& cpu) {
    CHECK(cpu.load(256) == 9);
    at.push_back(cpu.now());
    CHECK(cpu.load(256 + 8) == 0);
    at.push_back(cpu.now());
    cpu.compute(100);
    CHECK(cpu.load(512) == 0);
    at.push_back(cpu.now());
  });
  processor.memory.bind(memory.socket);
  processor.registers.bind(registers.socket);
  processor.set_address_space(space);
  processor.set_program(program);
  clocks.run();
  // A line takes 100 + 15 x 12.5 ns, 23 cycles; a hit one more.
  CHECK(at == std::vector<Cycle>{23 + 1, 25, 25 + 100 + 23 + 1});
}

}  // namespace

TEST_CASE("bus error: none with a four-phase memory, whose words are there at its time") {
  loads_from_memory(false);
}

TEST_CASE("bus error: none with a memory that completes early, whose words are there at its time") {
  loads_from_memory(true);
}
