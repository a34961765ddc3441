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
  unsigned entries = 2048;  ///< 1..65,535; 12 bytes each in the hardware
  unsigned ways = 4;        ///< 1..entries, of which it is a divisor
  std::string replacement = "lru";
  bool classify_misses = false;
  ReplacementPolicies policies = replacement_policies();  ///< those that `replacement` may name

  unsigned sets() const { return entries / ways; }
  void validate() const;  ///< throws ConfigError of lookup.entries, lookup.ways, lookup.replacement
};

/// Look-ups = hits + misses; entries held = warmed + fills - evictions - what flushes took away.
struct CacheCounters {
  std::uint64_t lookups = 0, hits = 0, misses = 0;
  std::uint64_t warmed = 0;     ///< entries that were there before the run
  std::uint64_t fills = 0;      ///< entries written for keys that were not there
  std::uint64_t refills = 0;    ///< of keys that were there already: nothing was inserted
  std::uint64_t evictions = 0;  ///< fills that took another key's place
  std::uint64_t flushes = 0;
  std::uint64_t flushed = 0;  ///< entries that flushes took away
  // With classify_misses; misses = the sum of the three.
  std::uint64_t compulsory = 0;  ///< the key's first look-up since the start or the last flush
  std::uint64_t conflict = 0;    ///< a fully associative cache of this size would have had it
  std::uint64_t capacity = 0;    ///< nor would that

  CacheCounters& operator+=(const CacheCounters& other);
};

/// A validated configuration, for the caches that share it.
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
  /// Sets of many ways have an index from tags to ways of 2 to this power; 0: they are searched.
  std::uint32_t index_bits_ = 0;
  std::uint32_t first_place_ = 0;  ///< 1: sets lie behind an empty one
};

/// A set-associative cache of routes, one input port's (Hirasawa 2020, section 3): 64-bit keys to entries, in
/// the set that a hash of the key chooses. It knows no time: a look-up that misses changes nothing, and
/// whoever has got the answer from elsewhere fills it in. Sets take memory from their first fill on.
class RoutingTableCache {
 public:
  /// `shape` outlives the cache. `seed` and `component` are those of its random numbers (random replacement).
  /// `first_time`: of its 32-bit times of use, which start anew before they overflow.
  explicit RoutingTableCache(const CacheShape& shape, std::uint64_t seed = 0, std::uint64_t component = 0,
                             std::uint32_t first_time = 0);
  RoutingTableCache(RoutingTableCache&&) noexcept;
  ~RoutingTableCache();

  /// The key's entry, null on a miss. `set` is the key's hash modulo the number of sets, at every call.
  const RouteEntry* find(std::uint64_t key, std::uint32_t set);
  /// find() where quick() and time_left() are true: the part of find() that most look-ups need. It calls
  /// nothing, so a look-up needs no stack.
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
  /// False: the next time of use starts anew.
  bool time_left() const { return time_ != ~std::uint32_t{0}; }
  /// Writes an entry; one that was there for this key keeps its place. True if another key had to leave.
  bool fill(std::uint64_t key, std::uint32_t set, RouteEntry entry);
  /// Nothing is left in it.
  void flush();
  /// An entry that was there before anything was counted. Classification takes it for looked up.
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
  // The index of a set with many ways: open addressing.
  std::size_t index_place(std::uint32_t set) const {
    return (places_[set] - std::size_t{1}) << shape_.index_bits_;
  }
  std::uint32_t index_start(std::uint64_t key) const;
  void index_add(std::uint32_t set, std::uint64_t key, std::size_t way);
  void index_remove(std::uint32_t set, std::uint64_t key, std::size_t way);

  // Members that a hit reads come first.
  std::vector<std::uint16_t> places_;  ///< per set, its place in ways_, the first is 1; 0: never filled
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
