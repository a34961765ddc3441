// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace tsuji::config {

/// How a text writes a relative path, which begins at the current directory of this process.
using PathText = std::function<std::string(const std::string& path)>;

/// For a text that is read in the same directory.
std::string as_it_is(const std::string& path);
/// For a text that may be read from anywhere.
std::string absolute(const std::string& path);
/// For a file in `folder`, which need not exist. Links are followed, so that .. leads back.
PathText seen_from(const std::string& folder);

}  // namespace tsuji::config
