// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "common/pins.h"
#include "tsuji/core/units.h"

namespace tsuji::bench {

/// Pins of a device that its stimulus reads and sets in a cycle. Inputs keep their values until they are set
/// again.
class Drive {
 public:
  explicit Drive(const PinList& like);
  /// Handle of a pin, found once before the run. ModelError for a name that the device does not have.
  std::size_t input(const char* name) const { return find(name, true); }
  std::size_t output(const char* name) const { return find(name, false); }

  void set(std::size_t input, std::uint64_t value) { inputs_[input] = value; }
  void set(std::size_t input, unsigned lane, std::uint64_t value) { inputs_[input + lane] = value; }
  std::uint64_t get(std::size_t input, unsigned lane = 0) const { return inputs_[input + lane]; }
  /// Value of an output at the beginning of the cycle, before any input is set: the value that a circuit
  /// driving the device can use. With two devices, the value of the model.
  std::uint64_t seen(std::size_t output, unsigned lane = 0) const { return outputs_[output + lane]; }

  const std::vector<std::uint64_t>& inputs() const { return inputs_; }
  std::vector<std::uint64_t>& outputs() { return outputs_; }

 private:
  std::size_t find(const char* name, bool input) const;
  const std::vector<Pin> pins_;
  std::vector<std::uint64_t> inputs_, outputs_;
};

/// Drives a device's inputs, a cycle a call, as a function of the seed and of what it sees.
class Stimulus {
 public:
  virtual ~Stimulus() = default;
  virtual void drive(Cycle cycle, Drive& pins) = 0;
};

}  // namespace tsuji::bench
