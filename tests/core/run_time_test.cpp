// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/run_time.h"

#include "support/catch.h"

using namespace tsuji;

TEST_CASE("a run ends with the earlier of 2^62 ps and 2^47 cycles") {
  CHECK(longest_run_ps == Picoseconds{4'611'686'018'427'387'904});
  CHECK(longest_run_cycles == Cycle{140'737'488'355'328});
  // 2^62 / 2^47 = 32768 ps: faster clocks end by cycles, slower ones by time.
  CHECK(last_run_cycle(ClockPeriod(1)) == longest_run_cycles);
  CHECK(last_run_cycle(ClockPeriod(32768)) == longest_run_cycles);
  CHECK(last_run_cycle(ClockPeriod(32769)) == longest_run_ps / 32769);
  CHECK(last_run_cycle(ClockPeriod(32769)) < longest_run_cycles);
  CHECK(last_run_ps(ClockPeriod(1000)) == longest_run_cycles * 1000);
}

TEST_CASE("cycles up to the last one of a run are accepted, and one more is refused with the maximum") {
  const ClockPeriod period(1'000'000);
  const Cycle last = longest_run_ps / 1'000'000;
  CHECK_NOTHROW(require_in_run("a.key", last, period));
  CHECK_NOTHROW(require_in_run("a.key", last - 10, period, 10));
  CHECK_NOTHROW(require_in_run("a.key", 0, period, last + 5));
  const auto refusal = [&](Cycle cycles, Cycle before) -> std::string {
    try {
      require_in_run("a.key", cycles, period, before);
    } catch (const ConfigError& error) {
      CHECK(error.key() == "a.key");
      CHECK(error.value() == std::to_string(cycles));
      CHECK(error.accepted() == "at most " + std::to_string(before > last ? 0 : last - before) + " cycles");
      return error.what();
    }
    return "";
  };
  CHECK_THAT(refusal(last + 1, 0), Catch::Contains("later than a run may last with clock_period_ps 1000000"));
  CHECK_FALSE(refusal(last - 9, 10).empty());
  CHECK_FALSE(refusal(1, last).empty());
  CHECK_FALSE(refusal(1, last + 1).empty());
}
