// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace tsuji::test {

/// The Error that `work` throws, if it throws one.
template <class Error, class Work>
std::optional<Error> thrown(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// The text of the Error that `work` throws; `otherwise` if it throws none.
template <class Error, class Work>
std::string text_of(Work work, const char* otherwise = "") {
  const std::optional<Error> error = thrown<Error>(work);
  return error ? error->what() : otherwise;
}

}  // namespace tsuji::test
