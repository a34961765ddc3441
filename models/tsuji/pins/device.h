// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/units.h"

namespace tsuji::pins {

/// A pin of a device, or several equal pins (lanes) that a vector of RTL holds, lane 0 at the low end.
struct Pin {
  std::string name;
  unsigned width_bits;  ///< width of a lane, 1..64
  unsigned lanes;
  bool input;
  std::size_t at;  ///< lane 0's place in a row of values
};

/// A model between pins, without a simulation kernel: a value for each lane of each pin.
///
/// Contract: inputs() are written, step() is one clock edge, and outputs() then hold the pins of the next
/// cycle. All rows have their final place when the constructor of the derived class returns.
class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// The edge at the end of a cycle. ModelError for inputs that the device cannot take; it is not stepped
  /// again then.
  virtual void step() = 0;
  const std::vector<Pin>& pins() const { return pins_; }
  /// The pin of this name; null: none.
  const Pin* find(const std::string& name) const;
  std::uint64_t* inputs() { return inputs_.data(); }
  const std::uint64_t* outputs() const { return outputs_.data(); }
  /// Number of edges so far.
  Cycle cycle() const { return cycle_; }

 protected:
  Device() = default;
  /// Adds a pin; returns its place in the row.
  std::size_t add_input(const char* name, unsigned width_bits, unsigned lanes = 1);
  std::size_t add_output(const char* name, unsigned width_bits, unsigned lanes = 1);
  std::uint64_t* shown() { return outputs_.data(); }
  void next_cycle() { ++cycle_; }
  /// ModelError: a lane of an input has a value wider than its pin.
  [[noreturn]] void refuse_wide() const;

 private:
  std::size_t add(const char* name, unsigned width_bits, unsigned lanes, bool input);
  std::vector<Pin> pins_;
  std::vector<std::uint64_t> inputs_, outputs_;
  Cycle cycle_ = 0;
};

/// Value of a lane with unknown bits (X or Z): wider than all pins but those of 64 bits.
inline constexpr std::uint64_t unknown_lane = ~std::uint64_t{0};

/// Bits above the lowest `width_bits`.
constexpr std::uint64_t bits_above(unsigned width_bits) {
  return width_bits >= 64 ? 0 : ~std::uint64_t{0} << width_bits;
}

/// Bits of a number up to `most`, at least one.
constexpr unsigned bits_of(std::uint64_t most) {
  unsigned bits = 1;
  while (bits < 64 && most >> bits != 0) ++bits;
  return bits;
}

}  // namespace tsuji::pins
