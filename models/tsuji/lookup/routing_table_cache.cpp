// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/routing_table_cache.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::lookup {
namespace {

constexpr unsigned most_entries = 65535;
constexpr unsigned most_ways_searched = 16;  // above that an index is used

}  // namespace

void RoutingTableCacheConfig::add_keys(config::KeyTable& keys) {
  keys.add("lookup.entries", entries, {0, 1U << 30}, "entries",
           "entries of each port's cache, 12 bytes each; at most 65535");
  keys.add("lookup.ways", ways, {0, 1U << 30}, "entries",
           "associativity of each port's cache; lookup.entries: fully associative");
  keys.add_choice("lookup.replacement", replacement, policies.words(),
                  "replacement policy of a full cache set");
  policies.add_keys(keys);
}

void RoutingTableCacheConfig::validate() const {
  if (entries < 1 || entries > most_entries)
    throw ConfigError("lookup.entries", std::to_string(entries), "number of cache entries out of range",
                      "1.." + std::to_string(most_entries));
  if (ways < 1 || ways > entries)
    throw ConfigError("lookup.ways", std::to_string(ways), "a set has at least one entry, and at most all",
                      "1.." + std::to_string(entries));
  if (entries % ways != 0)
    throw ConfigError(
        "lookup.entries", std::to_string(entries),
        "cannot be divided into sets of " + std::to_string(ways) + " ways",
        "a multiple of lookup.ways, such as " + std::to_string((entries + ways - 1) / ways * ways));
  policies.validate(replacement);
  if (policies.traits(replacement).power_of_two_ways && (ways & (ways - 1)) != 0)
    throw ConfigError("lookup.ways", std::to_string(ways),
                      "the tree of " + replacement + " needs a power of two of ways",
                      "a power of two, or another lookup.replacement");
}

CacheCounters& CacheCounters::operator+=(const CacheCounters& other) {
  lookups += other.lookups;
  hits += other.hits;
  misses += other.misses;
  warmed += other.warmed;
  fills += other.fills;
  refills += other.refills;
  evictions += other.evictions;
  flushes += other.flushes;
  flushed += other.flushed;
  compulsory += other.compulsory;
  conflict += other.conflict;
  capacity += other.capacity;
  return *this;
}

CacheShape::CacheShape(const RoutingTableCacheConfig& config)
    : config_((config.validate(), config)),
      victim_(config.policies.make(config.replacement)),
      hits_count_(config.policies.traits(config.replacement).hits_count),
      sets_(config.sets()),
      ways_(config.ways) {
  while (ways_ > most_ways_searched && 1U << index_bits_ < 2 * ways_) ++index_bits_;
  first_place_ = index_bits_ == 0 ? 1 : 0;
}

/// Shadow caches that classify misses by their cause.
struct RoutingTableCache::Shadow {
  explicit Shadow(const CacheShape& of) : shape(fully_associative(of.config().entries)), cache(shape) {}
  static RoutingTableCacheConfig fully_associative(unsigned entries) {
    RoutingTableCacheConfig config;
    config.entries = config.ways = entries;
    config.replacement = "lru";
    return config;
  }
  CacheShape shape;
  RoutingTableCache cache;
  std::unordered_set<std::uint64_t> seen;  ///< since the start or the last flush
  std::uint64_t compulsory = 0, conflict = 0, capacity = 0;
};

RoutingTableCache::RoutingTableCache(const CacheShape& shape, std::uint64_t seed, std::uint64_t component,
                                     std::uint32_t first_time)
    : ways_of_set_(shape.ways()),
      time_(first_time),
      hits_count_(shape.hits_count_),
      shape_(shape),
      random_(seed, component) {
  if (shape.config().classify_misses) shadow_ = std::make_unique<Shadow>(shape);
}

RoutingTableCache::RoutingTableCache(RoutingTableCache&&) noexcept = default;
RoutingTableCache::~RoutingTableCache() = default;

const RouteEntry* RoutingTableCache::find(std::uint64_t key, std::uint32_t set) {
  CacheWay* const way = search(key, set);
  const RouteEntry* const entry = way == nullptr ? nullptr : &way->entry;
  if (way != nullptr && hits_count_) way->used = next_time();
  ++(way != nullptr ? hits_ : misses_);
  if (shadow_) classify(key, entry);
  return entry;
}

CacheWay* RoutingTableCache::search(std::uint64_t key, std::uint32_t set) {
  if (places_.empty() || places_[set] == 0) return nullptr;
  CacheWay* const ways = ways_at(set);
  if (shape_.index_bits_ == 0) {
    const auto found = std::find_if(ways, ways + ways_of_set_,
                                    [key](const CacheWay& way) { return way.tag == key && way.used != 0; });
    return found == ways + ways_of_set_ ? nullptr : found;
  }
  const IndexOrNone<std::uint16_t>* const slots = index_.data() + index_place(set);
  const std::uint32_t mask = (1U << shape_.index_bits_) - 1;
  for (std::uint32_t slot = index_start(key); slots[slot]; slot = (slot + 1) & mask) {
    if (ways[*slots[slot]].tag == key) return ways + *slots[slot];
  }
  return nullptr;
}

void RoutingTableCache::make(std::uint32_t set) {
  if (places_.empty()) {
    places_.resize(shape_.sets_);
    quick_ = !shadow_ && shape_.index_bits_ == 0;
  }
  if (places_[set] != 0) return;
  // Only a search without an index reads the empty set.
  if (ways_.empty() && shape_.index_bits_ == 0) ways_.resize(ways_of_set_);
  ways_.resize(ways_.size() + ways_of_set_);
  places_[set] = static_cast<std::uint16_t>(ways_.size() / ways_of_set_ - shape_.first_place_);
  if (shape_.index_bits_ != 0) index_.resize(std::size_t{places_[set]} << shape_.index_bits_);
}

