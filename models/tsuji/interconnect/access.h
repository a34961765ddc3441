// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace tsuji::interconnect {

/// Command of a transaction, as tlm::tlm_command.
enum class Command : std::uint8_t { read, write, ignore };

/// Response status of a transaction, as tlm::tlm_response_status.
enum class Status : std::uint8_t {
  incomplete,
  ok,
  generic_error,
  address_error,
  command_error,
  burst_error,
  byte_enable_error
};

/// Attributes of a transaction that a message carries.
struct Access {
  Command command = Command::read;
  bool has_enables = false;   ///< The transaction has byte enables.
  std::uint64_t address = 0;  ///< First address; at a target in the target's own address space.
  std::uint32_t bytes = 0;    ///< Length of the data.
  std::uint32_t streaming_bytes =
      0;  ///< Bytes after which the address starts again (TLM-2.0 streaming width).

  /// Number of bytes from `address` on that the transaction touches.
  std::uint32_t span_bytes() const { return streaming_bytes < bytes ? streaming_bytes : bytes; }
};

}  // namespace tsuji::interconnect
