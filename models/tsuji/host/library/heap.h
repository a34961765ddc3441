// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::host {

/// Allocator for a task's heap: returns addresses and stores no bytes. Blocks are whole cache lines in size
/// classes (four per power of two) and are reused last in, first out, so that equal programs get equal
/// addresses. When all blocks have been released, the heap is reset.
class Heap {
 public:
  Heap(std::uint64_t base, std::uint64_t bytes) : base_(base), next_(base), end_(base + bytes) {}

  /// Allocates a block of at least `bytes`; 0 bytes take one line. Throws ConfigError of library.heap_bytes
  /// if the heap is exhausted.
  std::uint64_t take(std::uint64_t bytes);
  /// Releases a block; `bytes` is the size that take() was called with.
  void give_back(std::uint64_t address, std::uint64_t bytes);
  /// Blocks that have not been released; 0 when a program has ended.
  std::uint64_t blocks_in_use() const { return in_use_; }
  /// Bytes in used and free blocks since the last reset.
  std::uint64_t bytes_in_blocks() const { return next_ - base_; }

 private:
  std::uint64_t base_, next_, end_;
  std::uint64_t in_use_ = 0;
  std::vector<std::vector<std::uint64_t>> free_;  ///< Free blocks by size class.
};

/// Owns a block of the heap for its lifetime.
class HeapBlock {
 public:
  HeapBlock(Heap& heap, std::uint64_t bytes) : heap_(heap), bytes_(bytes), address_(heap.take(bytes)) {}
  ~HeapBlock() { heap_.give_back(address_, bytes_); }
  HeapBlock(const HeapBlock&) = delete;
  HeapBlock& operator=(const HeapBlock&) = delete;
  std::uint64_t address() const { return address_; }

 private:
  Heap& heap_;
  std::uint64_t bytes_;
  std::uint64_t address_;
};

}  // namespace tsuji::host
