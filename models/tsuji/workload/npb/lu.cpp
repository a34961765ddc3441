// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "tsuji/workload/npb/benchmark.h"

// Lower-upper symmetric Gauss-Seidel: ranks are a grid across x and y; a step sweeps through the planes in z,
// lower triangle up and upper triangle down, each plane a wavefront over the grid of ranks, one line of
// points to the next rank at a time; then right-hand sides with the neighbours' faces.

namespace tsuji::workload::npb {
namespace {

unsigned points(char size_class) {
  return of_class<unsigned>(size_class, {12, 33, 64, 102, 162});
}

unsigned steps(char size_class) {
  return of_class<unsigned>(size_class, {50, 300, 250, 250, 250});
}

/// The grid of ranks: as many in x as in y, or twice as many.
unsigned ranks_in_x(unsigned ranks) {
  return 1U << (log2_of(ranks) + 1) / 2;
}

/// Every rank has 4 points a side at least.
std::vector<unsigned> rank_counts(char size_class) {
  constexpr unsigned least_points = 4;
  std::vector<unsigned> counts = powers_of_two(1U << 15);
  while (points(size_class) / ranks_in_x(counts.back()) < least_points) counts.pop_back();
  return counts;
}

/// As the benchmark prints it, a step.
double step_flops(double n) {
  return 1984.77 * n * n * n - 10923.3 * n * n + 27770.9 * n - 144010.0;
}

// Operations on a point, counted in the algorithm: about 350 for the right-hand side, of 1,985; the two
// sweeps have half of the rest each, and half of that sets up a plane's blocks, before what the neighbours
// send is needed.
constexpr double rhs_share = 350.0 / 1984.77;
constexpr double sweep_share = (1 - rhs_share) / 2;

constexpr unsigned variables = 5;
constexpr unsigned ghost_layers = 2;
constexpr std::uint64_t norm_bytes = variables * double_bytes;

/// North and south are lower and higher x, west and east lower and higher y. A message's tag is where it
/// comes from.
enum Side : unsigned { north, south, west, east };
constexpr std::int32_t from_tag(Side side) {
  return side == south ? 1 : side == north ? 2 : side == east ? 3 : 4;
}
constexpr Side opposite(Side side) {
  return side == north ? south : side == south ? north : side == west ? east : west;
}

class Rank {
 public:
  Rank(unsigned points, unsigned ranks, RankWriter& out)
      : points_(points), out_(out), ranks_x_(ranks_in_x(ranks)), ranks_y_(ranks / ranks_x_) {
    const unsigned x = out.rank() % ranks_x_, y = out.rank() / ranks_x_;
    nx_ = block_points(points, ranks_x_, x);
    ny_ = block_points(points, ranks_y_, y);
    if (x > 0) neighbour_[north] = out.rank() - 1;
    if (x + 1 < ranks_x_) neighbour_[south] = out.rank() + 1;
    if (y > 0) neighbour_[west] = out.rank() - ranks_x_;
    if (y + 1 < ranks_y_) neighbour_[east] = out.rank() + ranks_x_;
    flops_ = step_flops(points) * nx_ * ny_ / (static_cast<double>(points) * points);
  }

  void faces_for_the_forcing() {
    exchange_faces(north);
    exchange_faces(west);
  }

  void right_hand_side() {
    out_.compute(flops_ * rhs_share / 3);
    exchange_faces(north);
    out_.compute(flops_ * rhs_share / 3);
    exchange_faces(west);
    out_.compute(flops_ * rhs_share / 3);
  }

  void sweeps() {
    for (unsigned plane = 2; plane < points_; ++plane) wave(north, west);
    for (unsigned plane = 2; plane < points_; ++plane) wave(south, east);
  }

  void norm() { out_.allreduce(norm_bytes); }

