// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "platforms/lookup_study/lookup_study.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/key_hash.h"
#include "tsuji/lookup/routing_table_cache.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {
namespace {

/// Entries that the insertion of keys has evicted, over many caches that were empty before.
struct Evictions {
  std::uint64_t sum = 0, sum_of_squares = 0, caches_without = 0;
  void add(std::uint64_t evicted) {
    sum += evicted;
    sum_of_squares += evicted * evicted;
    caches_without += evicted == 0 ? 1 : 0;
  }
};

/// The hashes of a seed's keys, as random 64-bit identifiers of nodes, and the keys themselves.
struct Keys {
  std::vector<std::uint64_t> keys, hashes;
  void draw(std::uint64_t seed, std::uint64_t component, const lookup::KeyHash& hash) {
    CounterRandom random(seed, component);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = random.next();
      hashes[i] = hash.of(keys[i]);
    }
  }
  explicit Keys(std::size_t count) : keys(count), hashes(count) {}
};

std::uint64_t evicted(lookup::RoutingTableCache& cache, const Keys& keys, unsigned inserted) {
  cache.flush();
  const std::uint64_t before = cache.counters().evictions;
  for (unsigned i = 0; i < inserted; ++i) {
    const auto set = static_cast<std::uint32_t>(keys.hashes[i] % cache.sets());
    if (cache.find(keys.keys[i], set) == nullptr) cache.fill(keys.keys[i], set, {});
  }
  return cache.counters().evictions - before;
}

}  // namespace

void run_lookup_conflicts(const LookupStudy& study, const RunOptions& options, observe::Results& results) {
  const lookup::KeyHash hash(study.network.lookup.hash);
  Keys keys(*std::max_element(study.inserted.begin(), study.inserted.end()));
  std::vector<std::vector<Evictions>> sums(study.inserted.size(), std::vector<Evictions>(study.ways.size()));
  for (std::size_t w = 0; w < study.ways.size(); ++w) {
    lookup::RoutingTableCacheConfig config = study.network.lookup.cache;
    config.ways = study.ways[w];
    const lookup::CacheShape shape(config);
    lookup::RoutingTableCache cache(shape, options.seed, w);
    for (unsigned seed = 0; seed < study.seeds; ++seed) {
      options.check_interruption(results);
      keys.draw(options.seed, seed, hash);
      for (std::size_t i = 0; i < study.inserted.size(); ++i)
        sums[i][w].add(evicted(cache, keys, study.inserted[i]));
    }
    options.progress->update(static_cast<double>(w + 1) / static_cast<double>(study.ways.size()));
  }
  observe::ResultTable& table = results.table("conflicts", {{"inserted", "keys"},
                                                            {"ways", ""},
                                                            {"seeds", ""},
                                                            {"evicted", "entries"},
                                                            {"evicted_squares", ""},
                                                            {"seeds_without", ""}});
  for (std::size_t i = 0; i < study.inserted.size(); ++i)
    for (std::size_t w = 0; w < study.ways.size(); ++w) {
      const Evictions& sum = sums[i][w];
      table.row(
          {study.inserted[i], study.ways[w], study.seeds, sum.sum, sum.sum_of_squares, sum.caches_without});
    }
  results.metric("seeds", study.seeds, "");
  results.headline("Entries evicted from a cache of " + std::to_string(study.network.lookup.cache.entries) +
                   " entries by conflicts");
}

}  // namespace tsuji::platform
