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
  policies.add<lookup::NoParameters<youngest>>("most_recently_used");
}

}  // namespace example
