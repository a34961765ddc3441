// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/stimulus.h"

namespace tsuji::bench {

/// Stimulus from the inputs of a PinRecord of another bench or of a network, cycle by cycle. The record may
/// list its pins in any order; its outputs are ignored.
class PlayedPins final : public Stimulus {
 public:
  /// ConfigError of --play, with line and column, for a file that is no record of a device with these pins.
  PlayedPins(const std::string& path, const std::vector<Pin>& pins);
  void drive(Cycle cycle, Drive& pins) override;
  Cycle cycles() const { return rows_.size(); }

 private:
  class Head;
  /// Bits of a row that are a lane's.
  struct Piece {
    std::size_t low, lane;
    unsigned width_bits;
  };
  std::vector<Piece> pieces_;
  std::vector<std::string> rows_;  ///< inputs, as the file has them
};

}  // namespace tsuji::bench
