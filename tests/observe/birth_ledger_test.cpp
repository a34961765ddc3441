// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/birth_ledger.h"

#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/packet.h"

using namespace tsuji;
using namespace tsuji::observe;

TEST_CASE("a ledger keeps packets that leave in any order") {
  BirthLedger ledger(2);
  for (Cycle at = 0; at < 100; ++at) ledger.born(1, 10 * at);
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::uint32_t serial = i * 37 % 100;
    REQUIRE(ledger.inside() == 100 - i);
    REQUIRE(ledger.take(packet_id(1, serial), 5000) == 10 * serial);
    REQUIRE_THROWS_AS(ledger.take(packet_id(1, serial), 5000), ModelError);
  }
  CHECK_THROWS_AS(ledger.take(packet_id(2, 0), 5000), ModelError);  // no such source
  // One packet remains while thousands pass.
  ledger.born(0, 1);
  for (std::uint32_t i = 1; i < 5000; ++i) {
    ledger.born(0, i + 1);
    REQUIRE(ledger.take(packet_id(0, i), 9999) == i + 1);
  }
  std::vector<Cycle> left;
  ledger.for_each([&](Cycle created) { left.push_back(created); });
  CHECK(left == std::vector<Cycle>{1});
}
