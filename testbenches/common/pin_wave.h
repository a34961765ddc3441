#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/pins.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/wave_file.h"

namespace tsuji::bench {

/// A cycle at the pins: inputs, then the outputs of each side.
using PinRow = std::vector<std::uint64_t>;

/// Writes rows into a waveform, a cycle a nanosecond: scopes `inputs` and one for each side, and with two
/// sides a bit `differs`. The file begins with cycle `from`. "x.vcd" and "x.fst" choose the format;
/// ConfigError for others.
class PinWave {
 public:
  PinWave(const std::string& path, const std::vector<const PinList*>& sides, Cycle from);
  /// Cycles rise.
  void row(Cycle cycle, const PinRow& values);
  void close(Cycle end);

 private:
  std::unique_ptr<observe::Wave> wave_;
  std::vector<observe::SignalId> signals_;  ///< one for each value of a row
  observe::SignalId differs_ = 0;
  std::size_t first_outputs_, outputs_;
  bool two_sides_;
};

}  // namespace tsuji::bench
