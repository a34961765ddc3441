// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tsuji::platform {

/// Path of a file that comes with Tsuji: PREFIX/share/tsuji/`path` for an executable in PREFIX/bin, if that
/// file exists; else `path` in the folder that the file tsuji_source.txt of a folder above the executable
/// names: the source tree, for an executable in its build; else `path`, unchanged.
std::string shared_file(const std::string& path);

}  // namespace tsuji::platform
