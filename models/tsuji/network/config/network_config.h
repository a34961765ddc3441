// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/config/key_table.h"
#include "tsuji/lookup/lookup_config.h"
#include "tsuji/network/config/faults_config.h"
#include "tsuji/network/config/routing_config.h"
#include "tsuji/network/config/topology_config.h"
#include "tsuji/network/config/vc_network_config.h"

namespace tsuji::network {

/// A link that goes down, and comes up again if `up` is not `never`; both directions.
struct LinkFault {
  std::uint32_t link = 0;
  Cycle down = 0;
  Cycle up = never;
};

/// A virtual-channel network without what is at its nodes.
struct NetworkConfig {
  Picoseconds clock_period_ps = 1000;
  TopologyConfig topology;
  RoutingConfig routing;
  lookup::LookupConfig lookup;
  VcNetworkConfig network;
  FaultsConfig dead;
  Cycle link_latency_cycles = 1;
  std::string link_faults;         ///< "LINK@DOWN" or "LINK@DOWN:UP", comma between them; a union
  bool classify_timeouts = false;  ///< each by a scan for deadlocks; nothing runs ahead
  Cycle watchdog_cycles = 10'000;  ///< no flit moves for so long: the run stops
  ProcessMode process_mode = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;

  ClockDomainConfig clock() const;
  /// Replaces `auto` by the value that follows: routing.kind from the topology, those of network.router from
  /// the routing.
  void resolve();
  void resolve_prediction();
  /// Heads go by coordinates, but for those that read a table: a memory holds words for these alone.
  bool decides_by_coordinates() const;
  /// Routers change their tables when links and routers die and return.
  bool reconfigures() const;
  /// All that dies and returns, link.faults too. ConfigError: FaultsConfig::schedule(), a link of link.faults
  /// that does not exist, a router that dies during a run without reconfigures().
  faults::FaultSchedule fault_schedule(const graph::Topology& topology) const;
  /// By link and time; intervals of a link do not meet. ConfigError where the text is not of that form.
  std::vector<LinkFault> faults() const;
  void validate() const;
};

/// Binds the keys clock_period_ps, topology.*, link.*, router.*, routing.*, lookup.*, run.*.
void add_network_keys(config::KeyTable& keys, NetworkConfig& config);
/// Binds the keys faults.*, after the others, for a machine that knows of dead links and routers.
void add_network_fault_keys(config::KeyTable& keys, NetworkConfig& config);
/// Binds the keys deadlock.*, after the others, for a machine that reports what they ask for.
void add_network_deadlock_keys(config::KeyTable& keys, NetworkConfig& config);

}  // namespace tsuji::network
