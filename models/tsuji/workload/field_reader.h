// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tsuji/core/line_reader.h"

namespace tsuji::workload {

/// The lines of a text file as fields with spaces between them; empty lines and what follows a '#' are left
/// out. Every refusal carries "file:line:column" and the key of the file.
class FieldReader {
 public:
  /// `key` is the configuration key that names the file.
  FieldReader(const std::string& path, const char* key) : key_(key), lines_(path, key) {}

  /// The next line that has fields; false at the end of the file. Other than `count` fields is a ConfigError
  /// that shows `form`.
  bool next(std::size_t count, const char* form);
  /// A decimal integer from `least` to `most`; ConfigError otherwise.
  std::uint64_t integer(std::size_t field, std::uint64_t least, std::uint64_t most, const char* what) const;
  /// A finite decimal number of at least 0; ConfigError otherwise.
  double rate(std::size_t field) const;
  [[noreturn]] void refuse(std::size_t field, const std::string& problem, const std::string& accepted) const;
  std::uint64_t line_number() const { return lines_.line_number(); }

 private:
  struct Field {
    std::string_view text;
    std::size_t column;  ///< from 1
  };
  const char* const key_;
  LineReader lines_;
  std::vector<Field> fields_;
};

}  // namespace tsuji::workload
