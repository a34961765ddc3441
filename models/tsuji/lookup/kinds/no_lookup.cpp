// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/lookup_kinds.h"

namespace tsuji::lookup {
namespace {

struct NoLookup {
  std::unique_ptr<SwitchLookup> make(const LookupParts&, graph::RouterId, unsigned) const { return nullptr; }
};

}  // namespace

void add_no_lookup(LookupKinds& kinds) {
  kinds.add<NoLookup>("local", {false, false, false});
}

}  // namespace tsuji::lookup
