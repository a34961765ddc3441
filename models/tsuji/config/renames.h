// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsuji::config {

/// A name that users hold, and its name of today.
struct Rename {
  enum class Kind { key, value, option };
  Kind kind = Kind::key;
  std::string since;   ///< version that brought the new name
  std::string before;  ///< "section.key", "section.key=word", "--option" or "--option=word"
  /// The new name, in the form of `before`. KEY=VALUE further on, after blanks: what the old name meant and
  /// the new one does not say.
  std::string now;
  /// Accepted input in a refusal of the old name of a key or a word.
  std::string accepted = "the new name, which scripts/migrate FILE writes";

  /// Of a key, or of a value, the key that is set today.
  std::string key_now() const { return now.substr(0, now.find_first_of(" =")); }
  /// "is called X since 0.2", for a refusal.
  std::string problem() const;
};

/// The library's keys, values and options of models/renamed.txt, in its order.
std::vector<Rename> library_renames();

/// The one of this kind and old name; null where there is none.
const Rename* find_rename(const std::vector<Rename>& renames, Rename::Kind kind, const std::string& before);

}  // namespace tsuji::config
