#include "tsuji/observe/batch_means.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using namespace tsuji::observe;

namespace {

double normal(CounterRandom& random) {
  double sum = -6;
  for (unsigned i = 0; i < 12; ++i) sum += random.unit();
  return sum;
}

/// Cells of `packets` values each, of a stationary AR(1) process with mean 1000 and standard deviation 100.
std::vector<SeriesCell> autoregressive(double a, unsigned cells, unsigned packets, std::uint64_t seed) {
  CounterRandom random(seed, 0);
  double x = normal(random);
  std::vector<SeriesCell> series(cells);
  for (SeriesCell& cell : series) {
    for (unsigned i = 0; i < packets; ++i) {
      cell.sum += static_cast<std::uint64_t>(std::lround(1000 + 100 * x));
      ++cell.packets;
      x = a * x + std::sqrt(1 - a * a) * normal(random);
    }
  }
  return series;
}

/// Waits of customers at one server with exponential times (Lindley), in hundredths of a service time, by
/// equal parts of time: what is slow, skewed, and comes in cells of different size. Its mean is
/// 100 rho / (1 - rho).
std::vector<SeriesCell> single_server(double rho, unsigned cells, double cell_time, std::uint64_t seed) {
  CounterRandom random(seed, 1);
  const auto exponential = [&](double mean) { return -mean * std::log(1 - random.unit()); };
  std::vector<SeriesCell> series(cells);
  double wait = 0;
  const double warmup = 40 / ((1 - rho) * (1 - rho));
  for (double now = -warmup;;) {
    const double gap = exponential(1 / rho);
    now += gap;
    if (now >= cells * cell_time) return series;
    wait = std::max(0.0, wait + exponential(1) - gap);
    if (now < 0) continue;
    SeriesCell& cell = series[static_cast<std::size_t>(now / cell_time)];
    ++cell.packets;
    cell.sum += static_cast<std::uint64_t>(std::lround(100 * wait));
  }
}

struct Coverage {
  unsigned given = 0, covers = 0;
  double share() const { return covers / static_cast<double>(given); }
};

Coverage coverage(double truth, unsigned runs,
                  const std::function<std::vector<SeriesCell>(std::uint64_t)>& series) {
  Coverage result;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const std::vector<SeriesCell> cells = series(seed);
    const BatchConfidence confidence = batch_confidence(cells, 20);
    if (confidence.verdict != BatchConfidence::Verdict::independent) continue;
    double packets = 0, sum = 0;
    for (const SeriesCell& cell : cells) {
      packets += static_cast<double>(cell.packets);
      sum += static_cast<double>(cell.sum);
    }
    ++result.given;
    result.covers += std::abs(sum / packets - truth) <= confidence.half_width;
  }
  return result;
}

}  // namespace

namespace {

/// The probability that Student's t with this many degrees of freedom lies within +- t, by Simpson's rule.
double within(double t, unsigned degrees) {
  const double v = degrees;
  const double scale =
      std::exp(std::lgamma((v + 1) / 2) - std::lgamma(v / 2)) / std::sqrt(v * std::acos(-1.0));
  const auto density = [&](double x) { return scale * std::pow(1 + x * x / v, -(v + 1) / 2); };
  constexpr unsigned steps = 4000;
  double sum = density(0) + density(t);
  for (unsigned i = 1; i < steps; ++i) sum += (i % 2 == 0 ? 2 : 4) * density(t * i / steps);
  return 2 * sum * t / steps / 3;
}

}  // namespace

TEST_CASE(
    "t values hold 95 % of the distribution, and between those of the table the next longer one holds more") {
  for (unsigned degrees = 1; degrees <= 1200; degrees = degrees < 130 ? degrees + 1 : 3 * degrees) {
    CAPTURE(degrees);
    const double held = within(student_t95(degrees), degrees);
    CHECK(held > 0.9499);
    CHECK(held < (degrees <= 30 ? 0.9501 : 0.9525));
    if (degrees > 1) CHECK(student_t95(degrees) <= student_t95(degrees - 1));
  }
  CHECK(student_t95(29) > student_t95(30));
  CHECK(student_t95(39) > student_t95(40));
  CHECK(student_t95(59) > student_t95(60));
  CHECK(student_t95(119) > student_t95(120));
  CHECK_THROWS_AS(student_t95(0), ModelError);
}

