// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "common/pins.h"

namespace tsuji::bench {

/// The pins of a run as text, for other simulators: a line "input NAME BITS" or "output NAME BITS" for each
/// pin, in whose BITS all lanes are, a line "cycles", and for each cycle its inputs and its outputs, two
/// numbers in base 16, in each the first pin at the low end.
class PinRecord {
 public:
  /// ConfigError for a file that cannot be written.
  PinRecord(const std::string& path, const std::vector<Pin>& pins);
  void row(const std::vector<std::uint64_t>& inputs, const std::vector<std::uint64_t>& outputs);
  /// Error if the file could not be written to its end.
  void close();

 private:
  void write_number(bool inputs, const std::vector<std::uint64_t>& values);

  const std::string path_;
  const std::vector<Pin> pins_;
  std::ofstream file_;
  std::vector<bool> bits_;  ///< bits of the number that is being written
};

}  // namespace tsuji::bench
