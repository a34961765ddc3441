// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/router/vc/vc_router.h"

namespace tsuji::router {

/// Returns true if routers with this configuration, of at most `input_vcs` input virtual channels, can handle
/// packets instead of flits: with router.switch_hold packet, where a packet fits into a buffer, nothing stops
/// its flits once its head has won the switch.
bool passes_whole_packets(const VcRouterConfig& config, unsigned input_vcs);

/// Makes a router with the packet driver; null if the configuration needs a feature that it lacks, or if a
/// channel passes single flits (FlitChannelConfig::whole_packets). The driver computes the same as the others
/// in every cycle; between the head and the tail of a packet VcRouter::view() shows what follows the packet.
ArenaPtr<VcRouter> make_packet_vc_router(const VcRouterConfig& config, graph::RouterId id,
                                         const std::vector<RouterPort>& ports, const RouterParts& parts);

}  // namespace tsuji::router
