// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsuji::config {

/// An old name that users may still write, and the present name.
struct Rename {
  /// Thing that has been renamed: a key, a word of a key, or an option.
  enum class Kind { key, value, option };
  Kind kind = Kind::key;  ///< Kind of the renamed thing.
  std::string since;      ///< Version that introduced the new name.
  std::string before;     ///< Old name: "section.key", "section.key=word", "--option" or "--option=word".
  /// The new name, in the form of `before`. KEY=VALUE after it, separated by blanks, sets further keys that
  /// the old name implied.
  std::string now;
  /// Accepted input, for the refusal of an old key or word.
  std::string accepted = "the new name, which scripts/migrate FILE writes";

  /// Name of the present key: of a renamed key, or of the key whose value was renamed.
  std::string key_now() const { return now.substr(0, now.find_first_of(" =")); }
  /// "is called X since 0.2", for a refusal.
  std::string problem() const;
};

/// The library's keys, values and options of models/renamed.txt, in its order.
std::vector<Rename> library_renames();

/// The rename of this kind and old name; null if there is none.
const Rename* find_rename(const std::vector<Rename>& renames, Rename::Kind kind, const std::string& before);

}  // namespace tsuji::config