TEST_CASE("the correlation of neighbours is that of its definition") {
  // Deviations from the mean 2.5 are -1.5, 1.5, -0.5, 0.5: products -2.25, -0.75, -0.25 over squares 5.
  CHECK(lag1_correlation({1, 4, 2, 3}) == Approx(-3.25 / 5));
  CHECK(lag1_correlation({7, 7, 7}) == 0);
  CHECK(lag1_correlation({1, 1, 1, 5, 5, 5}) == Approx(0.5));
}

namespace {

/// Twenty cells of ten packets each, whose sums lie so far from 1000; with five batches of four cells.
BatchConfidence of_cells(const std::vector<int>& offsets, unsigned most_batches) {
  std::vector<SeriesCell> cells;
  for (const int offset : offsets) {
    SeriesCell cell;
    cell.packets = 10;
    cell.sum = 1000 + static_cast<std::uint64_t>(offset);
    cells.push_back(cell);
  }
  return batch_confidence(cells, most_batches);
}

/// The half width by the books: t, made longer for skewed batches after Willink, times the standard deviation
/// of the mean of batches, made longer for batches that still correlate.
double by_the_books(const std::vector<double>& batches, double packets) {
  const auto n = static_cast<double>(batches.size());
  double squares = 0, cubes = 0, products = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    squares += batches[i] * batches[i];
    cubes += std::pow(batches[i], 3);
    if (i > 0) products += batches[i] * batches[i - 1];
  }
  const double left = std::max(0.0, products / squares);
  const double deviation = std::sqrt(squares / (n - 1) * (1 + left) / (1 - left) / n);
  double t = student_t95(static_cast<unsigned>(batches.size()) - 1);
  const double skewness = cubes / n / std::pow(squares / n, 1.5);
  if (skewness != 0) {
    const double beta = std::abs(skewness) / 6 / std::sqrt(n);
    const double longer = std::abs(std::cbrt(1 + 6 * beta * (t - beta)) - 1) / 2 / beta;
    const double other = std::abs(std::cbrt(1 + 6 * beta * (-t - beta)) - 1) / 2 / beta;
    t = std::max({t, longer, other});
  }
  return t * deviation * n / packets;
}

}  // namespace

TEST_CASE("the half width is that of the books: alone, skewed, and with batches that correlate") {
  CounterRandom random(9, 9);
  unsigned correlated = 0, skewed = 0, given = 0;
  for (unsigned round = 0; round < 300; ++round) {
    std::vector<int> offsets;
    int sum = 0, last = 0;
    for (unsigned c = 0; c < 60; ++c) {
      const int draw = static_cast<int>(random.below(21)) - 10;
      last = draw + (round % 3 == 0 ? last / 2 : 0);
      offsets.push_back(round % 3 == 1 ? last * last * last / 20 : last);
      sum += offsets.back();
    }
    // Their mean is 1000.
    for (std::size_t c = 0; sum != 0; c = (c + 7) % offsets.size(), sum += sum > 0 ? -1 : 1)
      offsets[c] += sum > 0 ? -1 : 1;
    const BatchConfidence found = of_cells(offsets, 6);
    if (found.verdict != BatchConfidence::Verdict::independent) continue;
    ++given;
    std::vector<double> batches(found.batches);
    for (std::size_t c = 0; c < 60; ++c) batches[c * found.batches / 60] += offsets[c];
    double products = 0, cubes = 0;
    for (std::size_t i = 1; i < batches.size(); ++i) products += batches[i] * batches[i - 1];
    for (const double value : batches) cubes += std::abs(std::pow(value, 3));
    correlated += products > 0;
    skewed += cubes > 0;
    CAPTURE(round, found.batches);
    CHECK(found.half_width == Approx(by_the_books(batches, 600)));
  }
  CHECK(given > 200);
  CHECK(correlated > 50);
  CHECK(skewed > 200);
}

