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
  using Oldest = NoParameters<oldest>;
  policies.add<Oldest>({{"lru", &Oldest::make, "", {}}, {"fifo", &Oldest::make, "", {false}}});
}

}  // namespace tsuji::lookup
