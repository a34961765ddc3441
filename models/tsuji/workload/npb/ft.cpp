// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/workload/npb/benchmark.h"

// A partial differential equation by three-dimensional Fourier transforms: one forward, and one back with a
// checksum a step. Up to as many ranks as planes in z, a rank has a slab, and a transform is one transpose
// among all. Beyond, nz groups of neighbours have a pencil a rank, and a transform has two transposes: among
// the ranks at the same place of all groups, and within a group. Traces know no communicator but one, so
// those two are messages here, receives before sends.

namespace tsuji::workload::npb {
namespace {

struct Size {
  unsigned nx, ny, nz;
  unsigned steps;
};

Size size_of(char size_class) {
  return of_class<Size>(
      size_class,
      {{{64, 64, 64, 6}, {128, 128, 32, 6}, {256, 256, 128, 6}, {512, 256, 256, 20}, {512, 512, 512, 20}}});
}

unsigned steps(char size_class) {
  return size_of(size_class).steps;
}

std::vector<unsigned> rank_counts(char size_class) {
  const Size size = size_of(size_class);
  return powers_of_two(std::min(1U << 15, size.nz * std::min(size.nx, size.ny)));
}

constexpr std::uint64_t complex_bytes = 16;
constexpr double ln_2 = 0x1.62e42fefa39efp-1;
constexpr std::int32_t across_tag = 1, within_tag = 2;  // made up: an application gives collectives none

class Rank {
 public:
  Rank(const Size& size, unsigned ranks, RankWriter& out)
      : size_(size), ranks_(ranks), group_(ranks > size.nz ? ranks / size.nz : 1), out_(out) {
    points_ = static_cast<double>(size.nx) * size.ny * size.nz / ranks;
  }

  // The formula that the benchmark prints: N x (14.8157 + 7.19641 ln N) for the first transform with what is
  // before it, N x (5.23518 + 7.21113 ln N) a step; 5 / ln 2 = 7.2135 is the transform alone.
  void forward() {
    out_.compute(14.8157 * points_);
    constexpr double a_log = 7.19641 * ln_2;
    lines(a_log, size_.nx);
    if (group_ > 1) transpose_across();
    lines(a_log, size_.ny);
    if (group_ > 1) {
      transpose_within();
    } else if (ranks_ > 1) {
      transpose_all();
    }
    lines(a_log, size_.nz);
  }

  void step() {
    constexpr double a_log = 7.21113 * ln_2;
    out_.compute(5.23518 / 2 * points_);
    lines(a_log, size_.nz);
    if (group_ > 1) {
      transpose_within();
    } else if (ranks_ > 1) {
      transpose_all();
    }
    lines(a_log, size_.ny);
    if (group_ > 1) transpose_across();
    lines(a_log, size_.nx);
    out_.compute(5.23518 / 2 * points_);
    out_.reduce(complex_bytes);
  }

 private:
  /// Transforms of all lines along one side.
  void lines(double flops_a_log, unsigned side) { out_.compute(flops_a_log * log2_of(side) * points_); }

  std::uint64_t block_bytes(unsigned parts) const {
    return static_cast<std::uint64_t>(size_.nx) * size_.ny * size_.nz / ranks_ / parts * complex_bytes;
  }

  void transpose_all() { out_.alltoall(block_bytes(ranks_)); }
  void transpose_across() { exchange(size_.nz, group_, across_tag); }
  void transpose_within() { exchange(group_, 1, within_tag); }

  /// All to all among `count` ranks, `stride` apart, this one among them; its own block is not sent.
  void exchange(unsigned count, unsigned stride, std::int32_t tag) {
    const unsigned place = out_.rank() / stride % count, first = out_.rank() - place * stride;
    for (unsigned i = 1; i < count; ++i)
      out_.irecv(first + (place + count - i) % count * stride, tag, block_bytes(count));
    for (unsigned i = 1; i < count; ++i)
      out_.isend(first + (place + i) % count * stride, tag, block_bytes(count));
    out_.wait_all();
  }

  const Size size_;
  const unsigned ranks_;
  const unsigned group_;  ///< ranks of a group of neighbours; 1: slabs
  double points_;         ///< of a rank
  RankWriter& out_;
};

void write(const Problem& problem, Skeleton& skeleton) {
  const Size size = size_of(problem.size_class);
  skeleton.each_rank([&](RankWriter& out) {
    Rank rank(size, problem.ranks, out);
    for (int input = 0; input < 5; ++input) out.bcast(int_bytes);
    rank.forward();  // untimed, to touch all memory
    out.barrier();
    out.roi_begin();
    rank.forward();
    out.repeat(problem.steps, [&] { rank.step(); });
    out.roi_end();
  });
}

}  // namespace

Benchmark ft() {
  return {"ft", steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
