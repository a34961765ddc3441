// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/lookup_kinds.h"

namespace tsuji::lookup {

void add_memory(LookupKinds& kinds) {
  kinds.add<KeylessLookup<CamLookup>>("cam");
}

}  // namespace tsuji::lookup
