// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/workload/npb/benchmark.h"

// Multigrid: V cycles over grids of 2^k points a side, down to two. Ranks are a box; after every smoothing,
// residual and restriction the faces of the grid go to both neighbours along x, then y, then z, so that
// corners arrive, too. On coarse grids ranks run out of points and drop out; their neighbours are then
// farther, and on the way up they get the planes that they need.

namespace tsuji::workload::npb {
namespace {

struct Size {
  unsigned points;  ///< a side
  unsigned steps;
};

Size size_of(char size_class) {
  return of_class<Size>(size_class, {{{32, 4}, {128, 4}, {256, 4}, {256, 20}, {512, 20}}});
}

unsigned steps(char size_class) {
  return size_of(size_class).steps;
}

using Sides = std::array<unsigned, 3>;

/// The box of ranks, x fastest; as near to a cube as powers of two allow, z the longest.
Sides box_of(unsigned ranks) {
  const unsigned log = log2_of(ranks), x = log / 3, y = (log - x) / 2;
  return {1U << x, 1U << y, 1U << (log - x - y)};
}

/// Every rank has two points a side at least.
std::vector<unsigned> rank_counts(char size_class) {
  std::vector<unsigned> counts = powers_of_two(1U << 15);
  while (box_of(counts.back())[2] * 2 > size_of(size_class).points) counts.pop_back();
  return counts;
}

// Operations on a point, counted in the algorithm: 15 for a residual, 15 to smooth, 4 to interpolate, on
// every level, and 20 on a point of the coarser grid to restrict, so 57 a cycle with the residual after it.
// The benchmark prints 58 a step for all that it times, and that has one more residual.
constexpr double residual_flops = 15, smooth_flops = 15, interpolate_flops = 4, restrict_flops = 20;
constexpr double printed_flops = 58;
constexpr double counted_flops =
    residual_flops * (8.0 / 7 + 1) + smooth_flops * 8 / 7 + interpolate_flops * 8 / 7 + restrict_flops / 7;

/// Printed operations for each counted one.
double printed_over_counted(unsigned steps) {
  return printed_flops * steps / (counted_flops * steps + residual_flops);
}

/// A rank's part of one grid.
struct Level {
  Sides points{};                                      ///< with a ghost layer on both sides
  bool idle = false;                                   ///< nothing of the grid is here
  std::array<std::array<unsigned, 2>, 3> neighbour{};  ///< along each side, lower and higher
  std::array<bool, 3> takes{}, gives{};                ///< planes after interpolation to this grid
  double inside() const { return static_cast<double>(points[0] - 2) * (points[1] - 2) * (points[2] - 2); }
};

class Rank {
 public:
  Rank(const Size& size, unsigned ranks, RankWriter& out)
      : box_(box_of(ranks)),
        ranks_(ranks),
        top_(log2_of(size.points)),
        scale_(printed_over_counted(size.steps)),
        out_(out) {
    place_ = {out.rank() % box_[0], out.rank() / box_[0] % box_[1], out.rank() / (box_[0] * box_[1])};
    // Receive buffers hold two faces of a cube, for any face.
    const std::uint64_t side = 2 + (1U << (top_ - log2_of(ranks) / 3));
    buffer_bytes_ = 2 * side * side * double_bytes;
    set_levels(size.points);
  }

  /// The right-hand side: its ten largest and ten smallest random numbers are found by all.
  void charges() {
    for (int charge = 0; charge < 2 * 10; ++charge) {
      out_.allreduce(double_bytes);
      out_.allreduce(4 * int_bytes);
    }
    out_.barrier();
    faces(top_);
  }

  void residual(unsigned level) {
    compute(level, residual_flops);
    faces(level);
  }
  void top_residual() { residual(top_); }

  void norms() {
    out_.allreduce(double_bytes);
    out_.allreduce(double_bytes);
  }

  void cycle() {
    for (unsigned level = top_; level-- > 1;) {
      compute(level, restrict_flops);
      faces(level);
    }
    smooth(1);
    for (unsigned level = 2; level <= top_; ++level) {
      compute(level, interpolate_flops);
      planes_of_idle_ranks(level);
      residual(level);
      smooth(level);
    }
  }

