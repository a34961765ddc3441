// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <initializer_list>

#include "tsuji/workload/npb/benchmark.h"

namespace tsuji::workload::npb {

/// The multi-partition scheme of BT and SP: p x p ranks on an n x n x n grid that is cut into p x p x p
/// cells; every rank has p cells on a diagonal, so that in a sweep along any side each rank has one cell of
/// every layer, and none waits for the others' layers. A rank's cells are its own for x = column + c, y = row
/// - c, z = c, all modulo p.
class Multipartition {
 public:
  Multipartition(unsigned points, unsigned ranks, unsigned rank);

  unsigned side() const { return side_; }  ///< p
  unsigned points() const { return points_; }
  /// The rank with the cells behind (before) this one's along a side.
  unsigned successor(unsigned along) const { return successor_[along]; }
  unsigned predecessor(unsigned along) const { return predecessor_[along]; }

  using Cell = std::array<unsigned, 3>;  ///< x, y, z in cells
  /// The rank's cell in a layer across a side.
  Cell cell_in_layer(unsigned along, unsigned layer) const;
  unsigned cell_points(unsigned coordinate) const { return block_points(points_, side_, coordinate); }
  /// All of a cell's points over those of the grid.
  double share(const Cell& cell) const;
  /// Of all cells of the rank.
  double share() const;

  /// The five variables of two layers of points at every face that touches another rank's cell, from and to
  /// all six neighbours.
  void copy_faces(RankWriter& out) const;

 private:
  unsigned rank_at(unsigned row, unsigned column) const { return row % side_ * side_ + column % side_; }
  std::uint64_t face_bytes(unsigned along, unsigned not_in_layer) const;

  const unsigned points_;
  unsigned side_ = 1;
  unsigned row_ = 0, column_ = 0;
  std::array<unsigned, 3> successor_{}, predecessor_{};
};

/// Tags of BT and SP: what goes to the successor (predecessor) along a side carries to_successor
/// (to_predecessor).
inline constexpr std::array<std::int32_t, 3> to_successor_tag = {2000, 4000, 7000};
inline constexpr std::array<std::int32_t, 3> to_predecessor_tag = {3000, 5000, 6000};

/// The run of BT and SP around their time steps. A `Rank` is made of points, ranks and a writer, and writes a
/// right_hand_side() and a step(). `inputs`: bytes of the parameters that rank 0 has read.
template <class Rank>
void write_multipartition(const Problem& problem, Skeleton& skeleton, unsigned points,
                          std::initializer_list<std::uint64_t> inputs) {
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(points, problem.ranks, out);
    for (const std::uint64_t input : inputs) out.bcast(input);
    rank.step();  // untimed, to touch all memory
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

/// Square numbers of ranks whose cells have 3 points a side at least.
std::vector<unsigned> multipartition_rank_counts(unsigned points);

}  // namespace tsuji::workload::npb
