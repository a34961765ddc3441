// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "crosspoint/switch_rtl.h"

namespace tsuji::bench {

/// Switches that rtl.places names, of `switches`: "switch=5+7", "switch=all"; empty text: none. ConfigError
/// for other text, for switches that the network lacks, and for one that is named twice.
std::set<unsigned> switch_places(const std::string& text, unsigned switches);

/// The platform `cenju4` with the RTL of a table, which outlives it: --rtl and the key rtl.places. The first
/// RTL that fits the configuration is taken. Switch n is switch n % w of stage n / w, where w is the number
/// of switches of a stage. Returns the exit status.
int rtl_cenju4_main(int argc, char** argv, const std::vector<SwitchRtlKind>& table);

}  // namespace tsuji::bench
