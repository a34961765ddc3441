// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tsuji::config {

/// Items of a comma-separated list; an empty text has none.
std::vector<std::string> items_of(const std::string& text);
/// Words of an item, separated by blanks.
std::vector<std::string> words_of(const std::string& text);

}  // namespace tsuji::config
