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
/// silent, 2). `other`: all further ones, whose order is that of their sockets.
enum class MemoryInitiator : std::uint8_t { receiver, sender, processor, other };
inline constexpr unsigned memory_initiators = 4;

/// The processor's cache as the memory controller sees it. All addresses are those of lines.
class CacheSnoop {
 public:
  virtual ~CacheSnoop() = default;
  /// A coherent reader; dirty bytes go to `line`, and the cache's line becomes clean.
  virtual LineState snoop_read(std::uint64_t address, unsigned char* line) = 0;
  /// A coherent writer: the line leaves without being written back.
  virtual void snoop_invalidate(std::uint64_t address) = 0;
  /// The processor's own write-back of a victim has its turn. The line leaves the cache; true if it is still
  /// dirty, so that the bytes are to be written. (A writer that came first has invalidated it, and must not
  /// be overwritten.)
  virtual bool write_back_granted(std::uint64_t address) = 0;
  /// The line's bytes for debug transport, or null if the cache has not got it.
  virtual unsigned char* debug_line(std::uint64_t address) = 0;
};

/// Main memory behind the controller, bytes only.
class MemoryStore {
 public:
  virtual ~MemoryStore() = default;
  virtual bool contains(std::uint64_t address, std::uint64_t count) const = 0;
  virtual void read(std::uint64_t address, void* to, unsigned count) = 0;
  virtual void write(std::uint64_t address, const void* from, unsigned count) = 0;
  /// An access by a debugger, without time or effect on anything else; the bytes that were accessed.
  virtual unsigned debug(bool write, std::uint64_t address, unsigned char* data, unsigned count) = 0;
};

/// Times of the controller (rooms/host.md, Where the paper is silent, 1); each is rounded up to whole cycles
/// on its own.
struct MemoryControllerConfig {
  double clean_answer_ns = 160;  ///< the cache says "clean" or "not here" (Kanoh 2000, 4.2)
  /// A clean line, while it is the last one that was taken out dirty; none: clean_answer_ns.
  std::optional<std::uint64_t> flushed_answer_ns = {};
  double dirty_answer_ns = 410;  ///< the cache says "dirty" and is about to send the line
  double dirty_word_ns = 12.5;   ///< then every 8 bytes of the line
  double memory_first_word_ns = 100;
  double memory_word_ns = 12.5;
  double write_ns = 25;  ///< command, address and (posted) invalidation of a write, before its words
  double read_modify_ns =
      100;  ///< a partial line or an atomic add where the cache has nothing dirty: reading the memory
  double refusal_ns = 12.5;  ///< answering a request that cannot be served
  void validate() const;     ///< throws ConfigError
};

/// Counters of the controller; [kind][initiator] as the enumerations count.
struct MemoryControllerCounters {
  std::array<std::array<std::uint64_t, memory_initiators>, memory_access_kinds> requests{};
  std::uint64_t dirty_answers = 0, clean_answers = 0, absent_answers = 0;
  std::uint64_t write_backs = 0, void_write_backs = 0;  ///< the latter had been overtaken by a snoop
  std::uint64_t refused = 0;
  std::uint64_t busy_cycles = 0;
};

/// Serves requests to a node's memory: what moves and what it costs. Without a kernel: time enters as costs
/// in cycles only.
class MemoryService {
 public:
  struct Request {
    MemoryAccessKind kind = MemoryAccessKind::noncoherent_read;
    MemoryInitiator initiator = MemoryInitiator::processor;
    std::uint64_t address = 0;
    unsigned bytes = 0;
    unsigned char* data = nullptr;
    bool plain = false;  ///< bytes of any number and alignment within a line, instead of words of 4
    /// Byte enables of a plain access, null: all; repeated from byte `first_enable` on.
    const unsigned char* enables = nullptr;
    unsigned enable_length = 0, first_enable = 0;
    bool enabled(unsigned byte) const {
      return enables == nullptr || enables[(first_enable + byte) % enable_length] != 0;
    }
  };
  /// In cycles after the grant. `occupied` is how long the controller is not free for others, `memory` how
  /// much of that main memory has for its part.
  struct Cost {
    Cycle first_word = 0, last_word = 0, occupied = 0, memory = 0;
  };

  MemoryService(const MemoryControllerConfig& config, ClockPeriod period, MemoryStore& store);
  /// Without a cache every line counts as absent.
  void bind_cache(CacheSnoop& cache) { cache_ = &cache; }
  bool has_cache() const { return cache_ != nullptr; }

  /// TLM_OK_RESPONSE if the request can be served: 4-byte words within one line of the memory; atomic ones
  /// work on 8 bytes at an 8-byte address.
  tlm::tlm_response_status check(const Request& request) const;
  /// The effect on the cache of a request that `check` accepts; its bytes follow (`move`). In between, the
  /// memory may turn out to need time; the cache changes in the cycle of the grant alone.
  void ask_cache(const Request& request);
  /// `line`: where the line's bytes are in memory, null: by the store.
  Cost move(const Request& request, unsigned char* line);
  /// Whether `move` writes to memory; after `ask_cache`.
  bool writes(const Request& request) const {
    const bool reads =
        request.kind == MemoryAccessKind::coherent_read || request.kind == MemoryAccessKind::noncoherent_read;
    return reads ? answer_ == LineState::dirty : wanted_;
  }
  /// The word before an atomic access; after `move`.
  std::uint64_t old_value() const { return old_; }
  Cost refuse();
  /// A request that moves nothing.
  Cost ignore();
  /// Of 8 bytes without the cache: the least that an access costs.
  Cycle read_time() const { return memory_first_word_; }
  Cycle write_time() const { return write_ + memory_word_; }
  /// The memory holds the controller up for longer than its cost.
  void hold(Cycle cycles) { counters_.busy_cycles += cycles; }

  /// Debug access, coherent and free of effects on time or on the cache's states.
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
  /// Of a dirty line's words.
  Cycle flush_time() const { return answer_ == LineState::dirty ? dirty_word_ * (line_bytes / 8) : 0; }
  void read_bytes(std::uint64_t address, void* to, unsigned count);
  void write_bytes(std::uint64_t address, const void* from, unsigned count);
  void read_memory(const Request& request);
  void write_memory(const Request& request);
  void give(const Request& request, const unsigned char* bytes) const;

  const Cycle clean_answer_, flushed_answer_, dirty_answer_, dirty_word_, memory_first_word_, memory_word_,
      write_, read_modify_, refusal_;
  MemoryStore& store_;
  CacheSnoop* cache_ = nullptr;
  static constexpr std::uint64_t no_line = ~std::uint64_t{0};
  std::uint64_t flushed_ = no_line;  ///< the last line that was taken out dirty
  // Of the request that is served.
  LineState answer_ = LineState::invalid;  ///< of the cache; invalid, too, if it was not asked
  Cycle asked_ = 0;                        ///< time of the cache's answer
  bool wanted_ = true;                     ///< a write-back that nobody has overtaken, or any other request
  unsigned char line_[line_bytes] = {};    ///< the cache's, if it was dirty
  unsigned char* direct_ = nullptr;        ///< the line in memory; null: by the store
  std::uint64_t old_ = 0;
  MemoryControllerCounters counters_;
};

}  // namespace tsuji::host
