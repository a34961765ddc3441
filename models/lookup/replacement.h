#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/lookup/cache_way.h"

namespace tsuji::lookup {

/// Which entry of a full set makes room. What a policy may look at is CacheWay::used: the time of an entry's
/// last use or, where hits do not count, of its fill. Times rise, and no two are equal.
struct ReplacementPolicy {
  const char* name;
  bool hits_count;  ///< a hit makes an entry as recent as a fill does
  bool power_of_two_ways;
  unsigned (*victim)(const CacheWay* ways, unsigned count, CounterRandom& random);
};

/// ConfigError of lookup.replacement for a name that is not in replacement_names().
const ReplacementPolicy& find_replacement(const std::string& name);
std::vector<std::string> replacement_names();

}  // namespace tsuji::lookup
