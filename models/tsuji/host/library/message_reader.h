// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/host/cpu.h"
#include "tsuji/host/library/envelope.h"
#include "tsuji/host/library/task_layout.h"

namespace tsuji::host {

/// Takes messages out of one of the task's message buffers, in the order of their arrival. The Receiver moves
/// the write pointer, which lies in the buffer table and is polled there through the cache, and begins every
/// message on a cache line; how far the task has read it is told by a register write whenever a quarter of
/// the buffer has been read.
class MessageReader {
 public:
  MessageReader(Cpu& cpu, const TaskLayout& layout, unsigned buffer);

  /// True if a message waits; its envelope is read into `envelope`. Loads the write pointer.
  bool open(Envelope& envelope);
  /// Reads `bytes` of the open message's payload, from its beginning.
  void payload(void* to, std::uint64_t bytes);
  /// Done with the open message, whose payload in the buffer is `payload_bytes` long.
  void close(std::uint64_t payload_bytes);

  std::uint64_t pointer_address() const { return pointer_address_; }
  std::uint64_t messages() const { return messages_; }

 private:
  void read(std::uint64_t offset, void* to, std::uint64_t bytes);

  Cpu& cpu_;
  std::uint64_t base_, size_, quarter_;
  std::uint64_t pointer_address_;
  std::uint64_t read_register_;
  std::uint64_t read_ = 0;   ///< offset of the next message
  std::uint64_t write_ = 0;  ///< as loaded last
  std::uint64_t messages_ = 0;
};

}  // namespace tsuji::host
