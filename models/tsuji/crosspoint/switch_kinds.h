// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/packet_switch.h"

namespace tsuji::crosspoint {

struct SwitchTraits {
  static constexpr const char* selector = "switch.kind";
  static constexpr const char* unknown = "unknown switch";
};

/// Every kind of switch by its word in `switch.kind`, with its parameters. It is given the keys switch.* that
/// all kinds share, and the number of ports.
using SwitchKinds = config::Kinds<SwitchTraits, SwitchKind, const CrosspointConfig&>;

/// The switches of CMakeLists.txt.
SwitchKinds switch_kinds();

}  // namespace tsuji::crosspoint
