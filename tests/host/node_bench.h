// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/passthrough_target_socket.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <systemc>
#include <utility>

#include "host/requester.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_controller.h"
#include "tsuji/host/processor.h"

namespace tsuji::host::test {

/// Replacement for a network interface's registers: 8-byte values by offset; offset `unknown` answers with an
/// error.
class FakeRegisters final : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t unknown = 0xfff8;
  std::uint64_t refused = unknown;  ///< offset of a further refused register
  explicit FakeRegisters(sc_core::sc_module_name name) : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &FakeRegisters::b_transport);
  }
  tlm_utils::passthrough_target_socket<FakeRegisters> socket;
  std::map<std::uint64_t, std::uint64_t> values;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> writes;  ///< in their order
  sc_core::sc_time delay;                                       ///< annotated to every access
  sc_core::sc_time last_access;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& time) {
    last_access = sc_core::sc_time_stamp() + time;
    auto* data = reinterpret_cast<std::uint64_t*>(payload.get_data_ptr());
    if (payload.get_address() == unknown || payload.get_address() == refused ||
        payload.get_data_length() != 8) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    if (payload.is_write()) {
      values[payload.get_address()] = *data;
      writes.emplace_back(payload.get_address(), *data);
    }
    if (payload.is_read()) *data = values[payload.get_address()];
    time += delay;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

class FunctionProgram final : public Program {
 public:
  explicit FunctionProgram(std::function<void(Cpu&)> body) : body_(std::move(body)) {}
  void run(Cpu& cpu) override { body_(cpu); }

 private:
  std::function<void(Cpu&)> body_;
};

inline ClockDomainConfig half_edge(ClockDomainConfig clock = {}) {
  clock.offset_ps = clock.period.ps() / 2;
  return clock;
}

/// A node without its network interface: two requesters replace Receiver and Sender.
struct Node {
  static constexpr std::uint64_t heap = 0x10000000;
  static constexpr std::uint64_t heap_pages = 64;
  static constexpr std::uint64_t heap_physical = 0x100000;
  static constexpr std::uint64_t read_only = 0x20000000;

  Node(const std::string& name, ClockDomain& main, ClockDomain& half, const ProcessorConfig& config = {},
       const std::function<void(Cpu&)>& body = {}, PagePlacement placement = PagePlacement::scattered)
      : memory((name + "_memory").c_str(), {}),
        controller((name + "_controller").c_str(), main, {}, memory.storage().bytes()),
        processor((name + "_processor").c_str(), half, 3, config),
        registers((name + "_registers").c_str()),
        receiver((name + "_receiver").c_str(), main, main),
        sender((name + "_sender").c_str(), main, main),
        program(body) {
    space.map(heap / 4096, heap_pages, heap_physical / 4096, true, placement);
    space.map(read_only / 4096, 1, 0x80, false, PagePlacement::contiguous);
    controller.memory().bind(memory.socket);
    controller.bind_cache(processor);
    receiver.socket.bind(controller.receiver);
    sender.socket.bind(controller.sender);
    processor.memory.bind(controller.processor);
    processor.registers.bind(registers.socket);
    processor.set_address_space(space);
    if (body) processor.set_program(program);
  }
  std::uint64_t physical(std::uint64_t logical) const { return space.translate(logical).physical; }
  /// The content of main memory, without the cache.
  std::uint64_t memory_word(std::uint64_t logical) const {
    std::uint64_t word = 0;
    memory.storage().read(physical(logical), &word, 8);
    return word;
  }
  /// The newest value, in the cache or in memory.
  std::uint64_t newest_word(std::uint64_t logical) {
    std::uint64_t word = 0;
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(physical(logical));
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&word));
    payload.set_data_length(8);
    payload.set_streaming_width(8);
    CHECK(sender.socket->transport_dbg(payload) == 8);
    return word;
  }

  Memory memory;
  MemoryController controller;
  Processor processor;
  FakeRegisters registers;
  Requester receiver, sender;
  AddressSpace space;
  FunctionProgram program;
};

struct Clocks {
  explicit Clocks(const ClockDomainConfig& clock = {})
      : main("main", clock), half("half", half_edge(clock)) {}
  void run() {
    sc_core::sc_start();
    main.rethrow_failure();
    half.rethrow_failure();
  }
  ClockDomain main, half;
};

/// A cache of two sets, so that conflicts are frequent.
inline ProcessorConfig tiny_cache(ProcessorConfig config = {}) {
  config.cache.bytes = 4 * 128;
  return config;
}

}  // namespace tsuji::host::test
