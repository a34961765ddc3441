// SPDX-License-Identifier: Apache-2.0
#pragma once

// An installation can be linked only with programs of the C++ standard that its SystemC was built with.
#if defined(TSUJI_CXX_STANDARD) && __cplusplus / 100 % 100 != TSUJI_CXX_STANDARD
#error \
    "compile with the C++ standard of this tsuji and its SystemC: set(CMAKE_CXX_STANDARD 17), or 20 with a SystemC of C++20"
#endif

#include <cstdint>

namespace tsuji {

/// Clock cycle, counted from the start of the run in the machine's own clock.
using Cycle = std::uint64_t;
inline constexpr Cycle never = ~Cycle{0};  ///< Cycle that no run reaches: no event.

/// Simulated time in ps.
using Picoseconds = std::uint64_t;
/// Longest run: 53 days of simulated time. The sum of two times, or of a time and the kernel's lead on it,
/// then always fits in 64 bits.
inline constexpr Picoseconds longest_run_ps = Picoseconds{1} << 62;
/// Number of a node, from 0.
using NodeId = std::uint32_t;

/// Period of a clock; every conversion between cycles and time goes through it.
class ClockPeriod {
 public:
  /// Period in ps, at least 1.
  explicit constexpr ClockPeriod(Picoseconds picoseconds) : ps_(picoseconds) {}
  /// The period in ps.
  constexpr Picoseconds ps() const { return ps_; }
  /// Time in ps from cycle 0 to `cycle`.
  constexpr Picoseconds ps_at(Cycle cycle) const { return cycle * ps_; }
  /// Duration of `cycles` in ns.
  constexpr double ns(Cycle cycles) const { return static_cast<double>(cycles * ps_) / 1000.0; }
  /// Number of whole cycles that `ns` takes: a clocked unit answers at the next edge.
  constexpr Cycle cycles_from_ns(double ns) const {
    const auto ps = static_cast<Picoseconds>(ns * 1000.0 + 0.5);
    return (ps + ps_ - 1) / ps_;
  }

 private:
  Picoseconds ps_;
};

}  // namespace tsuji
