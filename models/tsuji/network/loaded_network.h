// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clocked_run.h"
#include "tsuji/network/loaded_parts.h"
#include "tsuji/network/network_accounts.h"
#include "tsuji/network/network_changes.h"
#include "tsuji/network/network_modules.h"

namespace tsuji::network {

/// A virtual-channel network with a source and a sink at every node, and the accounts of its packets: each
/// one is delivered once, or dropped with a cause, or still under way at the end (ModelError otherwise).
/// NetworkAssembly builds it, NetworkAccounts counts, NetworkChanges changes its routes.
class LoadedNetwork final : public ClockedRun {
 public:
  using Parts = LoadedParts;
  using CustomParts = network::CustomParts;
  using OnDelivered = network::OnDelivered;
  using MakeSource = LoadedParts::MakeSource;

  explicit LoadedNetwork(const Parts& parts);

  const ClockDomain& domain() const override { return *modules_.domain; }
  ClockDomain& domain() override { return *modules_.domain; }
  const NetworkAccounts& accounts() const { return accounts_; }
  NetworkAccounts& accounts() { return accounts_; }
  const NetworkChanges& changes() const { return changes_; }
  NetworkChanges& changes() { return changes_; }
  VcNetwork& network() { return *modules_.network; }
  const VcNetwork& network() const { return *modules_.network; }
  NetworkSupervisor& supervisor() { return *modules_.supervisor; }
  const NetworkSupervisor& supervisor() const { return *modules_.supervisor; }
  PacketPool& pool() { return modules_.pool; }
  const PacketPool& pool() const { return modules_.pool; }
  traffic::FlitNode& node(NodeId id) { return *modules_.nodes[id]; }
  /// The switches' look-up hardware; null with routers' own tables or a make_lookup of one's own.
  NetworkLookup* lookup() { return modules_.lookup.get(); }
  const NetworkLookup* lookup() const { return modules_.lookup.get(); }
  /// Null without retry.
  const RetryAccounts* retry() const { return modules_.retry.get(); }
  RetryAccounts* retry() { return modules_.retry.get(); }
  /// Timeouts of heads so far; null without NetworkConfig::classify_timeouts.
  const TimeoutClasses* timeout_classes() const {
    return modules_.timeouts ? &modules_.timeouts->classes() : nullptr;
  }
  /// How many cycles groups of modules may run before others (ClockDomain::run_groups); 1: none.
  Cycle group_cycles() const { return modules_.lookahead; }
  /// NetworkAccounts::check_conservation() of the cycles that have been simulated.
  void check_conservation() const { accounts_.check_conservation(now()); }

 private:
  void prepare(Cycle end) override;
  bool order_shows() const;

  NetworkModules modules_;
  NetworkAccounts accounts_;
  NetworkChanges changes_;
};

}  // namespace tsuji::network
