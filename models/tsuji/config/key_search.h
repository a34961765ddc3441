// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/config/key_table.h"

namespace tsuji::config {

/// Finds keys and returns them as text: keys whose name, meaning, unit or values contain all words of
/// `wanted`, and keys that `wanted` is an alias of (KeyTable::searched_as). Matches among `leading`, the most
/// important keys, come first; the others follow by section. A key that has no effect with the present values
/// of other keys is marked. Throws ConfigError if no key matches, and ModelError if a leading key does not
/// exist.
std::string find_keys(const KeyTable& keys, const std::string& wanted,
                      const std::vector<std::string>& leading);

}  // namespace tsuji::config
