// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/envelope.h"
#include "tsuji/host/library/task_layout.h"

namespace tsuji::host {

/// Reads messages from one of the task's message buffers in the order of arrival. The Receiver advances the
/// write pointer, a word of the buffer table that the reader polls through the cache, and starts every
/// message on a cache line. The reader reports its read position by a register write each time a quarter of
/// the buffer has been read.
///
/// Contract, for each message: open(); if it returns true, payload(), then close().
class MessageReader {
 public:
  MessageReader(Cpu& cpu, const TaskLayout& layout, unsigned buffer);

  /// Loads the write pointer. If a message waits, reads its envelope into `envelope` and returns true.
  bool open(Envelope& envelope);
  /// Reads the first `bytes` of the open message's payload.
  void payload(void* to, std::uint64_t bytes);
  /// Finishes the open message, whose payload in the buffer has `payload_bytes`.
  void close(std::uint64_t payload_bytes);

  std::uint64_t pointer_address() const { return pointer_address_; }
  std::uint64_t messages() const { return messages_; }

 private:
  void read(std::uint64_t offset, void* to, std::uint64_t bytes);

  Cpu& cpu_;
  std::uint64_t base_, size_, quarter_;
  std::uint64_t pointer_address_;
  std::uint64_t read_register_;
  std::uint64_t read_ = 0;   ///< Offset of the next message.
  std::uint64_t write_ = 0;  ///< Write pointer as loaded last.
  std::uint64_t messages_ = 0;
};

}  // namespace tsuji::host