TEST_CASE("batches: three correlation times each, ten packets, and no fewer than five") {
  const auto cells = [](std::size_t count, std::uint64_t packets) {
    std::vector<SeriesCell> made(count);
    for (std::size_t c = 0; c < count; ++c) {
      made[c].packets = packets;
      made[c].sum = packets * (100 + c % 2);
    }
    return made;
  };
  using Verdict = BatchConfidence::Verdict;
  // A given correlation time of 4 cells: 12 cells a batch.
  CHECK(batch_confidence(cells(59, 10), 20, 4).verdict == Verdict::dependent);
  CHECK(batch_confidence(cells(60, 10), 20, 4).batches == 5);
  CHECK(batch_confidence(cells(71, 10), 20, 4).batches == 5);
  CHECK(batch_confidence(cells(72, 10), 20, 4).batches == 6);
  CHECK(batch_confidence(cells(720, 10), 20, 4).batches == 20);
  CHECK(batch_confidence(cells(72, 10), 20, 4).correlation_cells == 4);
  // Without: as many as have ten packets.
  CHECK(batch_confidence(cells(49, 1), 20).verdict == Verdict::few_packets);
  CHECK(batch_confidence(cells(49, 1), 20).correlation_cells == 0);
  CHECK(batch_confidence(cells(49, 1), 20).batches == 0);
  CHECK(batch_confidence(cells(50, 1), 20).batches == 5);
  CHECK(batch_confidence(cells(79, 1), 20).batches == 7);
  CHECK(batch_confidence(cells(80, 1), 20).batches == 8);
  // A batch without packets says nothing.
  std::vector<SeriesCell> hole = cells(100, 10);
  for (std::size_t c = 40; c < 60; ++c) hole[c] = {};
  CHECK(batch_confidence(hole, 5).verdict == Verdict::few_packets);
  CHECK(queueing_correlation_cycles(6, 4) == 72);
  // Batches of 20, 0, -20, 0, 20, -20 about their mean, which are not skewed.
  std::vector<int> offsets;
  for (const int offset : {2, 0, -2, 0, 2, -2}) offsets.insert(offsets.end(), 10, offset);
  const BatchConfidence even = batch_confidence(
      [&] {
        std::vector<SeriesCell> made = cells(60, 10);
        for (std::size_t c = 0; c < 60; ++c) made[c].sum = 1000 + static_cast<std::uint64_t>(offsets[c]);
        return made;
      }(),
      6, 3);
  if (even.batches == 6) CHECK(even.half_width == Approx(by_the_books({20, 0, -20, 0, 20, -20}, 600)));
  CHECK(even.verdict != Verdict::few_packets);
}

TEST_CASE("the autocorrelation time is that of the process") {
  // Of an AR(1) process it is (1 + a) / (1 - a).
  for (const double a : {0.0, 0.5, 0.9}) {
    double mean = 0;
    constexpr unsigned runs = 50;
    for (std::uint64_t seed = 1; seed <= runs; ++seed)
      mean += batch_confidence(autoregressive(a, 4000, 1, seed), 20).correlation_cells / runs;
    CAPTURE(a);
    CHECK(mean == Approx((1 + a) / (1 - a)).epsilon(0.1));
  }
  CHECK(integrated_autocorrelation({0, 0, 0, 0}) == 1);
  CHECK(integrated_autocorrelation({1, -1, 1, -1, 1, -1, 1, -1}) == 1);  // never below
}

TEST_CASE("intervals cover the mean as often as they say, however long the values remember") {
  // Correlation times of 1, 19 and 39 cells of 1,000: 333, 17 and 8 batches of three times would fit.
  for (const double a : {0.0, 0.9, 0.95}) {
    const Coverage found =
        coverage(1000, 1000, [&](std::uint64_t seed) { return autoregressive(a, 1000, 1, seed); });
    CAPTURE(a);
    CHECK(found.given >= 950);
    CHECK(found.share() > 0.93);
    CHECK(found.share() < 0.98);
  }
}

