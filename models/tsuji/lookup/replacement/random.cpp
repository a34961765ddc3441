// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {
namespace {

unsigned any(const CacheWay*, unsigned count, CounterRandom& random) {
  return static_cast<unsigned>(random.below(count));
}

}  // namespace

void add_random(ReplacementPolicies& policies) {
  policies.add<NoParameters<any>>("random", {false});
}

}  // namespace tsuji::lookup
