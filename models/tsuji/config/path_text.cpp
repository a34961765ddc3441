// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/path_text.h"

#include <filesystem>

namespace tsuji::config {
namespace fs = std::filesystem;

std::string as_it_is(const std::string& path) {
  return path;
}

std::string absolute(const std::string& path) {
  return fs::weakly_canonical(fs::absolute(path)).string();
}

PathText seen_from(const std::string& folder) {
  return [from = fs::path(absolute(folder))](const std::string& path) {
    return fs::path(absolute(path)).lexically_relative(from).string();
  };
}

}  // namespace tsuji::config
