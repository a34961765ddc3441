// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tsuji/nic/parcel.h"

namespace tsuji::nic {

/// The control registers of one parcel header queue: a ring of 32-byte headers in main memory. The task moves
/// the write pointer, RHM the read pointer; one place stays free, so that equal pointers mean empty (4.2).
/// Functions that can be refused return the problem, empty when there is none: the module knows cycle and
/// name.
class HeaderQueue {
 public:
  std::string set_base(std::uint64_t base);
  /// 4096..65536, a power of two: both pointers start at 0. 0: off, which leaves the pointers, and what lies
  /// between them, as they are.
  std::string set_bytes(std::uint64_t bytes);
  std::string set_write_pointer(std::uint64_t offset);
  /// Of an empty queue that was used before.
  std::string set_pointers(std::uint64_t write, std::uint64_t read);

  std::uint64_t write_pointer() const { return write_; }
  std::uint64_t read_pointer() const { return read_; }
  /// Holds nothing that could be read; so does a queue that is off.
  bool empty() const { return bytes_ == 0 || write_ == read_; }
  /// Grows when the set gets another queue, or none.
  std::uint32_t generation() const { return generation_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Physical address of the place at this offset.
  std::uint64_t address_of(std::uint64_t offset) const { return base_ + offset; }
  /// Physical address of the oldest header.
  std::uint64_t next_address() const { return address_of(read_); }
  void advance() { read_ = (read_ + ParcelHeader::bytes) & (bytes_ - 1); }

 private:
  std::uint64_t base_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t write_ = 0;
  std::uint64_t read_ = 0;
  std::uint32_t generation_ = 0;
};

/// Round robin over the control-register sets: the one after the last served is asked first.
class QueueScheduler {
 public:
  explicit QueueScheduler(unsigned sets) : sets_(sets), last_(sets - 1) {}
  /// The next set among those whose bit is set in `ready`, which becomes the last served; -1 if there is
  /// none.
  int next(std::uint32_t ready);

 private:
  unsigned sets_;
  unsigned last_;
};

}  // namespace tsuji::nic
