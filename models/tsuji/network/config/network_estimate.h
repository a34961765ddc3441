// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/config/network_config.h"

namespace tsuji::network {

/// Counts of a network that follow from the keys of its topology.
struct NetworkSize {
  double routers = 0, nodes = 0;
  double ports = 0;            ///< of routers, that lead somewhere
  double inputs = 0;           ///< those with a channel into the router
  double router_channels = 0;  ///< channels between routers, one for each direction of a link
  double channels = 0;         ///< and those of nodes
  double hops = 0;             ///< routers that a packet visits, mean of random pairs of nodes on short paths
};

/// The counts without building anything, exact but for `hops`; a topology of a file or of an unknown kind
/// is built, as a graph alone. Throws ConfigError.
NetworkSize network_size(const TopologyConfig& config);

/// Memory of a network and of sources and sinks at its nodes once they are built, in bytes: a sum over
/// routers, ports, virtual channels, buffers, channels and tables whose terms were fitted to measured runs
/// (rooms/network.md, Estimates). Packets that wait at sources come on top.
double network_bytes(const NetworkConfig& config, const NetworkSize& size);

/// End-to-end retry adds this at each node.
double retry_node_bytes();

/// Processor time of a flit at a router, in ns, as measured on one core of 2 GHz. It grows with the machine's
/// memory, which no cache holds.
double flit_hop_ns(double machine_bytes);

/// Flits that pass a router in a cycle, of an open loop of uniform traffic; no more than channels carry.
double flit_hops_per_cycle(const NetworkConfig& config, const NetworkSize& size,
                           double load_flits_per_node_cycle);

}  // namespace tsuji::network
