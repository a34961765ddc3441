// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/results/results.h"

namespace tsuji::observe {

/// A number for people: integers as they are, reals with four significant digits (not fewer than their
/// integer part has), null as "-".
std::string value_text(const Value& value);

/// Aligned columns for the terminal: numbers to the right, everything else to the left. A column whose cells
/// are all empty is left out.
class TextTable {
 public:
  /// `units`: one for each heading, in a line of their own; none: no such line.
  explicit TextTable(std::vector<std::string> headings, std::vector<std::string> units = {})
      : headings_(std::move(headings)), units_(std::move(units)) {}
  /// One cell a heading, or a ModelError.
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::string> headings_, units_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tsuji::observe
