// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tsuji/workload/npb/skeleton.h"

namespace tsuji::workload::npb {

/// A benchmark's size class, number of ranks and number of steps.
struct Problem {
  char size_class = 'S';  ///< S, W, A, B or C
  unsigned ranks = 1;     ///< A number of ranks that the benchmark supports.
  unsigned steps = 1;     ///< Time steps or iterations; 0 for a benchmark without steps.
};

/// One benchmark. The table of all benchmarks is in npb.cpp.
struct Benchmark {
  const char* name;
  /// Time steps or iterations of the published problem; 0: the benchmark has no steps.
  unsigned (*steps)(char size_class);
  /// Numbers of ranks that the benchmark supports, ascending.
  std::vector<unsigned> (*rank_counts)(char size_class);
  void (*write)(const Problem& problem, Skeleton& skeleton);
};

Benchmark bt();
Benchmark cg();
Benchmark dt_black_hole();
Benchmark dt_white_hole();
Benchmark dt_shuffle();
Benchmark ep();
Benchmark ft();
Benchmark is();
Benchmark lu();
Benchmark mg();
Benchmark sp();

inline constexpr std::array<char, 5> size_classes = {'S', 'W', 'A', 'B', 'C'};
inline constexpr std::uint64_t double_bytes = 8;
inline constexpr std::uint64_t int_bytes = 4;

/// The value for a class, from a table of all five classes.
template <class T>
T of_class(char size_class, const std::array<T, 5>& values) {
  for (std::size_t i = 0; i + 1 < size_classes.size(); ++i) {
    if (size_classes[i] == size_class) return values[i];
  }
  return values.back();
}

/// The powers of two from 1 to `largest`.
std::vector<unsigned> powers_of_two(unsigned largest);
/// Logarithm to base 2 of a power of two.
unsigned log2_of(unsigned power);
/// Points of part `index` if `points` are distributed over `parts` as evenly as possible; the first parts
/// have one more if there is a remainder.
constexpr unsigned block_points(unsigned points, unsigned parts, unsigned index) {
  return points / parts + (index < points % parts ? 1 : 0);
}

}  // namespace tsuji::workload::npb
