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

/// Failure of both directions of a link, from cycle `down` until cycle `up` (`never`: permanently).
struct LinkFault {
  std::uint32_t link = 0;
  Cycle down = 0;
  Cycle up = never;
};

/// Configuration of a virtual-channel network without its nodes.
struct NetworkConfig {
  Picoseconds clock_period_ps = 1000;
  TopologyConfig topology;
  RoutingConfig routing;
  lookup::LookupConfig lookup;
  VcNetworkConfig network;
  FaultsConfig dead;
  Cycle link_latency_cycles = 1;
  /// Comma-separated list of "LINK@DOWN" or "LINK@DOWN:UP"; overlapping intervals are united.
  std::string link_faults;
  /// Classifies each block timeout by a scan for deadlocks; modules then do not run ahead.
  bool classify_timeouts = false;
  Cycle watchdog_cycles = 10'000;  ///< Cycles without any moving flit after which the run stops.
  ProcessMode process_mode = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;

  ClockDomainConfig clock() const;
  /// Replaces `auto`: derives routing.kind from the topology, and the keys of network.router from the
  /// routing.
  void resolve();
  void resolve_prediction();
  /// True if routes are computed from coordinates. Look-up hardware then stores entries only for heads that
  /// read a table.
  bool decides_by_coordinates() const;
  /// True if routers change their tables when links and routers fail and return.
  bool reconfigures() const;
  /// All failures and returns, including those of link.faults. Throws ConfigError as FaultsConfig::schedule()
  /// does, for a link of link.faults that does not exist, and for a router that fails during a run without
  /// reconfigures().
  faults::FaultSchedule fault_schedule(const graph::Topology& topology) const;
  /// Failures of link.faults, ordered by link and time; the intervals of a link do not touch. Throws
  /// ConfigError for a malformed text.
  std::vector<LinkFault> faults() const;
  void validate() const;
};

/// Binds the keys clock_period_ps, topology.*, link.*, router.*, routing.*, lookup.*, run.*.
void add_network_keys(config::KeyTable& keys, NetworkConfig& config);
/// Binds the keys faults.*, after the keys of add_network_keys(), for machines that support dead links and
/// routers.
void add_network_fault_keys(config::KeyTable& keys, NetworkConfig& config);
/// Binds the keys deadlock.*, after the keys of add_network_keys(), for machines that report deadlocks.
void add_network_deadlock_keys(config::KeyTable& keys, NetworkConfig& config);

}  // namespace tsuji::network
