// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/npb/multipartition.h"

// Block tridiagonal: a step computes right-hand sides with the neighbours' faces, and solves systems of 5x5
// blocks along x, y and z: elimination from the first layer of cells to the last, substitution back.

namespace tsuji::workload::npb {
namespace {

unsigned points(char size_class) {
  return of_class<unsigned>(size_class, {12, 24, 64, 102, 162});
}

unsigned steps(char size_class) {
  return size_class == 'S' ? 60 : 200;
}

std::vector<unsigned> rank_counts(char size_class) {
  return multipartition_rank_counts(points(size_class));
}

/// As the benchmark prints it, a step.
double step_flops(double n) {
  return 3478.8 * n * n * n - 17655.7 * n * n + 28023.7 * n;
}

// Operations on a point, counted in the algorithm: 50 a side to substitute back (a 5x5 block times a vector),
// about 300 for the right-hand side, of 3,479; the rest is setting up and eliminating blocks.
constexpr double back_share = 50.0 / 3478.8;
constexpr double rhs_share = 300.0 / 3478.8;
constexpr double forward_share = (1 - rhs_share - 3 * back_share) / 3;

constexpr unsigned forward_values = 25 + 5;  // of a point: a block and a right-hand side
constexpr unsigned back_values = 5;

/// Tag of a rank's cell: the place in its layer, the first of the two other sides fastest.
std::int32_t cell_tag(const Multipartition& grid, unsigned along, unsigned layer) {
  const Multipartition::Cell cell = grid.cell_in_layer(along, layer);
  const unsigned first = cell[along == 0 ? 1 : 0], second = cell[along == 2 ? 1 : 2];
  return static_cast<std::int32_t>(first + grid.side() * second);
}

class Rank {
 public:
  Rank(unsigned points, unsigned ranks, RankWriter& out)
      : grid_(points, ranks, out.rank()), flops_(step_flops(points)), out_(out) {
    // Buffers have one size for all cells.
    const std::uint64_t cell_side = points / grid_.side() + 1;
    face_points_ = cell_side * cell_side;
  }

  void right_hand_side() {
    grid_.copy_faces(out_);
    out_.compute(flops_ * rhs_share * grid_.share());
  }

  void step() {
    right_hand_side();
    for (unsigned along = 0; along < 3; ++along) solve(along);
  }

 private:
  void solve(unsigned along) {
    const unsigned last = grid_.side() - 1;
    for (unsigned layer = 0; layer <= last; ++layer) {
      compute(along, layer, forward_share);
      if (layer < last)
        shift(along, layer, layer + 1, grid_.successor(along), grid_.predecessor(along),
              to_predecessor_tag[along], forward_values);
    }
    for (unsigned layer = last + 1; layer-- > 0;) {
      compute(along, layer, back_share);
      if (layer > 0)
        shift(along, layer, layer - 1, grid_.predecessor(along), grid_.successor(along),
              to_successor_tag[along], back_values);
    }
  }

  void compute(unsigned along, unsigned layer, double share) {
    out_.compute(flops_ * share * grid_.share(grid_.cell_in_layer(along, layer)));
  }

  /// Passes on what a layer's cell has, and takes what the next one's needs.
  void shift(unsigned along, unsigned layer, unsigned next, unsigned to, unsigned from, std::int32_t tag,
             unsigned values) {
    const std::uint64_t bytes = face_points_ * values * double_bytes;
    const std::int32_t sent = tag + cell_tag(grid_, along, layer),
                       wanted = tag + cell_tag(grid_, along, next);
    out_.isend(to, sent, bytes);
    out_.irecv(from, wanted, bytes);
    out_.wait_sent(to, sent);
    out_.wait_received(from, wanted);
  }

  const Multipartition grid_;
  const double flops_;
  std::uint64_t face_points_ = 0;
  RankWriter& out_;
};

void write(const Problem& problem, Skeleton& skeleton) {
  write_multipartition<Rank>(problem, skeleton, points(problem.size_class), {4, 8, 12, 4, 4, 4});
}

}  // namespace

Benchmark bt() {
  return {"bt", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
