// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/crosspoint/config.h"
#include "tsuji/crosspoint/packet_switch.h"

namespace tsuji::crosspoint {

/// The kind of N x N crosspoint-buffered switches with multicast and synchronization (Kanoh 2000, section 3,
/// fig. 2): CrosspointState or FlitCrosspoint, connected to channels. A packet is accepted only where its
/// whole length fits. Invariant: packets received + replicated - merged - dropped = sent + held. ConfigError
/// by config.validate().
SwitchKind crosspoint_switch(const CrosspointConfig& config);

}  // namespace tsuji::crosspoint
