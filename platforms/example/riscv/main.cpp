// SPDX-License-Identifier: Apache-2.0
// Two nodes with RV32I cores: software sends 64 bytes, and is interrupted by them. usage: riscv PROGRAM.bin

#include <fstream>
#include <iostream>
#include <iterator>

#include "riscv_node.h"
#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/cenju4_machine.h"

using namespace tsuji;

namespace {

// Of main.c.
constexpr std::uint64_t destination = 0x200, verdict = 0x300;
constexpr std::uint32_t good = 0x600d;

/// Compares node 1's memory with what node 0 has sent.
bool compare(const host::OsAgent& os, RiscvNode& core) {
  const std::uint64_t heap = os.address_space().translate(os.layout().heap.address).physical;
  for (std::uint32_t i = 0; i < 16; ++i)
    if (core.peek(heap + destination + 4 * i) != 0x01010101U * i + 0xa5U) return false;
  return core.peek(heap + verdict) == good;
}

}  // namespace

int sc_main(int argc, char** argv) try {
  std::ifstream file(argc == 2 ? argv[1] : "", std::ios::binary);
  const std::vector<unsigned char> program{std::istreambuf_iterator<char>(file), {}};
  if (argc != 2) {
    std::cerr << "usage: riscv PROGRAM.bin (README.md)\n";
    return 2;
  }
  if (program.empty()) {
    std::cerr << argv[1] << ": cannot be read or is empty; accepted: the software's binary (README.md)\n";
    return 2;
  }
  machines::Cenju4Config config;
  config.network.topology.nodes = 2;
  config.os.placement = host::PagePlacement::contiguous;
  std::vector<RiscvNode*> cores;
  config.parts.processor = [&](machines::NodeSockets& node) {
    host::BootFacts facts;
    facts.node = node.node();
    facts.nodes = 2;
    facts.clock_period_ps = config.clock_period_ps;
    facts.registers = RiscvNode::register_base;
    facts.interrupt_unit = RiscvNode::unit_base;
    facts.memory_bytes = config.memory.bytes;
    auto core = std::make_unique<RiscvNode>("processor", node, facts, program);
    cores.push_back(core.get());
    return core;
  };
  config.resolve();
  machines::Cenju4Machine machine("machine", config);
  const bool stopped =
      machine.run_until([&] { return cores[0]->stopped() && cores[1]->stopped(); },
                        sc_core::sc_time(1, sc_core::SC_US), sc_core::sc_time(1, sc_core::SC_MS));
  for (const RiscvNode* core : cores)
    std::cout << core->name() << ": " << core->instructions() << " instructions, " << core->interrupts()
              << " interrupts\n";
  const bool equal = compare(machine.node(1).os(), *cores[1]);
  std::cout << (stopped ? "both stopped" : "still running") << ", memory " << (equal ? "equal" : "differs")
            << "\n";
  return stopped && equal ? 0 : 1;
} catch (const ConfigError& error) {
  std::cerr << error.what() << "\n";
  return 2;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
