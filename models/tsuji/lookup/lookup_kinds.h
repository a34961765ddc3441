// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/config/kinds.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::lookup {

struct LookupTraits {
  static constexpr const char* selector = "lookup.kind";
  static constexpr const char* unknown = "unknown route look-up";
  bool caches = false;    ///< one at each input port
  bool searches = false;  ///< of compact routing tables, instead of a memory
  bool in_switch = true;  ///< hardware of a switch; false: a function or table in each router
  bool modules = false;   ///< has a form of modules with pins (SwitchModules)
};

/// Every route look-up by its word in `lookup.kind`, with its parameters. The product is a switch's part,
/// with this number of ports; null without `in_switch`.
using LookupKinds =
    config::Kinds<LookupTraits, std::unique_ptr<SwitchLookup>, const LookupParts&, graph::RouterId, unsigned>;

/// The look-ups of CMakeLists.txt.
LookupKinds lookup_kinds();

/// The parameters of a look-up that has none: L(parts, router, ports).
template <class L>
struct KeylessLookup {
  std::unique_ptr<SwitchLookup> make(const LookupParts& parts, graph::RouterId router, unsigned ports) const {
    return std::make_unique<L>(parts, router, ports);
  }
};

}  // namespace tsuji::lookup
