#pragma once

#include <string>
#include <vector>

#include "observe/results.h"

namespace tsuji::observe {

/// A number for people: integers as they are, reals with four significant digits (not fewer than their
/// integer part has), null as "-".
std::string value_text(const Value& value);

/// Aligned columns for the terminal: numbers to the right, everything else to the left. A column whose cells
/// are all empty is left out.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// One cell a heading, or a ModelError.
  void row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tsuji::observe
