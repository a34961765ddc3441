// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

namespace tsuji::test {

/// The key with which a configuration is refused; empty if it is valid.
template <class Config>
std::string refused_key(const Config& config) {
  const auto error = thrown<ConfigError>([&] { config.validate(); });
  return error ? error->key() : std::string();
}

/// Checks that `value` of an otherwise valid configuration is accepted from `least` to `most` and refused
/// beyond.
template <class Config, class Value>
void check_bounds(const char* key, Config& config, Value& value, std::uint64_t least, std::uint64_t most) {
  INFO(key);
  const Value valid = value;
  for (const std::uint64_t inside : {least, most}) {
    value = static_cast<Value>(inside);
    CHECK(refused_key(config).empty());
  }
  value = static_cast<Value>(least - 1);
  if (least > 0) CHECK(refused_key(config) == key);
  value = static_cast<Value>(most + 1);
  if (value > most) CHECK(refused_key(config) == key);
  value = valid;
}

}  // namespace tsuji::test
