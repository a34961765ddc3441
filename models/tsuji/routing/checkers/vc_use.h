// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "tsuji/graph/living_network.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Freedom of choice that a virtual channel between routers gives to heads at their first router, counted
/// over pairs of a living router and a living node at another router.
struct VcUse {
  PacketClass packet_class = PacketClass::normal;
  unsigned vc = 0;
  /// Pairs for which the channel is a candidate; 0: the channel is useless to such heads.
  std::uint64_t pairs = 0;
  std::uint64_t one_output =
      0;  ///< pairs that may use it at one output: all pairs for a channel of dimension order
  std::uint64_t all_shortest =
      0;  ///< pairs that may use it at every output on a shortest path over living links
};

/// Counts for normal packets, and with recovery for packets in recovery, too; virtual channels ascend. Of
/// random choices one outcome is examined.
std::vector<VcUse> vc_use(const graph::Topology& topology, const graph::LivingNetwork& network,
                          const Routing& routing, unsigned vcs);

/// Prints a line for each, after a header line: packets,vc,pairs,one_output,all_shortest
void print_vc_use(const std::vector<VcUse>& use, std::ostream& out);

}  // namespace tsuji::routing
