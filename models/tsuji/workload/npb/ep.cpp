// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/workload/npb/benchmark.h"

// Embarrassingly parallel: 2^m pairs of random numbers become Gaussian ones, each rank its own; three sums at
// the end: of the two coordinates, and of the counts in ten rings.

namespace tsuji::workload::npb {
namespace {

constexpr unsigned batch_log2 = 16;  // pairs that are generated at a time, the unit that ranks share out
/// Published for class A: 26.68 x 10^9 operations for 2^28 pairs (RNR-94-007).
constexpr double flops_a_pair = 26.68e9 / (1ULL << 28);

unsigned pairs_log2(char size_class) {
  return of_class<unsigned>(size_class, {24, 25, 28, 30, 32});
}

unsigned no_steps(char) {
  return 0;
}

std::vector<unsigned> rank_counts(char size_class) {
  return powers_of_two(1U << std::min(15U, pairs_log2(size_class) - batch_log2));
}

void write(const Problem& problem, Skeleton& skeleton) {
  const double pairs = static_cast<double>(1ULL << pairs_log2(problem.size_class));
  skeleton.each_rank([&](RankWriter& out) {
    out.bcast(int_bytes);
    out.barrier();
    out.roi_begin();
    out.compute(flops_a_pair * pairs / problem.ranks);
    out.allreduce(double_bytes);
    out.allreduce(double_bytes);
    out.allreduce(10 * double_bytes);
    out.roi_end();
    out.allreduce(double_bytes);
  });
}

}  // namespace

Benchmark ep() {
  return {"ep", no_steps, rank_counts, write};
}

}  // namespace tsuji::workload::npb
