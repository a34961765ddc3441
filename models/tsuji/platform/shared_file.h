// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::platform {

/// Path of a file that comes with Tsuji. For an executable in PREFIX/bin, PREFIX/share/tsuji/`installed`
/// where that exists; else `source` in the tree that the library was built from.
std::string shared_file(const std::string& installed, const std::string& source);

}  // namespace tsuji::platform
