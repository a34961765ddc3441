// SPDX-License-Identifier: Apache-2.0
#pragma once

// Catch2 2 (Debian 12) and 3 (Debian 13) under the names of 2.
#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>

namespace Catch {

using Matchers::EndsWith;
using Matchers::Equals;
using Matchers::Matches;
using Matchers::StartsWith;

inline Matchers::StringContainsMatcher Contains(const std::string& text) {
  return Matchers::ContainsSubstring(text);
}

}  // namespace Catch

using Catch::Approx;
#endif
