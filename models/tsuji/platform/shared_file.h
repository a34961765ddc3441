// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::platform {

/// Path of a file that comes with Tsuji. For an executable in PREFIX/bin, PREFIX/share/tsuji/`path` where
/// that exists; else `path` in the tree that the library was built from.
std::string shared_file(const std::string& path);

}  // namespace tsuji::platform
