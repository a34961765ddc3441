// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/link/memory_access.h"

namespace tsuji::host {

/// The processor is alone on its node: a line that it has is its own, so there is no shared state.
enum class LineState : std::uint8_t { invalid, clean, dirty };

enum class Replacement : std::uint8_t { lru, fifo };

struct CacheConfig {
  std::uint64_t bytes = 1 << 20;                        ///< capacity; Kanoh 2000, section 2: 1 MB
  unsigned ways = 2;                                    ///< 1..16
  unsigned line_bytes = MemoryTransaction::line_bytes;  ///< a power of two, 8..128
  Replacement replacement = Replacement::lru;
  void validate() const;  ///< throws ConfigError
};

/// The processor's cache with its real bytes: write-back, write-allocate. It knows no time and no bus; the
/// processor fetches and writes back lines. Storage appears with the first use of a set, so an idle node's
/// cache costs nothing.
class Cache {
 public:
  std::string stands_for() const { return "processor's cache (Kanoh 2000, section 2)"; }
  explicit Cache(const CacheConfig& config);

  unsigned line_bytes() const { return config_.line_bytes; }
  std::uint64_t line_of(std::uint64_t address) const {
    return address & ~std::uint64_t{config_.line_bytes - 1};
  }
  LineState state(std::uint64_t address) const;

  /// Accesses within one line. True on a hit, which moves the bytes and counts as a use; a miss changes
  /// nothing.
  bool load(std::uint64_t address, void* to, std::size_t count);
  bool store(std::uint64_t address, const void* from, std::size_t count);

  /// The line that a fill of `address` would replace, if that line is dirty and has to be written back first.
  /// `data` is valid until the line leaves. Null data: nothing to write back.
  struct Victim {
    std::uint64_t line = 0;
    const unsigned char* data = nullptr;
  };
  Victim dirty_victim(std::uint64_t address) const;
  /// Puts a line, which is not there yet, in the place of an invalid or clean one. std::logic_error if it is
  /// there, or if the place is held by a dirty line.
  void fill(std::uint64_t address, const unsigned char* data, LineState state = LineState::clean);

  /// Somebody else reads the line: if it is dirty its bytes go to `data` and it becomes clean. Gives the
  /// state before.
  LineState snoop_read(std::uint64_t address, unsigned char* data);
  /// The line leaves without being written back.
  struct Invalidated {
    LineState state = LineState::invalid;  ///< before
    bool watched = false;
  };
  Invalidated invalidate(std::uint64_t address);

  /// Marks a line so that its invalidation is told. False if the line is not there: nothing would ever be
  /// told, so the caller must load it first. The mark goes with the line.
  bool watch(std::uint64_t address);
  /// The line's bytes as they are, for debuggers; null if absent.
  unsigned char* find_data(std::uint64_t address);

  /// Lines that take memory in the process: tests hold them to those that were ever used.
  std::size_t lines_allocated() const { return allocated_; }

 private:
  struct Line {
    std::uint64_t address = 0;
    std::uint64_t stamp = 0;        ///< of the last use (LRU) or of the fill (FIFO)
    unsigned char* data = nullptr;  ///< in a chunk; stays with the way
    LineState state = LineState::invalid;
    bool watched = false;
  };
  static constexpr std::size_t sets_per_group = 64;
  static constexpr std::size_t lines_per_chunk = 16;

  std::size_t set_of(std::uint64_t address) const { return (address / config_.line_bytes) & (sets_ - 1); }
  Line* find(std::uint64_t address) const;
  Line* set_if_used(std::uint64_t address) const;
  Line* set_for_use(std::uint64_t address);
  unsigned place_for(const Line* set) const;
  unsigned char* new_storage();

  const CacheConfig config_;
  const std::size_t sets_;
  std::vector<std::unique_ptr<Line[]>> groups_;
  std::vector<std::unique_ptr<unsigned char[]>> chunks_;
  std::size_t allocated_ = 0;
  std::uint64_t clock_ = 0;
};

}  // namespace tsuji::host