  /// Integrals over three pairs of the surfaces of a box inside the grid: each needs a layer of the next
  /// points.
  void surface_integrals() {
    pull(east, ghost_layers * nx_ * double_bytes);
    pull(south, ghost_layers * (ny_ + 2) * double_bytes);
    out_.allreduce(double_bytes);
    const std::uint64_t column_bytes = points_ * double_bytes;
    if (!neighbour_[west]) pull(south, column_bytes);
    if (!neighbour_[east]) pull(south, column_bytes);
    out_.allreduce(double_bytes);
    if (!neighbour_[north]) pull(east, column_bytes);
    if (!neighbour_[south]) pull(east, column_bytes);
    out_.allreduce(double_bytes);
  }

 private:
  /// Lines of points along the side that a wave passes on, without the grid's boundary.
  std::uint64_t line_bytes(Side side) const {
    const bool along_y = side == north || side == south;
    const unsigned inside =
        along_y ? ny_ - !neighbour_[west] - !neighbour_[east] : nx_ - !neighbour_[north] - !neighbour_[south];
    return std::uint64_t{inside} * variables * double_bytes;
  }

  void wave(Side from_x, Side from_y) {
    const double half = flops_ * sweep_share / (points_ - 2) / 2;
    out_.compute(half);
    for (const Side from : {from_x, from_y}) {
      if (neighbour_[from]) out_.recv(*neighbour_[from], from_tag(from), line_bytes(from));
    }
    out_.compute(half);
    for (const Side from : {from_x, from_y}) {
      const Side to = opposite(from);
      if (neighbour_[to]) out_.send(*neighbour_[to], from_tag(from), line_bytes(to));
    }
  }

  /// Two layers of points to and from both neighbours across a side.
  void exchange_faces(Side first) {
    const unsigned width = first == north ? ny_ : nx_;
    const std::uint64_t bytes = std::uint64_t{ghost_layers} * variables * width * points_ * double_bytes;
    shift(first, bytes);
    shift(opposite(first), bytes);
  }

  /// Takes from a side, gives to the opposite one.
  void shift(Side from, std::uint64_t bytes) {
    const auto to = neighbour_[opposite(from)];
    if (neighbour_[from]) out_.irecv(*neighbour_[from], from_tag(from), bytes);
    if (to) out_.send(*to, from_tag(from), bytes);
    if (neighbour_[from]) out_.wait_received(*neighbour_[from], from_tag(from));
  }

  /// Takes from a side, then gives to the opposite one.
  void pull(Side from, std::uint64_t bytes) {
    const auto to = neighbour_[opposite(from)];
    if (neighbour_[from]) {
      out_.irecv(*neighbour_[from], from_tag(from), bytes);
      out_.wait_received(*neighbour_[from], from_tag(from));
    }
    if (to) out_.send(*to, from_tag(from), bytes);
  }

  const unsigned points_;
  RankWriter& out_;
  const unsigned ranks_x_, ranks_y_;
  unsigned nx_ = 0, ny_ = 0;
  std::array<std::optional<unsigned>, 4> neighbour_;
  double flops_ = 0;  ///< of a step
};

void write(const Problem& problem, Skeleton& skeleton) {
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(points(problem.size_class), problem.ranks, out);
    for (const std::uint64_t input : {4, 4, 4, 8, 8, 40, 4, 4, 4, 4}) out.bcast(input);
    rank.faces_for_the_forcing();
    rank.right_hand_side();
    rank.norm();
    out.barrier();
    rank.sweeps();  // untimed, to touch all memory
    rank.right_hand_side();
    out.allreduce(double_bytes);
    rank.right_hand_side();
    rank.norm();
    out.barrier();
    out.roi_begin();
    out.repeat(problem.steps - 1, [&] {
      rank.sweeps();
      rank.right_hand_side();
    });
    rank.sweeps();
    rank.norm();
    rank.right_hand_side();
    rank.norm();
    out.roi_end();
    out.allreduce(double_bytes);
    rank.norm();
    rank.surface_integrals();
  });
}

}  // namespace

Benchmark lu() {
  return {"lu", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
