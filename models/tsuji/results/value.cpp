// SPDX-License-Identifier: Apache-2.0
#include "tsuji/results/value.h"

#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "tsuji/core/error.h"

namespace tsuji::observe {

using Json = nlohmann::ordered_json;

Value Value::of(const Json& json) {
  if (json.is_null()) return nullptr;
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  throw ModelError("results", "neither a number nor a text: " + json.dump());
}

double Value::number() const {
  const Json value = json();
  if (!value.is_number()) throw ModelError("results", "not a number: " + value.dump());
  return value.get<double>();
}

std::string Value::text() const {
  std::string text;
  append_to(text);
  return text;
}

void Value::append_to(std::string& text) const {
  const auto append = [&text](auto integer) {
    std::array<char, std::numeric_limits<std::uint64_t>::digits10 + 2>
        digits;  // or a sign and one digit fewer
    const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), integer).ptr;
    text.append(digits.data(), static_cast<std::size_t>(end - digits.data()));
  };
  if (const auto* const natural = std::get_if<std::uint64_t>(&held_)) {
    append(*natural);
  } else if (const auto* const integer = std::get_if<std::int64_t>(&held_)) {
    append(*integer);
  } else if (const auto* const words = std::get_if<std::string>(&held_)) {
    text += *words;
  } else {
    text += json().dump();
  }
}

Json Value::json() const {
  return std::visit([](const auto& held) { return Json(held); }, held_);
}

}  // namespace tsuji::observe
