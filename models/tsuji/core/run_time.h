// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// Flit networks store cycles in 48 bits; the upper half of that range is reserved for latencies.
inline constexpr Cycle longest_run_cycles = Cycle{1} << 47;

/// Last cycle of any run with this clock. Input that names a later cycle is refused, so neither times nor
/// cycles ever wrap.
constexpr Cycle last_run_cycle(ClockPeriod period) {
  return std::min(longest_run_ps / period.ps(), longest_run_cycles);
}

/// Time in ps at which last_run_cycle() begins.
constexpr Picoseconds last_run_ps(ClockPeriod period) {
  return period.ps_at(last_run_cycle(period));
}

/// ConfigError for `key` if `cycles`, counted after the first `before` cycles, end later than
/// last_run_cycle().
inline void require_in_run(const std::string& key, Cycle cycles, ClockPeriod period, Cycle before = 0) {
  const Cycle left = last_run_cycle(period) - std::min(before, last_run_cycle(period));
  if (cycles <= left) return;
  throw ConfigError(key, std::to_string(cycles),
                    "later than a run may last with clock_period_ps " + std::to_string(period.ps()),
                    "at most " + std::to_string(left) + " cycles");
}

}  // namespace tsuji
