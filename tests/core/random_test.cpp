// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

using namespace tsuji;

TEST_CASE("a random value depends on seed, component and draw alone") {
  CounterRandom a(1, 2);
  const CounterRandom b(1, 2);
  CHECK(a.next() == b.bits(0));
  CHECK(a.next() == b.bits(1));
  CHECK(a.next() != CounterRandom(1, 3).bits(2));
  CHECK(b.bits(7) != CounterRandom(2, 2).bits(7));
}

TEST_CASE("random values are those of Philox 4x32-10 with the seed as key") {
  // Known answers of Random123 (kat_vectors): counters and keys of zeros, ones, and digits of pi.
  CHECK(CounterRandom(0, 0).bits(0) == 0xe169c58d'6627e8d5);
  CHECK(CounterRandom(~0ULL, ~0ULL).bits(~0ULL) == 0x41c83b0e'408f276d);
  CHECK(CounterRandom(0x299f31d0'a4093822, 0x03707344'13198a2e).bits(0x85a308d3'243f6a88) ==
        0x94fdcceb'd16cfe09);
}

TEST_CASE("values below a bound are uniform, and units are below 1") {
  CounterRandom random(7, 8);
  const CounterRandom same(7, 8);
  std::array<unsigned, 10> count{};
  for (std::uint64_t draw = 0; draw < 100'000; ++draw) {
    const std::uint64_t value = random.below(10);
    REQUIRE(value < 10);
    ++count[value];
    // The value's share of the bound equals the random number's share of all.
    REQUIRE(value == static_cast<std::uint64_t>(static_cast<long double>(same.bits(draw)) * 10 / 0x1.0p64L));
  }
  for (const unsigned each : count) CHECK(std::abs(static_cast<int>(each) - 10'000) < 500);  // 5 sigma: 474
  CHECK(random.below(1) == 0);
  CHECK(random.below(std::uint64_t{1} << 63) < std::uint64_t{1} << 63);
  double sum = 0, least = 1, most = 0;
  for (unsigned draw = 0; draw < 100'000; ++draw) {
    const double value = random.unit();
    sum += value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  CHECK(least >= 0);
  CHECK(most < 1);
  CHECK(most > 0.999);
  CHECK(sum / 100'000 == Approx(0.5).margin(5 * 0.289 / 316));
}

TEST_CASE("gaps have the mean of their probability, and log is the logarithm") {
  for (const double p : {1.0, 0.5, 0.03, 0.0001}) {
    CounterRandom random(5, 6);
    const GeometricGap gap(p);
    double sum = 0;
    const int draws = 200000;
    for (int i = 0; i < draws; ++i) {
      const auto value = gap.draw(random);
      REQUIRE(value >= 1);
      sum += static_cast<double>(value);
    }
    // The standard deviation of the mean is sqrt(1-p)/p/sqrt(draws).
    CHECK(std::abs(sum / draws - 1 / p) <= 5 * std::sqrt(1 - p) / p / std::sqrt(draws));
  }
  double x = 1e-16;
  while (x < 1) {
    CHECK(portable_log(x) == Approx(std::log(x)).epsilon(1e-13));
    x *= 1.37;
  }
  CHECK(portable_log(1.0) == 0.0);
}

TEST_CASE("a certain arrival takes no draw, any other takes one draw") {
  const CounterRandom same(5, 6);
  for (const double p : {1.0, 0.999}) {
    CounterRandom random(5, 6);
    const std::uint64_t gap = GeometricGap(p).draw(random);
    CHECK(gap >= 1);
    CHECK((gap == 1 || p < 1.0));
    CHECK(random.next() == same.bits(p < 1.0 ? 1 : 0));
  }
}

TEST_CASE("gaps of the smallest probabilities are long, and whole numbers") {
  CounterRandom random(5, 7);
  for (const double p : {1e-16, 5e-17, 1e-18, 1e-30, 1e-308, 5e-324}) {
    const GeometricGap gap(p);
    const int draws = 1000;
    int above = 0;
    for (int i = 0; i < draws; ++i) {
      const auto value = gap.draw(random);
      REQUIRE(value >= 1);
      REQUIRE(value <= GeometricGap::longest);
      above += static_cast<double>(value) > std::min(0.69 / p, 0.9 * GeometricGap::longest) ? 1 : 0;
    }
    CHECK(above > draws / 2 - 80);  // the median is ln 2 / p
  }
}

TEST_CASE("times are rounded up to whole cycles") {
  const ClockPeriod period(12500);
  CHECK(period.cycles_from_ns(160) == 13);
  CHECK(period.cycles_from_ns(410) == 33);
  CHECK(period.cycles_from_ns(100) == 8);
  CHECK(period.cycles_from_ns(12.5) == 1);
  CHECK(period.cycles_from_ns(12.499) == 1);
  CHECK(period.cycles_from_ns(12.501) == 2);
  CHECK(period.cycles_from_ns(0) == 0);
  CHECK(period.ns(10) == 125.0);
}
