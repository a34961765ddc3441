// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"

namespace tsuji::config {

/// A key of a table, apart from the table so that those who add keys need not compile JSON.
struct KeyTable::Entry {
  std::string key, unit, meaning, default_yaml;
  nlohmann::ordered_json default_json;
  std::unique_ptr<Binding> binding;
  std::vector<std::unique_ptr<Binding>> others;  ///< further fields of a key of several kinds
  bool of_kinds = false;                         ///< the first of `uses` is that of the kinds
  std::string place;                             ///< empty: still the default
  int layer = -1;
  std::vector<Uses> uses;  ///< one condition of each must hold
  std::vector<std::pair<Use, std::string>> other_defaults;
  std::vector<std::pair<std::string, std::string>> also;
  std::string word() const;  ///< the value, a text without quotes
};

}  // namespace tsuji::config
