// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace tsuji::observe {

/// A cell of a table or the value of a metric: integer, real number, text or null. Integers keep their full
/// precision. Declared without JSON, whose headers take seconds to compile.
class Value {
 public:
  Value() = default;
  /// Null: no value, for example the mean of no samples.
  Value(std::nullptr_t) {}
  /// A real number; Results refuses one that is not finite.
  Value(double number) : held_(number) {}
  /// A text.
  Value(std::string text) : held_(std::move(text)) {}
  /// A text, copied.
  Value(const char* text) : held_(std::string(text)) {}
  Value(bool) = delete;
  /// An integer of any width, with or without sign, with full precision.
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer>, int> = 0>
  Value(Integer number) {
    if constexpr (std::is_signed_v<Integer>) {
      held_ = static_cast<std::int64_t>(number);
    } else {
      held_ = static_cast<std::uint64_t>(number);
    }
  }
  /// Converts a JSON value. Throws ModelError for an array, an object or a truth value.
  static Value of(const nlohmann::ordered_json& json);

  /// True without a value.
  bool is_null() const { return std::holds_alternative<std::nullptr_t>(held_); }
  /// True for a real number; false for an integer.
  bool is_real() const { return std::holds_alternative<double>(held_); }
  /// True for a text.
  bool is_text() const { return std::holds_alternative<std::string>(held_); }
  /// The value as a number. Throws ModelError for text and null.
  double number() const;
  /// A text unquoted, any other value as JSON writes it.
  std::string text() const;
  /// Appends text() to a text.
  void append_to(std::string& text) const;
  /// The value in JSON.
  nlohmann::ordered_json json() const;

 private:
  std::variant<std::nullptr_t, std::int64_t, std::uint64_t, double, std::string> held_;
};

}  // namespace tsuji::observe
