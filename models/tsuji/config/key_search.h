// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/key_table.h"

namespace tsuji::config {

/// The keys that `wanted` finds, as text: those whose name, meaning, unit or values contain all of its words,
/// and those that it stands for (KeyTable::searched_as). The keys among `leading`, those that matter most,
/// come first; the others follow by section. A key without effect with the other keys' values says so.
/// ConfigError where no key is found; ModelError for a leading key that there is not.
std::string find_keys(const KeyTable& keys, const std::string& wanted,
                      const std::vector<std::string>& leading);

}  // namespace tsuji::config
