// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::host {

/// A task's heap: hands out addresses, keeps no bytes. Blocks are whole cache lines at line borders, in size
/// classes (four a power of two) that are reused last in, first out, so that the same program gets the same
/// addresses; when everything has been given back it starts anew, like a fresh one.
class Heap {
 public:
  Heap(std::uint64_t base, std::uint64_t bytes) : base_(base), next_(base), end_(base + bytes) {}

  /// A block of at least `bytes`; 0 bytes take a line, too. ConfigError of library.heap_bytes when the heap
  /// is used up: it is too small for the program.
  std::uint64_t take(std::uint64_t bytes);
  /// Gives back a block that was taken with the same size.
  void give_back(std::uint64_t address, std::uint64_t bytes);
  /// Blocks that give_back() has not freed: in tests none when a program ends.
  std::uint64_t blocks_in_use() const { return in_use_; }
  /// Bytes in blocks, in use or free, since nothing was in use.
  std::uint64_t bytes_in_blocks() const { return next_ - base_; }

 private:
  std::uint64_t base_, next_, end_;
  std::uint64_t in_use_ = 0;
  std::vector<std::vector<std::uint64_t>> free_;  ///< by size class
};

/// A block for as long as this lives.
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
