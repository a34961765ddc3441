// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/core/error.h"

namespace tsuji {

/// Several errors in one input, in the order in which they were found. key(), value(), problem() and
/// accepted() are those of the first.
class ConfigErrors final : public ConfigError {
 public:
  /// `all` has at least two elements.
  explicit ConfigErrors(std::vector<ConfigError> all);
  /// All errors, in the order in which they were found.
  const std::vector<ConfigError>& all() const { return all_; }

 private:
  std::vector<ConfigError> all_;
};

/// Collects ConfigErrors, so that one run reports all mistakes of an input.
class Refusals {
 public:
  /// Calls check() and stores the ConfigError that it throws, if any.
  template <class Check>
  void take(const Check& check) {
    try {
      check();
    } catch (const ConfigErrors& errors) {
      all_.insert(all_.end(), errors.all().begin(), errors.all().end());
    } catch (const ConfigError& error) {
      all_.push_back(error);
    }
  }
  /// Adds the errors of `more` about keys that have no error here yet.
  void take_other_keys(const Refusals& more);
  /// True if an error is stored.
  bool any() const { return !all_.empty(); }
  /// Throws the stored errors: a single one unchanged, several as ConfigErrors. Returns if there are none.
  void refuse() const {
    if (all_.size() > 1) throw ConfigErrors(all_);
    if (all_.size() == 1) throw ConfigError(all_.front());
  }

 private:
  std::vector<ConfigError> all_;
};

}  // namespace tsuji
