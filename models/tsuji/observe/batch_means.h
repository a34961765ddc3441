// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::observe {

/// Cell of a series: the packets of a short part of a run, and the sum of their values.
struct SeriesCell {
  std::uint64_t packets = 0, sum = 0;
};

/// Confidence interval of the mean of packets' values that depend on each other.
struct BatchConfidence {
  /// Reason why an interval exists or not.
  enum class Verdict {
    independent,  ///< the batches are independent; the interval exists
    dependent,    ///< the run is shorter than five correlation times
    few_packets   ///< fewer than five batches of ten packets, or a batch without packets
  };
  Verdict verdict = Verdict::few_packets;
  double half_width = 0;         ///< half width of the 95 % interval; independent only
  unsigned batches = 0;          ///< number of batches for the interval; independent only
  double correlation_cells = 0;  ///< correlation time in cells; 0 for too few packets
};

/// Correlation time of a queue, computed from its mean wait.
struct QueueMemory {
  double memory_cells = 0;  ///< queueing_correlation_cycles(), in cells
  double mean_wait = 0;     ///< mean wait, in the unit of the values
};

/// Confidence interval by batch means, with ten to `most_batches` equal batches. `cells` are equal parts of
/// the run. If ten batches fit, each is at least one correlation time long; the remaining correlation between
/// batches is corrected.
///
/// The correlation time is the larger of two: the integrated autocorrelation of the cells (initial monotone
/// sequence), and that of a correlation which begins with that of neighbouring cells and decays over
/// `queue.memory_cells`. The variance of the mean is at least that of the latter. The interval uses Student's
/// t and has on both sides the width of its upper side, because longer waits vary more. Sources:
/// rooms/observe.md, Estimators.
BatchConfidence batch_confidence(const std::vector<SeriesCell>& cells, unsigned most_batches,
                                 const QueueMemory& queue = {});

/// Correlation time in cycles of the wait in a queue near saturation: the integrated autocorrelation time of
/// reflected Brownian motion, 8 W^2 / s, for a mean wait of W cycles and packets that occupy a link for s
/// cycles (mean square over mean, as seen at a random moment).
double queueing_correlation_cycles(double mean_wait_cycles, double service_cycles);

/// Autocorrelation of `values` at lag 1.
double lag1_correlation(const std::vector<double>& values);

/// Integrated autocorrelation time of a series with mean 0: sum of the autocorrelation over all lags, at
/// least
/// 1. The mean of n values has the variance of n / (this time) independent values.
double integrated_autocorrelation(const std::vector<double>& deviations);

/// Two-sided 95 % quantile of Student's t. Above 30 degrees of freedom the value of the next smaller row of
/// the table, which is slightly too large.
double student_t95(unsigned degrees_of_freedom);

}  // namespace tsuji::observe
