// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "tsuji/platform/command_line.h"

namespace tsuji::test {

/// A call of a platform: its exit status and its output.
struct Outcome {
  int status;
  std::string out, err;
};

/// Calls a platform with these words after its name.
inline Outcome call(const platform::Platform& platform, const std::vector<std::string>& words) {
  std::vector<const char*> arguments = {platform.name.c_str()};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::ostringstream out, err;
  const int status = run_platform(static_cast<int>(arguments.size()), arguments.data(), platform, out, err);
  return {status, out.str(), err.str()};
}

}  // namespace tsuji::test
