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

/// Result of MSER-5 (White, Cobb, Spratt, Winter Simulation Conference 2000).
struct MserCut {
  std::size_t cut = 0,  ///< number of batches to omit at the beginning
      batches = 0;      ///< number of all batches
};
/// MSER-5 over the means of cells, in batches of five: the cut that minimizes the variance of the remaining
/// batches divided by their number. Cells without packets are no observations. More than five batches remain.
MserCut mser5(const std::vector<SeriesCell>& cells);

/// History of each source's backlog (packets offered and not ended) since cycle 0, in equal parts of time
/// that are lengthened as the run proceeds. Counts are integers, so that results do not depend on the order
/// of calls.
class BacklogHistory {
 public:
  explicit BacklogHistory(unsigned sources) : sources_(sources), cells_(std::size_t{sources} * parts) {}

  /// Counts a birth.
  void born(Cycle at, NodeId source) {
    Cell& of = cell(at, source);
    ++of.offered;
    of.packet_cycles += static_cast<std::int64_t>(rest(at));
  }
  /// Counts the end of a packet: delivered after `hops` routers, or dropped (`hops` 0).
  void ended(Cycle at, NodeId source, unsigned hops) {
    Cell& of = cell(at, source);
    ++of.ended;
    of.hops += hops;
    of.packet_cycles -= static_cast<std::int64_t>(rest(at));
  }
  /// True if every source is far below its saturation limit in the later half of the cycles before `now`:
  /// the mean number of its waiting packets, divided by the standard deviation of the number of packets that
  /// it offers, is below critical_waiting, or below a separate threshold while few packets have been offered.
  bool below_limit(Cycle now, const UndisturbedLatency& undisturbed) const;

 private:
  static constexpr std::size_t parts = 32, least_parts = 4;
  struct Cell {
    std::uint32_t offered = 0, ended = 0;
    std::uint64_t hops = 0;
    /// Sum of the cycles from births to the end of the part, minus that of the cycles from ends of packets.
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

/// Detector of the steady state. It is reached when the MSER-5 cut of the latencies by time of arrival is in
/// the first half of the run, and every source's backlog in the later half is far below that of a source at
/// its saturation limit. Results do not depend on the order of calls. Memory is bounded, because cells and
/// parts are lengthened.
///
/// Contract: born(), arrived() and dropped() report events of cycles that no earlier call of stationary() has
/// covered; stationary() is called before cycle next_check().
class WarmupWatch {
 public:
  explicit WarmupWatch(unsigned sources, Cycle first_check = 1000)
      : backlog_(sources), next_check_(first_check) {}

  /// Reports a birth.
  void born(Cycle created, NodeId source) { backlog_.born(created, source); }
  /// Reports the arrival of a packet's last flit.
  void arrived(Cycle tail, NodeId source, Cycle latency, unsigned hops) {
    while (tail / cell_cycles_ >= most_cells) lengthen_cells();
    const std::size_t at = tail / cell_cycles_;
    if (at >= cells_.size()) cells_.resize(at + 1);
    ++cells_[at].packets;
    cells_[at].sum += latency;
    hops_.record(hops, latency);
    backlog_.ended(tail, source, hops);
  }
  /// Reports a drop.
  void dropped(Cycle now, NodeId source) { backlog_.ended(now, source, 0); }
  /// Cycle before which stationary() must be called next.
  Cycle next_check() const { return next_check_; }
  /// Returns true if the steady state is reached according to the cycles before `now`; postpones
  /// next_check().
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
