// SPDX-License-Identifier: Apache-2.0
#pragma once

// An installation links with programs of its SystemC's own C++ standard only.
#if defined(TSUJI_CXX_STANDARD) && __cplusplus / 100 % 100 != TSUJI_CXX_STANDARD
#error \
    "compile with the C++ standard of this tsuji and its SystemC: set(CMAKE_CXX_STANDARD 17), or 20 with a SystemC of C++20"
#endif

#include <cstdint>

namespace tsuji {

/// A clock cycle of one machine, counted from the start of the run.
using Cycle = std::uint64_t;
inline constexpr Cycle never = ~Cycle{0};

using Picoseconds = std::uint64_t;
/// No run lasts longer than these 53 days of simulated time: two times, and a time and the kernel's own lead
/// on it, always add up in 64 bits.
inline constexpr Picoseconds longest_run_ps = Picoseconds{1} << 62;
using NodeId = std::uint32_t;

/// The period of one clock; every conversion between cycles and time goes through it.
class ClockPeriod {
 public:
  explicit constexpr ClockPeriod(Picoseconds picoseconds) : ps_(picoseconds) {}
  constexpr Picoseconds ps() const { return ps_; }
  constexpr Picoseconds ps_at(Cycle cycle) const { return cycle * ps_; }
  constexpr double ns(Cycle cycles) const { return static_cast<double>(cycles * ps_) / 1000.0; }
  /// The whole cycles that a time of `ns` occupies: a clocked unit answers at the next edge.
  constexpr Cycle cycles_from_ns(double ns) const {
    const auto ps = static_cast<Picoseconds>(ns * 1000.0 + 0.5);
    return (ps + ps_ - 1) / ps_;
  }

 private:
  Picoseconds ps_;
};

}  // namespace tsuji
