// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/network/config/network_config.h"

namespace tsuji::network {

/// Sizes of a network, computed from the keys of its topology.
struct NetworkSize {
  double routers = 0, nodes = 0;
  double ports = 0;            ///< Connected ports of routers.
  double inputs = 0;           ///< Router ports with a channel into the router.
  double router_channels = 0;  ///< Channels between routers, one for each direction of a link.
  double channels = 0;         ///< Channels between routers and channels of nodes.
  double hops = 0;             ///< Mean number of routers on a shortest path between a random pair of nodes.
  double candidates = 1;       ///< Ports that a head has at most, on trees and Dragonfly+.
};

/// Computes the sizes without building the network; exact except for `hops`. For a topology from a file or of
/// an unknown kind, the graph is built. Throws ConfigError.
NetworkSize network_size(const TopologyConfig& config);

/// Memory in bytes of a network with the sources and sinks of its nodes: a sum over routers, ports, virtual
/// channels, buffers, channels and tables, with coefficients fitted to measured runs (rooms/network.md,
/// Estimates). Excludes packets waiting in source queues. `dense`: without modules of routers, links and
/// nodes (network/dense).
double network_bytes(const NetworkConfig& config, const NetworkSize& size, bool dense = false);

/// Additional memory of each node with end-to-end retry, in bytes.
double retry_node_bytes();

/// Host time of one flit at one router in ns, measured on one core of 2 GHz. It grows with the machine's
/// memory, which exceeds the host's caches.
double flit_hop_ns(double machine_bytes);

/// Flits that traverse routers per cycle under an open loop of uniform traffic, limited by the capacity of
/// the channels.
double flit_hops_per_cycle(const NetworkConfig& config, const NetworkSize& size,
                           double load_flits_per_node_cycle);

}  // namespace tsuji::network
