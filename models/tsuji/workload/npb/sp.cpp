// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/npb/multipartition.h"

// Scalar pentadiagonal: as BT, with five systems of scalars along every side. Messages have the size of what
// is in them.

namespace tsuji::workload::npb {
namespace {

unsigned points(char size_class) {
  return of_class<unsigned>(size_class, {12, 36, 64, 102, 162});
}

unsigned steps(char size_class) {
  return size_class == 'S' ? 100 : 400;
}

std::vector<unsigned> rank_counts(char size_class) {
  return multipartition_rank_counts(points(size_class));
}

/// As the benchmark prints it, a step.
double step_flops(double n) {
  return 881.174 * n * n * n - 4683.91 * n * n + 11484.5 * n - 19272.4;
}

// Operations on a point, counted in the algorithm: about 320 for the right-hand side, of 881, and 40 a side
// to substitute back with the change of variables after it; the rest is setting up and eliminating. A cell
// is set up, and its variables are changed, while messages are in flight.
constexpr double rhs_share = 320.0 / 881.174;
constexpr double back_share = 40.0 / 881.174;
constexpr double forward_share = (1 - rhs_share - 3 * back_share) / 3;
constexpr double set_up_of_forward = 0.4, change_of_back = 0.25;

constexpr unsigned forward_values = 22;  // of a point: two rows of coefficients and right-hand sides
constexpr unsigned back_values = 10;

class Rank {
 public:
  Rank(unsigned points, unsigned ranks, RankWriter& out)
      : grid_(points, ranks, out.rank()), flops_(step_flops(points)), out_(out) {}

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
    compute(along, 0, forward_share * set_up_of_forward);
    for (unsigned layer = 0; layer <= last; ++layer) {
      compute(along, layer, forward_share * (1 - set_up_of_forward));
      if (layer == last) break;
      pass_on(along, layer, layer + 1, grid_.successor(along), grid_.predecessor(along), forward_values);
      compute(along, layer + 1, forward_share * set_up_of_forward);
      out_.wait_all();
    }
    for (unsigned layer = last;; --layer) {
      compute(along, layer, back_share * (1 - change_of_back));
      if (layer > 0)
        pass_on(along, layer, layer - 1, grid_.predecessor(along), grid_.successor(along), back_values);
      compute(along, layer, back_share * change_of_back);
      if (layer == 0) break;
      out_.wait_all();
    }
  }

  void compute(unsigned along, unsigned layer, double share) {
    out_.compute(flops_ * share * grid_.share(grid_.cell_in_layer(along, layer)));
  }

  /// Sends the values of a layer's cell that the next layer's cell needs.
  void pass_on(unsigned along, unsigned layer, unsigned next, unsigned to, unsigned from, unsigned values) {
    out_.isend(to, 0, face_bytes(along, layer, values));
    out_.irecv(from, 0, face_bytes(along, next, values));
  }

  /// Of the rank's cell in a layer; nothing is solved on the grid's boundary.
  std::uint64_t face_bytes(unsigned along, unsigned layer, unsigned values) const {
    const Multipartition::Cell cell = grid_.cell_in_layer(along, layer);
    std::uint64_t size = values * double_bytes;
    for (const unsigned side : {(along + 1) % 3, (along + 2) % 3}) {
      const unsigned boundaries = (cell[side] == 0 ? 1 : 0) + (cell[side] + 1 == grid_.side() ? 1 : 0);
      size *= grid_.cell_points(cell[side]) - boundaries;
    }
    return size;
  }

  const Multipartition grid_;
  const double flops_;
  RankWriter& out_;
};

void write(const Problem& problem, Skeleton& skeleton) {
  write_multipartition<Rank>(problem, skeleton, points(problem.size_class), {4, 8, 12, 4});
}

}  // namespace

Benchmark sp() {
  return {"sp", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
