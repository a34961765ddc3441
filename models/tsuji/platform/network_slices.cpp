// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/network_slices.h"

#include <algorithm>
#include <chrono>

namespace tsuji::platform {

void NetworkSlices::run_to(Cycle end) {
  constexpr std::chrono::milliseconds shortest(20), longest(200);
  constexpr Cycle most_cycles = Cycle{1} << 40;
  while (network_.now() < end) {
    options_.check_interruption(results_);
    Cycle until = end - network_.now() > slice_cycles_ ? network_.now() + slice_cycles_ : end;
    const bool whole = until - network_.now() == slice_cycles_;
    // Cycles in which nothing happens cost nothing, however many they are.
    if (const Cycle next = network_.next_activity(); next > until) until = std::min(next, end);
    const auto begin = std::chrono::steady_clock::now();
    network_.run_to(until);
    if (network_.idle()) return network_.run_to(end);
    const auto took = std::chrono::steady_clock::now() - begin;
    if (took > longest) slice_cycles_ = std::max<Cycle>(slice_cycles_ / 2, 1);
    if (took < shortest && whole) slice_cycles_ = std::min(slice_cycles_ * 2, most_cycles);
  }
}

}  // namespace tsuji::platform
