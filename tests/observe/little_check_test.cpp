// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/little_check.h"

#include "support/catch.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::observe;

TEST_CASE("Little's law holds to the packet-cycle, and a latency that is off by one violates it") {
  const auto run = [](Cycle latency_of_second) {
    LittleCheck check;
    check.begin_at(10);
    check.end_at(20);
    for (const Cycle created : {3, 8, 11, 15, 19, 25}) check.born(created);
    check.ended(3, 9, 6);
    check.ended(8, 13, latency_of_second);
    check.ended(11, 12, 1);
    check.ended(15, 31, 16);
    check.left_over(19);
    check.left_over(25);
    check.check();
    return check.population_cycles();
  };
  CHECK(run(5) == 3 + 1 + 5 + 1);
  CHECK_THROWS_WITH(run(6), Catch::Contains("Little's law is broken"));
  CHECK_THROWS_AS(run(4), ModelError);
}
