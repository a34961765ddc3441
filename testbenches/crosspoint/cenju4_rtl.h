// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "crosspoint/switch_rtl.h"
#include "nic/nic_rtl.h"

namespace tsuji::bench {

/// RTL of parts of a machine.
struct Cenju4Rtl {
  std::vector<SwitchRtlKind> switches;  ///< word: switch
  std::vector<NicRtlKind> interfaces;   ///< word: nic
};

/// Places that rtl.places names for the devices of a word, of `count`: "switch=5+7,nic=all" or empty.
/// ConfigError for other text, for places that do not exist, and for one that is named twice.
std::set<unsigned> rtl_places(const std::string& text, const std::string& word, unsigned count);

/// The platform `cenju4` with the RTL of tables, which outlive it: --rtl and the key rtl.places. Of each
/// table the first RTL that fits the configuration is taken. Switch n is switch n % w of stage n / w, where w
/// is the number of switches of a stage; an interface has the number of its node. Returns the exit status.
int rtl_cenju4_main(int argc, char** argv, const Cenju4Rtl& rtl);

}  // namespace tsuji::bench
