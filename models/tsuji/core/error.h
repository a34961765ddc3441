// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

#include "tsuji/core/units.h"

namespace tsuji {

/// Error in the input, found before elaboration (exit status 2). `key` is the dotted configuration key, empty
/// where no key is at fault. `value` is the refused value, `problem` the reason, `accepted` a description of
/// valid values. The reader of a configuration file adds file, line and column (at()).
class ConfigError : public std::runtime_error {
 public:
  /// Error without a place in the input.
  ConfigError(std::string key, std::string value, std::string problem, std::string accepted);
  /// Returns this error with the place in the input where it was found ("file:line:column").
  ConfigError at(const std::string& place) const;

  /// Dotted key; empty where no key is at fault.
  const std::string& key() const { return key_; }
  /// Refused value.
  const std::string& value() const { return value_; }
  /// Reason of the refusal.
  const std::string& problem() const { return problem_; }
  /// Description of valid values.
  const std::string& accepted() const { return accepted_; }
  /// Place in the input; empty until at() has named it.
  const std::string& place() const { return place_; }
  /// True if at() has named the place.
  bool has_place() const { return !place_.empty(); }

 protected:
  /// Copy of `first` with another text.
  ConfigError(const std::string& text, const ConfigError& first);

 private:
  ConfigError(const ConfigError& other, const std::string& place);
  std::string key_, value_, problem_, accepted_, place_;
};

/// Broken invariant of a model: stops the run (exit status 1), in release builds, too. `packet` is empty
/// where no packet is involved.
class ModelError : public std::runtime_error {
 public:
  /// `module` names the SystemC module, `what` the broken invariant.
  ModelError(const std::string& module, Cycle cycle, const std::string& packet, const std::string& what);
  /// For parts without a clock, such as a counter that is used wrongly.
  ModelError(const std::string& part, const std::string& what);
};

/// Output file that cannot be written completely because the disk is full or fails (exit status 1). The run
/// then leaves an existing output folder unchanged; after other failures it writes the folder all the same.
class OutputError final : public ModelError {
 public:
  /// Constructors of ModelError.
  using ModelError::ModelError;
};

}  // namespace tsuji
