// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::bench {

/// Pins of one side as the bench reads them in the middle of a cycle. Handles are those of Drive.
class Sample {
 public:
  Sample(const std::vector<std::uint64_t>& inputs, const std::vector<std::uint64_t>& outputs)
      : inputs_(inputs), outputs_(outputs) {}
  std::uint64_t input(std::size_t pin, unsigned lane = 0) const { return inputs_[pin + lane]; }
  std::uint64_t output(std::size_t pin, unsigned lane = 0) const { return outputs_[pin + lane]; }

 private:
  const std::vector<std::uint64_t>&inputs_, &outputs_;
};

/// Judge of one side, model or twin, by the rules of its paper: a reference that shares no code with either.
class Scoreboard {
 public:
  virtual ~Scoreboard() = default;
  /// Adds a sentence to `broken` for each rule that the outputs of the cycle break. Called for each cycle in
  /// turn, up to the first one with a sentence.
  virtual void judge(Cycle cycle, const Sample& pins, std::vector<std::string>& broken) = 0;
};

}  // namespace tsuji::bench
