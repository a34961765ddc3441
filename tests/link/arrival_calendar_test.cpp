// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "support/catch.h"
#include "tsuji/core/arena.h"
#include "tsuji/link/flit_channel.h"

using namespace tsuji;

TEST_CASE("arrival calendar: a word for every 64 indices") {
  Arena arena;
  for (const auto& [lines, words] :
       {std::pair{1U, 1U}, {63U, 1U}, {64U, 1U}, {65U, 2U}, {128U, 2U}, {129U, 3U}})
    CHECK(ArrivalCalendar(arena, lines, 4).words() == words);
}

TEST_CASE("arrival calendar: a row is returned once") {
  Arena arena;
  ArrivalCalendar calendar(arena, 3, 8);
  REQUIRE(calendar.announce(2, 10, 13));
  auto lines = calendar.column(0);
  CHECK(lines.take_row(12) == 0);
  CHECK(lines.take_row(13) == 4);
  CHECK(lines.take_row(13) == 0);
  REQUIRE(calendar.announce(1, 20, 23));
  CHECK(lines.take(23) == 2);
  lines.busy() = 0;
  CHECK(lines.take(23) == 0);
}

TEST_CASE("arrival calendar: a separate row for every cycle ahead where its owner handles every flit") {
  for (const Cycle horizon : {1, 2, 3, 64, 65, 1000}) {
    Arena arena;
    ArrivalCalendar all(arena, 3, horizon, true), most(arena, 3, horizon);
    CHECK(all.column(0).reaches(horizon));
    CHECK(most.column(0).reaches(std::min<Cycle>(horizon, 64)));
    CHECK_FALSE(most.column(0).reaches(65));
    // An arrival as many cycles ahead as there are rows is too far, and marks the index busy at once.
    Cycle far = 1;
    while (all.announce(1, 100, 100 + far)) {
      CHECK((all.expected(0, 100) & 2U) == 0);
      ++far;
    }
    CHECK(far > horizon);
    CHECK((all.busy(0) & 2U) != 0);
    all.clear_busy(1);
    for (Cycle ahead = 1; ahead < far; ++ahead) {
      CHECK(all.take(0, 100 + ahead) == 2U);
      all.clear_busy(1);
    }
    all.set_busy(2);
    CHECK(all.take(0, 100 + far) == 4U);
  }
}
