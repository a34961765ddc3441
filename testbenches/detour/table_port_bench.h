// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "common/scoreboard.h"
#include "common/stimulus.h"
#include "detour/table_port_pins.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Heads that arrive now and then, in every cycle, all at once, at one line or at the lines of one group;
/// lines that cancel a request that waits, is being granted or is being answered, and request again in the
/// same cycle; words that are written while they are read; resets at any time. A line with an answer requests
/// again.
class TablePortStimulus final : public Stimulus {
 public:
  TablePortStimulus(const Drive& pins, std::uint64_t seed, const lookup::PortedTableTiming& timing);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  static constexpr unsigned lines = lookup::TableLines::count;
  bool comes(Cycle phase, unsigned line);
  CounterRandom random_;
  std::array<bool, 1U << lookup::TableLines::bits> waits_ = {};
  const TablePortHandles at_;
};

}  // namespace tsuji::bench
