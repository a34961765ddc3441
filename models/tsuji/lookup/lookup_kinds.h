// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/config/kinds.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

/// Properties of a value of `lookup.kind`.
struct LookupTraits {
  static constexpr const char* selector = "lookup.kind";           ///< Key that selects the look-up.
  static constexpr const char* unknown = "unknown route look-up";  ///< Refusal of an unknown value.
  bool caches = false;                                             ///< a cache at each input port
  bool searches = false;  ///< searches compact routing tables instead of reading a memory
  bool in_switch = true;  ///< false: a function or table in each router
  bool modules = false;   ///< can be built of modules with pins (SwitchModules)
  bool queues = false;    ///< a memory that ports share has a queue: answers come after the requests
};

/// All route look-ups by their value of `lookup.kind`, with their parameters. The product is the look-up of a
/// switch with this number of ports; null without `in_switch`.
using LookupKinds =
    config::Kinds<LookupTraits, std::unique_ptr<SwitchLookup>, const LookupParts&, graph::RouterId, unsigned>;

/// Returns the look-ups that CMakeLists.txt lists.
LookupKinds lookup_kinds();

/// Parameters of a look-up without keys, constructed as L(parts, router, ports).
template <class L>
struct KeylessLookup {
  /// Makes the look-up of one switch with `ports` ports.
  std::unique_ptr<SwitchLookup> make(const LookupParts& parts, graph::RouterId router, unsigned ports) const {
    return std::make_unique<L>(parts, router, ports);
  }
};

}  // namespace tsuji::lookup
