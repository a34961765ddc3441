// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/core/line_reader.h"

namespace tsuji::workload {

/// Reads a text file line by line as fields separated by blanks; empty lines and text after a '#' are
/// ignored. Every refusal is a ConfigError with "file:line:column" and the key that names the file.
class FieldReader {
 public:
  /// `key` is the configuration key that names the file.
  FieldReader(const std::string& path, const char* key) : key_(key), lines_(path, key) {}

  /// Reads the next line that has fields; returns false at the end of the file. Throws ConfigError with
  /// `form`, the expected form of a line, if the line does not have `count` fields.
  bool next(std::size_t count, const char* form) { return next(count, count, form); }
  /// The same for lines of `least` to `most` fields.
  bool next(std::size_t least, std::size_t most, const char* form);
  /// Number of fields of the line.
  std::size_t count() const { return fields_.size(); }
  /// Value of a field as a decimal integer from `least` to `most`. Throws ConfigError for anything else.
  std::uint64_t integer(std::size_t field, std::uint64_t least, std::uint64_t most, const char* what) const;
  /// Value of a field as a finite decimal number of at least 0. Throws ConfigError for anything else.
  double rate(std::size_t field) const;
  [[noreturn]] void refuse(std::size_t field, const std::string& problem, const std::string& accepted) const;
  std::uint64_t line_number() const { return lines_.line_number(); }

 private:
  struct Field {
    std::string_view text;
    std::size_t column;  ///< Column in the line, from 1.
  };
  const char* const key_;
  LineReader lines_;
  std::vector<std::string_view> words_;
  std::vector<Field> fields_;
};

}  // namespace tsuji::workload