/// An empty way of a set, or the one that the policy replaces.
CacheWay* RoutingTableCache::room(CacheWay* ways) {
  CacheWay* const end = ways + ways_of_set_;
  CacheWay* const empty = std::find_if(ways, end, [](const CacheWay& way) { return way.used == 0; });
  if (empty != end) return empty;
  const unsigned victim = shape_.victim_(ways, ways_of_set_, random_);
  if (victim >= ways_of_set_)
    throw ModelError("routing-table cache", "lookup.replacement " + shape_.config().replacement +
                                                " names way " + std::to_string(victim) + " of ways 0.." +
                                                std::to_string(ways_of_set_ - 1));
  return ways + victim;
}

RoutingTableCache::Placed RoutingTableCache::place(std::uint64_t key, std::uint32_t set, RouteEntry entry) {
  if (shadow_) shadow_->cache.place(key, 0, entry);
  if (CacheWay* const there = search(key, set)) {
    there->entry = entry;
    return Placed::was_there;
  }
  make(set);
  CacheWay* const ways = ways_at(set);
  CacheWay* const way = room(ways);
  const bool replaces = way->used != 0;
  if (shape_.index_bits_ != 0) {
    if (replaces) index_remove(set, way->tag, way - ways);
    index_add(set, key, way - ways);
  }
  *way = {key, next_time(), entry};
  if (replaces) return Placed::replaced;
  ++held_;
  return Placed::added;
}

/// Renumbers the times of use from 1, in unchanged order, before they overflow.
void RoutingTableCache::renumber() {
  std::vector<CacheWay*> order;
  for (CacheWay& way : ways_)
    if (way.used != 0) order.push_back(&way);
  std::sort(order.begin(), order.end(),
            [](const CacheWay* a, const CacheWay* b) { return a->used < b->used; });
  for (CacheWay* const way : order) way->used = ++time_;
  ++time_;
}

bool RoutingTableCache::fill(std::uint64_t key, std::uint32_t set, RouteEntry entry) {
  const Placed placed = place(key, set, entry);
  ++(placed == Placed::was_there ? refills_ : fills_);
  if (placed == Placed::replaced) ++evictions_;
  return placed == Placed::replaced;
}

void RoutingTableCache::warm(std::uint64_t key, std::uint32_t set, RouteEntry entry) {
  if (shadow_) shadow_->seen.insert(key);
  if (place(key, set, entry) == Placed::added) ++warmed_;
}

void RoutingTableCache::flush() {
  ++flushes_;
  flushed_ += held_;
  held_ = 0;
  places_.clear();
  ways_.clear();
  index_.clear();
  quick_ = false;
  if (!shadow_) return;
  shadow_->cache.flush();
  shadow_->seen.clear();
}

void RoutingTableCache::classify(std::uint64_t key, const RouteEntry* found) {
  const bool first = shadow_->seen.insert(key).second;
  const bool in_shadow = shadow_->cache.find(key, 0) != nullptr;
  if (found != nullptr) {
    if (!in_shadow) shadow_->cache.place(key, 0, *found);
    return;
  }
  if (first)
    ++shadow_->compulsory;
  else if (in_shadow)
    ++shadow_->conflict;
  else
    ++shadow_->capacity;
}

CacheCounters RoutingTableCache::counters() const {
  CacheCounters all;
  all.lookups = hits_ + misses_;
  all.hits = hits_;
  all.misses = misses_;
  all.warmed = warmed_;
  all.fills = fills_;
  all.refills = refills_;
  all.evictions = evictions_;
  all.flushes = flushes_;
  all.flushed = flushed_;
  if (!shadow_) return all;
  all.compulsory = shadow_->compulsory;
  all.conflict = shadow_->conflict;
  all.capacity = shadow_->capacity;
  return all;
}

std::uint32_t RoutingTableCache::index_start(std::uint64_t key) const {
  return static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15 >> (64 - shape_.index_bits_));
}

void RoutingTableCache::index_add(std::uint32_t set, std::uint64_t key, std::size_t way) {
  IndexOrNone<std::uint16_t>* const slots = index_.data() + index_place(set);
  const std::uint32_t mask = (1U << shape_.index_bits_) - 1;
  std::uint32_t slot = index_start(key);
  while (slots[slot]) slot = (slot + 1) & mask;
  slots[slot] = static_cast<unsigned>(way);
}

/// Removes an entry and closes the gap, because an empty slot would end searches of later entries too early.
void RoutingTableCache::index_remove(std::uint32_t set, std::uint64_t key, std::size_t way) {
  IndexOrNone<std::uint16_t>* const slots = index_.data() + index_place(set);
  const CacheWay* const ways = ways_at(set);
  const std::uint32_t mask = (1U << shape_.index_bits_) - 1;
  std::uint32_t gap = index_start(key);
  while (slots[gap] != static_cast<unsigned>(way)) gap = (gap + 1) & mask;
  for (std::uint32_t slot = (gap + 1) & mask; slots[slot]; slot = (slot + 1) & mask) {
    const std::uint32_t wanted = index_start(ways[*slots[slot]].tag);
    // An entry may move into the gap unless its preferred slot is between the gap and its slot.
    if (((slot - wanted) & mask) < ((slot - gap) & mask)) continue;
    slots[gap] = slots[slot];
    gap = slot;
  }
  slots[gap] = {};
}

}  // namespace tsuji::lookup
