// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/catch.h"
#include "tsuji/lookup/switch_lookup.h"

namespace tsuji::network::test {

/// Checks the conservation of look-ups, misses and entries.
inline void check_accounts(const lookup::LookupCounters& c) {
  CHECK(c.cache.lookups == c.cache.hits + c.cache.misses);
  CHECK(c.cache.misses == c.cam_accesses - c.cam_writes);
  CHECK(c.cache.misses == c.cache.fills + c.cache.refills + c.stale_answers + c.answers_pending);
}

}  // namespace tsuji::network::test
