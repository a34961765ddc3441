// SPDX-License-Identifier: Apache-2.0
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
  if (degrees_of_freedom == 0)
    throw ModelError("measurement", "Student's t needs at least one degree of freedom");
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

/// Fewer correlation times than these, and the run does not know its own mean.
constexpr double least_correlation_times = 5;
constexpr unsigned least_batches = 5, least_long_batches = 10, packets_a_batch = 10;
/// Largest correlation of neighbouring batches that is allowed for.
constexpr double most_correlation = 0.8;
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

/// Variance of the sum of correlated cells, over that of cells that remember nothing.
struct Expected {
  double variance = 1;
  double of_queue = 0;  ///< the part of it that a queue remembers
};

/// Memory of the waits in a network over that of a queue in heavy traffic. Measured: a third to two thirds
/// up to 90 % of the capacity, more above.
constexpr double network_memory = 0.4;

/// `correlation` of neighbouring cells is the share of their variance that is remembered at all. It is that
/// of deviations from the run's own mean, which lack the variance of that mean.
Expected expected(double correlation, double queue_cells, std::size_t cells) {
  const double share = std::max(0.0, correlation), count = static_cast<double>(cells);
  const double memory = std::min(network_memory * queue_cells, count / 2);
  Expected result;
  result.of_queue = share * memory / (1 - memory / count);
  result.variance = std::max(1.0, 1 - share + result.of_queue);
  return result;
}

/// Variance of the sum of all batches, whose mean is 0. Batches that still correlate vary too little.
double measured_variance(const std::vector<double>& batches) {
  const auto count = static_cast<double>(batches.size());
  double squares = 0;
  for (const double value : batches) squares += value * value;
  // Correlation r of few values about their own mean is too low by (1 + 3 r) / count; r is small here.
  const double left = std::clamp(lag1_correlation(batches) + 1.5 / count, 0.0, most_correlation);
  return count / (count - 1) * squares * (1 + left) / (1 - left);
}

/// Deviation that each cell contributes to the mean, which is a ratio of two sums.
std::vector<double> deviations_from(double mean, const std::vector<SeriesCell>& cells) {
  std::vector<double> deviations;
  deviations.reserve(cells.size());
  for (const SeriesCell& cell : cells)
    deviations.push_back(static_cast<double>(cell.sum) - mean * static_cast<double>(cell.packets));
  return deviations;
}

double half_width(const std::vector<double>& deviations, unsigned batches, double packets,
                  const Expected& correlated, double mean_wait) {
  double independent = 0;
  for (const double value : deviations) independent += value * value;
  const double variance =
      std::max(measured_variance(in_batches(deviations, batches)), independent * correlated.variance);
  const double t = student_t95(batches - 1) / packets;
  const double width = t * std::sqrt(variance);
  if (!(mean_wait > 0)) return width;
  // Runs that happen to wait little vary little: as the third power of the wait or more, measured. The width
  // is that of a run at the interval's upper end.
  const double longer = 1 + t * std::sqrt(independent * correlated.of_queue) / mean_wait;
  return width * longer * longer * longer;
}

}  // namespace

double queueing_correlation_cycles(double mean_wait_cycles, double service_cycles) {
  return 8 * mean_wait_cycles * mean_wait_cycles / service_cycles;
}

BatchConfidence batch_confidence(const std::vector<SeriesCell>& cells, unsigned most_batches,
                                 const QueueMemory& queue) {
  BatchConfidence result;
  std::uint64_t packets = 0, sum = 0;
  for (const SeriesCell& cell : cells) {
    packets += cell.packets;
    sum += cell.sum;
  }
  if (packets / packets_a_batch < least_batches) return result;
  const double count = static_cast<double>(packets);
  const std::vector<double> deviations = deviations_from(static_cast<double>(sum) / count, cells);
  const Expected correlated = expected(lag1_correlation(deviations), queue.memory_cells, cells.size());
  result.correlation_cells = std::max(integrated_autocorrelation(deviations), correlated.variance);
  const double fit = static_cast<double>(cells.size()) / result.correlation_cells;
  result.verdict = BatchConfidence::Verdict::dependent;
  if (fit < least_correlation_times) return result;
  const auto most = std::max<std::uint64_t>(least_batches,
                                            std::min<std::uint64_t>(most_batches, packets / packets_a_batch));
  const auto batches = static_cast<unsigned>(
      std::min<std::uint64_t>(most, std::max(least_long_batches, static_cast<unsigned>(fit))));
  result.verdict = BatchConfidence::Verdict::few_packets;
  if (!all_have_packets(cells, batches)) return result;
  result.verdict = BatchConfidence::Verdict::independent;
  result.batches = batches;
  result.half_width = half_width(deviations, batches, count, correlated, queue.mean_wait);
  return result;
}

}  // namespace tsuji::observe
