// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/nic/parcel.h"

namespace tsuji::nic {

/// The control registers of one parcel header queue: a ring of 32-byte headers in main memory. The task
/// advances the write pointer, RHM the read pointer; one entry stays free, so that equal pointers mean empty
/// (section 4.2). Functions that can refuse a value return the problem, empty if there is none; the module
/// adds cycle and name.
class HeaderQueue {
 public:
  /// Sets the physical base address, aligned to the queue's size.
  std::string set_base(std::uint64_t base);
  /// Sets the size: 4096..65536, a power of two, with both pointers at 0. 0 disables the queue and keeps the
  /// pointers and the headers between them.
  std::string set_bytes(std::uint64_t bytes);
  /// Sets the write pointer: an offset in the queue, a multiple of the header size, that overruns no unread
  /// header.
  std::string set_write_pointer(std::uint64_t offset);
  /// Restores the pointers of a queue that was used before. The queue must be empty.
  std::string set_pointers(std::uint64_t write, std::uint64_t read);

  std::uint64_t write_pointer() const { return write_; }
  std::uint64_t read_pointer() const { return read_; }
  /// True if no header can be read; always true for a disabled queue.
  bool empty() const { return bytes_ == 0 || write_ == read_; }
  /// Incremented when the set gets another queue, or its queue is disabled.
  std::uint32_t generation() const { return generation_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Physical address at this offset.
  std::uint64_t address_of(std::uint64_t offset) const { return base_ + offset; }
  /// Physical address of the oldest header.
  std::uint64_t next_address() const { return address_of(read_); }
  /// Moves the read pointer to the next header; the queue must not be empty.
  void advance() { read_ = (read_ + ParcelHeader::bytes) & (bytes_ - 1); }

 private:
  std::uint64_t base_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t write_ = 0;
  std::uint64_t read_ = 0;
  std::uint32_t generation_ = 0;
};

/// Round-robin scheduler over the control-register sets, starting after the set served last.
class QueueScheduler {
 public:
  /// `sets`: 1..32.
  explicit QueueScheduler(unsigned sets) : last_(sets - 1) {}
  /// Selects the next set among those whose bit is set in `ready`; -1 if there is none.
  int next(std::uint32_t ready);

 private:
  unsigned last_;
};

}  // namespace tsuji::nic
