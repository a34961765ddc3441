// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/stimulus.h"
#include "lookup/compact_search_pins.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/compact_search.h"

namespace tsuji::bench {

/// Stimulus: tables that are filled row by row, to each length in turn, changed, holed and emptied; entries
/// and destinations in a corner, so that many are at one distance or the same place, far apart, or anywhere;
/// destinations at a row or one bit away from one; searches back to back and with gaps; requests that change
/// while the unit is not ready; requests that do nothing; resets at any time.
class CompactSearchStimulus final : public Stimulus {
 public:
  CompactSearchStimulus(const Drive& pins, std::uint64_t seed, const lookup::CompactSearchConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  struct Phase {
    Cycle end = 0;
    std::uint32_t rows = 1, filled = 0;
    unsigned spread_bits = 1;  ///< bits in which the coordinates of a phase differ
    std::uint32_t corner_x = 0, corner_y = 0;
    unsigned searches = 0, changes = 0,
             erasures =
                 0;  ///< numbers of searches, changes and erasures among 64 requests; a change writes a row
    unsigned gaps = 0;  ///< number of cycles without a request among 64
  };
  void begin_phase(Cycle cycle);
  lookup::CamOperation operation();
  lookup::GridPlace place();
  lookup::GridPlace destination();
  std::uint32_t near(std::uint32_t coordinate);

  CounterRandom random_;
  const lookup::CompactSearchConfig config_;
  const CompactSearchHandles at_;
  Phase phase_;
  std::vector<lookup::GridPlace> written_;  ///< coordinates of the rows that were written last
};

}  // namespace tsuji::bench
