// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/machines/cenju4/cenju4_config.h"

namespace tsuji::machines {

/// Memory of a node with processor, cache, controller and network interface after its start, in bytes, in a
/// machine of `nodes` nodes (rooms/network.md, Estimates). Data that programs touch come on top.
double cenju4_node_bytes(double nodes);
/// Memory of a multistage network with its channels, in bytes.
double crosspoint_network_bytes(const network::CrosspointNetworkConfig& network);
/// Processor time of a flit at a switch, in ns, as measured on one core of 2 GHz.
double crosspoint_flit_hop_ns();

}  // namespace tsuji::machines