 private:
  void set_levels(unsigned finest_points) {
    levels_.resize(top_ + 1);
    Sides distance = {1, 1, 1};  // to the next rank with points
    for (unsigned level = top_, points = finest_points; level > 0; --level, points /= 2) {
      Level& at = levels_[level];
      for (unsigned side = 0; side < 3; ++side) {
        const auto share = [&](unsigned place) {
          return (place + 1) * points / box_[side] - place * points / box_[side];
        };
        const unsigned mine = share(place_[side]), next = share(place_[side] + distance[side]);
        if (mine == 0 || next == 0) distance[side] *= 2;
        if (level < top_) {
          levels_[level + 1].gives[side] = next == 0 && mine == 1;
          levels_[level + 1].takes[side] = next == 1 && mine == 0;
        }
        at.points[side] = mine + 2;
        at.idle = at.idle || mine == 0;
      }
      for (unsigned side = 0; side < 3; ++side) {
        at.neighbour[side] = {rank_beside(side, box_[side] - distance[side] % box_[side]),
                              rank_beside(side, distance[side])};
      }
    }
  }

  unsigned rank_beside(unsigned side, unsigned distance) const {
    Sides place = place_;
    place[side] = (place[side] + distance) % box_[side];
    return place[0] + box_[0] * (place[1] + box_[1] * place[2]);
  }

  void compute(unsigned level, double flops) {
    if (!levels_[level].idle) out_.compute(flops * scale_ * levels_[level].inside());
  }

  void smooth(unsigned level) {
    compute(level, smooth_flops);
    faces(level);
  }

  /// Of a message along a side, by its direction.
  static std::int32_t tag(unsigned side, bool up) {
    return static_cast<std::int32_t>(1000 * (side + 1) + (up ? 300 : 100));
  }

  void post_receives(unsigned level, unsigned side) {
    out_.irecv(levels_[level].neighbour[side][1], tag(side, false), buffer_bytes_);
    out_.irecv(levels_[level].neighbour[side][0], tag(side, true), buffer_bytes_);
  }
  void await_receives(unsigned level, unsigned side) {
    out_.wait_received(levels_[level].neighbour[side][1], tag(side, false));
    out_.wait_received(levels_[level].neighbour[side][0], tag(side, true));
  }
  void send(unsigned level, unsigned side, bool up, std::uint64_t points) {
    out_.send(levels_[level].neighbour[side][up ? 1 : 0], tag(side, up), points * double_bytes);
  }

  void faces(unsigned level) {
    const Level& at = levels_[level];
    if (at.idle || ranks_ == 1) return;
    const Sides& n = at.points;
    // A face has the ghosts of the sides that went before.
    const Sides face = {(n[1] - 2) * (n[2] - 2), n[0] * (n[2] - 2), n[0] * n[1]};
    for (unsigned side = 0; side < 3; ++side) {
      post_receives(level, side);
      send(level, side, true, face[side]);
      send(level, side, false, face[side]);
      await_receives(level, side);
    }
  }

  /// A rank that was idle on the grid below takes from both neighbours what was interpolated to its points.
  void planes_of_idle_ranks(unsigned level) {
    const Level& at = levels_[level];
    if (ranks_ == 1) return;
    for (unsigned side = 0; side < 3; ++side) {
      const unsigned plane = at.points[(side + 1) % 3] * at.points[(side + 2) % 3];
      if (at.takes[side]) {
        post_receives(level, side);
        await_receives(level, side);
      }
      if (at.gives[side]) {
        send(level, side, true, 2 * plane);
        send(level, side, false, plane);
      }
    }
  }

  const Sides box_;
  const unsigned ranks_;
  const unsigned top_;  ///< the finest grid has 2^top points a side
  const double scale_;
  RankWriter& out_;
  Sides place_{};
  std::uint64_t buffer_bytes_ = 0;
  std::vector<Level> levels_;  ///< 1 .. top
};

void write(const Problem& problem, Skeleton& skeleton) {
  const Size size = size_of(problem.size_class);
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(size, problem.ranks, out);
    out.barrier();
    for (const std::uint64_t input : {4, 4, 4, 4, 4, 32, 4}) out.bcast(input);
    out.barrier();
    rank.charges();
    rank.norms();
    rank.top_residual();
    rank.norms();
    rank.cycle();  // untimed, to touch all memory
    rank.top_residual();
    out.barrier();
    rank.charges();
    out.barrier();
    out.roi_begin();
    rank.top_residual();
    rank.norms();
    out.repeat(problem.steps, [&] {
      rank.cycle();
      rank.top_residual();
    });
    rank.norms();
    out.roi_end();
    out.reduce(double_bytes);
  });
}

}  // namespace

Benchmark mg() {
  return {"mg", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
