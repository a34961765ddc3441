// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/key_hash.h"
#include "tsuji/lookup/routing_table_cache.h"

using namespace tsuji;
using namespace tsuji::lookup;

namespace {

constexpr std::uint64_t seed = 7, component = 11;

/// Reference cache of the same size and policy: lists that are searched from one end to the other.
class NaiveCache {
 public:
  NaiveCache(unsigned sets, unsigned ways, std::string policy)
      : sets_(sets), tree_(sets, std::vector<bool>(ways)), ways_(ways), policy_(std::move(policy)) {}

  std::optional<RouteEntry> find(std::uint64_t key, std::uint32_t set) {
    for (unsigned way = 0; way < sets_[set].size(); ++way) {
      Line& line = sets_[set][way];
      if (line.key != key) continue;
      line.used = ++time_;
      point_away(set, way, 0, ways_, 1);
      return line.entry;
    }
    return std::nullopt;
  }
  void fill(std::uint64_t key, std::uint32_t set, RouteEntry entry) {
    for (Line& line : sets_[set]) {
      if (line.key != key) continue;
      line.entry = entry;
      return;
    }
    ++time_;
    unsigned way = static_cast<unsigned>(sets_[set].size());
    if (way == ways_) {
      way = victim(set);
      evicted.push_back(sets_[set][way].key);
    } else {
      sets_[set].push_back({});
    }
    sets_[set][way] = {key, entry, time_, time_};
    point_away(set, way, 0, ways_, 1);
  }
  void flush() {
    for (auto& set : sets_) set.clear();
    for (auto& tree : tree_) tree.assign(tree.size(), false);
  }
  std::vector<std::uint64_t> evicted;

 private:
  struct Line {
    std::uint64_t key;
    RouteEntry entry;
    std::uint64_t filled, used;
  };
  unsigned victim(std::uint32_t set) {
    const auto& lines = sets_[set];
    const auto least = [&](std::uint64_t Line::*time) {
      const auto by_time = [time](const Line& a, const Line& b) { return a.*time < b.*time; };
      return static_cast<unsigned>(std::min_element(lines.begin(), lines.end(), by_time) - lines.begin());
    };
    if (policy_ == "lru") return least(&Line::used);
    if (policy_ == "fifo") return least(&Line::filled);
    if (policy_ == "random") return static_cast<unsigned>(random_.below(ways_));
    return follow(set, 0, ways_, 1);
  }
  // Node `node` covers the ways [from, to); its bit names the half that holds the victim.
  void point_away(std::uint32_t set, unsigned way, unsigned from, unsigned to, unsigned node) {
    if (to - from < 2 || policy_ != "pseudo_lru") return;
    const unsigned middle = (from + to) / 2;
    tree_[set][node] = way < middle;
    if (way < middle)
      point_away(set, way, from, middle, 2 * node);
    else
      point_away(set, way, middle, to, 2 * node + 1);
  }
  unsigned follow(std::uint32_t set, unsigned from, unsigned to, unsigned node) {
    if (to - from < 2) return from;
    const unsigned middle = (from + to) / 2;
    return tree_[set][node] ? follow(set, middle, to, 2 * node + 1) : follow(set, from, middle, 2 * node);
  }
  std::vector<std::vector<Line>> sets_;
  std::vector<std::vector<bool>> tree_;
  unsigned ways_;
  std::string policy_;
  CounterRandom random_{seed, component};
  std::uint64_t time_ = 0;
};

RouteEntry entry_of(std::uint64_t key, std::uint64_t version = 0) {
  return {static_cast<std::uint16_t>(key + version), static_cast<std::uint16_t>(key >> 16)};
}

/// Plays the keys on both models: a look-up of each key and a fill after every miss, with a flush and a
/// further fill from time to time.
void compare(const RoutingTableCacheConfig& config, const std::vector<std::uint64_t>& keys,
             const std::string& hash_name) {
  const CacheShape shape(config);
  RoutingTableCache cache(shape, seed, component);
  NaiveCache naive(shape.sets(), shape.ways(), config.replacement);
  const KeyHash hash(hash_name);
  std::uint64_t hits = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i];
    const std::uint32_t set = hash.set(key, shape.sets());
    const RouteEntry* const found = cache.find(key, set);
    const std::optional<RouteEntry> wanted = naive.find(key, set);
    REQUIRE((found != nullptr) == wanted.has_value());
    if (found != nullptr) {
      REQUIRE(*found == *wanted);
      ++hits;
    }
    if (found == nullptr || i % 97 == 0) {
      cache.fill(key, set, entry_of(key, i));
      naive.fill(key, set, entry_of(key, i));
    }
    if (i % 3001 == 3000) {
      cache.flush();
      naive.flush();
    }
  }
  const CacheCounters counters = cache.counters();
  CHECK(counters.lookups == keys.size());
  CHECK(counters.hits == hits);
  CHECK(counters.hits + counters.misses == counters.lookups);
  CHECK(counters.evictions == naive.evicted.size());
  CHECK(counters.fills - counters.evictions - counters.flushed == cache.entries_held());
  CHECK(counters.flushes == keys.size() / 3001);
  CHECK(counters.misses == counters.fills);
}

