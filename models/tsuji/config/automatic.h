// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace tsuji::config {

/// Field of a key that takes a value or the word `auto`; `auto` leaves the choice to settle(), which derives
/// the value from other keys.
template <class T>
class Automatic {
 public:
  /// `value` is read until the key is set or settle() is called.
  explicit Automatic(T value) : value_(value) {}
  Automatic& operator=(T value) {
    setting_ = value;
    return *this;
  }
  operator T() const { return setting_ ? *setting_ : value_; }
  /// Sets the derived value; an explicitly set value is kept.
  void settle(T value) {
    if (!setting_) setting_ = value;
  }
  /// Field for KeyTable; empty for `auto`.
  std::optional<T>& setting() { return setting_; }

 private:
  std::optional<T> setting_;
  T value_;
};

}  // namespace tsuji::config
