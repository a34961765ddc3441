// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tsuji/mpi/ranks.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

/// Called for every delivery in the order of cycles; within a cycle in the order in which modules run.
using OnDelivered = std::function<void(const observe::DeliveredPacket&)>;

/// Custom parts that replace models.
struct CustomParts {
  /// Makes the look-up of each router; not allowed with look-up hardware. Empty: the configuration's look-up.
  VcNetwork::MakeLookup make_lookup = {};
  /// Makes RTL for switches with look-up hardware; may be empty.
  NetworkLookup::MakeSwitch make_switch = nullptr;
  lookup::ModuleRtl module_rtl = {};  ///< RTL that replaces modules of the look-up hardware.
  /// Replaces the router kind of VcNetwork::Parts; configurations that need abilities it lacks are refused.
  router::RouterKind router_kind = {};
  /// Links over pins. No packet can be dropped on them, so faults are refused.
  VcNetwork::PinChoice over_pins = {};
};

/// Parts of a LoadedNetwork.
struct LoadedParts {
  using MakeSource = std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)>;

  const NetworkConfig& config;
  const graph::Topology& topology;
  const routing::Routing& routing;
  std::uint64_t seed = 1;
  /// Threads that run the network's windows, one of which is the kernel's. ConfigError for more than one if a
  /// part of the network must not run ahead of others, or if there are fewer groups of modules.
  unsigned threads = 1;
  /// Ranks among which routers and nodes are divided; all of them make this network of equal parts.
  /// ConfigError for a network that cannot be divided. Null: all are in this process.
  mpi::Ranks* ranks = nullptr;
  /// Makes the source of a node; if it returns null for the first node, no nodes are built.
  MakeSource make_source = {};
  /// Channels owned by the sources wake the nodes. With retry, packets of the sources are ready-made
  /// (Emission::packet).
  bool sources_have_channels = false;
  /// Likewise, and several sources act in the cycles in which any of them is woken, as the network ports of a
  /// node do.
  bool ports_wake_each_other = false;
  /// End-to-end retry of all sources. The measurement counts the sources' packets, each once; on_delivered
  /// also sees repeats and acknowledgements (DeliveredPacket::arrival).
  traffic::RetryConfig retry = {};
  /// Called for each packet of a source that is dropped; with retry, for each message that is lost
  /// (RetryAccounts::OnLost). May be empty.
  RetryAccounts::OnLost on_lost = {};
  observe::LoadMeasurement* measurement = nullptr;  ///< May be null.
  OnDelivered on_delivered = {};                    ///< May be empty.
  /// Number of cycles plus one by which calls of on_delivered may be out of order; `never`: any order.
  Cycle deliveries_lookahead_cycles = 1;
  CustomParts custom = {};
  /// Makes the source and sink of control messages at the control port of each router (VcNetwork::control).
  /// Its packets go to routers (End::of_router), which the routing must support. Returns null for a router
  /// without control port. Not allowed with look-up hardware.
  std::function<std::unique_ptr<traffic::EmissionSource>(graph::RouterId)> make_control = {};
  /// Reaction of the routers to links and routers that fail and return; it also makes the sources at control
  /// ports. Null: none. Must outlive the network.
  FaultReaction* fault_reaction = nullptr;
  FaultObserver* fault_observer = nullptr;  ///< Observer of failures; null: none. Must outlive the network.
  /// Called repeatedly during construction with the share of the network that is built
  /// (VcNetwork::Parts::progress).
  std::function<void(double share)> progress = {};

  /// Flits are observed one by one: by waveforms or the log.
  bool flits_are_observed = false;
  /// Stages of heads, and flits and credits on channels, are shown: by waveforms.
  bool cycles_are_shown = false;
  /// Heads are observed: by records.
  bool heads_are_observed = false;
  /// Routers count the cycles of their input virtual channels by state (router::CountingRouter).
  bool counts_waits = false;
  /// Nothing but this network uses its routers, links and nodes as objects: they may be state without modules
  /// (runs_densely()). Results, counts and reports are the same.
  bool only_results = false;

  /// True if routers may handle packets instead of flits (router::passes_whole_packets) without a difference
  /// that anything in the network could see.
  bool passes_whole_packets() const;
  /// True if the network is made of neighbourhoods (dense::DenseNetwork).
  bool runs_densely() const;
  /// True if the routing reads the queues of all routers (RouteDecisions::reads_network()).
  bool reads_network() const {
    return routing.decisions() != nullptr && routing.decisions()->reads_network();
  }
  /// True if a head can reach a router without a route onward; its packet is then dropped in all routers at
  /// once. A routing's promise to always have a route covers only routes that it computes itself.
  bool heads_may_lack_a_route() const;
};

}  // namespace tsuji::network
