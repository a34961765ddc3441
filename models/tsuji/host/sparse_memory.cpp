// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/sparse_memory.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::host {

SparseMemory::SparseMemory(std::uint64_t bytes) : bytes_(bytes) {
  if (bytes == 0 || bytes % page_bytes != 0) {
    throw ConfigError("memory.bytes", std::to_string(bytes), "not a memory size",
                      "a multiple of 4096, at least 4096");
  }
  constexpr std::uint64_t group_bytes = std::uint64_t{page_bytes} * pages_per_group;
  groups_.resize((bytes + group_bytes - 1) / group_bytes);
}

void SparseMemory::check(std::uint64_t address, std::size_t count) const {
  if (contains(address, count) || (count == 0 && address <= bytes_)) return;
  throw std::out_of_range("memory of " + std::to_string(bytes_) + " bytes accessed at " +
                          std::to_string(address) + " + " + std::to_string(count));
}

const SparseMemory::Page* SparseMemory::find_page(std::uint64_t address) const {
  check(address, 1);
  const std::uint64_t number = address / page_bytes;
  const auto& group = groups_[number / pages_per_group];
  return group ? (*group)[number % pages_per_group].get() : nullptr;
}

SparseMemory::Page& SparseMemory::page(std::uint64_t address) {
  check(address, 1);
  const std::uint64_t number = address / page_bytes;
  auto& group = groups_[number / pages_per_group];
  if (!group) group = std::make_unique<Group>();
  auto& place = (*group)[number % pages_per_group];
  if (!place) {
    place = std::make_unique<Page>();
    ++pages_;
    if (on_new_page_) on_new_page_(number * page_bytes);
  }
  return *place;
}

void SparseMemory::read(std::uint64_t address, void* to, std::size_t count) const {
  check(address, count);
  auto* out = static_cast<unsigned char*>(to);
  while (count > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t part = std::min<std::size_t>(count, page_bytes - offset);
    const Page* from = find_page(address);
    if (from != nullptr) {
      std::memcpy(out, from->data() + offset, part);
    } else {
      std::memset(out, 0, part);
    }
    address += part;
    out += part;
    count -= part;
  }
}

void SparseMemory::write(std::uint64_t address, const void* from, std::size_t count) {
  check(address, count);
  const auto* in = static_cast<const unsigned char*>(from);
  while (count > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t part = std::min<std::size_t>(count, page_bytes - offset);
    std::memcpy(page(address).data() + offset, in, part);
    address += part;
    in += part;
    count -= part;
  }
}

void SparseMemory::clear() {
  for (auto& group : groups_) group.reset();
  pages_ = 0;
}

}  // namespace tsuji::host
