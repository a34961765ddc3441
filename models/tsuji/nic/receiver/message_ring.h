// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tsuji::nic {

/// A ring buffer in a task's memory to which the Receiver appends (message buffers, log buffer). All values
/// are logical addresses; equal pointers mean empty, so that the last unit stays free.
struct MessageRing {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;  ///< a multiple of `unit`; 0: the buffer does not exist
  std::uint64_t unit = 1;   ///< appended sizes are rounded up to it: 128 for messages, 16 for log entries

  /// Problem of appending `size` bytes at `write` if the task has read up to `read`; empty if they fit.
  std::string problem(std::uint64_t write, std::uint64_t read, std::uint64_t size) const;
  /// True if there is no room between two valid pointers.
  bool overruns(std::uint64_t write, std::uint64_t read, std::uint64_t size) const {
    return is_place(write) && is_place(read) && (write - read + bytes) % bytes + rounded(size) >= bytes;
  }
  /// Quarter 0..3 of the ring that contains the pointer.
  unsigned quarter(std::uint64_t pointer) const {
    return static_cast<unsigned>((pointer - base) * 4 / bytes);
  }
  /// Pointer after `size` bytes at `write`.
  std::uint64_t advance(std::uint64_t write, std::uint64_t size) const;
  /// Address of byte `offset` after the pointer `write`.
  std::uint64_t at(std::uint64_t write, std::uint64_t offset) const {
    return base + (write - base + offset) % bytes;
  }

 private:
  bool is_place(std::uint64_t pointer) const {
    return pointer >= base && pointer - base < bytes && (pointer - base) % unit == 0;
  }
  std::uint64_t rounded(std::uint64_t size) const { return (size + unit - 1) / unit * unit; }
};

}  // namespace tsuji::nic
