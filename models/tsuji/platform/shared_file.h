// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::platform {

/// Path of a file that comes with Tsuji: PREFIX/share/tsuji/`path` for an executable in PREFIX/bin, if that
/// file exists; else `path` in the source tree that the library was built from.
std::string shared_file(const std::string& path);

}  // namespace tsuji::platform
