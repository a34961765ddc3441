// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/batch_means.h"

#include <cmath>
#include <functional>

#include "support/catch.h"
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

/// Waits of customers at one server with exponential times (Lindley), in hundredths of a service time, in
/// equal parts of time: slow to decorrelate, skewed, and in cells of different size. The mean is 100 rho / (1
/// - rho).
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
  double width = 0;  ///< mean half width relative to the runs' scatter around the truth
  double share() const { return covers / static_cast<double>(given); }
};

/// `services_a_cell`: for a queue's waits, in hundredths of a service.
Coverage coverage(double truth, unsigned runs,
                  const std::function<std::vector<SeriesCell>(std::uint64_t)>& series,
                  double services_a_cell = 0) {
  Coverage result;
  double squares = 0, widths = 0;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    const std::vector<SeriesCell> cells = series(seed);
    double packets = 0, sum = 0;
    for (const SeriesCell& cell : cells) {
      packets += static_cast<double>(cell.packets);
      sum += static_cast<double>(cell.sum);
    }
    const double mean = sum / packets;
    squares += (mean - truth) * (mean - truth);
    QueueMemory queue;
    // Exponential services have a mean square of 2.
    if (services_a_cell > 0) queue = {queueing_correlation_cycles(mean / 100, 2) / services_a_cell, mean};
    const BatchConfidence confidence = batch_confidence(cells, 20, queue);
    if (confidence.verdict != BatchConfidence::Verdict::independent) continue;
    ++result.given;
    widths += confidence.half_width;
    result.covers += std::abs(mean - truth) <= confidence.half_width;
  }
  result.width = widths / result.given / (1.96 * std::sqrt(squares / runs));
  return result;
}

}  // namespace

