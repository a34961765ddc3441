// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::observe {

/// Counts of a network up to a cycle.
struct IntervalTotals {
  std::uint64_t born = 0,                 ///< Packets born.
      under_way = 0;                      ///< Packets that have not ended.
  std::vector<std::uint64_t> link_flits;  ///< Flits of each direction of each link.
};

/// Counts of each interval of a run: births, deliveries, latencies, flits of each link. A series
/// without a given length of intervals doubles it, and joins neighbouring intervals, before they become too
/// many for its memory.
///
/// Contract: delivered() during a cycle; pass() between cycles, no later than when the cycles
/// before next_stop() have run; finish() once at the end, then the results.
class IntervalSeries {
 public:
  /// Interval of the run.
  struct Row {
    Cycle first = 0,                       ///< First cycle.
        cycles = 0;                        ///< Length; the last interval may be shorter.
    std::uint64_t born = 0,                ///< Packets born.
        delivered = 0, flits = 0,          ///< Packets delivered, and their flits.
        latency_sum = 0, latency_max = 0,  ///< Latencies of these packets.
        under_way = 0;                     ///< Packets that have not ended when it ends.
  };
  /// Reads the counts of the network.
  using Read = std::function<void(IntervalTotals&)>;

  /// `interval_cycles` 0: chosen by the series. `links`: number of directions of links.
  IntervalSeries(Cycle interval_cycles, std::size_t links);

  /// Counts a packet that arrives in the present interval.
  void delivered(Cycle latency, unsigned flits);
  /// Cycle before which pass() must be called.
  Cycle next_stop() const { return begin_ + interval_; }
  /// All cycles before `now` have run, and in those since the last call or stop at most one interval has
  /// events. Throws ConfigError (observe.interval_cycles) if a given length takes too much memory.
  void pass(Cycle now, const Read& read);
  /// The run has ended with the cycles before `now`.
  void finish(Cycle now, const Read& read);

  /// Intervals in the order of time.
  const std::vector<Row>& rows() const { return rows_; }
  /// Flits of a direction of a link in an interval.
  std::uint32_t flits(std::size_t row, std::size_t link) const { return link_flits_[row * links_ + link]; }

 private:
  void close(Cycle end, const IntervalTotals& totals);
  void join_pairs();

  const bool chosen_;  ///< the series chooses the length
  const std::size_t links_, most_rows_;
  Cycle interval_, begin_ = 0;
  Row present_;
  IntervalTotals before_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> link_flits_;  ///< [row][link]
};

}  // namespace tsuji::observe
