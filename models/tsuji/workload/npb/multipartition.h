// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>

#include "tsuji/workload/npb/benchmark.h"

namespace tsuji::workload::npb {

/// The multi-partition scheme of BT and SP: p x p ranks on a grid of n x n x n points, divided into p x p x p
/// cells. Each rank owns p cells on a diagonal: x = column + c, y = row - c, z = c, all modulo p. In a sweep
/// along any dimension each rank has one cell in every layer, so that no rank waits for another rank's
/// layers.
class Multipartition {
 public:
  Multipartition(unsigned points, unsigned ranks, unsigned rank);

  unsigned side() const {
    return side_;
  }  ///< number of cells in each dimension: p, the square root of the ranks
  unsigned points() const { return points_; }
  /// Rank that owns the cells after (before) this rank's cells along a dimension.
  unsigned successor(unsigned along) const { return successor_[along]; }
  unsigned predecessor(unsigned along) const { return predecessor_[along]; }

  using Cell = std::array<unsigned, 3>;  ///< coordinates x, y, z in units of cells
  /// The rank's cell in a layer perpendicular to dimension `along`.
  Cell cell_in_layer(unsigned along, unsigned layer) const;
  unsigned cell_points(unsigned coordinate) const { return block_points(points_, side_, coordinate); }
  /// Points of a cell as a fraction of the grid.
  double share(const Cell& cell) const;
  /// Points of all cells of the rank as a fraction of the grid.
  double share() const;

  /// Writes the exchange of cell faces with all six neighbours: five variables in two layers of points at
  /// every face that touches another rank's cell.
  void copy_faces(RankWriter& out) const;

 private:
  unsigned rank_at(unsigned row, unsigned column) const { return row % side_ * side_ + column % side_; }
  std::uint64_t face_bytes(unsigned along, unsigned not_in_layer) const;

  const unsigned points_;
  unsigned side_ = 1;
  unsigned row_ = 0, column_ = 0;
  std::array<unsigned, 3> successor_{}, predecessor_{};
};

/// Tags of BT and SP: a message to the successor (predecessor) along dimension i has tag to_successor_tag[i]
/// (to_predecessor_tag[i]).
inline constexpr std::array<std::int32_t, 3> to_successor_tag = {2000, 4000, 7000};
inline constexpr std::array<std::int32_t, 3> to_predecessor_tag = {3000, 5000, 6000};

/// Writes a run of BT or SP around its time steps. A `Rank` is constructed from points, ranks and a writer,
/// and has the functions right_hand_side() and step(). `inputs` are the sizes in bytes of the parameters that
/// rank 0 reads and broadcasts.
template <class Rank>
void write_multipartition(const Problem& problem, Skeleton& skeleton, unsigned points,
                          std::initializer_list<std::uint64_t> inputs) {
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(points, problem.ranks, out);
    for (const std::uint64_t input : inputs) out.bcast(input);
    rank.step();  // Untimed step that touches all memory.
    out.barrier();
    out.roi_begin();
    out.repeat(problem.steps, [&] { rank.step(); });
    out.roi_end();
    out.allreduce(5 * double_bytes);
    rank.right_hand_side();
    out.allreduce(5 * double_bytes);
    out.reduce(double_bytes);
    out.barrier();
  });
}

/// Square numbers of ranks for which every cell has at least 3 points in each dimension.
std::vector<unsigned> multipartition_rank_counts(unsigned points);

}  // namespace tsuji::workload::npb