namespace {

/// Probability that Student's t with `degrees` degrees of freedom is within +- t, by Simpson's rule.
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

TEST_CASE("the correlation of neighbours follows its definition") {
  // Deviations from the mean 2.5 are -1.5, 1.5, -0.5, 0.5: products -2.25, -0.75, -0.25 over squares 5.
  CHECK(lag1_correlation({1, 4, 2, 3}) == Approx(-3.25 / 5));
  CHECK(lag1_correlation({7, 7, 7}) == 0);
  CHECK(lag1_correlation({1, 1, 1, 5, 5, 5}) == Approx(0.5));
}

namespace {

/// Cells of ten packets each, whose sums differ from 1000 by `offsets`.
std::vector<SeriesCell> cells_around(const std::vector<int>& offsets) {
  std::vector<SeriesCell> cells;
  for (const int offset : offsets) cells.push_back({10, 1000 + static_cast<std::uint64_t>(offset)});
  return cells;
}

double products_of_neighbours(const std::vector<double>& values) {
  double products = 0;
  for (std::size_t i = 1; i < values.size(); ++i) products += values[i] * values[i - 1];
  return products;
}

double squares_of(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return squares;
}

/// The half width of rooms/observe.md, Estimators, for cells of ten packets.
double by_the_books(const std::vector<double>& cells, unsigned count, double queue_cells, double wait) {
  const auto n = static_cast<double>(cells.size()), k = static_cast<double>(count);
  const double packets = 10 * n;
  std::vector<double> batches(count);
  for (std::size_t c = 0; c < cells.size(); ++c) batches[c * count / cells.size()] += cells[c];
  const double left =
      std::min(0.8, std::max(0.0, products_of_neighbours(batches) / squares_of(batches) + 1.5 / k));
  const double measured = k / (k - 1) * squares_of(batches) * (1 + left) / (1 - left);
  const double share = std::max(0.0, products_of_neighbours(cells) / squares_of(cells));
  const double memory = std::min(0.4 * queue_cells, n / 2);
  const double queued = share * memory / (1 - memory / n) * squares_of(cells);
  const double expected = std::max(squares_of(cells), (1 - share) * squares_of(cells) + queued);
  const double t = student_t95(count - 1) / packets;
  const double width = t * std::sqrt(std::max(measured, expected));
  return wait > 0 ? width * std::pow(1 + t * std::sqrt(queued) / wait, 3) : width;
}

}  // namespace

TEST_CASE(
    "the half width equals the published formula, for cells that correlate or not, with a queue and "
    "without") {
  CounterRandom random(9, 9);
  unsigned expected_wins = 0, given = 0;
  for (unsigned round = 0; round < 300; ++round) {
    std::vector<int> offsets;
    int sum = 0, last = 0;
    for (unsigned c = 0; c < 200; ++c) {
      const int draw = static_cast<int>(random.below(21)) - 10;
      last = draw + (round % 3 == 0 ? last / 2 : 0);
      offsets.push_back(last);
      sum += offsets.back();
    }
    // Their mean is 1000.
    for (std::size_t c = 0; sum != 0; c = (c + 7) % offsets.size(), sum += sum > 0 ? -1 : 1)
      offsets[c] += sum > 0 ? -1 : 1;
    const double queue_cells = round % 2 == 0 ? 0 : 1 + static_cast<double>(random.below(60));
    const double wait = round % 4 == 1 ? 0 : 5;
    const BatchConfidence found = batch_confidence(cells_around(offsets), 14, {queue_cells, wait});
    if (found.verdict != BatchConfidence::Verdict::independent) continue;
    ++given;
    const std::vector<double> cells(offsets.begin(), offsets.end());
    CAPTURE(round, found.batches, queue_cells);
    CHECK(found.half_width == Approx(by_the_books(cells, found.batches, queue_cells, wait)));
    expected_wins +=
        found.half_width > batch_confidence(cells_around(offsets), found.batches).half_width * 1.0001;
  }
  CHECK(given > 250);
  CHECK(expected_wins > 30);
}

TEST_CASE(
    "batches: one correlation time each, ten packets, ten to the configured number, and five of few "
    "packets") {
  const auto cells = [](std::size_t count, std::uint64_t packets) {
    std::vector<SeriesCell> made(count);
    for (std::size_t c = 0; c < count; ++c) {
      made[c].packets = packets;
      made[c].sum = packets * (100 + c % 2);
    }
    return made;
  };
  using Verdict = BatchConfidence::Verdict;
  // The number of batches with ten packets.
  CHECK(batch_confidence(cells(49, 1), 20).verdict == Verdict::few_packets);
  CHECK(batch_confidence(cells(49, 1), 20).correlation_cells == 0);
  CHECK(batch_confidence(cells(49, 1), 20).batches == 0);
  CHECK(batch_confidence(cells(50, 1), 20).batches == 5);
  CHECK(batch_confidence(cells(79, 1), 20).batches == 7);
  CHECK(batch_confidence(cells(80, 1), 20).batches == 8);
  CHECK(batch_confidence(cells(200, 10), 20).batches == 20);
  // A batch without packets gives no estimate.
  std::vector<SeriesCell> hole = cells(100, 10);
  for (std::size_t c = 40; c < 60; ++c) hole[c] = {};
  CHECK(batch_confidence(hole, 5).verdict == Verdict::few_packets);
  CHECK(queueing_correlation_cycles(6, 4) == 72);
  // Blocks of n equal cells: the correlation time is about n, and the number of batches falls with it down to
  // ten.
  const auto blocks = [](unsigned length, unsigned count) {
    CounterRandom random(4, length);
    std::vector<int> offsets;
    for (unsigned block = 0; block < count; ++block)
      offsets.insert(offsets.end(), length, static_cast<int>(random.below(201)) - 100);
    return batch_confidence(cells_around(offsets), 20);
  };
  for (const unsigned length : {20U, 50U, 70U, 100U, 300U}) {
    const BatchConfidence found = blocks(length, 1000 / length);
    const double fit = length * (1000 / length) / found.correlation_cells;
    CAPTURE(length, fit);
    CHECK((found.verdict == Verdict::independent) == (fit >= 5));
    if (fit >= 5) CHECK(found.batches == std::min(20U, std::max(10U, static_cast<unsigned>(fit))));
  }
  CHECK(blocks(20, 50).batches == 20);
  CHECK(blocks(300, 3).verdict == Verdict::dependent);
}

TEST_CASE("the autocorrelation time equals that of the process") {
  // For an AR(1) process it is (1 + a) / (1 - a).
  for (const double a : {0.0, 0.5, 0.9}) {
    double mean = 0;
    constexpr unsigned runs = 50;
    for (std::uint64_t seed = 1; seed <= runs; ++seed)
      mean += batch_confidence(autoregressive(a, 4000, 1, seed), 20).correlation_cells / runs;
    CAPTURE(a);
    CHECK(mean == Approx((1 + a) / (1 - a)).epsilon(0.1));
  }
  CHECK(integrated_autocorrelation({0, 0, 0, 0}) == 1);
  CHECK(integrated_autocorrelation({1, -1, 1, -1, 1, -1, 1, -1}) == 1);  // never below 1
}

TEST_CASE("intervals cover the mean at their stated rate and are not too wide, for any correlation time") {
  // Correlation times of 1, 19 and 39 cells of 1,000.
  for (const double a : {0.0, 0.9, 0.95}) {
    const Coverage found =
        coverage(1000, 1000, [&](std::uint64_t seed) { return autoregressive(a, 1000, 1, seed); });
    CAPTURE(a, found.share(), found.width);
    CHECK(found.given >= 950);
    CHECK(found.share() > 0.93);
    CHECK(found.width < 1.25);
  }
}

TEST_CASE("a queue's skewed waits are covered, too, and the model's correlation compensates for short runs") {
  // At 80 % load a wait is correlated for about 100 services; the run has 8,000.
  const auto waits = [](std::uint64_t seed) { return single_server(0.8, 1000, 8, seed); };
  const Coverage found = coverage(100 * 0.8 / 0.2, 500, waits, 8);
  CAPTURE(found.share(), found.width);
  CHECK(found.given >= 475);
  CHECK(found.share() > 0.94);
  CHECK(found.width < 1.5);
  // 20 correlation times: measured alone, the variance is too small if the wait happens to be short.
  const auto few = [](std::uint64_t seed) { return single_server(0.9, 1000, 8, seed); };
  const Coverage measured = coverage(100 * 0.9 / 0.1, 500, few),
                 expected = coverage(100 * 0.9 / 0.1, 500, few, 8);
  CAPTURE(measured.share(), expected.share(), measured.width, expected.width);
  CHECK(measured.share() < 0.86);
  CHECK(expected.share() > 0.92);
}

TEST_CASE("a run that is short against its own correlation gets no interval") {
  std::vector<SeriesCell> rising(1000);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = {5, 5 * (100 + i)};
  const BatchConfidence none = batch_confidence(rising, 20);
  CHECK(none.verdict == BatchConfidence::Verdict::dependent);
  CHECK(none.correlation_cells > 1000.0 / 5);
}

TEST_CASE("a known correlation that is longer than the measured one is used") {
  const std::vector<SeriesCell> quiet = autoregressive(0.9, 1000, 1, 3);
  const BatchConfidence alone = batch_confidence(quiet, 20);
  // Nine tenths of the variance are correlated, for 0.4 x 100 cells and 0.4 x 800.
  CHECK(batch_confidence(quiet, 20, {100, 0}).correlation_cells ==
        Approx(0.1 + 0.9 * 40 / 0.96).epsilon(0.05));
  CHECK(batch_confidence(quiet, 20, {100, 0}).half_width > 1.1 * alone.half_width);
  CHECK(batch_confidence(quiet, 20, {800, 0}).verdict == BatchConfidence::Verdict::dependent);
  CHECK(batch_confidence(quiet, 20, {800, 0}).correlation_cells ==
        Approx(0.1 + 0.9 * 320 / 0.68).epsilon(0.05));
  // Never more than half of the run; and without a correlation of neighbours there is none to extend.
  CHECK(batch_confidence(quiet, 20, {1e9, 0}).correlation_cells ==
        Approx(0.1 + 0.9 * 500 / 0.5).epsilon(0.05));
  const std::vector<SeriesCell> unequal = autoregressive(0, 1000, 1, 3);
  CHECK(batch_confidence(unequal, 20, {60, 0}).verdict == BatchConfidence::Verdict::independent);
  CHECK(batch_confidence(unequal, 20, {60, 0}).batches == 20);
  // A wait with a large uncertainty: the interval's upper end varies more.
  CHECK(batch_confidence(quiet, 20, {100, 100}).half_width >
        1.1 * batch_confidence(quiet, 20, {100, 0}).half_width);
  CHECK(batch_confidence(quiet, 20, {100, 1e9}).half_width ==
        Approx(batch_confidence(quiet, 20, {100, 0}).half_width));
  // M/M/1 with services of 1: the time tends to 4 rho / (1 - rho)^2 services, W to 1 / (1 - rho). The formula
  // takes the variance of one service, so it is twice that for exponential ones, which is conservative.
  CHECK(queueing_correlation_cycles(10, 1) == 800);
  CHECK(queueing_correlation_cycles(10, 4) == 200);
}

TEST_CASE("batches are no more than configured, and have packets") {
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

TEST_CASE("equal values are known exactly") {
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
