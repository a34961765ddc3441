// SPDX-License-Identifier: Apache-2.0
#include "tsuji/config/renames.h"

#include <algorithm>

namespace tsuji::config {

std::string Rename::problem() const {
  const std::size_t name_end = std::min(now.find(' '), now.size());
  const std::string meant = name_end < now.size() ? ", with" + now.substr(name_end) : "";
  return "is called " + now.substr(0, name_end) + " since " + since + meant;
}

const Rename* find_rename(const std::vector<Rename>& renames, Rename::Kind kind, const std::string& before) {
  const auto found = std::find_if(renames.begin(), renames.end(), [&](const Rename& rename) {
    return rename.kind == kind && rename.before == before;
  });
  return found == renames.end() ? nullptr : &*found;
}

}  // namespace tsuji::config
