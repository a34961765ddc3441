// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {
namespace {

unsigned oldest(const CacheWay* ways, unsigned count, CounterRandom&) {
  return static_cast<unsigned>(std::min_element(ways, ways + count, used_before) - ways);
}

}  // namespace

void add_oldest(ReplacementPolicies& policies) {
  ReplacementPolicy lru;
  lru.name = "lru";
  lru.victim = oldest;
  ReplacementPolicy fifo;
  fifo.name = "fifo";
  fifo.hits_count = false;
  fifo.victim = oldest;
  policies.push_back(lru);
  policies.push_back(fifo);
}

}  // namespace tsuji::lookup
