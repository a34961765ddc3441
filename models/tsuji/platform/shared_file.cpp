// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/shared_file.h"

#include <filesystem>

#include "tsuji/platform/child_process.h"

namespace tsuji::platform {

std::string shared_file(const std::string& path) {
  const std::filesystem::path bin = std::filesystem::path(own_executable()).parent_path();
  const std::filesystem::path file = bin.parent_path() / "share/tsuji" / path;
  if (bin.filename() == "bin" && std::filesystem::exists(file)) return file.string();
  return TSUJI_ROOT "/" + path;
}

}  // namespace tsuji::platform
