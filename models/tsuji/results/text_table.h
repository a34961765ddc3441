// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Formats a number for readers: an integer in full, a real number with four significant digits (or all
/// digits of its integer part, if these are more), null as "-".
std::string value_text(const Value& value);

/// Aligned columns for the terminal: numbers right-aligned, other cells left-aligned. A column whose cells
/// are all empty is omitted.
class TextTable {
 public:
  /// `units` has one element for each heading and becomes a second heading line; empty: no such line.
  explicit TextTable(std::vector<std::string> headings, std::vector<std::string> units = {})
      : headings_(std::move(headings)), units_(std::move(units)) {}
  /// Adds a row of one cell for each heading. Throws ModelError for any other number of cells.
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::string> headings_, units_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tsuji::observe
