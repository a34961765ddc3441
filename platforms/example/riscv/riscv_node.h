// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "rv32i.h"
#include "tsuji/host/boot_block.h"
#include "tsuji/machines/cenju4/node_parts.h"
#include "tsuji/nic/interface/interrupt_unit.h"

/// The place of a node's processor, taken by an RV32I core: the core with its own memory of 64 kB, the boot
/// block, and the interrupt unit. An instruction takes a cycle, an access to anything outside its own memory
/// the time of its transaction. Another simulator takes the place of Rv32i: the map, the time and the wire
/// stay.
///
///     0x00000000  the node's main memory, coherent
///     0x40000000  boot block
///     0x50000000  registers of the network interface
///     0x60000000  interrupt unit
///     0x80000000  the core's own memory, where the program begins
class RiscvNode final : public sc_core::sc_module, private Rv32iBus {
 public:
  static constexpr std::uint32_t boot_base = 0x40000000, register_base = 0x50000000, unit_base = 0x60000000,
                                 own_base = 0x80000000, own_bytes = 0x10000;
  /// `program`: bytes from own_base on.
  RiscvNode(sc_core::sc_module_name name, tsuji::machines::NodeSockets& node, tsuji::host::BootFacts facts,
            const std::vector<unsigned char>& program);

  /// True once the program has reached a breakpoint.
  bool stopped() const { return stopped_; }
  std::uint64_t instructions() const { return core_.instructions(); }
  std::uint64_t interrupts() const { return interrupts_; }
  /// A word of the node's memory, without time.
  std::uint32_t peek(std::uint64_t physical);

  SC_HAS_PROCESS(RiscvNode);

 private:
  using Socket = tlm_utils::simple_initiator_socket<RiscvNode>;
  bool load(std::uint32_t address, unsigned bytes, std::uint32_t& value) override;
  bool store(std::uint32_t address, unsigned bytes, std::uint32_t value) override;
  bool access(tlm::tlm_command command, std::uint32_t address, unsigned bytes, std::uint32_t& value);
  void run();
  void pass_time();

  const sc_core::sc_time cycle_;
  tsuji::nic::InterruptUnit unit_;
  tsuji::host::BootBlock boot_;
  Socket memory_, registers_, unit_registers_, boot_words_;
  sc_core::sc_signal<bool> interrupt_;
  std::vector<unsigned char> own_;
  Rv32i core_;
  sc_core::sc_time ahead_;  ///< time of instructions that the thread has not waited for
  std::uint64_t interrupts_ = 0;
  bool stopped_ = false;
};
