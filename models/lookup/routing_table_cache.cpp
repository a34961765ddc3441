#include "lookup/routing_table_cache.h"

#include <algorithm>

#include "core/error.h"

namespace tsuji::lookup {
namespace {

constexpr unsigned most_entries = 65535;
constexpr unsigned most_ways_searched = 16;  // more than that are found by an index

}  // namespace

void RoutingTableCacheConfig::validate() const {
  if (entries < 1 || entries > most_entries)
    throw ConfigError("lookup.entries", std::to_string(entries), "no cache has so many entries",
                      "1.." + std::to_string(most_entries));
  if (ways < 1 || ways > entries)
    throw ConfigError("lookup.ways", std::to_string(ways), "a set has at least one entry, and at most all",
                      "1.." + std::to_string(entries));
  if (entries % ways != 0)
    throw ConfigError(
        "lookup.entries", std::to_string(entries),
        "cannot be divided into sets of " + std::to_string(ways) + " ways",
        "a multiple of lookup.ways, such as " + std::to_string((entries + ways - 1) / ways * ways));
  const ReplacementPolicy& policy = find_replacement(replacement);
  if (policy.power_of_two_ways && (ways & (ways - 1)) != 0)
    throw ConfigError("lookup.ways", std::to_string(ways), "the tree of " + replacement + " has no such form",
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
      policy_(&find_replacement(config.replacement)),
      sets_(config.sets()),
      ways_(config.ways) {
  state_words_ = 1 + policy_->state_words(ways_);
  if (ways_ <= most_ways_searched) return;
  index_at_ = state_words_;
  index_bits_ = 64 - static_cast<unsigned>(__builtin_clzll(std::uint64_t{ways_} * 2 - 1));
  state_words_ += 1U << index_bits_;
}

/// What tells the causes of misses apart.
struct RoutingTableCache::Shadow {
  explicit Shadow(const CacheShape& of)
      : shape({of.config().entries, of.config().entries, "lru", false}), cache(shape) {}
  CacheShape shape;
  RoutingTableCache cache;
  std::unordered_set<std::uint64_t> seen;  ///< since the start or the last flush
  std::uint64_t compulsory = 0, conflict = 0, capacity = 0;
};

RoutingTableCache::RoutingTableCache(const CacheShape& shape, std::uint64_t seed, std::uint64_t component)
    : shape_(shape), random_(seed, component) {
  if (shape.config().classify_misses) shadow_ = std::make_unique<Shadow>(shape);
}

RoutingTableCache::RoutingTableCache(RoutingTableCache&&) noexcept = default;
RoutingTableCache::~RoutingTableCache() = default;

const RouteEntry* RoutingTableCache::peek(std::uint64_t key, std::uint32_t set) {
  if (empty(set)) return nullptr;
  const Set found = at(set);
  const unsigned way = way_of(found, key);
  return way == none ? nullptr : found.entries + way;
}

void RoutingTableCache::make(std::uint32_t set) {
  if (places_.empty()) places_.resize(shape_.sets_);
  if (places_[set] != 0) return;
  tags_.resize(tags_.size() + shape_.ways_);
  entries_.resize(entries_.size() + shape_.ways_);
  states_.resize(states_.size() + shape_.state_words_);
  places_[set] = static_cast<std::uint16_t>(tags_.size() / shape_.ways_);
  shape_.policy_->start(at(set).state(), shape_.ways_);
}

RoutingTableCache::Placed RoutingTableCache::place(std::uint64_t key, std::uint32_t set, RouteEntry entry) {
  if (shadow_) shadow_->cache.place(key, 0, entry);
  make(set);
  const Set to = at(set);
  if (const unsigned way = way_of(to, key); way != none) {
    to.entries[way] = entry;
    return Placed::was_there;
  }
  const bool full = *to.filled == shape_.ways_;
  const unsigned way = full ? shape_.policy_->victim(to.state(), shape_.ways_, random_) : (*to.filled)++;
  if (full && shape_.index_at_ != 0) index_remove(to, way);
  to.tags[way] = key;
  to.entries[way] = entry;
  if (shape_.index_at_ != 0) index_add(to, way);
  if (shape_.policy_->on_fill != nullptr) shape_.policy_->on_fill(to.state(), shape_.ways_, way);
  if (full) return Placed::replaced;
  ++held_;
  return Placed::added;
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
  std::fill(places_.begin(), places_.end(), std::uint16_t{0});
  tags_.clear();
  entries_.clear();
  states_.clear();
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
  all.lookups = lookups_;
  all.hits = hits_;
  all.misses = lookups_ - hits_;
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

std::vector<std::uint64_t> RoutingTableCache::keys_of_set(std::uint32_t set) {
  if (empty(set)) return {};
  const Set found = at(set);
  return {found.tags, found.tags + *found.filled};
}

std::uint32_t RoutingTableCache::index_start(std::uint64_t key) const {
  return static_cast<std::uint32_t>(key * 0x9e3779b97f4a7c15 >> (64 - shape_.index_bits_));
}

unsigned RoutingTableCache::indexed_way(const Set& set, std::uint64_t key) const {
  const std::uint16_t* const index = set.filled + shape_.index_at_;
  const std::uint32_t mask = (1U << shape_.index_bits_) - 1;
  for (std::uint32_t slot = index_start(key); index[slot] != 0; slot = (slot + 1) & mask) {
    if (set.tags[index[slot] - 1] == key) return index[slot] - 1U;
  }
  return none;
}

void RoutingTableCache::index_add(const Set& set, unsigned way) const {
  std::uint16_t* const index = set.filled + shape_.index_at_;
  const std::uint32_t mask = (1U << shape_.index_bits_) - 1;
  std::uint32_t slot = index_start(set.tags[way]);
  while (index[slot] != 0) slot = (slot + 1) & mask;
  index[slot] = static_cast<std::uint16_t>(way + 1);
}

/// Closes the gap, so that no search ends at it that should go on.
void RoutingTableCache::index_remove(const Set& set, unsigned way) const {
  std::uint16_t* const index = set.filled + shape_.index_at_;
  const std::uint32_t mask = (1U << shape_.index_bits_) - 1;
  std::uint32_t gap = index_start(set.tags[way]);
  while (index[gap] != way + 1) gap = (gap + 1) & mask;
  for (std::uint32_t slot = (gap + 1) & mask; index[slot] != 0; slot = (slot + 1) & mask) {
    const std::uint32_t wanted = index_start(set.tags[index[slot] - 1]);
    // It may move into the gap unless the place that it wants lies between gap and here.
    if (((slot - wanted) & mask) < ((slot - gap) & mask)) continue;
    index[gap] = index[slot];
    gap = slot;
  }
  index[gap] = 0;
}

}  // namespace tsuji::lookup
