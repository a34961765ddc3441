// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/kinds.h"
#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/packet_switch.h"

namespace tsuji::crosspoint {

/// Properties of a value of `switch.kind`.
struct SwitchTraits {
  static constexpr const char* selector = "switch.kind";    ///< Key that selects the switch.
  static constexpr const char* unknown = "unknown switch";  ///< Refusal of an unknown value.
};

/// All kinds of switch by their value of `switch.kind`, with their parameters. A kind gets the configuration
/// of the common keys switch.* and the number of ports.
using SwitchKinds = config::Kinds<SwitchTraits, SwitchKind, const CrosspointConfig&>;

/// Returns the switches that CMakeLists.txt lists.
SwitchKinds switch_kinds();

}  // namespace tsuji::crosspoint
