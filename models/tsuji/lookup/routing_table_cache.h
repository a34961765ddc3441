// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "tsuji/core/index_or_none.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/cache_way.h"
#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {

struct RoutingTableCacheConfig {
  unsigned entries = 2048;  ///< number of entries, 1..65,535; an entry has 12 bytes in the hardware
  unsigned ways = 4;        ///< associativity, 1..entries, a divisor of `entries`
  std::string replacement = "lru";
  bool classify_misses = false;
  ReplacementPolicies policies = replacement_policies();  ///< policies that `replacement` can name

  unsigned sets() const { return entries / ways; }
  /// Adds the keys lookup.entries, lookup.ways, lookup.replacement and those of the policies.
  void add_keys(config::KeyTable& keys);
  void validate() const;  ///< ConfigError of lookup.entries, lookup.ways, lookup.replacement
};

/// Counters. Look-ups = hits + misses; entries held = warmed + fills - evictions - flushed.
struct CacheCounters {
  std::uint64_t lookups = 0, hits = 0, misses = 0;
  std::uint64_t warmed = 0;     ///< entries present before the run
  std::uint64_t fills = 0;      ///< entries written for keys that were not present
  std::uint64_t refills = 0;    ///< fills of keys that were present already, without effect on other entries
  std::uint64_t evictions = 0;  ///< fills that replaced another key
  std::uint64_t flushes = 0;
  std::uint64_t flushed = 0;  ///< entries removed by flushes
  // With classify_misses; their sum is `misses`.
  std::uint64_t compulsory = 0;  ///< first look-up of the key since the start or the last flush
  std::uint64_t conflict = 0;    ///< a fully associative cache of this size would have hit
  std::uint64_t capacity = 0;    ///< a fully associative cache of this size would have missed, too

  CacheCounters& operator+=(const CacheCounters& other);
};

/// A validated configuration, shared by caches.
class CacheShape {
 public:
  explicit CacheShape(const RoutingTableCacheConfig& config);  ///< throws ConfigError

  const RoutingTableCacheConfig& config() const { return config_; }
  std::uint32_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }

 private:
  friend class RoutingTableCache;
  RoutingTableCacheConfig config_;
  VictimOf victim_;
  bool hits_count_;
  std::uint32_t sets_, ways_;
  /// Sets of high associativity have an index from tags to ways, of 2 to this power; 0: ways are searched.
  std::uint32_t index_bits_ = 0;
  std::uint32_t first_place_ = 0;  ///< 1: the first set in memory is an empty one
};

/// Set-associative cache of routes at an input port (Hirasawa 2020, section 3): maps 64-bit keys to entries;
/// a hash of the key selects the set. Has no timing: a look-up that misses changes nothing, and the caller
/// fills in the entry when it has the answer. A set takes memory from its first fill on.
class RoutingTableCache {
 public:
  /// `shape` outlives the cache. `seed` and `component` are for random replacement. `first_time` is the first
  /// of the 32-bit times of use, which are renumbered before they overflow.
  explicit RoutingTableCache(const CacheShape& shape, std::uint64_t seed = 0, std::uint64_t component = 0,
                             std::uint32_t first_time = 0);
  RoutingTableCache(RoutingTableCache&&) noexcept;
  ~RoutingTableCache();

  /// Returns the key's entry, null on a miss. `set` is the key's hash modulo the number of sets, in every
  /// call.
  const RouteEntry* find(std::uint64_t key, std::uint32_t set);
  /// find() if quick() and time_left() are true: the part that most look-ups need. Makes no calls, so it
  /// needs no stack frame.
  const RouteEntry* find_quick(std::uint64_t key, std::uint32_t set) {
    CacheWay* way = ways_.data() + std::size_t{places_[set]} * ways_of_set_;
    for (const CacheWay* const end = way + ways_of_set_; way != end; ++way) {
      if (way->tag != key || way->used == 0) continue;
      if (hits_count_) way->used = ++time_;
      ++hits_;
      return &way->entry;
    }
    ++misses_;
    return nullptr;
  }
  bool quick() const { return quick_; }
  /// Returns false if the times of use must be renumbered first.
  bool time_left() const { return time_ != ~std::uint32_t{0}; }
  /// Writes an entry; a present entry of the key is overwritten in place. Returns true if another key was
  /// replaced.
  bool fill(std::uint64_t key, std::uint32_t set, RouteEntry entry);
  /// Empties the cache.
  void flush();
  /// Adds an entry that was present before the run. The miss classification treats it as looked up.
  void warm(std::uint64_t key, std::uint32_t set, RouteEntry entry);

  CacheCounters counters() const;
  std::uint32_t entries_held() const { return held_; }
  std::uint32_t sets() const { return shape_.sets_; }

 private:
  struct Shadow;
  enum class Placed : std::uint8_t { was_there, added, replaced };

  std::uint32_t next_time() {
    if (++time_ == 0) renumber();
    return time_;
  }
  CacheWay* search(std::uint64_t key, std::uint32_t set);
  std::size_t way_place(std::uint32_t set) const {
    return (places_[set] - std::size_t{1} + shape_.first_place_) * ways_of_set_;
  }
  CacheWay* ways_at(std::uint32_t set) { return ways_.data() + way_place(set); }
  Placed place(std::uint64_t key, std::uint32_t set, RouteEntry entry);
  void make(std::uint32_t set);
  CacheWay* room(CacheWay* ways);
  [[gnu::noinline]] void renumber();
  void classify(std::uint64_t key, const RouteEntry* found);
  // Index of a set of high associativity: open addressing.
  std::size_t index_place(std::uint32_t set) const {
    return (places_[set] - std::size_t{1}) << shape_.index_bits_;
  }
  std::uint32_t index_start(std::uint64_t key) const;
  void index_add(std::uint32_t set, std::uint64_t key, std::size_t way);
  void index_remove(std::uint32_t set, std::uint64_t key, std::size_t way);

  // Members that a hit reads come first.
  std::vector<std::uint16_t> places_;  ///< [set]: its position in ways_, from 1; 0: never filled
  std::vector<CacheWay> ways_;
  const std::uint32_t ways_of_set_;
  std::uint32_t time_;
  bool quick_ = false;
  const bool hits_count_;
  std::uint32_t held_ = 0, flushes_ = 0;
  std::uint64_t hits_ = 0, misses_ = 0;
  std::uint64_t warmed_ = 0, fills_ = 0, refills_ = 0, evictions_ = 0, flushed_ = 0;
  const CacheShape& shape_;
  std::vector<IndexOrNone<std::uint16_t>> index_;
  CounterRandom random_;
  std::unique_ptr<Shadow> shadow_;
};

}  // namespace tsuji::lookup
