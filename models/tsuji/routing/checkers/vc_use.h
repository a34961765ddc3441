// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "tsuji/graph/living_network.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Freedom that a virtual channel between routers gives to heads at the router of their source, counted over
/// the pairs of a living router and a living node at another one for which it is offered.
struct VcUse {
  PacketClass packet_class = PacketClass::normal;
  unsigned vc = 0;
  std::uint64_t pairs = 0;  ///< 0: the channel is of no use to such heads
  std::uint64_t one_output =
      0;  ///< pairs that may take it at one output: all of them on a channel of dimension order
  std::uint64_t all_shortest =
      0;  ///< pairs that may take it at every output that begins a shortest way over living links
};

/// For normal packets, and where the routing has recovery for packets in recovery, too; virtual channels
/// ascending. Of packets' random choices one outcome is looked at.
std::vector<VcUse> vc_use(const graph::Topology& topology, const graph::LivingNetwork& network,
                          const Routing& routing, unsigned vcs);

/// A line for each, after one of names: packets,vc,pairs,one_output,all_shortest
void print_vc_use(const std::vector<VcUse>& use, std::ostream& out);

}  // namespace tsuji::routing
