// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "tsuji/network/config/network_config.h"
#include "tsuji/network/fault_observer.h"
#include "tsuji/network/fault_reaction.h"
#include "tsuji/network/network_lookup.h"
#include "tsuji/network/retry_accounts.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/traffic/emission.h"

namespace tsuji::network {

/// Sees every delivery, cycle by cycle, and within one in the order in which modules run.
using OnDelivered = std::function<void(const observe::DeliveredPacket&)>;

/// Custom parts that replace models.
struct CustomParts {
  /// Makes the look-up of each router; not with look-up hardware. Empty: as the configuration says.
  VcNetwork::MakeLookup make_lookup = {};
  NetworkLookup::MakeSwitch make_switch = nullptr;  ///< RTL in switches with look-up hardware; may be empty
  lookup::ModuleRtl module_rtl = {};                ///< RTL in the place of look-up modules
  router::RouterKind router_kind = {};              ///< VcNetwork::Parts; what it cannot do is refused
  VcNetwork::PinChoice over_pins = {};  ///< links that no packet may be dropped on: faults are refused
};

/// Parts of a LoadedNetwork.
struct LoadedParts {
  using MakeSource = std::function<std::unique_ptr<traffic::EmissionSource>(NodeId)>;

  const NetworkConfig& config;
  const graph::Topology& topology;
  const routing::Routing& routing;
  std::uint64_t seed = 1;
  MakeSource make_source = {};  ///< null for all nodes: there are none
  /// Channels of the sources wake the nodes. With retry their packets have been made (Emission::packet).
  bool sources_have_channels = false;
  /// End-to-end retry of all of these sources. The measurement counts their packets, each once, and
  /// on_delivered sees repeats and acknowledgements, too (DeliveredPacket::arrival).
  traffic::RetryConfig retry = {};
  /// Called for each packet of a source that is dropped, with retry for each message that is lost
  /// (RetryAccounts::OnLost); may be empty.
  RetryAccounts::OnLost on_lost = {};
  observe::LoadMeasurement* measurement = nullptr;  ///< may be null
  OnDelivered on_delivered = {};                    ///< may be empty
  /// Number of cycles, plus one, by which deliveries may reach on_delivered out of order; `never`: any order.
  Cycle deliveries_lookahead_cycles = 1;
  CustomParts custom = {};
  /// Sources and sinks of control messages at a control port of each router (VcNetwork::control), whose
  /// packets are for routers (End::of_router): the routing knows what that means. Null for a router: it has
  /// no such port. Not with look-up hardware.
  std::function<std::unique_ptr<traffic::EmissionSource>(graph::RouterId)> make_control = {};
  /// The routers' own answer to links and routers that die and return, and the sources at their control
  /// ports; null: none. Outlives the network.
  FaultReaction* fault_reaction = nullptr;
  FaultObserver* fault_observer = nullptr;  ///< null: none; outlives the network
  /// Called now and then with the share of the network that is built (VcNetwork::Parts::progress).
  std::function<void(double share)> progress = {};

  /// Whether a head can come to a router without a route onward: its packet is then dropped everywhere at
  /// once. Only a routing's own answers are covered by its promise.
  bool heads_may_lack_a_route() const;
};

}  // namespace tsuji::network
