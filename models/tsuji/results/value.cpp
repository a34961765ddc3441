// SPDX-License-Identifier: Apache-2.0
#include "tsuji/results/value.h"

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
  return is_text() ? std::get<std::string>(held_) : json().dump();
}

Json Value::json() const {
  return std::visit([](const auto& held) { return Json(held); }, held_);
}

}  // namespace tsuji::observe
