// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tsuji::config {

/// A number with a unit, as "50 ns" or "4KiB".
struct Quantity {
  double number = 0;
  std::string unit;

  /// Number and unit, "50 ns".
  std::string text() const;
};

/// Reads a number that a unit follows, with or without a space between; empty for any other text. The unit
/// may be one that nothing is measured in.
std::optional<Quantity> read_quantity(const std::string& text);

/// The quantity in the unit `unit` of a key. Times become cycles of `cycle_ps`, frequencies the picoseconds
/// of their period, data rates of a node flits of `flit_bits` in each cycle. Empty if the units measure
/// different things, if cycles are asked for and `cycle_ps` is 0, and for a data rate if either is 0.
std::optional<double> in_unit(const Quantity& quantity, const std::string& unit, double cycle_ps,
                              double flit_bits = 0);

/// Units that in_unit() converts to `unit`, for messages: "ps, ns, us, ms or s"; empty: `unit` alone.
std::string units_beside(const std::string& unit);

}  // namespace tsuji::config
