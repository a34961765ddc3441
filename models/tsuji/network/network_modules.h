// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/clock/clocked_run.h"
#include "tsuji/core/arena.h"
#include "tsuji/core/packet.h"
#include "tsuji/mpi/ranks.h"
#include "tsuji/network/dense/dense_network.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/network/network_supervisor.h"
#include "tsuji/network/object_block.h"
#include "tsuji/network/queue_snapshot.h"
#include "tsuji/network/rank_channels.h"
#include "tsuji/network/rank_events.h"
#include "tsuji/network/rank_retry.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/network/router_packets.h"
#include "tsuji/network/routing_views.h"
#include "tsuji/network/timeout_classifier.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/traffic/flit_node.h"

namespace tsuji::network {

/// Modules and objects of a LoadedNetwork, shared by its assembly, accounts and changes. NetworkAssembly
/// makes them in the order of the members; the destructor has its own order.
struct NetworkModules {
  NetworkModules() = default;
  ~NetworkModules();
  NetworkModules(const NetworkModules&) = delete;
  NetworkModules& operator=(const NetworkModules&) = delete;

  /// Node or control node at an end; null if the node does not exist or the router has no control port.
  traffic::FlitNode* node_at(End end);
  /// Likewise; also null for an end that another rank simulates.
  traffic::FlitNode* own_node_at(End end);
  /// True if this process simulates the router.
  bool has_router(graph::RouterId router) const;
  /// First cycle that has not been simulated; also where somebody else than the LoadedNetwork runs the
  /// kernel.
  Cycle now() const;
  /// Last cycle, not after `now`, in which a module was active.
  Cycle last_event(Cycle now) const;
  /// visit_own_nodes(), and visit(FlitNodeState) for all ends at control ports.
  template <class Visit>
  void visit_nodes(const Visit& visit) const {
    visit_own_nodes(visit);
    for (const auto& [id, node] : control) visit(node->state());
  }
  /// Calls visit(FlitNodeState), or visit(dense::Node), for all nodes of this rank.
  template <class Visit>
  void visit_own_nodes(const Visit& visit) const {
    for (const auto& node : nodes) visit(node->state());
    if (dense) dense->visit_nodes(visit);
  }

  /// visit_nodes() for all nodes that are modules, to change them.
  template <class Visit>
  void visit_modules(const Visit& visit) {
    for (const auto& node : nodes) visit(node->state());
    for (const auto& [id, node] : control) visit(node->state());
  }
  /// Departures of heads of all threads or ranks (DenseNetwork::gathered_heads).
  dense::GatheredHeads* gathered_heads() const { return dense ? dense->gathered_heads() : nullptr; }

  /// Calls visit(PacketIndex) for the packets of this rank whose last flit is still on another one.
  template <class Visit>
  void visit_arriving(const Visit& visit) const {
    if (rank_channels) rank_channels->visit_arriving(visit);
    if (ranks != nullptr && dense) dense->visit_arriving(visit);
  }

  /// Listener of sources with retry.
  traffic::RetryEvents& retry_events() {
    if (rank_retry) return *rank_retry;
    return *retry;
  }
  /// Sum of a value of all ranks; all of them call it.
  std::uint64_t sum(std::uint64_t own) const { return ranks == nullptr ? own : ranks->sum(own); }

  const ClockedRun* run = nullptr;  ///< Cycles simulated; set by the LoadedNetwork.
  PacketPool pool;
  std::vector<std::unique_ptr<PacketPool>> lane_pools;  ///< [lane], with several threads
  mpi::Ranks* ranks = nullptr;                          ///< null: all routers and nodes are in this process
  RankEvents rank_events;                               ///< of the nodes of this rank, with several ranks
  std::unique_ptr<RankChannels> rank_channels;          ///< null but on several ranks of a network of modules
  Arena arena;  ///< Memory of the buffers and tables of routers and nodes.
  std::unique_ptr<ClockDomain> domain;
  std::unique_ptr<NetworkSupervisor> supervisor;
  traffic::FlitNodeConfig node_config, control_config;
  std::unique_ptr<NetworkLookup> lookup;  ///< Null if routers have their own tables.
  std::unique_ptr<RetryAccounts> retry;   ///< Null without retry.
  std::unique_ptr<RankRetry> rank_retry;  ///< Null but with retry on several ranks.
  std::unique_ptr<RouterPacketAccounts> router_packets;
  std::unique_ptr<QueueSnapshot> queues;  ///< Null: no routing reads them.
  std::unique_ptr<VcNetwork> network;
  std::unique_ptr<dense::DenseNetwork> dense;   ///< Null: `nodes` and modules of `network`.
  std::unique_ptr<TimeoutClassifier> timeouts;  ///< Null unless timeouts are classified.
  std::vector<std::unique_ptr<ObjectBlock>> blocks;
  std::vector<std::unique_ptr<traffic::FlitNode>> nodes;
  std::map<graph::RouterId, std::unique_ptr<traffic::FlitNode>> control;
  std::unique_ptr<RoutingViews> views;
  FaultReaction* reaction = nullptr;  ///< May be null.
  FaultObserver* observer = nullptr;  ///< May be null.
  /// Cycles that groups of modules may run ahead; 1: no groups, since the order of cycles may be observable.
  Cycle lookahead = 1;
};

}  // namespace tsuji::network
