// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/network/network_supervisor.h"
#include "tsuji/network/object_block.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/network/router_packets.h"
#include "tsuji/network/routing_views.h"
#include "tsuji/network/timeout_classifier.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/traffic/flit_node.h"

namespace tsuji::network {

/// Modules and objects of a LoadedNetwork, which its assembly, accounts and changes share. Made in the order
/// of the members.
struct NetworkModules {
  NetworkModules() = default;
  ~NetworkModules();
  NetworkModules(const NetworkModules&) = delete;
  NetworkModules& operator=(const NetworkModules&) = delete;

  /// Null: no such node, or a router without a control port.
  traffic::FlitNode* node_at(End end);
  /// The last cycle, `now` at most, in which a module did something.
  Cycle last_event(Cycle now) const;
  /// Calls visit(FlitNodeState) for the nodes, and for the ends at control ports.
  template <class Visit>
  void visit_nodes(const Visit& visit) const {
    for (const auto& node : nodes) visit(node->state());
    for (const auto& [id, node] : control) visit(node->state());
  }

  PacketPool pool;
  Arena arena;  ///< buffers and tables of routers and nodes
  std::unique_ptr<ClockDomain> domain;
  std::unique_ptr<NetworkSupervisor> supervisor;
  traffic::FlitNodeConfig node_config, control_config;
  std::unique_ptr<NetworkLookup> lookup;  ///< null with routers' own tables
  std::unique_ptr<RetryAccounts> retry;   ///< null without retry
  std::unique_ptr<RouterPacketAccounts> router_packets;
  std::unique_ptr<VcNetwork> network;
  std::unique_ptr<TimeoutClassifier> timeouts;  ///< null where they are not classified
  std::vector<std::unique_ptr<ObjectBlock>> blocks;
  std::vector<std::unique_ptr<traffic::FlitNode>> nodes;
  std::map<graph::RouterId, std::unique_ptr<traffic::FlitNode>> control;
  std::unique_ptr<RoutingViews> views;
  FaultReaction* reaction = nullptr;  ///< may be null
  FaultObserver* observer = nullptr;  ///< may be null
  Cycle lookahead = 1;                ///< of groups of modules; 1: as long as the order of cycles may show
};

}  // namespace tsuji::network
