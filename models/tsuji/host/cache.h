// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/link/memory_access.h"

namespace tsuji::host {

/// State of a cache line. A node has one processor, so there is no shared state.
enum class LineState : std::uint8_t { invalid, clean, dirty };

enum class Replacement : std::uint8_t { lru, fifo };

struct CacheConfig {
  std::uint64_t bytes = 1 << 20;                        ///< Capacity; 1 MB in Kanoh 2000, section 2.
  unsigned ways = 2;                                    ///< associativity, 1..16
  unsigned line_bytes = MemoryTransaction::line_bytes;  ///< A power of two, 8..128.
  Replacement replacement = Replacement::lru;
  void validate() const;  ///< throws ConfigError
};

/// The processor's cache with its data: write-back, write-allocate. It models neither time nor a bus; the
/// processor fetches and writes back lines. Storage is allocated at the first use of a set, so that the cache
/// of an idle node takes no memory.
class Cache {
 public:
  std::string stands_for() const { return "processor's cache (Kanoh 2000, section 2)"; }
  explicit Cache(const CacheConfig& config);

  unsigned line_bytes() const { return config_.line_bytes; }
  std::uint64_t line_of(std::uint64_t address) const {
    return address & ~std::uint64_t{config_.line_bytes - 1};
  }
  LineState state(std::uint64_t address) const;

  /// Accesses within one line. Returns true on a hit, which transfers the bytes and updates the replacement
  /// state; a miss changes nothing.
  bool load(std::uint64_t address, void* to, std::size_t count);
  bool store(std::uint64_t address, const void* from, std::size_t count);

  /// The dirty line that a fill of `address` would replace and that must be written back first. `data` is
  /// valid until the line is replaced; null: nothing must be written back.
  struct Victim {
    std::uint64_t line = 0;
    const unsigned char* data = nullptr;
  };
  Victim dirty_victim(std::uint64_t address) const;
  /// Fills a line that is not in the cache, replacing an invalid or clean one. Throws std::logic_error if the
  /// line is present or the victim is dirty.
  void fill(std::uint64_t address, const unsigned char* data, LineState state = LineState::clean);

  /// Serves a read of the line by another master: copies a dirty line to `data` and makes it clean. Returns
  /// the line's previous state.
  LineState snoop_read(std::uint64_t address, unsigned char* data);
  /// Result of an invalidation.
  struct Invalidated {
    LineState state = LineState::invalid;  ///< State before the invalidation.
    bool watched = false;
  };
  Invalidated invalidate(std::uint64_t address);

  /// Marks a line so that its invalidation is reported (Invalidated::watched); the mark is removed with the
  /// line. Returns false if the line is not in the cache: the caller must load it first.
  bool watch(std::uint64_t address);
  /// The line's data for debuggers, without effect on the replacement state; null if the line is absent.
  unsigned char* find_data(std::uint64_t address);

  /// Lines with allocated storage, for tests of memory use.
  std::size_t lines_allocated() const { return allocated_; }

 private:
  struct Line {
    std::uint64_t address = 0;
    std::uint64_t stamp = 0;        ///< Time of the last use (LRU) or of the fill (FIFO).
    unsigned char* data = nullptr;  ///< Storage in a chunk; fixed for each way.
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
