// SPDX-License-Identifier: Apache-2.0
#include "tsuji/results/text_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tsuji/core/error.h"

namespace tsuji::observe {
namespace {

/// Code points, not bytes: a unit may be written with a letter outside ASCII.
std::size_t printed_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,-+e%") == std::string::npos;
}

}  // namespace

std::string value_text(const Value& value) {
  if (value.is_null()) return "-";
  if (!value.is_real()) return value.text();
  const double number = value.number();
  char text[64];
  if (std::fabs(number) >= 1000.0 && std::fabs(number) < 1e15) {
    std::snprintf(text, sizeof text, "%.0f", number);
  } else {
    std::snprintf(text, sizeof text, "%.4g", number);
  }
  return text;
}

void TextTable::row(std::vector<std::string> cells) {
  if (cells.size() != headings_.size())
    throw ModelError("table", "a row with another number of cells than headings");
  rows_.push_back(std::move(cells));
}

std::string TextTable::text() const {
  const std::size_t heads = units_.empty() ? 1 : 2;
  std::vector<std::string> lines(rows_.size() + heads);
  bool first = true;
  for (std::size_t column = 0; column < headings_.size(); ++column) {
    std::size_t width = printed_width(headings_[column]);
    if (!units_.empty()) width = std::max(width, printed_width(units_[column]));
    bool empty = true, numbers = true;
    for (const auto& row : rows_) {
      width = std::max(width, printed_width(row[column]));
      empty = empty && row[column].empty();
      numbers = numbers && (row[column].empty() || row[column] == "-" || is_number(row[column]));
    }
    if (empty) continue;
    const auto append = [&](std::string& line, const std::string& cell) {
      if (!first) line += "  ";
      const std::string space(width - printed_width(cell), ' ');
      line += numbers ? space + cell : cell + space;
    };
    append(lines[0], headings_[column]);
    if (!units_.empty()) append(lines[1], units_[column]);
    for (std::size_t r = 0; r < rows_.size(); ++r) append(lines[r + heads], rows_[r][column]);
    first = false;
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace tsuji::observe
