#pragma once

#include <cstddef>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/batch_means.h"

namespace tsuji::observe {

/// MSER-5 over the means of a series' cells: batches of five cells, and the number of batches to leave out at
/// the beginning so that the mean of the rest is known best, its variance over its length being least (White,
/// Cobb, Spratt, Winter Simulation Conference 2000). A cell without packets is no observation. The last five
/// batches are never all that is left. Two numbers: what to leave out, of how many.
struct MserCut {
  std::size_t cut = 0, batches = 0;
};
MserCut mser5(const std::vector<SeriesCell>& cells);

/// Watches the latencies of packets as they arrive, in cells of equal time, until the network is in its
/// steady state: the MSER-5 cut lies in the first half of all that was seen. No result depends on the order
/// of calls within a cycle. Memory is bounded: cells become longer.
class WarmupWatch {
 public:
  explicit WarmupWatch(Cycle first_check = 1000) : next_check_(first_check) {}

  /// A packet has arrived; not before the cycles that earlier calls of stationary() looked at.
  void arrived(Cycle tail, Cycle latency) {
    while (tail / cell_cycles_ >= most_cells) lengthen_cells();
    const std::size_t at = tail / cell_cycles_;
    if (at >= cells_.size()) cells_.resize(at + 1);
    ++cells_[at].packets;
    cells_[at].sum += latency;
  }
  /// The cycle in which stationary() is to be asked next.
  Cycle next_check() const { return next_check_; }
  /// Whether all cycles before `now` say that the steady state is reached; sets the next check later.
  bool stationary(Cycle now);

 private:
  static constexpr std::size_t most_cells = 4000;
  void lengthen_cells();

  Cycle cell_cycles_ = 10;
  std::vector<SeriesCell> cells_;
  Cycle next_check_;
};

}  // namespace tsuji::observe
