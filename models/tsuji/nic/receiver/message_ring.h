// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace tsuji::nic {

/// A ring in a task's memory that the Receiver appends to (message buffers, log buffer). All values are
/// logical addresses; equal pointers mean empty, so the last unit stays free.
struct MessageRing {
  std::uint64_t base = 0;
  std::uint64_t bytes = 0;  ///< a multiple of `unit`; 0: the buffer does not exist
  std::uint64_t unit = 1;   ///< appended sizes are rounded up to it: 128 for messages, 16 for log entries

  /// Problem of appending `size` bytes at `write` while the task has read up to `read`; empty if it
  /// fits.
  std::string problem(std::uint64_t write, std::uint64_t read, std::uint64_t size) const;
  /// No room between two pointers that are places in the ring.
  bool overruns(std::uint64_t write, std::uint64_t read, std::uint64_t size) const {
    return is_place(write) && is_place(read) && (write - read + bytes) % bytes + rounded(size) >= bytes;
  }
  /// 0..3: the part of the ring that the pointer is in.
  unsigned quarter(std::uint64_t pointer) const {
    return static_cast<unsigned>((pointer - base) * 4 / bytes);
  }
  /// The pointer behind `size` bytes at `write`.
  std::uint64_t advance(std::uint64_t write, std::uint64_t size) const;
  /// Where byte `offset` behind the pointer `write` lies.
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
