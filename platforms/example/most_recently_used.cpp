// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/lookup/replacement_policies.h"

namespace example {

using namespace tsuji;
using namespace tsuji::lookup;

namespace {

unsigned youngest(const CacheWay* ways, unsigned count, CounterRandom&) {
  return static_cast<unsigned>(std::max_element(ways, ways + count, used_before) - ways);
}

}  // namespace

void add_most_recently_used(ReplacementPolicies& policies) {
  ReplacementPolicy policy;
  policy.name = "most_recently_used";
  policy.victim = youngest;
  policies.push_back(policy);
}

}  // namespace example
