#include "tsuji/lookup/replacement.h"

#include <algorithm>

#include "tsuji/lookup/named_rows.h"

namespace tsuji::lookup {
namespace {

bool earlier(const CacheWay& a, const CacheWay& b) {
  return a.used < b.used;
}

unsigned oldest(const CacheWay* ways, unsigned count, CounterRandom&) {
  return static_cast<unsigned>(std::min_element(ways, ways + count, earlier) - ways);
}

unsigned any(const CacheWay*, unsigned count, CounterRandom& random) {
  return static_cast<unsigned>(random.below(count));
}

/// A binary tree over the ways with a bit at each node that points away from the half that was used last: the
/// half without the node's most recent way.
unsigned tree(const CacheWay* ways, unsigned count, CounterRandom&) {
  unsigned from = 0;
  for (unsigned half = count / 2; half > 0; half /= 2) {
    const CacheWay* const latest = std::max_element(ways + from, ways + from + 2 * half, earlier);
    if (latest < ways + from + half) from += half;
  }
  return from;
}

/// One more policy is a function and one more line here.
constexpr ReplacementPolicy policies[] = {
    {"lru", true, false, oldest},
    {"fifo", false, false, oldest},
    {"random", false, false, any},
    {"pseudo_lru", true, true, tree},
};

}  // namespace

const ReplacementPolicy& find_replacement(const std::string& name) {
  return find_row(policies, "lookup.replacement", name, "unknown replacement policy");
}

std::vector<std::string> replacement_names() {
  std::vector<std::string> names;
  for (const ReplacementPolicy& policy : policies) names.emplace_back(policy.name);
  return names;
}

}  // namespace tsuji::lookup
