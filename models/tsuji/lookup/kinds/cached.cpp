// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/lookup/lookup_kinds.h"
#include "tsuji/lookup/queued_lookup.h"

namespace tsuji::lookup {
namespace {

struct Cached {
  std::unique_ptr<SwitchLookup> make(const LookupParts& parts, graph::RouterId router, unsigned ports) const {
    if (!parts.timing.cam_is_shared()) return std::make_unique<CachedLookup>(parts, router, ports);
    return std::make_unique<QueuedLookup>(parts, router, ports);
  }
};

}  // namespace

void add_cached(LookupKinds& kinds) {
  kinds.add<Cached>("cached", {true, false, true, true, true});
  kinds.add<KeylessLookup<IdealLookup>>("ideal", {true});
}

}  // namespace tsuji::lookup