TEST_CASE("a queue's skewed waits are covered, too") {
  // At 80 % load a wait is remembered for about 100 services; 8,000 of them are seen.
  const Coverage found =
      coverage(100 * 0.8 / 0.2, 500, [](std::uint64_t seed) { return single_server(0.8, 1000, 8, seed); });
  CHECK(found.given >= 475);
  CHECK(found.share() > 0.92);
  CHECK(found.share() < 0.98);
}

TEST_CASE("a run that is short against its own correlation gets no interval") {
  // 1,000 values with a correlation time of 399.
  const Coverage found =
      coverage(1000, 300, [](std::uint64_t seed) { return autoregressive(0.995, 1000, 1, seed); });
  CHECK(found.given < 30);
  std::vector<SeriesCell> rising(1000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = {5, 5 * (100 + i)};
  const BatchConfidence none = batch_confidence(rising, 20);
  CHECK(none.verdict == BatchConfidence::Verdict::dependent);
  CHECK(none.correlation_cells > 1000.0 / 15);
}

TEST_CASE("a correlation that is known to be longer than it looks decides") {
  const std::vector<SeriesCell> quiet = autoregressive(0, 1000, 1, 3);
  CHECK(batch_confidence(quiet, 20, 16).batches == 20);
  CHECK(batch_confidence(quiet, 20, 40).batches == 8);
  CHECK(batch_confidence(quiet, 20, 66).batches == 5);
  CHECK(batch_confidence(quiet, 20, 66).correlation_cells == 66);
  CHECK(batch_confidence(quiet, 20, 67).verdict == BatchConfidence::Verdict::dependent);
  // M/M/1 with services of 1: the time tends to 4 rho / (1 - rho)^2 services, W to 1 / (1 - rho); the formula
  // takes the variance of one service, so it is twice that for exponential ones: on the safe side.
  CHECK(queueing_correlation_cycles(10, 1) == 800);
  CHECK(queueing_correlation_cycles(10, 4) == 200);
}

TEST_CASE("batches are no more than asked for, and have packets") {
  CHECK(batch_confidence(autoregressive(0, 1000, 1, 3), 20).batches == 20);
  CHECK(batch_confidence(autoregressive(0, 1000, 1, 3), 7).batches == 7);
  CHECK(batch_confidence(autoregressive(0, 1000, 1, 3), 2).batches == 5);
  std::vector<SeriesCell> few(1000);
  for (std::size_t i = 0; i < 49; ++i) few[i * 20] = {1, 100 + i % 3};
  CHECK(batch_confidence(few, 20).verdict == BatchConfidence::Verdict::few_packets);
  std::vector<SeriesCell> more(1000);
  for (std::size_t i = 0; i < 79; ++i) more[i * 12] = {1, 100 + (i * 7) % 5};
  CHECK(batch_confidence(more, 20).batches == 7);
  std::vector<SeriesCell> gap = autoregressive(0, 1000, 1, 3);
  for (std::size_t i = 300; i < 420; ++i) gap[i] = {};
  CHECK(batch_confidence(gap, 20).verdict == BatchConfidence::Verdict::few_packets);
}

TEST_CASE("values that are all alike are known exactly") {
  const std::vector<SeriesCell> alike(1000, SeriesCell{3, 36});
  const BatchConfidence confidence = batch_confidence(alike, 20);
  CHECK(confidence.verdict == BatchConfidence::Verdict::independent);
  CHECK(confidence.half_width == 0);
}

TEST_CASE("the correlation of neighbours") {
  CHECK(lag1_correlation({8, 21}) == Approx(-0.5));
  CHECK(lag1_correlation({1, 2, 3, 4}) == Approx(0.25));
  CHECK(lag1_correlation({5, 5, 5}) == 0);
}

TEST_CASE("the t table") {
  CHECK(student_t95(1) == 12.706);
  CHECK(student_t95(19) == 2.093);
  CHECK(student_t95(30) == 2.042);
  for (unsigned n = 1; n < 200; ++n) {
    CHECK(student_t95(n) >= student_t95(n + 1));
    CHECK(student_t95(n) > 1.96);
  }
  CHECK_THROWS_AS(student_t95(0), ModelError);
}