std::vector<std::uint64_t> random_keys(std::size_t count, std::uint64_t different) {
  CounterRandom random(3, different);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < count; ++i)
    keys.push_back(NodeKeys::key_of(static_cast<NodeId>(random.below(different)), Identifiers::random, 9));
  return keys;
}

}  // namespace

TEST_CASE("a cache equals the reference cache, for random keys") {
  const std::string policy = GENERATE("lru", "fifo", "random", "pseudo_lru");
  CAPTURE(policy);
  for (const auto& [entries, ways] : std::vector<std::pair<unsigned, unsigned>>{
           {1, 1}, {8, 1}, {16, 2}, {32, 4}, {30, 2}, {64, 16}, {64, 32}, {128, 128}, {4, 4}}) {
    CAPTURE(entries, ways);
    const RoutingTableCacheConfig config{entries, ways, policy, false};
    for (const std::uint64_t different : {entries / 2 + 1U, entries + 1U, 3 * entries})
      compare(config, random_keys(7000, different), "crc32c");
  }
}

TEST_CASE("a cache equals the reference cache, for adversarial keys") {
  const std::string policy = GENERATE("lru", "fifo", "random", "pseudo_lru");
  CAPTURE(policy);
  for (const auto& [entries, ways] :
       std::vector<std::pair<unsigned, unsigned>>{{8, 1}, {32, 4}, {24, 8}, {64, 64}}) {
    const unsigned sets = entries / ways;
    const RoutingTableCacheConfig config{entries, ways, policy, false};
    // All keys are in one set, cyclically one more than fits: least recently used never hits.
    std::vector<std::uint64_t> circle, to_and_fro, strides, zeros;
    for (std::uint64_t i = 0; i < 7000; ++i) {
      circle.push_back(i % (ways + 1) * sets);
      const std::uint64_t span = 2 * ways;
      to_and_fro.push_back((i % (2 * span) < span ? i % span : span - 1 - i % span) * sets);
      strides.push_back(i * i % (5 * entries) * 0x100000000ULL);
      zeros.push_back(i % 2 == 0 ? 0 : ~std::uint64_t{0});
    }
    for (const auto& keys : {circle, to_and_fro, strides, zeros}) compare(config, keys, "low_bits");
  }
}

TEST_CASE("a cyclic sequence of one more key than ways never hits under LRU") {
  const CacheShape shape({4, 4, "lru", false});
  RoutingTableCache cache(shape);
  for (std::uint64_t i = 0; i < 100; ++i) {
    CHECK(cache.find(i % 5, 0) == nullptr);
    cache.fill(i % 5, 0, {});
  }
  CHECK(cache.counters().evictions == 96);
  CHECK(cache.entries_held() == 4);
}

TEST_CASE("an overflow of the time of use renumbers uses in the same order") {
  const std::string policy = GENERATE("lru", "fifo", "random", "pseudo_lru");
  const CacheShape shape({16, 4, policy, false});
  // Overflows after 500 uses, between hits and fills.
  RoutingTableCache usual(shape, 1, 2), late(shape, 1, 2, 0xffffffff - 500);
  for (const std::uint64_t key : random_keys(3000, 30)) {
    const auto set = static_cast<std::uint32_t>(key % 4);
    const bool hit = usual.find(key, set) != nullptr;
    REQUIRE((late.find(key, set) != nullptr) == hit);
    if (hit) continue;
    usual.fill(key, set, {});
    late.fill(key, set, {});
  }
}

