// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <functional>
#include <systemc>
#include <tlm>

#include "tsuji/core/described.h"

namespace tsuji::interconnect {

/// An initiator whose threads use b_transport: a program's processor, a DMA engine's channels.
///
///     ThreadInitiator cpu("cpu");
///     cpu.socket.bind(noc.for_initiator("cpu"));
///     cpu.start([&] { cpu.write(0x100, &word, sizeof word); });
///
/// Contract: start() before the simulation or from a process of it; read() and write() from a started thread.
class ThreadInitiator final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "an initiator of a virtual platform"; }
  /// An initiator without threads.
  explicit ThreadInitiator(sc_core::sc_module_name name);

  /// Initiator of 32 bits, of the base protocol.
  tlm_utils::simple_initiator_socket<ThreadInitiator> socket;

  /// Starts a thread that runs `body`, which the initiator keeps.
  void start(std::function<void()> body);
  /// Number of threads whose bodies have not returned.
  unsigned running() const { return running_; }
  /// Reads `bytes` at an address and waits until they are there. An error response ends the simulation with
  /// the access: the kernel reports a ModelError.
  void read(std::uint64_t address, void* data, unsigned bytes) {
    access(tlm::TLM_READ_COMMAND, address, static_cast<unsigned char*>(data), bytes);
  }
  /// Writes `bytes` at an address and waits for the answer. Errors as of read().
  void write(std::uint64_t address, const void* data, unsigned bytes) {
    access(tlm::TLM_WRITE_COMMAND, address, static_cast<unsigned char*>(const_cast<void*>(data)), bytes);
  }

 private:
  void access(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned bytes);

  unsigned running_ = 0;
};

}  // namespace tsuji::interconnect

namespace tsuji {
using interconnect::ThreadInitiator;
}  // namespace tsuji
