// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "tsuji/core/units.h"
#include "tsuji/host/cache.h"
#include "tsuji/link/memory_access.h"

namespace tsuji::host {

/// Initiator of a request, in the order of the controller's fixed priority (rooms/host.md, Where the paper is
/// silent, 2). `other`: all further initiators, in the order of their sockets.
enum class MemoryInitiator : std::uint8_t { receiver, sender, processor, other };
inline constexpr unsigned memory_initiators = 4;

/// Interface of the memory controller to the processor's cache. All addresses are addresses of lines.
class CacheSnoop {
 public:
  virtual ~CacheSnoop() = default;
  /// Snoop of a coherent read: copies a dirty line to `line` and makes it clean. Returns the previous state.
  virtual LineState snoop_read(std::uint64_t address, unsigned char* line) = 0;
  /// Snoop of a coherent write: invalidates the line without writing it back.
  virtual void snoop_invalidate(std::uint64_t address) = 0;
  /// The processor's own write-back of a victim has been granted. Removes the line from the cache; returns
  /// true if it is still dirty and must be written. (A write granted earlier has invalidated the line and
  /// must not be overwritten.)
  virtual bool write_back_granted(std::uint64_t address) = 0;
  /// The line's data for debug transport; null if the line is not in the cache.
  virtual unsigned char* debug_line(std::uint64_t address) = 0;
};

/// Storage of main memory as used by the controller, without time.
class MemoryStore {
 public:
  virtual ~MemoryStore() = default;
  virtual bool contains(std::uint64_t address, std::uint64_t count) const = 0;
  virtual void read(std::uint64_t address, void* to, unsigned count) = 0;
  virtual void write(std::uint64_t address, const void* from, unsigned count) = 0;
  /// Access by a debugger, without time or other effects. Returns the number of bytes accessed.
  virtual unsigned debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) = 0;
};

/// Times of the controller (rooms/host.md, Where the paper is silent, 1); each is rounded up to whole cycles
/// separately.
struct MemoryControllerConfig {
  double clean_answer_ns = 160;  ///< The cache answers "clean" or "not present" (Kanoh 2000, section 4.2).
  /// Answer for a clean line that was the last dirty line read by a snoop; empty: clean_answer_ns.
  std::optional<std::uint64_t> flushed_answer_ns = {};
  double dirty_answer_ns = 410;  ///< The cache answers "dirty" and will send the line.
  double dirty_word_ns = 12.5;   ///< Time of every 8 bytes of a dirty line, after dirty_answer_ns.
  double memory_first_word_ns = 100;
  double memory_word_ns = 12.5;
  double write_ns = 25;  ///< Command, address and (posted) invalidation of a write, before its words.
  double read_modify_ns =
      100;  ///< Read of the memory for a partial line or an atomic add, if the cache has no dirty line.
  double refusal_ns = 12.5;  ///< Response to a request that cannot be served.
  void validate() const;     ///< throws ConfigError
};

/// Counters of the controller, indexed by kind and initiator.
struct MemoryControllerCounters {
  std::array<std::array<std::uint64_t, memory_initiators>, memory_access_kinds> requests{};
  std::uint64_t dirty_answers = 0, clean_answers = 0, absent_answers = 0;
  std::uint64_t write_backs = 0, void_write_backs = 0;  ///< A void write-back is one that a snoop preceded.
  std::uint64_t refused = 0;
  std::uint64_t busy_cycles = 0;
};

/// Serves requests to a node's memory: the bytes that move and the time that it takes, in cycles. Independent
/// of a simulation kernel.
///
/// Contract, for each request: check(); if it is accepted, ask_cache() in the cycle of the grant, then
/// move(), then old_value(); writes() between ask_cache() and move(). ignore() replaces ask_cache() and
/// move() for a request that moves nothing.
class MemoryService {
 public:
  struct Request {
    MemoryAccessKind kind = MemoryAccessKind::noncoherent_read;
    MemoryInitiator initiator = MemoryInitiator::processor;
    std::uint64_t address = 0;
    unsigned bytes = 0;
    unsigned char* data = nullptr;
    bool any_bytes = false;  ///< Any number of bytes at any alignment within a line, instead of 4-byte words.
    /// Byte enables of a generic access; null: all bytes. They are repeated from byte `first_enable` on.
    const unsigned char* enables = nullptr;
    unsigned enable_length = 0, first_enable = 0;
    bool enabled(unsigned byte) const {
      return enables == nullptr || enables[(first_enable + byte) % enable_length] != 0;
    }
  };
  /// Cycles after the grant. `occupied` is the time until the controller is free for others, `memory` the
  /// part of it that main memory takes.
  struct Cost {
    Cycle first_word = 0, last_word = 0, occupied = 0, memory = 0;
  };

