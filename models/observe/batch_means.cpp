#include "tsuji/observe/batch_means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tsuji/core/error.h"

namespace tsuji::observe {

double student_t95(unsigned degrees_of_freedom) {
  static constexpr std::array<double, 30> table = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  if (degrees_of_freedom == 0) throw ModelError("measurement", "no t for no degree of freedom");
  if (degrees_of_freedom >= 120) return 1.980;
  if (degrees_of_freedom >= 60) return 2.000;
  if (degrees_of_freedom >= 40) return 2.021;
  return table[degrees_of_freedom < 30 ? degrees_of_freedom - 1 : 29];
}

double lag1_correlation(const std::vector<double>& values) {
  double mean = 0, squares = 0, products = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += (values[i] - mean) * (values[i] - mean);
    if (i > 0) products += (values[i] - mean) * (values[i - 1] - mean);
  }
  return squares > 0 ? products / squares : 0;
}

double integrated_autocorrelation(const std::vector<double>& deviations) {
  const std::size_t count = deviations.size();
  const auto covariance = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t i = lag; i < count; ++i) sum += deviations[i] * deviations[i - lag];
    return sum;
  };
  const double variance = covariance(0);
  if (!(variance > 0)) return 1;
  // Geyer: sums of two neighbouring lags fall steadily and stay positive; where they do not, noise begins.
  double time = -1, before = std::numeric_limits<double>::infinity();
  for (std::size_t lag = 0; lag + 1 < count / 2; lag += 2) {
    const double pair = std::min(before, (covariance(lag) + covariance(lag + 1)) / variance);
    if (pair <= 0) break;
    time += 2 * pair;
    before = pair;
  }
  return std::max(time, 1.0);
}

namespace {

constexpr double correlation_times_a_batch = 3;
constexpr unsigned least_batches = 5, packets_a_batch = 10;

/// Equal runs of cells summed.
std::vector<double> in_batches(const std::vector<double>& cells, unsigned batches) {
  std::vector<double> sums(batches, 0.0);
  for (std::size_t i = 0; i < cells.size(); ++i) sums[i * batches / cells.size()] += cells[i];
  return sums;
}

bool all_have_packets(const std::vector<SeriesCell>& cells, unsigned batches) {
  std::vector<std::uint64_t> packets(batches, 0);
  for (std::size_t i = 0; i < cells.size(); ++i) packets[i * batches / cells.size()] += cells[i].packets;
  return std::find(packets.begin(), packets.end(), 0U) == packets.end();
}

/// Willink's transformation of Student's t for a mean of skewed values, the longer one of its two sides and
/// never shorter than without.
double skewed_t95(const std::vector<double>& deviations) {
  const auto count = static_cast<double>(deviations.size());
  const double t = student_t95(static_cast<unsigned>(deviations.size()) - 1);
  double squares = 0, cubes = 0;
  for (const double value : deviations) {
    squares += value * value;
    cubes += value * value * value;
  }
  if (!(squares > 0)) return t;
  const double skewness = cubes / count / std::pow(squares / count, 1.5);
  const double beta = std::abs(skewness) / (6 * std::sqrt(count));
  if (beta < 1e-9) return t;
  const auto side = [beta](double q) {
    return std::abs(std::cbrt(1 + 6 * beta * (q - beta)) - 1) / (2 * beta);
  };
  return std::max({t, side(t), side(-t)});
}

double half_width(const std::vector<double>& batches, double packets) {
  const auto count = static_cast<double>(batches.size());
  double squares = 0;
  for (const double value : batches) squares += value * value;
  const double left = std::max(0.0, lag1_correlation(batches));
  const double variance = count / (count - 1) * squares / (packets * packets) * (1 + left) / (1 - left);
  return skewed_t95(batches) * std::sqrt(variance);
}

}  // namespace

double queueing_correlation_cycles(double mean_wait_cycles, double service_cycles) {
  return 8 * mean_wait_cycles * mean_wait_cycles / service_cycles;
}

BatchConfidence batch_confidence(const std::vector<SeriesCell>& cells, unsigned most_batches,
                                 double least_correlation_cells) {
  BatchConfidence result;
  std::uint64_t packets = 0, sum = 0;
  for (const SeriesCell& cell : cells) {
    packets += cell.packets;
    sum += cell.sum;
  }
  if (packets / packets_a_batch < least_batches) return result;
  // The mean is a ratio of two sums, and this is how far each cell pulls it.
  const double mean = static_cast<double>(sum) / static_cast<double>(packets);
  std::vector<double> deviations;
  deviations.reserve(cells.size());
  for (const SeriesCell& cell : cells)
    deviations.push_back(static_cast<double>(cell.sum) - mean * static_cast<double>(cell.packets));
  result.correlation_cells = std::max(integrated_autocorrelation(deviations), least_correlation_cells);
  const double fit =
      static_cast<double>(cells.size()) / (correlation_times_a_batch * result.correlation_cells);
  result.verdict = BatchConfidence::Verdict::dependent;
  if (fit < least_batches) return result;
  const auto most = static_cast<double>(std::min<std::uint64_t>(most_batches, packets / packets_a_batch));
  const auto batches = std::max(least_batches, static_cast<unsigned>(std::min(fit, most)));
  result.verdict = BatchConfidence::Verdict::few_packets;
  if (!all_have_packets(cells, batches)) return result;
  result.verdict = BatchConfidence::Verdict::independent;
  result.batches = batches;
  result.half_width = half_width(in_batches(deviations, batches), static_cast<double>(packets));
  return result;
}

}  // namespace tsuji::observe
