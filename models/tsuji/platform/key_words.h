// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tsuji::platform {

/// Words of newcomers and of other simulators, and the key that each stands for on the platforms that have
/// it.
std::vector<std::pair<std::string, std::string>> key_words();

}  // namespace tsuji::platform
