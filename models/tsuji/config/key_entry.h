// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/config/quantity.h"

namespace tsuji::config {

/// A key of a table. Declared apart from KeyTable so that code that adds keys need not compile the JSON
/// library.
struct KeyTable::Entry {
  std::string key, unit, meaning, default_yaml;
  nlohmann::ordered_json default_json;
  std::unique_ptr<Binding> binding;
  std::vector<std::unique_ptr<Binding>> others;  ///< further fields of a key of several kinds
  bool of_kinds = false;  ///< The first element of `uses` holds the kinds that read the key.
  std::string place;      ///< Source of the value (file and line, or option); empty for the default.
  int layer = -1;
  std::optional<Quantity> written;  ///< the value with its unit, if the input has one
  std::vector<Uses> uses;           ///< At least one condition of each element must hold.
  std::vector<std::pair<Use, std::string>> other_defaults;
  std::vector<std::pair<std::string, std::string>> also;
  std::string word() const;  ///< The value as text without quotes.
  /// Returns true for a number that may be written with another unit than the key's (quantity.h).
  bool takes_units() const;
  /// Unit for comments, and the number with its unit as written: "cycles; 50 ns".
  std::string unit_comment() const;
};

}  // namespace tsuji::config
