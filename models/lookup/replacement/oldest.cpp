#include <algorithm>

#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {
namespace {

unsigned oldest(const CacheWay* ways, unsigned count, CounterRandom&) {
  return static_cast<unsigned>(std::min_element(ways, ways + count, used_before) - ways);
}

}  // namespace

void add_oldest(ReplacementPolicies& policies) {
  policies.push_back({"lru", true, false, oldest});
  policies.push_back({"fifo", false, false, oldest});
}

}  // namespace tsuji::lookup
