// SPDX-License-Identifier: Apache-2.0
#include "tsuji/platform/shared_file.h"

#include <filesystem>
#include <fstream>

#include "tsuji/platform/child_process.h"

namespace tsuji::platform {
namespace {

/// File of a build's folder with the path of the source tree: an installation must not name its builder's.
constexpr const char* source_note = "tsuji_source.txt";

}  // namespace

std::string shared_file(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::path own = fs::path(own_executable()).parent_path();
  const fs::path file = own.parent_path() / "share/tsuji" / path;
  if (own.filename() == "bin" && fs::exists(file)) return file.string();
  for (fs::path folder = own; folder.has_relative_path(); folder = folder.parent_path()) {
    std::ifstream note(folder / source_note);
    if (std::string source; std::getline(note, source)) return source + "/" + path;
  }
  return path;
}

}  // namespace tsuji::platform
