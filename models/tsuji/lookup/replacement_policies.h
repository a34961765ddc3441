// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "tsuji/config/kinds.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/cache_way.h"

namespace tsuji::lookup {

/// Selects the way of a full set that is replaced, below `count` (else ModelError). CacheWay::used is the
/// time of an entry's last use or, without hits_count, of its fill. Times are unique.
using VictimOf = std::function<unsigned(const CacheWay* ways, unsigned count, CounterRandom& random)>;

/// Returns true if `a` was used (or filled) before `b`.
inline bool used_before(const CacheWay& a, const CacheWay& b) {
  return a.used < b.used;
}

/// Properties of a value of `lookup.replacement`.
struct ReplacementTraits {
  static constexpr const char* selector = "lookup.replacement";  ///< Key that selects the policy.
  /// Refusal of an unknown value.
  static constexpr const char* unknown = "unknown replacement policy";
  bool hits_count = true;          ///< a hit makes an entry the most recently used one
  bool power_of_two_ways = false;  ///< The number of ways of a set must be a power of two.
};

/// All replacement policies by their value of `lookup.replacement`, with their parameters.
using ReplacementPolicies = config::Kinds<ReplacementTraits, VictimOf>;

/// Returns the policies that CMakeLists.txt lists.
ReplacementPolicies replacement_policies();

/// Parameters of a policy without keys.
template <unsigned (*victim)(const CacheWay*, unsigned, CounterRandom&)>
struct NoParameters {
  /// Returns the function that selects the way to replace.
  VictimOf make() const { return victim; }
};

}  // namespace tsuji::lookup
