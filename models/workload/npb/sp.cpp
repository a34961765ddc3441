#include "workload/npb/multipartition.h"

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

// Operations on a point, counted in the algorithm: about 320 for the right-hand side and the change of
// variables, 40 a side to substitute back, of 881; the rest is setting up and eliminating.
constexpr double rhs_share = 320.0 / 881.174;
constexpr double back_share = 40.0 / 881.174;
constexpr double forward_share = (1 - rhs_share - 3 * back_share) / 3;

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
    for (unsigned layer = 0; layer <= last; ++layer) {
      compute(along, layer, forward_share);
      if (layer < last)
        shift(along, layer, layer + 1, grid_.successor(along), grid_.predecessor(along), forward_values);
    }
    for (unsigned layer = last + 1; layer-- > 0;) {
      compute(along, layer, back_share);
      if (layer > 0)
        shift(along, layer, layer - 1, grid_.predecessor(along), grid_.successor(along), back_values);
    }
  }

  void compute(unsigned along, unsigned layer, double share) {
    out_.compute(flops_ * share * grid_.share(grid_.cell_in_layer(along, layer)));
  }

  /// Passes on what a layer's cell has, and takes what the next one's needs.
  void shift(unsigned along, unsigned layer, unsigned next, unsigned to, unsigned from, unsigned values) {
    out_.isend(to, 0, face_bytes(along, layer, values));
    out_.irecv(from, 0, face_bytes(along, next, values));
    out_.wait_all();
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
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(points(problem.size_class), problem.ranks, out);
    for (const std::uint64_t input : {4, 8, 12, 4}) out.bcast(input);
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

}  // namespace

Benchmark sp() {
  return {"sp", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
