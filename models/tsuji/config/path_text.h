// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace tsuji::config {

/// Formats a path for an output text. A relative `path` begins at this process's current directory.
using PathText = std::function<std::string(const std::string& path)>;

/// Returns the path unchanged, for a text that is read in the current directory.
std::string as_it_is(const std::string& path);
/// Returns the absolute path, for a text that may be read from any directory.
std::string absolute(const std::string& path);
/// Returns a formatter of paths relative to `folder`, which need not exist. Symbolic links are resolved, so
/// that `..` is correct.
PathText seen_from(const std::string& folder);

}  // namespace tsuji::config
