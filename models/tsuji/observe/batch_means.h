// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace tsuji::observe {

/// A short part of a run: packets and the sum of their values.
struct SeriesCell {
  std::uint64_t packets = 0, sum = 0;
};

/// Confidence in the mean value of a packet, whose values depend on each other.
struct BatchConfidence {
  enum class Verdict {
    independent,  ///< the interval is given
    dependent,    ///< the run is shorter than five correlation times
    few_packets   ///< fewer than five batches of ten packets, or one without any
  };
  Verdict verdict = Verdict::few_packets;
  double half_width = 0;         ///< of the 95 % interval around the mean; independent only
  unsigned batches = 0;          ///< behind the interval; independent only
  double correlation_cells = 0;  ///< correlation time; 0 where there are too few packets
};

/// Memory of a queue, which follows from its mean wait.
struct QueueMemory {
  double memory_cells = 0;  ///< queueing_correlation_cycles(), in cells
  double mean_wait = 0;     ///< in the unit of the values
};

/// Batch means of ten to `most_batches` equal batches, each at least as long as the series' correlation time
/// where that many fit, corrected for the correlation that is left between them. The correlation time is the
/// integrated autocorrelation of the cells (initial monotone sequence), or what the correlation of
/// neighbouring cells comes to if it lasts as long as `queue` says, where that is longer; the variance of the
/// mean is never less than of such a correlation. The interval is Student's, as wide as at its upper end:
/// longer waits vary more. rooms/observe.md has the sources. Cells are equal parts of the run.
BatchConfidence batch_confidence(const std::vector<SeriesCell>& cells, unsigned most_batches,
                                 const QueueMemory& queue = {});

/// Time in cycles over which waiting in a queue is remembered near saturation: the integrated autocorrelation
/// time of reflected Brownian motion, 8 W^2 / s, for a mean wait of W cycles and packets that take s cycles
/// of a link (mean square over mean, so that a random moment sees it).
double queueing_correlation_cycles(double mean_wait_cycles, double service_cycles);

/// Correlation of neighbouring values.
double lag1_correlation(const std::vector<double>& values);

/// Sum over all lags of the autocorrelation of a series whose mean is 0: n values of it tell as much as n /
/// this many independent ones. At least 1.
double integrated_autocorrelation(const std::vector<double>& deviations);

/// Two-sided 95 % quantile of Student's t. Beyond 30 degrees of freedom that of the next smaller table row,
/// which is a little too large.
double student_t95(unsigned degrees_of_freedom);

}  // namespace tsuji::observe
