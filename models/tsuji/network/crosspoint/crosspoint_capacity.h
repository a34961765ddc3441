// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tsuji/core/units.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

namespace tsuji::network {

/// The load at which the first channel or crosspoint FIFO of a multistage network is fully used. Every pair
/// of nodes has one path, so that this bound follows from the demand alone; contention for outputs lowers the
/// actual throughput.
struct CrosspointCapacity {
  double flits_per_node_cycle = 0;  ///< May exceed 1.
  std::string at;                   ///< For example "channel into switch1_3:2" or "FIFO (0, 2) of switch1_3".
};

/// Largest throughput of one flow through one crosspoint FIFO in flits per cycle: F / max(F, (F + 12) / D)
/// for D packets of F flits, less with cables (scripts/handbook.d/rooms/crosspoint.md).
double fifo_limit(const CrosspointNetworkConfig& network, double packet_flits);

/// Computes the capacity. `demand` returns the mean flits per cycle from a source to a destination at a load
/// of 1 flit per node and cycle.
CrosspointCapacity crosspoint_capacity(const CrosspointNetworkConfig& network, double packet_flits,
                                       const std::function<double(NodeId, NodeId)>& demand);

}  // namespace tsuji::network
