// SPDX-License-Identifier: Apache-2.0
#include "riscv_node.h"

#include <algorithm>
#include <cstring>

#include "tsuji/core/error.h"
#include "tsuji/nic/interface_values.h"
#include "tsuji/nic/registers.h"

using tsuji::ModelError;

RiscvNode::RiscvNode(sc_core::sc_module_name name, tsuji::machines::NodeSockets& node,
                     tsuji::host::BootFacts facts, const std::vector<unsigned char>& program)
    : sc_module(name),
      cycle_(sc_core::sc_time::from_value(facts.clock_period_ps)),
      unit_("unit"),
      boot_("boot", tsuji::host::boot_words(node.os(), facts)),
      memory_("memory"),
      registers_("registers"),
      unit_registers_("unit_registers"),
      boot_words_("boot_words"),
      interrupt_("interrupt"),
      own_(own_bytes),
      core_(*this, own_base, facts.node) {
  if (program.size() > own_bytes) throw ModelError(this->name(), "a program of more than 64 kB");
  std::copy(program.begin(), program.end(), own_.begin());
  node.bind_memory(memory_);
  node.bind_registers(registers_);
  node.bind_registers(unit_.registers);
  node.set_interrupt(unit_);
  unit_registers_.bind(unit_.socket);
  boot_words_.bind(boot_.socket);
  unit_.irq.bind(interrupt_);
  SC_THREAD(run);
}

void RiscvNode::pass_time() {
  wait(ahead_);
  ahead_ = sc_core::SC_ZERO_TIME;
}

void RiscvNode::run() {
  constexpr unsigned instructions_at_once = 100;
  for (unsigned count = 0; !stopped_; ++count) {
    core_.set_external(interrupt_.read());
    if (core_.waits()) {
      pass_time();
      if (!interrupt_.read()) wait(interrupt_.posedge_event());
      continue;
    }
    const std::uint32_t before = core_.pc();
    const Rv32iTrap trap = core_.step();
    ahead_ += cycle_;
    if (trap == Rv32iTrap::breakpoint) {
      stopped_ = true;
    } else if (trap != Rv32iTrap::none && core_.csr(Rv32i::mtvec) == 0) {
      throw ModelError(name(), "exception " + std::to_string(core_.csr(Rv32i::mcause)) +
                                   " without a handler at " + std::to_string(before) + ", value " +
                                   std::to_string(core_.csr(Rv32i::mtval)));
    } else if (core_.csr(Rv32i::mcause) == Rv32i::external_interrupt &&
               core_.pc() == core_.csr(Rv32i::mtvec)) {
      ++interrupts_;
    }
    if (count % instructions_at_once == 0) pass_time();
  }
  pass_time();
}

bool RiscvNode::load(std::uint32_t address, unsigned bytes, std::uint32_t& value) {
  value = 0;
  if (address >= own_base && address - own_base <= own_bytes - bytes) {
    std::memcpy(&value, own_.data() + (address - own_base), bytes);
    return true;
  }
  return access(tlm::TLM_READ_COMMAND, address, bytes, value);
}

bool RiscvNode::store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  if (address >= own_base && address - own_base <= own_bytes - bytes) {
    std::memcpy(own_.data() + (address - own_base), &value, bytes);
    return true;
  }
  return access(tlm::TLM_WRITE_COMMAND, address, bytes, value);
}

bool RiscvNode::access(tlm::tlm_command command, std::uint32_t address, unsigned bytes,
                       std::uint32_t& value) {
  Socket* socket = &memory_;
  std::uint32_t base = 0;
  if (address >= unit_base) {
    socket = &unit_registers_, base = unit_base;
  } else if (address >= register_base) {
    socket = &registers_, base = register_base;
  } else if (address >= boot_base) {
    socket = &boot_words_, base = boot_base;
  }
  pass_time();  // others see the access
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address - base);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  (*socket)->b_transport(payload, ahead_);
  return payload.is_response_ok();
}

std::uint32_t RiscvNode::peek(std::uint64_t physical) {
  std::uint32_t word = 0;
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(physical);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
  payload.set_data_length(sizeof word);
  payload.set_streaming_width(sizeof word);
  if (memory_->transport_dbg(payload) != sizeof word) throw ModelError(name(), "no memory at this address");
  return word;
}
