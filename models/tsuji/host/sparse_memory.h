// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tsuji::host {

/// Bytes of a node's main memory. Pages are created when they are first written; bytes that were never
/// written read as 0. A page does not move until clear(), so that pointers into it remain valid.
class SparseMemory {
 public:
  static constexpr unsigned page_bytes = 4096;
  using Page = std::array<unsigned char, page_bytes>;

  /// `bytes` is a multiple of the page size, not 0. Throws ConfigError otherwise.
  explicit SparseMemory(std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }
  /// True if all of [address, address + count) is within the memory.
  bool contains(std::uint64_t address, std::uint64_t count) const {
    return address < bytes_ && count <= bytes_ - address;
  }
  /// read() and write() throw std::out_of_range for bytes outside the memory.
  void read(std::uint64_t address, void* to, std::size_t count) const;
  void write(std::uint64_t address, const void* from, std::size_t count);
  /// The page that contains `address`; null if it was never written.
  const Page* find_page(std::uint64_t address) const;
  /// The page that contains `address`, created if necessary.
  Page& page(std::uint64_t address);
  /// Sets a function that is called with the first address of every page that is created.
  void on_new_page(std::function<void(std::uint64_t)> tell) { on_new_page_ = std::move(tell); }
  /// Deletes all pages; pointers to them become invalid.
  void clear();
  /// Pages with allocated storage, for tests of memory use.
  std::size_t pages_allocated() const { return pages_; }

 private:
  static constexpr unsigned pages_per_group = 256;
  using Group = std::array<std::unique_ptr<Page>, pages_per_group>;
  void check(std::uint64_t address, std::size_t count) const;

  std::uint64_t bytes_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::size_t pages_ = 0;
  std::function<void(std::uint64_t)> on_new_page_;
};

}  // namespace tsuji::host
