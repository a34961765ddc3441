// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/network_slices.h"

#include <algorithm>

namespace tsuji::platform {

void NetworkSlices::run_slice(Cycle until) {
  network_.run_to(until);
  if (!advance_) return;
  done_ = is_done_ && is_done_();
  told_ = done_ ? std::max(told_, last_active_() + 1) : network_.now();
  advance_(told_);
}

void NetworkSlices::run_to(Cycle end) {
  // Steps of modules in a slice, of which a core does some millions a second. Slices of fewer cycles would
  // cut the windows in which groups of modules run ahead.
  constexpr std::uint64_t fewest_steps = 100'000, most_steps = 400'000;
  constexpr Cycle fewest_cycles = 16;
  while (network_.now() < end) {
    options_.check_interruption(results_);
    Cycle until = end - network_.now() > slice_cycles_ ? network_.now() + slice_cycles_ : end;
    if (options_.next_stop && !done_) until = std::min(until, options_.next_stop());
    const bool whole = until - network_.now() == slice_cycles_;
    // Cycles in which nothing happens cost nothing, however many they are.
    if (const Cycle next = network_.next_activity(); next > until) until = std::min(next, end);
    const std::uint64_t before = network_.domain().steps();
    run_slice(until);
    if (network_.idle()) return run_slice(end);
    const std::uint64_t steps = network_.domain().steps() - before;
    if (steps > most_steps) slice_cycles_ = std::max(slice_cycles_ / 2, fewest_cycles);
    if (steps < fewest_steps && whole) slice_cycles_ = std::min(slice_cycles_ * 2, most_cycles_);
  }
}

}  // namespace tsuji::platform
