// SPDX-License-Identifier: Apache-2.0

#include "own_kinds.h"
#include "support/catch.h"
#include "tsuji/lookup/routing_table_cache.h"

using namespace tsuji;
using namespace tsuji::lookup;

TEST_CASE("most recently used: a cyclic sequence that is one key too long keeps its first keys") {
  RoutingTableCacheConfig config;
  config.entries = config.ways = 4;
  config.replacement = "most_recently_used";
  CHECK_THROWS_WITH(CacheShape(config), Catch::Contains("accepted: one of lru, fifo, random, pseudo_lru"));
  example::add_most_recently_used(config.policies);
  const CacheShape shape(config);
  RoutingTableCache cache(shape);
  const auto look_up = [&](std::uint64_t key) {
    const bool hit = cache.find(key, 0) != nullptr;
    if (!hit) cache.fill(key, 0, {});
    return hit;
  };
  for (const std::uint64_t key : {0, 1, 2, 3, 4}) CHECK_FALSE(look_up(key));  // 4 replaces 3
  for (const std::uint64_t key : {0, 1, 2}) CHECK(look_up(key));
  CHECK_FALSE(look_up(3));  // replaces 2
  CHECK(look_up(4));
  CHECK(look_up(0));
  CHECK_FALSE(look_up(2));  // replaces 0
  for (const std::uint64_t key : {1, 3, 4, 2}) CHECK(look_up(key));
}
