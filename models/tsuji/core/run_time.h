// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// Flit networks count cycles in 48 bits; the upper half is left to latencies.
inline constexpr Cycle longest_run_cycles = Cycle{1} << 47;

/// Last cycle of any run on a clock: every cycle that is read from outside lies there or before it, so that
/// neither times nor cycles ever wrap.
constexpr Cycle last_run_cycle(ClockPeriod period) {
  return std::min(longest_run_ps / period.ps(), longest_run_cycles);
}

constexpr Picoseconds last_run_ps(ClockPeriod period) {
  return period.ps_at(last_run_cycle(period));
}

/// Refuses cycles of `key` that end a run after the last one; `before`: cycles that lie before them.
inline void require_in_run(const std::string& key, Cycle cycles, ClockPeriod period, Cycle before = 0) {
  const Cycle left = last_run_cycle(period) - std::min(before, last_run_cycle(period));
  if (cycles <= left) return;
  throw ConfigError(key, std::to_string(cycles),
                    "later than a run may last with clock_period_ps " + std::to_string(period.ps()),
                    "at most " + std::to_string(left) + " cycles");
}

}  // namespace tsuji