TEST_CASE("the fast look-up equals the full one until times of use overflow") {
  const std::string policy = GENERATE("lru", "fifo", "random", "pseudo_lru");
  const CacheShape shape({16, 4, policy, false});
  RoutingTableCache whole(shape, 1, 2, 0xffffffff - 500), quick(shape, 1, 2, 0xffffffff - 500);
  unsigned at_the_end = 0;
  for (const std::uint64_t key : random_keys(3000, 30)) {
    const auto set = static_cast<std::uint32_t>(key % 4);
    const bool usable = quick.quick() && quick.time_left();
    if (quick.quick() && !quick.time_left()) ++at_the_end;
    const RouteEntry* const found = usable ? quick.find_quick(key, set) : quick.find(key, set);
    const bool hit = whole.find(key, set) != nullptr;
    REQUIRE((found != nullptr) == hit);
    if (!hit) {
      whole.fill(key, set, {});
      quick.fill(key, set, {});
    }
  }
  CHECK(quick.counters().hits == whole.counters().hits);
  CHECK(at_the_end >= 1);
}

namespace {

unsigned way_behind_all(const CacheWay*, unsigned count, CounterRandom&) {
  return count;
}

}  // namespace

TEST_CASE("a policy that names a way out of range ends the run") {
  RoutingTableCacheConfig config;
  config.policies.add<NoParameters<way_behind_all>>("wild");
  config.replacement = "wild";
  config.entries = config.ways = GENERATE(4U, 32U);
  const CacheShape shape(config);
  RoutingTableCache cache(shape);
  for (unsigned key = 0; key < config.ways; ++key) cache.fill(key, 0, {});
  const std::string ways = std::to_string(config.ways), last = std::to_string(config.ways - 1);
  CHECK_THROWS_WITH(cache.fill(config.ways, 0, {}),
                    "routing-table cache: lookup.replacement wild names way " + ways + " of ways 0.." + last);
}

TEST_CASE("random replacement chooses every way equally often") {
  const CacheShape shape({8, 8, "random", false});
  RoutingTableCache cache(shape, 1, 2);
  std::array<std::uint64_t, 8> held{};
  std::array<unsigned, 8> replaced{};
  for (std::uint64_t key = 0; key < 8008; ++key) {
    if (!cache.fill(key, 0, {})) {
      held[key] = key;
      continue;
    }
    const auto gone = std::find_if(held.begin(), held.end(),
                                   [&](std::uint64_t one) { return cache.find(one, 0) == nullptr; });
    REQUIRE(gone != held.end());
    ++replaced[static_cast<std::size_t>(gone - held.begin())];
    *gone = key;
  }
  // 8,000 draws over 8 ways: 1,000 each, deviation 30.
  for (std::size_t way = 0; way < 8; ++way) CHECK(std::abs(replaced[way] - 1000.0) < 150);
}

TEST_CASE("causes of misses are distinguished, and add up") {
  const CacheShape shape({4, 1, "lru", true});
  RoutingTableCache cache(shape);
  const auto look = [&](std::uint64_t key) {
    const bool hit = cache.find(key, static_cast<std::uint32_t>(key % 4)) != nullptr;
    if (!hit) cache.fill(key, static_cast<std::uint32_t>(key % 4), {});
    return hit;
  };
  CHECK_FALSE(look(0));  // compulsory
  CHECK_FALSE(look(4));  // compulsory; evicts 0
  CHECK_FALSE(look(0));  // conflict: four entries would hold both
  CHECK(look(0));
  for (std::uint64_t key = 1; key < 4; ++key) CHECK_FALSE(look(key));  // compulsory
  CHECK_FALSE(look(4));  // capacity: four other keys came after it
  CacheCounters counters = cache.counters();
  CHECK(counters.compulsory == 5);
  CHECK(counters.conflict == 1);
  CHECK(counters.capacity == 1);
  cache.flush();
  CHECK_FALSE(look(4));  // first use since the flush
  counters = cache.counters();
  CHECK(counters.compulsory == 6);
  CHECK(counters.compulsory + counters.conflict + counters.capacity == counters.misses);
}

