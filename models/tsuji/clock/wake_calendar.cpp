// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/wake_calendar.h"

namespace tsuji {

Cycle WakeCalendar::next_in_wheel(Cycle now) const {
  // Scans from the next slot on, once around the wheel: the last step looks at the beginning of the first
  // word.
  const Cycle first = now + 1;
  const std::size_t start = (first % wheel_cycles) / 64;
  for (std::size_t w = 0; w <= words; ++w) {
    const std::size_t at = (start + w) % words;
    std::uint64_t bits = occupied_[at];
    if (w == 0) bits &= ~std::uint64_t{0} << (first % 64);
    if (bits == 0) continue;
    const std::size_t found = at * 64 + static_cast<unsigned>(__builtin_ctzll(bits));
    return first + (found + wheel_cycles - first % wheel_cycles) % wheel_cycles;
  }
  return never;
}

}  // namespace tsuji
