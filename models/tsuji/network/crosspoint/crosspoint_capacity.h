// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tsuji/core/units.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

namespace tsuji::network {

/// The load at which the first channel or crosspoint FIFO of a multistage network is full. Every pair has one
/// path, so this follows from the demand alone; packets that meet at an output make the network carry less.
struct CrosspointCapacity {
  double flits_per_node_cycle = 0;  ///< may be above 1
  std::string at;                   ///< "channel into switch1_3:2", "FIFO (0, 2) of switch1_3"
};

/// Flits a cycle of one flow through one crosspoint FIFO: F / max(F, (F + 12) / D) with D packets of F flits,
/// less with cables (rooms/crosspoint.md).
double fifo_limit(const CrosspointNetworkConfig& network, double packet_flits);

/// `demand`: mean flits a cycle from a source to a destination at a load of 1 flit/node/cycle.
CrosspointCapacity crosspoint_capacity(const CrosspointNetworkConfig& network, double packet_flits,
                                       const std::function<double(NodeId, NodeId)>& demand);

}  // namespace tsuji::network
