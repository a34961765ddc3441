#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/random.h"
#include "lookup/replacement.h"

namespace tsuji::lookup {

/// What an entry holds beside its tag (paper 000, section 3.2.1): 2 bytes of output port, and of the 2
/// reserved bytes "for quality of service" the virtual channels that may be taken there.
struct RouteEntry {
  std::uint16_t port = 0;
  std::uint16_t vcs = 0;
};
inline bool operator==(const RouteEntry& a, const RouteEntry& b) {
  return a.port == b.port && a.vcs == b.vcs;
}

struct RoutingTableCacheConfig {
  unsigned entries = 2048;  ///< 1..65,535; 12 bytes each in the hardware
  unsigned ways = 4;        ///< 1..entries, of which it is a divisor
  std::string replacement = "lru";
  bool classify_misses = false;

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

/// A validated configuration, laid out for the caches that share it.
class CacheShape {
 public:
  explicit CacheShape(const RoutingTableCacheConfig& config);  ///< throws ConfigError

  const RoutingTableCacheConfig& config() const { return config_; }
  std::uint32_t sets() const { return sets_; }
  std::uint32_t ways() const { return ways_; }

 private:
  friend class RoutingTableCache;
  RoutingTableCacheConfig config_;
  const ReplacementPolicy* policy_;
  std::uint32_t sets_, ways_;
  // A set has, beside tags and entries, 16-bit words: how many ways are filled, the policy's state and, for
  // many ways, where to find a tag.
  std::uint32_t state_words_;
  std::uint32_t index_at_ = 0;    ///< in those words; 0: the ways are searched one after the other
  std::uint32_t index_bits_ = 0;  ///< its size is 2 to this power
};

/// A set-associative cache of routes, one input port's (paper 000, section 3): 64-bit keys to entries, in the
/// set that a hash of the key chooses. It knows no time: a look-up that misses changes nothing, and whoever
/// has got the answer from elsewhere fills it in. Sets take memory from their first fill on.
class RoutingTableCache {
 public:
  /// `shape` outlives the cache. `seed` and `component` are those of its random numbers (random replacement).
  explicit RoutingTableCache(const CacheShape& shape, std::uint64_t seed = 0, std::uint64_t component = 0);
  RoutingTableCache(RoutingTableCache&&) noexcept;
  ~RoutingTableCache();

  /// The key's entry, null on a miss. `set` is the key's hash modulo the number of sets, at every call.
  const RouteEntry* find(std::uint64_t key, std::uint32_t set) {
    ++lookups_;
    RouteEntry* const entry = search(key, set);
    if (shadow_) classify(key, entry);
    if (entry != nullptr) ++hits_;
    return entry;
  }
  /// The same without a trace: nothing is counted, nothing is made recent.
  const RouteEntry* peek(std::uint64_t key, std::uint32_t set);
  /// Writes an entry; one that was there for this key keeps its place. True if another key had to leave.
  bool fill(std::uint64_t key, std::uint32_t set, RouteEntry entry);
  /// Nothing is left in it.
  void flush();
  /// An entry that was there before anything was counted. Classification takes it for looked up.
  void warm(std::uint64_t key, std::uint32_t set, RouteEntry entry);

  CacheCounters counters() const;
  std::uint32_t entries_held() const { return held_; }
  std::uint32_t sets() const { return shape_.sets_; }
  /// The keys of a set in the order of its ways.
  std::vector<std::uint64_t> keys_of_set(std::uint32_t set);

 private:
  struct Shadow;
  static constexpr unsigned none = ~0U;

  /// A set that has been filled, as it lies in memory.
  struct Set {
    std::uint64_t* tags;
    RouteEntry* entries;
    std::uint16_t* filled;  ///< how many ways, then the policy's state, then the index
    std::uint16_t* state() const { return filled + 1; }
  };
  bool empty(std::uint32_t set) const { return places_.empty() || places_[set] == 0; }
  Set at(std::uint32_t set) {
    const std::size_t place = places_[set] - std::size_t{1};
    return {tags_.data() + place * shape_.ways_, entries_.data() + place * shape_.ways_,
            states_.data() + place * shape_.state_words_};
  }
  unsigned way_of(const Set& set, std::uint64_t key) const {
    if (shape_.index_at_ != 0) return indexed_way(set, key);
    const unsigned filled = *set.filled;
    for (unsigned way = 0; way < filled; ++way) {
      if (set.tags[way] == key) return way;
    }
    return none;
  }
  RouteEntry* search(std::uint64_t key, std::uint32_t set);
  enum class Placed : std::uint8_t { was_there, added, replaced };
  Placed place(std::uint64_t key, std::uint32_t set, RouteEntry entry);
  void make(std::uint32_t set);
  void classify(std::uint64_t key, const RouteEntry* found);
  // The index of a set with many ways: open addressing, way + 1 or 0.
  std::uint32_t index_start(std::uint64_t key) const;
  unsigned indexed_way(const Set& set, std::uint64_t key) const;
  void index_add(const Set& set, unsigned way) const;
  void index_remove(const Set& set, unsigned way) const;

  const CacheShape& shape_;
  std::vector<std::uint16_t> places_;  ///< per set, its place in the next three + 1; 0: never filled
  std::vector<std::uint64_t> tags_;
  std::vector<RouteEntry> entries_;
  std::vector<std::uint16_t> states_;
  CounterRandom random_;
  std::uint64_t lookups_ = 0, hits_ = 0, warmed_ = 0, fills_ = 0, refills_ = 0, evictions_ = 0, flushed_ = 0;
  std::uint32_t flushes_ = 0, held_ = 0;
  std::unique_ptr<Shadow> shadow_;
};

inline RouteEntry* RoutingTableCache::search(std::uint64_t key, std::uint32_t set) {
  if (empty(set)) return nullptr;
  const Set found = at(set);
  const unsigned way = way_of(found, key);
  if (way == none) return nullptr;
  if (shape_.policy_->on_hit != nullptr) shape_.policy_->on_hit(found.state(), shape_.ways_, way);
  return found.entries + way;
}

}  // namespace tsuji::lookup
