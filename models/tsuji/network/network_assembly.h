// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "tsuji/network/loaded_parts.h"
#include "tsuji/network/network_accounts.h"
#include "tsuji/network/network_modules.h"

namespace tsuji::network {

/// Builds the modules of a LoadedNetwork from its parts, and refuses parts that do not go together. Used
/// once, before the simulation starts.
class NetworkAssembly {
 public:
  NetworkAssembly(const LoadedParts& parts, NetworkModules& modules, NetworkAccounts& accounts)
      : parts_(parts), modules_(modules), accounts_(accounts) {}

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
  void add_nodes();
  void add_control();
  void add_views();
  void order_modules();
  void classify_timeouts();
  NetworkSupervisor::Hooks supervisor_hooks();
  Cycle lookahead() const;
  Cycle lookahead_of_links() const;
  Cycle lookahead_of_nodes() const;

  const LoadedParts& parts_;
  NetworkModules& modules_;
  NetworkAccounts& accounts_;
  std::vector<std::unique_ptr<traffic::EmissionSource>> control_sources_;  ///< [router], until elaboration
};

}  // namespace tsuji::network
