// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tsuji::platform {

/// Words that newcomers and other simulators use, each with the key that it refers to, for
/// KeyTable::searched_as().
std::vector<std::pair<std::string, std::string>> key_words();

}  // namespace tsuji::platform