  MemoryService(const MemoryControllerConfig& config, ClockPeriod period, MemoryStore& store);
  /// Binds the cache. Without a cache, every line counts as absent.
  void bind_cache(CacheSnoop& cache) { cache_ = &cache; }
  bool has_cache() const { return cache_ != nullptr; }

  /// Returns TLM_OK_RESPONSE if the request can be served: 4-byte words within one line of the memory; atomic
  /// requests use 8 bytes at an address that is a multiple of 8.
  tlm::tlm_response_status check(const Request& request) const;
  /// Snoops the cache for a request that check() accepts. move() may follow later, since the memory may need
  /// time; the cache only changes in the cycle of the grant.
  void ask_cache(const Request& request);
  /// Moves the bytes. `line` points to the line in memory; null: the bytes are accessed through the store.
  Cost move(const Request& request, unsigned char* line);
  /// True if move() writes to memory. Call it after ask_cache().
  bool writes(const Request& request) const {
    const bool reads =
        request.kind == MemoryAccessKind::coherent_read || request.kind == MemoryAccessKind::noncoherent_read;
    return reads ? answer_ == LineState::dirty : wanted_;
  }
  /// Value of the word before an atomic access. Call it after move().
  std::uint64_t old_value() const { return old_; }
  Cost refuse();
  /// Cost of a request that moves nothing.
  Cost ignore();
  /// Time to read 8 bytes without the cache: the shortest time of an access.
  Cycle read_time() const { return memory_first_word_; }
  Cycle write_time() const { return write_ + memory_word_; }
  /// Counts cycles in which the memory occupies the controller beyond the request's cost.
  void hold(Cycle cycles) { counters_.busy_cycles += cycles; }

  /// Debug access: coherent, without effect on time or on the cache's states.
  unsigned debug(bool write, std::uint64_t address, unsigned char* data, unsigned count);
  const MemoryControllerCounters& counters() const { return counters_; }

 private:
  static constexpr unsigned line_bytes = MemoryTransaction::line_bytes;
  bool whole_line(const Request& request) const {
    return request.bytes == line_bytes && request.enables == nullptr;
  }
  Cost read_words(Cycle before, const Request& request) const;
  Cost write_words(Cycle before, const Request& request) const;
  Cost coherent_read(const Request& request);
  Cost coherent_write(const Request& request);
  Cost atomic(const Request& request);
  void snoop(std::uint64_t line);
  Cycle before_write() const;
  /// Time of a dirty line's words.
  Cycle flush_time() const { return answer_ == LineState::dirty ? dirty_word_ * (line_bytes / 8) : 0; }
  void read_bytes(std::uint64_t address, void* to, unsigned count);
  void write_bytes(std::uint64_t address, const void* from, unsigned count);
  void read_memory(const Request& request);
  void write_memory(const Request& request);
  void read_enabled(const Request& request);
  void write_enabled(const Request& request);
  Cost counted(const Cost& cost) {
    counters_.busy_cycles += cost.occupied;
    return cost;
  }
  void give(const Request& request, const unsigned char* bytes) const;

  const Cycle clean_answer_, flushed_answer_, dirty_answer_, dirty_word_, memory_first_word_, memory_word_,
      write_, read_modify_, refusal_;
  MemoryStore& store_;
  CacheSnoop* cache_ = nullptr;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  std::uint64_t flushed_ = no_line;  ///< The last dirty line read by a snoop.
  // State of the request that is served.
  /// Answer of the cache; invalid also if the cache was not snooped.
  LineState answer_ = LineState::invalid;
  Cycle asked_ = 0;                      ///< Time of the cache's answer.
  bool wanted_ = true;                   ///< False for a write-back that a snoop preceded.
  unsigned char line_[line_bytes] = {};  ///< The cache's data, if the line was dirty.
  unsigned char* direct_ = nullptr;      ///< The line in memory; null: access through the store.
  std::uint64_t old_ = 0;
  MemoryControllerCounters counters_;
};

}  // namespace tsuji::host