TEST_CASE("a fully associative cache has no conflict misses, a large enough one only compulsory ones") {
  for (const unsigned entries : {64U, 4096U}) {
    const CacheShape shape({entries, entries, "lru", true});
    RoutingTableCache cache(shape);
    for (const std::uint64_t key : random_keys(20'000, 1000)) {
      if (cache.find(key, 0) == nullptr) cache.fill(key, 0, {});
    }
    const CacheCounters counters = cache.counters();
    CHECK(counters.conflict == 0);
    CHECK(counters.compulsory == 1000);
    CHECK((counters.capacity == 0) == (entries == 4096));
  }
}

TEST_CASE("an entry that is filled again keeps its place and gets the new value") {
  const CacheShape shape({2, 2, "fifo", false});
  RoutingTableCache cache(shape);
  cache.fill(1, 0, {1, 1});
  cache.fill(2, 0, {2, 1});
  CHECK_FALSE(cache.fill(1, 0, {3, 3}));
  CHECK(*cache.find(1, 0) == RouteEntry{3, 3});
  CHECK(cache.counters().refills == 1);
  CHECK(cache.fill(4, 0, {4, 1}));
  CHECK(cache.find(1, 0) == nullptr);  // still the oldest entry
}

TEST_CASE("evicted keys are as many as balls beyond the ways of their bins") {
  // n random keys into s sets of w ways: a set's load is binomial (n, 1/s), and load beyond w is evicted.
  const unsigned entries = 256, seeds = 400;
  for (const unsigned keys : {64U, 128U, 256U}) {
    for (const unsigned ways : {1U, 2U, 4U, 8U}) {
      CAPTURE(keys, ways);
      const CacheShape shape({entries, ways, "lru", false});
      const double sets = shape.sets();
      double wanted = 0, chance = std::pow(1 - 1 / sets, keys);
      for (unsigned load = 0; load <= keys; ++load) {
        if (load > ways) wanted += sets * chance * (load - ways);
        chance *= (keys - load) / (load + 1.0) / (sets - 1);
      }
      double sum = 0, squares = 0;
      const KeyHash hash("crc32");
      for (unsigned s = 0; s < seeds; ++s) {
        RoutingTableCache cache(shape);
        for (NodeId node = 0; node < keys; ++node) {
          const std::uint64_t key = NodeKeys::key_of(node, Identifiers::random, s);
          cache.fill(key, hash.set(key, shape.sets()), {});
        }
        const auto left = static_cast<double>(cache.counters().evictions);
        sum += left;
        squares += left * left;
      }
      const double mean = sum / seeds, variance = squares / seeds - mean * mean;
      // Twelve comparisons with fixed seeds: 99.9 % each.
      CHECK(std::abs(mean - wanted) <= 3.3 * std::sqrt(variance / seeds) + 0.01);
    }
  }
}

TEST_CASE("impossible caches are refused with what would be accepted") {
  const auto refused = [](const RoutingTableCacheConfig& config, const char* key, const char* accepted) {
    const auto error = tsuji::test::thrown<ConfigError>([&] { config.validate(); });
    REQUIRE(error);
    CHECK(error->key() == key);
    CHECK_THAT(error->accepted(), Catch::Contains(accepted));
  };
  refused({2048, 0, "lru", false}, "lookup.ways", "1..2048");
  refused({2048, 4096, "lru", false}, "lookup.ways", "1..2048");
  refused({2047, 4, "lru", false}, "lookup.entries", "2048");
  refused({0, 1, "lru", false}, "lookup.entries", "1..65535");
  refused({65536, 4, "lru", false}, "lookup.entries", "1..65535");
  refused({2048, 4, "bogus", false}, "lookup.replacement", "pseudo_lru");
  refused({12, 12, "pseudo_lru", false}, "lookup.ways", "power of two");
  CHECK_NOTHROW(RoutingTableCacheConfig{2000, 4, "lru", false}.validate());  // 500 sets
}
