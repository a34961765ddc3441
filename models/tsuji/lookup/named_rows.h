// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::lookup {

/// The row of a table that has this name; ConfigError of `key` with all names if there is none.
template <class Rows>
const auto& find_row(const Rows& rows, const char* key, const std::string& name, const char* problem) {
  std::string names;
  for (const auto& row : rows) {
    if (name == row.name) return row;
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  throw ConfigError(key, name, problem, names);
}

}  // namespace tsuji::lookup
