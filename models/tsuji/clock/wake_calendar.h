// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji {

/// Cycles for which modules of a clock are woken. The next 512 cycles (the wheel) have one bit each; the
/// modules to run are in the rows of WakeGroup. Later wake-ups are kept in a heap together with their
/// modules.
class WakeCalendar {
 public:
  static constexpr Cycle wheel_cycles = 512;
  struct FarWakeUp {
    Cycle cycle;
    std::uint32_t module;
    bool operator>(const FarWakeUp& other) const { return cycle > other.cycle; }
  };

  /// Records that a module is woken for a cycle of the wheel.
  void note(Cycle cycle) { word(cycle) |= bit(cycle); }
  /// Records that the modules of a cycle have run.
  void clear(Cycle cycle) { word(cycle) &= ~bit(cycle); }
  void add_far(const FarWakeUp& wake_up) {
    far_.push_back(wake_up);
    std::push_heap(far_.begin(), far_.end(), std::greater<>());
  }
  /// Wake-ups beyond the wheel, unordered.
  const std::vector<FarWakeUp>& far() const { return far_; }
  std::vector<FarWakeUp>& far() { return far_; }
  /// Cycle of the earliest wake-up beyond the wheel; `never`: none.
  Cycle first_far() const { return far_.empty() ? never : far_.front().cycle; }
  /// Moves the wake-ups before `until` into the wheel, and calls wake(wake_up) for each.
  template <class Wake>
  void pull_far(Cycle until, const Wake& wake) {
    while (first_far() < until) {
      const FarWakeUp wake_up = far_.front();
      std::pop_heap(far_.begin(), far_.end(), std::greater<>());
      far_.pop_back();
      note(wake_up.cycle);
      wake(wake_up);
    }
  }
  /// The next cycle after `now` for which a module is woken; `never`: none. The wheel covers cycles `now` + 1
  /// to `now` + 511.
  Cycle next_after(Cycle now) const { return std::min(next_in_wheel(now), first_far()); }

 private:
  static constexpr std::size_t words = wheel_cycles / 64;
  static constexpr std::uint64_t bit(Cycle cycle) { return std::uint64_t{1} << (cycle % 64); }
  std::uint64_t& word(Cycle cycle) { return occupied_[(cycle % wheel_cycles) / 64]; }
  Cycle next_in_wheel(Cycle now) const;

  std::array<std::uint64_t, words> occupied_{};
  std::vector<FarWakeUp> far_;  ///< binary heap, earliest first
};

}  // namespace tsuji
