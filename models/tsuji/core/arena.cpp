// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>

namespace tsuji {

Arena::~Arena() {
  for (const Chunk& chunk : chunks_) ::operator delete(chunk.memory, std::align_val_t(chunk.alignment));
}

void Arena::add_chunk(std::size_t bytes) {
  std::size_t size = chunks_.empty() ? least_chunk : std::min(2 * chunks_.back().bytes, large_page);
  while (size < bytes) size *= 2;
  const std::size_t alignment = size < large_page ? cache_line : large_page;
  auto* const memory = static_cast<std::byte*>(::operator new(size, std::align_val_t(alignment)));
  if (size >= large_page) ::madvise(memory, size, MADV_HUGEPAGE);  // advice: a refusal changes nothing
  chunks_.push_back({memory, size, alignment});
  free_ = memory;
  left_ = size;
}

void* Arena::take(std::size_t bytes, std::size_t alignment) {
  const auto padding = [&] { return -reinterpret_cast<std::uintptr_t>(free_) & (alignment - 1); };
  if (free_ == nullptr || padding() + bytes > left_) add_chunk(bytes + alignment);
  const std::size_t used = padding() + bytes;
  std::byte* const piece = free_ + padding();
  free_ += used;
  left_ -= used;
  return piece;
}

}  // namespace tsuji
