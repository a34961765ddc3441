// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/heap.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/nic/tables.h"

namespace tsuji::host {
namespace {

constexpr unsigned class_bits = 2;  // four classes a power of two

struct SizeClass {
  unsigned index = 0;
  std::uint64_t bytes = 0;
};

SizeClass class_of(std::uint64_t bytes) {
  const std::uint64_t lines = std::max<std::uint64_t>(1, (bytes + nic::line_bytes - 1) / nic::line_bytes);
  unsigned shift = 0;
  while ((lines - 1) >> shift >= (1U << (class_bits + 1))) ++shift;
  const std::uint64_t step = ((lines - 1) >> shift) + 1;  // 1..8 units of 2^shift lines
  return {shift * (1U << (class_bits + 1)) + static_cast<unsigned>(step), (step << shift) * nic::line_bytes};
}

}  // namespace

std::uint64_t Heap::take(std::uint64_t bytes) {
  const SizeClass size = class_of(bytes);
  if (free_.size() <= size.index) free_.resize(size.index + 1);
  ++in_use_;
  auto& free = free_[size.index];
  if (!free.empty()) {
    const std::uint64_t address = free.back();
    free.pop_back();
    return address;
  }
  if (size.bytes > end_ - next_) {
    throw ConfigError("library.heap_bytes", std::to_string(end_ - base_),
                      "no room for " + std::to_string(bytes) + " bytes in addition to " +
                          std::to_string(next_ - base_) + " bytes in allocated blocks",
                      "a heap that holds all simultaneous messages of a rank");
  }
  const std::uint64_t address = next_;
  next_ += size.bytes;
  return address;
}

void Heap::give_back(std::uint64_t address, std::uint64_t bytes) {
  free_[class_of(bytes).index].push_back(address);
  if (--in_use_ != 0) return;
  // No block is in use: the heap is reset, so that tasks with different histories of allocation agree on
  // addresses again.
  for (auto& blocks : free_) blocks.clear();
  next_ = base_;
}

}  // namespace tsuji::host
