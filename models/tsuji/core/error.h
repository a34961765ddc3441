// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji {

/// Input that is refused before elaboration (exit status 2).
/// `key` is the dotted configuration key, or empty where no key is at fault; the reader of a file that a key
/// names adds file, line and column. `accepted` says what would have been taken.
class ConfigError : public std::runtime_error {
 public:
  ConfigError(std::string key, std::string value, std::string problem, std::string accepted);
  /// This refusal with the place in the input where it was found ("file:line:column").
  ConfigError at(const std::string& place) const;

  const std::string& key() const { return key_; }
  const std::string& value() const { return value_; }
  const std::string& problem() const { return problem_; }
  const std::string& accepted() const { return accepted_; }
  const std::string& place() const { return place_; }
  bool has_place() const { return !place_.empty(); }

 protected:
  /// `first` with another text.
  ConfigError(const std::string& text, const ConfigError& first);

 private:
  ConfigError(const ConfigError& other, const std::string& place);
  std::string key_, value_, problem_, accepted_, place_;
};

/// A broken invariant of a model: the run stops (exit status 1), in release builds too.
/// `packet` is an empty string where no packet is involved.
class ModelError : public std::runtime_error {
 public:
  ModelError(const std::string& module, Cycle cycle, const std::string& packet, const std::string& what);
  /// For what has no clock: a counter used wrongly.
  ModelError(const std::string& part, const std::string& what);
};

/// A file that cannot be written to its end, for a disk that is full or fails (exit status 1). Unlike after
/// other failures, nothing of the run's files is worth keeping.
class OutputError final : public ModelError {
 public:
  using ModelError::ModelError;
};

}  // namespace tsuji
