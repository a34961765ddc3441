// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/batch_means.h"
#include "tsuji/observe/source_backlog.h"
#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Growth of a series from the first to the last of 16 equal batches, against the noise of a random walk
/// whose steps are the differences of neighbouring batches.
struct SeriesGrowth {
  bool known = false;  ///< each batch has packets
  double share = 0;    ///< growth over the mean
  double growth = 0;   ///< over the standard deviation of its noise
  double limit = 0;    ///< `growth` above it is chance in one run of a thousand
  bool grows() const { return known && growth > limit; }
};
SeriesGrowth series_growth(const std::vector<SeriesCell>& cells);

/// Verdict on a run under load: whether the network carries what it is offered for as long as one likes.
/// rooms/observe.md, Stability, has the criteria.
struct Stability {
  enum class Verdict { stable, saturated, undecided };
  Verdict verdict = Verdict::undecided;
  /// Criterion that fails, or that is not shown; empty where the run is stable.
  const char* reason = "";
  BacklogVerdict backlog;
  SeriesGrowth latency;
  double over_zero_load = 0;     ///< mean latency over the least one for the same hops; 0: not known
  Cycle needs_cycles = 0;        ///< undecided: about the length of an interval that decides
  bool one_destination = false;  ///< each source sends to one destination alone
  NodeId worst_destination = 0;  ///< then of the worst source

  /// Sets verdict, reason and needs_cycles after the criteria. `misses_packets`: measured packets have not
  /// ended.
  void decide(bool misses_packets, Cycle interval_cycles);
  bool saturated() const { return verdict == Verdict::saturated; }
  const char* word() const;
  void add_to(Results& results) const;
};

}  // namespace tsuji::observe
