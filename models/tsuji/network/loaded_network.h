// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clocked_run.h"
#include "tsuji/network/loaded_parts.h"
#include "tsuji/network/network_accounts.h"
#include "tsuji/network/network_changes.h"
#include "tsuji/network/network_lanes.h"
#include "tsuji/network/network_modules.h"
#include "tsuji/network/network_ranks.h"

namespace tsuji::network {

/// A virtual-channel network with a source and a sink at every node, and the accounts of its packets: each
/// packet is delivered once, dropped with a cause, or in flight at the end (ModelError otherwise).
///
/// The constructor runs in this order; each step uses only objects of the steps before it:
///
///     NetworkModules    empty: packet pool and arena
///     NetworkAccounts   holds references to the modules, which it reads only while cycles run
///     NetworkChanges    holds references to the modules and to this network, likewise
///     NetworkAssembly   builds the modules (network_assembly.h has its steps); a temporary object
///     NetworkLanes      with several threads: refuses networks that have no windows
///     NetworkRanks      with several ranks: refuses networks that cannot be divided
///     FaultReaction     attach(): the complete network, before any cycle
///     NetworkLookup     warm_all(): caches are filled if the configuration says so
///
/// Contract: run_to() (ClockedRun) simulates cycles. NetworkChanges and checks of NetworkAccounts are called
/// between two calls of run_to().
class LoadedNetwork final : public ClockedRun {
 public:
  /// Parts that the constructor takes.
  using Parts = LoadedParts;
  /// Replacements of the library's parts by those of a project.
  using CustomParts = network::CustomParts;
  /// Called for each delivered packet.
  using OnDelivered = network::OnDelivered;
  /// Makes the source of a node.
  using MakeSource = LoadedParts::MakeSource;

  /// Builds network, nodes and accounts, before elaboration ends. Throws ConfigError for parts that do not
  /// fit.
  explicit LoadedNetwork(const Parts& parts);

  /// Clock of the network.
  const ClockDomain& domain() const override { return *modules_.domain; }
  /// Clock of the network.
  ClockDomain& domain() override { return *modules_.domain; }
  /// Counts of packets and flits.
  const NetworkAccounts& accounts() const { return accounts_; }
  /// Counts of packets and flits.
  NetworkAccounts& accounts() { return accounts_; }
  /// Changes of routes and routings, between two calls of run_to().
  const NetworkChanges& changes() const { return changes_; }
  /// Changes of routes and routings, between two calls of run_to().
  NetworkChanges& changes() { return changes_; }
  /// Routers and links.
  VcNetwork& network() { return *modules_.network; }
  /// Routers and links.
  const VcNetwork& network() const { return *modules_.network; }
  /// Supervisor, which drops packets and watches for progress between two cycles.
  NetworkSupervisor& supervisor() { return *modules_.supervisor; }
  /// Supervisor, which drops packets and watches for progress between two cycles.
  const NetworkSupervisor& supervisor() const { return *modules_.supervisor; }
  /// Memory of the packets.
  PacketPool& pool() { return modules_.pool; }
  /// Memory of the packets.
  const PacketPool& pool() const { return modules_.pool; }
  /// Packets of the heads that VcNetwork::watch_heads() shows: those of pool(), or of all threads or ranks.
  const PacketPool& pool_of_heads() const {
    return modules_.gathered_heads() != nullptr ? modules_.gathered_heads()->pool() : modules_.pool;
  }
  /// Module of a node; only for a network whose sources were given.
  traffic::FlitNode& node(NodeId id) { return *modules_.nodes[id]; }
  /// True if this process simulates the node.
  bool has(NodeId node) const;
  /// True if this process simulates the router.
  bool has_router(graph::RouterId router) const;
  /// The processes that simulate the network together; null: this one alone.
  mpi::Ranks* ranks() const { return modules_.ranks; }
  /// The switches' look-up hardware; null if routers have their own tables or CustomParts::make_lookup is
  /// given.
  NetworkLookup* lookup() { return modules_.lookup.get(); }
  /// The switches' look-up hardware; null without it.
  const NetworkLookup* lookup() const { return modules_.lookup.get(); }
  /// Accounts of retry; null without retry.
  const RetryAccounts* retry() const { return modules_.retry.get(); }
  /// Accounts of retry; null without retry.
  RetryAccounts* retry() { return modules_.retry.get(); }
  /// Block timeouts of heads so far; null without NetworkConfig::classify_timeouts.
  const TimeoutClasses* timeout_classes() const {
    return modules_.timeouts ? &modules_.timeouts->classes() : nullptr;
  }
  /// Cycles that a group of modules may run before other groups (ClockDomain::run_groups); 1: no groups.
  Cycle group_cycles() const { return modules_.lookahead; }
  /// Calls NetworkAccounts::check_conservation() for the cycles simulated so far.
  void check_conservation() const { accounts_.check_conservation(now()); }

 private:
  void prepare(Cycle end) override;
  void ran() override { modules_.supervisor->rest(); }
  void divide();
  bool order_shows() const;

  NetworkModules modules_;
  NetworkAccounts accounts_;
  NetworkChanges changes_;
  NetworkLanes lanes_;
  NetworkRanks ranks_;
  const unsigned threads_;
};

}  // namespace tsuji::network
