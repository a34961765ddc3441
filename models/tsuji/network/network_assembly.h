// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/network/loaded_parts.h"
#include "tsuji/network/network_accounts.h"
#include "tsuji/network/network_modules.h"

namespace tsuji::network {

/// Builds the modules of a LoadedNetwork from its parts and refuses parts that do not fit together. The
/// LoadedNetwork calls build() once, before the simulation starts.
///
/// Each step uses objects of the steps above it (arrows point at them):
///
///     1 add_clock             ClockDomain and supervisor; configuration of nodes; reaction, observer
///     2 add_retry             RetryAccounts <- window of the node configuration
///     3 add_router_packets    accounts of routers' own packets <- pool, supervisor (called while cycles run)
///     4 make_control_sources  sources at control ports <- reaction; kept here until step 8
///     5 VcNetwork             routers and links <- clock, supervisor (events), look-up, 3, ports of 4
///     6 check_abilities       refuses faults and routings that the router of 5 cannot support
///     7 add_nodes             FlitNode bound to 5 <- source, wrapped by retry of 2
///     8 add_control           FlitNode bound to a control port of 5 <- source of 4
///     9 add_views             RoutingViews: routings as read by 5, 7 and 8
///    10 order_modules         execution order in the clock: a router, its nodes, its control node
///    11 lookahead             cycles by which groups of modules may run ahead <- 5, 7, 8
///       check_threads         refuses several threads where no group may run ahead
///       check_ranks           refuses several ranks (before 5: a network of modules; at the end: shared
///       sources)
///    12 classify_timeouts     only on request; runs before each cycle of the clock
///    13 supervisor.attach     hooks into 5, 7, 9 and the accounts: last, since it needs all of them
class NetworkAssembly {
 public:
  NetworkAssembly(const LoadedParts& parts, NetworkModules& modules, NetworkAccounts& accounts)
      : parts_(parts), modules_(modules), accounts_(accounts), runs_densely_(parts.runs_densely()) {}

  void build();

 private:
  traffic::FlitNodeConfig node_config() const;
  void add_clock();
  void add_retry();
  void add_router_packets();
  void make_control_sources();
  VcNetwork::Parts network_parts();
  VcNetwork::MakeLookup make_lookup();
  void check_abilities() const;
  void check_fault_abilities(const router::RouterKind& kind, const std::string& cannot) const;
  void check_routing_abilities(const router::RouterKind& kind, const std::string& cannot) const;
  std::unique_ptr<traffic::EmissionSource> make_source(NodeId id);
  void add_nodes();
  void add_dense();
  void add_control();
  void add_views();
  void order_modules();
  void order_dense();
  void classify_timeouts();
  NetworkSupervisor::Hooks supervisor_hooks();
  void watch_queues();
  void add_ranks(NetworkSupervisor::Hooks& hooks);
  /// The lookahead that a part of the network states, and why.
  struct Lookahead {
    Cycle cycles;
    const char* reason;  ///< completes "groups of modules cannot run ahead of each other: "
  };
  Lookahead least_lookahead() const;
  void check_threads(const Lookahead& least) const;
  void check_ranks() const;
  void check_shares() const;
  std::string undivided() const;
  bool sources_share() const;
  bool nodes_share() const;
  Cycle lookahead_of_links() const;
  Cycle lookahead_of_nodes() const;

  const LoadedParts& parts_;
  NetworkModules& modules_;
  NetworkAccounts& accounts_;
  const bool runs_densely_;  ///< LoadedParts::runs_densely(), which reads all routers
  /// Indexed by router; moved to the nodes in add_control().
  std::vector<std::unique_ptr<traffic::EmissionSource>> control_sources_;
};

}  // namespace tsuji::network
