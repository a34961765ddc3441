#pragma once

#include <string>
#include <vector>

#include "config/key_types.h"
#include "core/error.h"

namespace tsuji::fabric {

/// The names of a table of kinds, for --list-keys and refusals.
template <class Kinds>
std::string kind_names(const Kinds& kinds) {
  std::vector<std::string> words;
  for (const auto& kind : kinds) words.push_back(kind.name);
  return config::words_text(words);
}

/// The row of that name; ConfigError of `key` with `problem` if there is none.
template <class Kinds>
const auto& find_kind(const Kinds& kinds, const char* key, const std::string& name, const char* problem) {
  for (const auto& kind : kinds) {
    if (name == kind.name) return kind;
  }
  throw ConfigError(key, name, problem, kind_names(kinds));
}

}  // namespace tsuji::fabric
