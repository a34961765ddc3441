// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <tlm>

namespace tsuji::host {

/// Access of a node's operating system to memory and to registers of the network interface, without time: at
/// boot, and within system calls and interrupts whose time has been charged.
class NodeAccess {
 public:
  /// `memory` is accessed by debug transport, `registers` by b_transport, whose time is ignored.
  void bind(tlm::tlm_fw_transport_if<>& memory, tlm::tlm_fw_transport_if<>& registers);
  bool bound() const { return memory_ != nullptr; }

  /// Reads words at a physical address. Throws ModelError for an address outside the memory, and before
  /// bind().
  void read_words(std::uint64_t address, std::uint64_t* words, std::size_t count) const;
  void write_words(std::uint64_t address, const std::uint64_t* words, std::size_t count) const;
  void write_word(std::uint64_t address, std::uint64_t word) const { write_words(address, &word, 1); }
  /// Throws ModelError if the register refuses the value.
  void write_register(std::uint64_t offset, std::uint64_t value) const;

 private:
  void access(tlm::tlm_command command, std::uint64_t address, std::uint64_t* words, std::size_t count) const;

  tlm::tlm_fw_transport_if<>* memory_ = nullptr;
  tlm::tlm_fw_transport_if<>* registers_ = nullptr;
};

}  // namespace tsuji::host
