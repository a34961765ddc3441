// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/batch_means.h"
#include "tsuji/observe/source_backlog.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Growth of a series from the first to the last of 16 equal batches, compared with the noise of a random
/// walk whose steps are the differences of neighbouring batches.
struct SeriesGrowth {
  bool known = false;  ///< each batch has packets
  double share = 0;    ///< growth divided by the mean
  double growth = 0;   ///< growth divided by the standard deviation of its noise
  double limit = 0;    ///< significance threshold of `growth`, exceeded by chance in one run of 1,000
  /// True if the growth is significant.
  bool grows() const { return known && growth > limit; }
};
/// Growth of the mean value of packets over the cells, which are equal parts of the run.
SeriesGrowth series_growth(const std::vector<SeriesCell>& cells);

/// Verdict on a run under load: whether the network accepts the offered load indefinitely. Criteria:
/// topics/measurement.md, Stability.
struct Stability {
  /// Word of the verdict.
  enum class Verdict { stable, saturated, undecided };
  Verdict verdict = Verdict::undecided;  ///< verdict on this run
  /// Criterion that fails, or that is not shown; empty for a stable run.
  const char* reason = "";
  BacklogVerdict backlog;        ///< verdict on the sources' backlogs
  SeriesGrowth latency;          ///< growth of the latency
  double over_zero_load = 0;     ///< mean latency divided by the least latency for equal hops; 0: unknown
  Cycle needs_cycles = 0;        ///< undecided: estimated length of an interval that decides
  bool one_destination = false;  ///< each source sends to a single destination
  NodeId worst_destination = 0;  ///< with one_destination: destination of the worst source

  /// Sets verdict, reason and needs_cycles from the criteria. `misses_packets`: measured packets have not
  /// ended.
  void decide(bool misses_packets, Cycle interval_cycles);
  bool saturated() const { return verdict == Verdict::saturated; }
  /// Word for reports: "stable", "saturated" or "undecided".
  const char* word() const;
  /// Adds the verdict and its criteria as metrics.
  void add_to(Results& results) const;
};

}  // namespace tsuji::observe
