// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "common/scoreboard.h"
#include "common/stimulus.h"
#include "detour/table_port_pins.h"
#include "tsuji/core/random.h"

namespace tsuji::bench {

/// Stimulus of the table's read ports. Heads arrive occasionally, in every cycle, or all in one cycle, at one
/// input VC or at those of one group. Input VCs cancel a waiting, granted or answered request, and request
/// again in that cycle. Entries are written while they are read; resets occur at any time. An answered input
/// VC requests again.
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
