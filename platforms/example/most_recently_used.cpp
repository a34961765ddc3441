#include <algorithm>

#include "tsuji/lookup/replacement_policies.h"

namespace tsuji::lookup {
namespace {

unsigned youngest(const CacheWay* ways, unsigned count, CounterRandom&) {
  return static_cast<unsigned>(std::max_element(ways, ways + count, used_before) - ways);
}

}  // namespace

void add_most_recently_used(ReplacementPolicies& policies) {
  // A hit makes an entry as recent as a fill does; any number of ways.
  policies.push_back({"most_recently_used", true, false, youngest});
}

}  // namespace tsuji::lookup
