// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/lookup/cache_way.h"

namespace tsuji::lookup {

/// Choice of the entry of a full set that makes room. A policy looks at CacheWay::used: the time of an
/// entry's last use or, where hits do not count, of its fill. Times rise, and no two are equal.
struct ReplacementPolicy {
  std::string name;
  bool hits_count = true;  ///< a hit makes an entry as recent as a fill does
  bool power_of_two_ways = false;
  unsigned (*victim)(const CacheWay* ways, unsigned count, CounterRandom& random) = nullptr;
};

/// Whether `a` was used (or filled) before `b`.
inline bool used_before(const CacheWay& a, const CacheWay& b) {
  return a.used < b.used;
}

using ReplacementPolicies = std::vector<ReplacementPolicy>;

/// The policies of CMakeLists.txt.
ReplacementPolicies replacement_policies();

/// ConfigError of lookup.replacement for a name that is not among `policies`.
const ReplacementPolicy& find_replacement(const ReplacementPolicies& policies, const std::string& name);
std::vector<std::string> replacement_names(const ReplacementPolicies& policies);

}  // namespace tsuji::lookup
