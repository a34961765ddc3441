#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {
namespace {

unsigned any(const CacheWay*, unsigned count, CounterRandom& random) {
  return static_cast<unsigned>(random.below(count));
}

}  // namespace

void add_random(ReplacementPolicies& policies) {
  policies.push_back({"random", false, false, any});
}

}  // namespace tsuji::lookup
