// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace tsuji::config {

/// A value with a key whose word `auto` says that it follows from others: the field of the key and the value
/// in one.
template <class T>
class Automatic {
 public:
  /// Until it is settled.
  explicit Automatic(T value) : value_(value) {}
  Automatic& operator=(T value) {
    setting_ = value;
    return *this;
  }
  operator T() const { return setting_ ? *setting_ : value_; }
  /// The value unless one has been set.
  void settle(T value) {
    if (!setting_) setting_ = value;
  }
  /// For KeyTable; empty: `auto`.
  std::optional<T>& setting() { return setting_; }

 private:
  std::optional<T> setting_;
  T value_;
};

}  // namespace tsuji::config
