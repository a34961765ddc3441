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

/// Bytes of a node's main memory. Pages come into being when they are first written; bytes that were never
/// written read as 0. A page keeps its place until `clear`, so pointers into it may be handed out.
class SparseMemory {
 public:
  static constexpr unsigned page_bytes = 4096;
  using Page = std::array<unsigned char, page_bytes>;

  /// `bytes`: a multiple of the page size, not 0 (ConfigError).
  explicit SparseMemory(std::uint64_t bytes);

  std::uint64_t bytes() const { return bytes_; }
  /// True if all of [address, address + count) lies within the memory.
  bool contains(std::uint64_t address, std::uint64_t count) const {
    return address < bytes_ && count <= bytes_ - address;
  }
  /// Both throw std::out_of_range for bytes that the memory does not contain.
  void read(std::uint64_t address, void* to, std::size_t count) const;
  void write(std::uint64_t address, const void* from, std::size_t count);
  /// The page that holds `address`, or null if nothing was ever written to it.
  const Page* find_page(std::uint64_t address) const;
  /// The page that holds `address`, which then exists.
  Page& page(std::uint64_t address);
  /// Calls `tell(address)` with the first address of every page that comes into being.
  void on_new_page(std::function<void(std::uint64_t)> tell) { on_new_page_ = std::move(tell); }
  /// Forgets everything; pointers to pages end here.
  void clear();
  /// Pages that take memory in the process: tests hold them to those that were written.
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
