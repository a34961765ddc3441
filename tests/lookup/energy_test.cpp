// SPDX-License-Identifier: Apache-2.0

#include "tsuji/lookup/energy.h"
#include "support/catch.h"

using namespace tsuji::lookup;

TEST_CASE("look-ups take the energy of Hirasawa 2020, section 7.1") {
  const LookupEnergy energy;
  LookupCounters counters;
  CHECK(energy.dynamic_nj(counters, true) == 0);
  counters.cache.lookups = 1000;
  counters.cam_accesses = 10;
  CHECK(energy.dynamic_nj(counters, true) == Approx(1000 * 0.039 + 10 * 42));
  CHECK(energy.dynamic_nj(counters, false) == Approx(10 * 42));
  // 16 switches with a memory each, and 80 ports with a cache.
  CHECK(energy.static_mw(16, 80) == Approx(16 * 36 + 80 * 13));
  CHECK(energy.static_mw(16, 0) == Approx(16 * 36));
}
