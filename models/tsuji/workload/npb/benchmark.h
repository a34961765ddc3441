// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tsuji/workload/npb/skeleton.h"

namespace tsuji::workload::npb {

/// The part of a benchmark that is run.
struct Problem {
  char size_class = 'S';  ///< S, W, A, B or C
  unsigned ranks = 1;     ///< one of the benchmark's
  unsigned steps = 1;     ///< time steps or iterations; 0 for a benchmark without any
};

/// One benchmark; the table of them is in npb.cpp.
struct Benchmark {
  const char* name;
  /// Time steps or iterations of the published problem; 0: it has none.
  unsigned (*steps)(char size_class);
  /// The numbers of ranks that it runs on, ascending.
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

/// The value of a class out of a table of all five.
template <class T>
T of_class(char size_class, const std::array<T, 5>& values) {
  for (std::size_t i = 0; i + 1 < size_classes.size(); ++i) {
    if (size_classes[i] == size_class) return values[i];
  }
  return values.back();
}

/// 1, 2, 4 .. up to `largest`.
std::vector<unsigned> powers_of_two(unsigned largest);
/// Of a power of two.
unsigned log2_of(unsigned power);
/// Points of part `index` where `points` are dealt out to `parts`: the first ones have the remainder.
constexpr unsigned block_points(unsigned points, unsigned parts, unsigned index) {
  return points / parts + (index < points % parts ? 1 : 0);
}

}  // namespace tsuji::workload::npb
