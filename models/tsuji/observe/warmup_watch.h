// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tsuji/core/packet.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/batch_means.h"
#include "tsuji/observe/hop_latencies.h"

namespace tsuji::observe {

/// MSER-5 over the means of a series' cells: batches of five cells, and the number of batches to leave out at
/// the beginning so that the mean of the rest is known best, its variance over its length being least (White,
/// Cobb, Spratt, Winter Simulation Conference 2000). A cell without packets is no observation. The last five
/// batches are never all that is left. Two numbers: what to leave out, of how many.
struct MserCut {
  std::size_t cut = 0, batches = 0;
};
MserCut mser5(const std::vector<SeriesCell>& cells);

/// Backlog of each source, the packets that it has offered and that have not ended, since cycle 0:
/// numbers and sums in equal parts of time, which become longer. Integers, which no order of calls changes.
class BacklogHistory {
 public:
  explicit BacklogHistory(unsigned sources) : sources_(sources), cells_(std::size_t{sources} * parts) {}

  void born(Cycle at, NodeId source) {
    Cell& of = cell(at, source);
    ++of.offered;
    of.packet_cycles += static_cast<std::int64_t>(rest(at));
  }
  /// A packet ends: delivered after `hops` routers, or dropped after 0.
  void ended(Cycle at, NodeId source, unsigned hops) {
    Cell& of = cell(at, source);
    ++of.ended;
    of.hops += hops;
    of.packet_cycles -= static_cast<std::int64_t>(rest(at));
  }
  /// Of the later half of the cycles before `now`: whether every source is far from its limit. At the limit,
  /// the mean number of a source's packets that wait, over the standard deviation of the number that it
  /// offers, is less than 0.17 once in twenty times; above it grows without end, and below it falls.
  bool below_limit(Cycle now, const UndisturbedLatency& undisturbed) const;

 private:
  static constexpr std::size_t parts = 32, least_parts = 4;
  struct Cell {
    std::uint32_t offered = 0, ended = 0;
    std::uint64_t hops = 0;
    /// Cycles from births to the end of the part, less those from ends.
    std::int64_t packet_cycles = 0;
  };
  Cell& cell(Cycle at, NodeId source) {
    while (at / part_cycles_ >= parts) lengthen_parts();
    return cells_[std::size_t{source} * parts + at / part_cycles_];
  }
  Cycle rest(Cycle at) const { return part_cycles_ - at % part_cycles_; }
  void lengthen_parts();
  double dispersion(std::size_t from, std::size_t to) const;
  /// Cycles of a source's packets in the parts [from, to), waiting or not.
  double packet_cycles(const Cell* of_source, std::size_t from, std::size_t to) const;

  const unsigned sources_;
  Cycle part_cycles_ = 32;
  std::vector<Cell> cells_;  ///< [source][part]
};

/// Watches births and ends of packets until the network is in its steady state: the MSER-5 cut of the
/// latencies of packets as they arrive, in cells of equal time, lies in the first half of all that was seen,
/// and no source's backlog in the later half is near that of a source at its limit. No result depends on the
/// order of calls. Memory is bounded: cells and parts become longer.
class WarmupWatch {
 public:
  explicit WarmupWatch(unsigned sources, Cycle first_check = 1000)
      : backlog_(sources), next_check_(first_check) {}

  /// Not before the cycles that earlier calls of stationary() looked at; nor are the following two.
  void born(Cycle created, NodeId source) { backlog_.born(created, source); }
  void arrived(Cycle tail, NodeId source, Cycle latency, unsigned hops) {
    while (tail / cell_cycles_ >= most_cells) lengthen_cells();
    const std::size_t at = tail / cell_cycles_;
    if (at >= cells_.size()) cells_.resize(at + 1);
    ++cells_[at].packets;
    cells_[at].sum += latency;
    hops_.record(hops, latency);
    backlog_.ended(tail, source, hops);
  }
  void dropped(Cycle now, NodeId source) { backlog_.ended(now, source, 0); }
  /// The cycle in which stationary() is to be asked next.
  Cycle next_check() const { return next_check_; }
  /// Whether all cycles before `now` say that the steady state is reached; sets the next check later.
  bool stationary(Cycle now);

 private:
  static constexpr std::size_t most_cells = 4000;
  void lengthen_cells();

  Cycle cell_cycles_ = 10;
  std::vector<SeriesCell> cells_;
  HopLatencies hops_;
  BacklogHistory backlog_;
  Cycle next_check_;
};

}  // namespace tsuji::observe
