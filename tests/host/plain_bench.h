// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <systemc>

#include "host/plain_initiator.h"
#include "host/requester.h"
#include "host/snooped_cache.h"
#include "tsuji/host/memory.h"
#include "tsuji/host/memory_controller.h"

namespace tsuji::host::test {

inline constexpr auto ok = tlm::TLM_OK_RESPONSE;

inline sc_core::sc_time cycles(double count) {
  return {12.5 * count, sc_core::SC_NS};
}

inline sc_core::sc_time present() {
  return sc_core::sc_time::from_value(sc_core::sc_time_stamp().value());
}

/// Initiators without the extension in place of Receiver and processor and at two further sockets, and a
/// Sender with the extension. A thread of the test runs the initiators' program.
struct PlainBench {
  /// `share`: the controller has the first 1 / share of the memory.
  explicit PlainBench(const ClockDomainConfig& clock = {}, unsigned share = 1)
      : main("main", clock),
        memory("memory", {}),
        controller("controller", main, {}, memory.storage().bytes() / share),
        receiver("receiver"),
        processor("processor"),
        first("first"),
        second("second"),
        sender("sender", main, main) {
    controller.memory().bind(memory.socket);
    receiver.socket.bind(controller.receiver);
    sender.socket.bind(controller.sender);
    processor.socket.bind(controller.processor);
    first.socket.bind(controller.add_initiator("first_place"));
    second.socket.bind(controller.add_initiator("second_place"));
  }
  static void thread(const std::function<void()>& body) { sc_core::sc_spawn(body); }
  void run() {
    sc_core::sc_start();
    main.rethrow_failure();
  }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    memory.storage().read(address, &value, 8);
    return value;
  }
  ClockDomain main;
  Memory memory;
  MemoryController controller;
  PlainInitiator<> receiver, processor, first, second;
  Requester sender;
  SnoopedCache snooped;
};

}  // namespace tsuji::host::test
