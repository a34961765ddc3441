// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/pins.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/wave_file.h"

namespace tsuji::bench {

/// A cycle at the pins: inputs, then the outputs of each side.
using PinRow = std::vector<std::uint64_t>;

/// Part of a run that a waveform shows.
struct PinView {
  Cycle from = 0;
  std::optional<Cycle> marker = {};               ///< cycle of GTKWave's marker; empty: at the beginning
  std::vector<std::size_t> first_to_differ = {};  ///< lanes of outputs, which are shown on top
};

/// Writes rows into a waveform, a cycle a nanosecond: scopes `inputs` and one for each side, and with two
/// sides a bit `differs`. The save file for GTKWave lists the two sides of each output next to each other, in
/// groups of ports and virtual channels where the pins have them (PinList::group_lanes).
/// "x.vcd" and "x.fst" choose the format; ConfigError for others.
class PinWave {
 public:
  PinWave(const std::string& path, const std::vector<const PinList*>& sides, const PinView& view);
  /// Adds the values of a cycle. Cycles ascend.
  void row(Cycle cycle, const PinRow& values);
  void close(Cycle end);

 private:
  void add_lane(const std::vector<const PinList*>& sides, const Pin& pin, unsigned lane,
                const std::string& group);

  std::unique_ptr<observe::Wave> wave_;
  std::vector<observe::SignalId> signals_;  ///< [value of a row]
  observe::SignalId differs_ = 0;
  std::size_t first_outputs_, outputs_;
  bool two_sides_;
};

}  // namespace tsuji::bench
