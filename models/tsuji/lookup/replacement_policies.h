// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tsuji/config/kinds.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/cache_way.h"

namespace tsuji::lookup {

/// Way of a full set that makes room, below `count` (else ModelError). A policy looks at CacheWay::used: the
/// time of an entry's last use or, where hits do not count, of its fill. Times rise, and no two are equal.
using VictimOf = std::function<unsigned(const CacheWay* ways, unsigned count, CounterRandom& random)>;

/// Whether `a` was used (or filled) before `b`.
inline bool used_before(const CacheWay& a, const CacheWay& b) {
  return a.used < b.used;
}

struct ReplacementTraits {
  static constexpr const char* selector = "lookup.replacement";
  static constexpr const char* unknown = "unknown replacement policy";
  bool hits_count = true;  ///< a hit makes an entry as recent as a fill does
  bool power_of_two_ways = false;
};

/// Every replacement policy by its word in `lookup.replacement`, with its parameters.
using ReplacementPolicies = config::Kinds<ReplacementTraits, VictimOf>;

/// The policies of CMakeLists.txt.
ReplacementPolicies replacement_policies();

/// The parameters of a policy that has none.
template <unsigned (*victim)(const CacheWay*, unsigned, CounterRandom&)>
struct NoParameters {
  VictimOf make() const { return victim; }
};

}  // namespace tsuji::lookup
