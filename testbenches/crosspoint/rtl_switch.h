// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "crosspoint/switch_rtl.h"
#include "tsuji/crosspoint/packet_switch.h"

namespace tsuji::bench {

/// A crosspoint switch of a machine as RTL, which moves every flit of its packets. Each flit that leaves is
/// compared with the flit of the packet that it stands for; the port bits at the next switch are the RTL's.
/// ModelError for another flit, a packet that nobody sent, a slot that is freed twice, and for packets that
/// the RTL cannot take: damaged ones, and ones that are too long or end before their header.
std::unique_ptr<crosspoint::PacketSwitch> rtl_switch(const SwitchRtlKind& kind,
                                                     const crosspoint::SwitchParts& parts);

}  // namespace tsuji::bench
