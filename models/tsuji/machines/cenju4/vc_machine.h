// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/link/packet_link.h"
#include "tsuji/machines/cenju4/cenju4_config.h"
#include "tsuji/machines/cenju4/cenju4_nodes.h"
#include "tsuji/machines/cenju4/lost_packets.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/observe/network_metrics.h"
#include "tsuji/traffic/link_bridge.h"

namespace tsuji::machines {

/// Cenju-4 nodes with their network interfaces and message library on a virtual-channel network of any
/// topology; a bridge at every node makes flits of packets and packets of flits. Such a network neither
/// multicasts nor synchronizes: the library does both by messages.
///
/// Links and routers may die and return during a run. The message library needs every packet: one that is
/// lost for good ends the run with its name, unless it was for a node whose programs have finished and whose
/// router is dead. With retry every packet is delivered whose nodes are connected again in time. The node of
/// a dead router lives on, alone.
class VcMachine final : public Cenju4Nodes {
 public:
  struct Parts {
    const network::NetworkConfig& network;
    const graph::Topology& topology;
    const routing::Routing& routing;
    const Cenju4Config& nodes;  ///< complete_config() of this topology
    const traffic::LinkBridgeConfig& bridge;
    std::uint64_t seed = 1;
    network::LoadedNetwork::OnDelivered on_delivered = {};  ///< may be empty; packets out of the network
    traffic::RetryConfig retry = {};                        ///< its window is the bridge's retry_packets
    network::FaultReaction* fault_reaction = nullptr;       ///< LoadedNetwork::Parts
  };

  /// Checks before the topology is known: ConfigError for demands that the library or the network cannot
  /// meet.
  static void validate(const network::NetworkConfig& network, const Cenju4Config& nodes);
  /// The configuration of the nodes with what follows from the network; ConfigError where it does not fit.
  static Cenju4Config complete_config(Cenju4Config nodes, const network::NetworkConfig& network,
                                      const graph::Topology& topology);
  /// ConfigError where the senders' retry memories allow more early packets at a node than it has room for.
  static void validate_retry(const traffic::RetryConfig& retry, const traffic::LinkBridgeConfig& bridge,
                             unsigned nodes);

  explicit VcMachine(const Parts& parts);
  ~VcMachine() override;

  network::LoadedNetwork& network() { return *network_; }
  const network::LoadedNetwork& network() const { return *network_; }
  observe::NetworkMetrics metrics() const;
  /// Packets that came out of the network before one that had gone in before them, and waited for it.
  std::uint64_t packets_early() const;
  const LostPackets& lost() const { return lost_; }

 private:
  std::unique_ptr<traffic::EmissionSource> make_bridge(NodeId node, const Parts& parts);
  std::string machine_name() const override { return "machine"; }
  std::uint64_t flits_in_network() const override;
  std::string held_report(unsigned limit) const override;
  void check_conservation() const override;
  bool may_still_arrive() const override;
  std::string loss_report() const override;
  std::string dead_nodes_report() const;
  bool router_lives(NodeId node) const;
  bool is_missed(NodeId destination) const;

  const traffic::LinkBridgeConfig bridge_config_;
  LostPackets lost_;
  std::unique_ptr<network::LoadedNetwork> network_;
  ClockDomain host_clock_;
  std::vector<std::unique_ptr<PacketLink>> from_nodes_, to_nodes_;
  std::vector<const traffic::LinkBridge*> bridges_;
};

}  // namespace tsuji::machines
