// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/core/error.h"

namespace tsuji {

/// Several refusals of one input, in the order in which they were found. Key, value, problem and accepted are
/// the first one's.
class ConfigErrors final : public ConfigError {
 public:
  /// `all`: two at least.
  explicit ConfigErrors(std::vector<ConfigError> all);
  const std::vector<ConfigError>& all() const { return all_; }

 private:
  std::vector<ConfigError> all_;
};

/// Collects refusals, so that an input is refused once for all of its mistakes.
class Refusals {
 public:
  /// Calls `check`, and keeps the ConfigError that it throws.
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
  /// Adds those of keys that none here is about.
  void take_other_keys(const Refusals& more);
  bool any() const { return !all_.empty(); }
  /// Throws what was kept: one as it is, several as ConfigErrors.
  void refuse() const {
    if (all_.size() > 1) throw ConfigErrors(all_);
    if (all_.size() == 1) throw ConfigError(all_.front());
  }

 private:
  std::vector<ConfigError> all_;
};

}  // namespace tsuji
