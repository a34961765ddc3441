// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/field_reader.h"

#include <charconv>
#include <cmath>

#include "tsuji/core/error.h"

namespace tsuji::workload {

bool FieldReader::next(std::size_t least, std::size_t most, const char* form) {
  std::string_view line;
  while (lines_.next(line)) {
    line = line.substr(0, line.find('#'));
    fields_.clear();
    split_words(line, words_);
    for (const std::string_view word : words_)
      fields_.push_back({word, static_cast<std::size_t>(word.data() - line.data()) + 1});
    if (fields_.empty()) continue;
    if (fields_.size() > most) refuse(most, "the line has too many fields", form);
    if (fields_.size() < least)
      refuse(fields_.size() - 1, "the line has too few fields, this is the last", form);
    return true;
  }
  return false;
}

std::uint64_t FieldReader::integer(std::size_t field, std::uint64_t least, std::uint64_t most,
                                   const char* what) const {
  const std::string_view text = fields_[field].text;
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || value < least || value > most) {
    refuse(field, std::string("not ") + what, std::to_string(least) + ".." + std::to_string(most));
  }
  return value;
}

double FieldReader::rate(std::size_t field) const {
  const std::string_view text = fields_[field].text;
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = read.ec == std::errc() && read.ptr == text.data() + text.size();
  if (!whole || !std::isfinite(value) || std::signbit(value)) {
    refuse(field, "not a rate", "a finite number of at least 0");
  }
  return value;
}

void FieldReader::refuse(std::size_t field, const std::string& problem, const std::string& accepted) const {
  const Field& at = fields_[field];
  throw ConfigError(key_, std::string(at.text), problem, accepted)
      .at(lines_.place() + ":" + std::to_string(at.column));
}

}  // namespace tsuji::workload
