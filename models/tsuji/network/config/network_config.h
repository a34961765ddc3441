// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/config/key_table.h"
#include "tsuji/lookup/lookup_config.h"
#include "tsuji/network/config/classes_config.h"
#include "tsuji/network/config/congestion_config.h"
#include "tsuji/network/config/faults_config.h"
#include "tsuji/network/config/rails_config.h"
#include "tsuji/network/config/routing_config.h"
#include "tsuji/network/config/topology_config.h"
#include "tsuji/network/config/vc_network_config.h"

namespace tsuji::network {

/// Failure of both directions of a link, from cycle `down` until cycle `up` (`never`: permanently).
struct LinkFault {
  std::uint32_t link = 0;  ///< Index into Topology::links().
  Cycle down = 0;          ///< First cycle without the link.
  Cycle up = never;        ///< First cycle with the link again; `never`: the failure is permanent.
};

/// Configuration of a virtual-channel network without its nodes.
struct NetworkConfig {
  Picoseconds clock_period_ps = 1000;  ///< Period of the network's clock in ps.
  TopologyConfig topology;             ///< Routers, links and nodes.
  RailsConfig rails;                   ///< Network ports of the nodes.
  RoutingConfig routing;               ///< Routing algorithm.
  lookup::LookupConfig lookup;         ///< Hardware that looks routes up.
  VcNetworkConfig network;             ///< Routers and their virtual channels.
  ClassesConfig classes;               ///< Classes of messages.
  CongestionConfig congestion;         ///< Congestion control at the nodes.
  FaultsConfig dead;                   ///< Links and routers that are dead from cycle 0 on.
  Cycle link_latency_cycles = 1;  ///< Latency of links without a latency of their own, in cycles, at least 1.
  /// Values of classes of links, in the format of parse_link_classes().
  std::string link_classes;
  /// Comma-separated list of "LINK@DOWN" or "LINK@DOWN:UP"; overlapping intervals are united.
  std::string link_faults;
  /// Classifies each block timeout by a scan for deadlocks; modules then do not run ahead.
  bool classify_timeouts = false;
  Cycle watchdog_cycles = 10'000;  ///< Cycles without any moving flit after which the run stops.
  ProcessMode process_mode = ProcessMode::one_for_all;  ///< SystemC processes of the clock.
  std::uint64_t shuffle_seed = 0;  ///< Seed of a random order of modules in each cycle; 0: fixed order.

  /// Period and processes as the clock domain takes them.
  ClockDomainConfig clock() const;
  /// Replaces `auto`: derives routing.kind from the topology, and the keys of network.router from the
  /// routing.
  void resolve();
  /// Replaces `auto` in the keys of prediction, whose default depends on look-up and stages.
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
  /// Classes of messages, and the order in which router.sa_allocator lets them share a link. Throws
  /// ConfigError as ClassesConfig::read() does, and for values that the allocator does not read.
  MessageClasses message_classes() const;
  /// Failures of link.faults, ordered by link and time; the intervals of a link do not touch. Throws
  /// ConfigError for a malformed text.
  std::vector<LinkFault> faults() const;
  /// Throws ConfigError for parts that contradict each other.
  void validate() const;
};

/// Builds the topology with the values of its links' classes. Throws ConfigError.
graph::Topology make_topology(const NetworkConfig& config);

/// Binds the keys clock_period_ps, topology.*, link.*, router.*, routing.*, lookup.*, run.*.
void add_network_keys(config::KeyTable& keys, NetworkConfig& config);
/// Binds the keys faults.*, after the keys of add_network_keys(), for machines that support dead links and
/// routers.
void add_network_fault_keys(config::KeyTable& keys, NetworkConfig& config);
/// Binds the keys deadlock.*, after the keys of add_network_keys(), for machines that report deadlocks.
void add_network_deadlock_keys(config::KeyTable& keys, NetworkConfig& config);

}  // namespace tsuji::network
