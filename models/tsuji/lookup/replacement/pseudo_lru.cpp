// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {
namespace {

/// Pseudo-LRU: a binary tree over the ways. Each node points to the half that does not contain its most
/// recently used way.
unsigned tree(const CacheWay* ways, unsigned count, CounterRandom&) {
  unsigned from = 0;
  for (unsigned half = count / 2; half > 0; half /= 2) {
    const CacheWay* const latest = std::max_element(ways + from, ways + from + 2 * half, used_before);
    if (latest < ways + from + half) from += half;
  }
  return from;
}

}  // namespace

void add_pseudo_lru(ReplacementPolicies& policies) {
  policies.add<NoParameters<tree>>("pseudo_lru", {true, true});
}

}  // namespace tsuji::lookup
