// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/compact_lookup.h"
#include "tsuji/lookup/lookup_kinds.h"

namespace tsuji::lookup {
namespace {

struct CachedSearch {
  std::unique_ptr<SwitchLookup> make(const LookupParts& parts, graph::RouterId router, unsigned ports) const {
    return std::make_unique<CachedLookup>(parts, router, ports,
                                          std::make_unique<CompactMemory>(parts, router, ports));
  }
};

}  // namespace

void add_compact_search(LookupKinds& kinds) {
  kinds.add<KeylessLookup<CompactLookup>>("compact", {false, true});
  kinds.add<CachedSearch>("compact_cached", {true, true});
}

}  // namespace tsuji::lookup
