// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/link_errors.h"

#include <cmath>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using tsuji::test::thrown;

namespace {

LinkErrorConfig config_of(double rate, unsigned bits = 128, Cycle process = 2) {
  LinkErrorConfig config;
  config.bit_error_rate = rate;
  config.flit_bits = bits;
  config.replay_process_cycles = process;
  return config;
}

}  // namespace

TEST_CASE("the flit error rate is that of a flit's bits") {
  CHECK(config_of(0).flit_error_rate() == 0);
  CHECK(config_of(0.25, 1).flit_error_rate() == Approx(0.25));
  CHECK(config_of(0.1, 3).flit_error_rate() == Approx(1 - 0.9 * 0.9 * 0.9));
  CHECK(config_of(1e-12, 200).flit_error_rate() == Approx(200e-12).epsilon(1e-4));
  CHECK_FALSE(config_of(0).on());
  CHECK(config_of(1e-30).on());
}

TEST_CASE("a rate at which most flits are damaged is refused") {
  CHECK_FALSE(thrown<ConfigError>([] { config_of(0).validate(); }));
  CHECK_FALSE(thrown<ConfigError>([] { config_of(0.5, 1).validate(); }));
  for (const LinkErrorConfig& config : {config_of(1), config_of(0.51, 1), config_of(0.01, 128)}) {
    const auto error = thrown<ConfigError>([&] { config.validate(); });
    REQUIRE(error);
    CHECK(error->key() == "link.bit_error_rate");
  }
}

TEST_CASE("a replay takes the way there and back, the flit and the processing") {
  CHECK(LinkErrors::round_trip_cycles(config_of(0, 1, 5), 10, 3) == 28);
}

TEST_CASE("flits arrive in order, each later by its own and earlier replays") {
  for (const double rate : {0.0, 0.01, 0.3}) {
    const LinkErrorConfig config = config_of(rate, 1);
    const Cycle flit_cycles = 3, latency = 7;
    const Cycle round_trip = LinkErrors::round_trip_cycles(config, latency, flit_cycles);
    // A rate of 0 never reaches the class, as such a link has none; one error in 2^62 flits stands for it.
    const LinkErrorConfig used = rate == 0 ? config_of(1e-30, 1) : config;
    LinkErrors errors(used, latency, flit_cycles, CounterRandom(5, 6));
    CounterRandom gaps(1, 2);
    Cycle leaves = 0, arrived = 0, busy = 0;
    std::uint64_t before = 0;
    for (int flit = 0; flit < 10000; ++flit) {
      leaves += flit_cycles + gaps.below(20);
      const Cycle start = leaves + errors.delay(leaves);
      const Cycle replays = (errors.errors() - before) * round_trip;
      before = errors.errors();
      REQUIRE(start == std::max(leaves, busy) + replays);
      REQUIRE((flit == 0 || start >= arrived + flit_cycles));
      arrived = start;
      busy = start + flit_cycles;
    }
    CHECK(errors.flits() == 10000);
    CHECK(errors.replay_cycles() == errors.errors() * round_trip);
    CHECK(static_cast<double>(errors.errors()) ==
          Approx(10000 * rate / (1 - rate)).margin(5 * std::sqrt(10000 * rate) + 1e-9));
  }
}

TEST_CASE("a saturated link carries a flit in flit_cycles + round_trip p / (1 - p) cycles") {
  const double p = 0.02;
  const LinkErrorConfig config = config_of(p, 1);
  LinkErrors errors(config, 20, 2, CounterRandom(1, 9));
  const auto round_trip = static_cast<double>(LinkErrors::round_trip_cycles(config, 20, 2));
  Cycle end = 0;
  constexpr int flits = 400000;
  for (Cycle flit = 0; flit < flits; ++flit) end = flit + errors.delay(flit);
  CHECK(static_cast<double>(end) / flits == Approx(2 + round_trip * p / (1 - p)).epsilon(0.03));
}

TEST_CASE("a link with failed lanes continues at the share of its lanes that works") {
  for (const auto& [lanes, failed] : {std::pair{4U, 1U}, {4U, 3U}, {2U, 1U}, {16U, 1U}, {3U, 2U}}) {
    LinkErrorConfig config;
    config.lanes = lanes;
    for (const Cycle flit_cycles : {Cycle{1}, Cycle{3}}) {
      LinkErrors errors(config, 5, flit_cycles, CounterRandom(1, 2), failed);
      // Flits that follow each other: flit i begins after i x flit_cycles x L / (L - f) cycles, rounded up.
      const Cycle working = lanes - failed;
      for (Cycle flit = 0; flit < 1000; ++flit) {
        const Cycle begins = (flit * flit_cycles * lanes + working - 1) / working;
        CHECK(flit * flit_cycles + errors.delay(flit * flit_cycles) == begins);
      }
      CHECK(errors.errors() == 0);
      CHECK(errors.delay(1'000'000) == 0);  // nothing is ahead of it
    }
  }
}

TEST_CASE("lanes: a link without a lane, and a link that is not there, are refused") {
  LinkErrorConfig config;
  config.lanes = 2;
  config.lane_faults = {3, 5};
  CHECK(config.on());
  CHECK_FALSE(config.errs());
  CHECK(config.failed_lanes(3) == 1);
  CHECK(config.failed_lanes(4) == 0);
  CHECK_FALSE(thrown<ConfigError>([&] { config.validate(); }));
  CHECK_FALSE(thrown<ConfigError>([&] { config.validate_links(6); }));
  const auto absent = thrown<ConfigError>([&] { config.validate_links(5); });
  REQUIRE(absent);
  CHECK(absent->key() == "link.lane_faults");
  CHECK(absent->accepted() == "0..4");
  config.lane_faults = {3, 5, 3};
  const auto dead = thrown<ConfigError>([&] { config.validate(); });
  REQUIRE(dead);
  CHECK(dead->key() == "link.lane_faults");
  CHECK_THAT(dead->accepted(), Catch::Contains("at most 1 times"));
}

TEST_CASE("replays on a link with a failed lane take their round trips in full") {
  LinkErrorConfig config = config_of(0.2, 1);
  config.lanes = 4;
  LinkErrors errors(config, 5, 1, CounterRandom(3, 4), 1);
  const Cycle round_trip = LinkErrors::round_trip_cycles(config, 5, 1);
  for (Cycle flit = 0; flit < 1000; ++flit) {
    const Cycle late = errors.delay(0);
    CHECK(late == (flit * 4 + errors.errors() * round_trip * 3 + 2) / 3);
  }
  CHECK(errors.errors() > 100);
}
