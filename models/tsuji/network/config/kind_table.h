// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"

namespace tsuji::network {

/// The rows' `keys` are names of keys in the selector's section, with spaces between them: these decide
/// something only with a row that names them. A key that no row names is none of the table's business.
template <class Kinds>
void add_uses(config::KeyTable& keys, const std::string& selector, const Kinds& kinds) {
  const std::string section = selector.substr(0, selector.rfind('.') + 1);
  std::map<std::string, std::vector<std::string>> users;
  for (const auto& kind : kinds) {
    std::istringstream names(kind.keys);
    for (std::string name; names >> name;) users[name].push_back(kind.name);
  }
  for (const auto& [name, words] : users) keys.only_with(section + name, {{selector, words}});
}

/// The rows' names as the words of a choice of a text.
template <class Kinds>
std::vector<std::pair<std::string, std::string>> names_of(const Kinds& kinds) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const auto& kind : kinds) words.emplace_back(kind.name, kind.name);
  return words;
}

/// The rows as the words of a choice; each has a `value`.
template <class Kinds>
auto words_of(const Kinds& kinds) {
  std::vector<std::pair<std::string, decltype(std::begin(kinds)->value)>> words;
  for (const auto& kind : kinds) words.emplace_back(kind.name, kind.value);
  return words;
}

}  // namespace tsuji::network
