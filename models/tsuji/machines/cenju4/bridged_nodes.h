// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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

/// Cenju-4 nodes that a virtual-channel network of any topology joins, by a bridge at each of its own nodes,
/// which makes flits of packets and packets of flits.
///
/// Links and routers may die and return during a run. The message library needs every packet: one that is
/// lost for good ends the run with its name, unless it was for a node whose programs have finished and whose
/// router is dead. With retry every packet is delivered whose nodes are connected again in time. The node of
/// a dead router lives on, alone.
class BridgedNodes : public Cenju4Nodes {
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
    unsigned threads = 1;                                  ///< LoadedNetwork::Parts
    network::FaultReaction* fault_reaction = nullptr;       ///< LoadedNetwork::Parts
  };

  /// `nodes` of the network. ConfigError where the senders' retry memories allow more early packets at one
  /// of them than it has room for.
  static void validate_retry(const traffic::RetryConfig& retry, const traffic::LinkBridgeConfig& bridge,
                             unsigned nodes);
  ~BridgedNodes() override;

  network::LoadedNetwork& network() { return *network_; }
  const network::LoadedNetwork& network() const { return *network_; }
  virtual observe::NetworkMetrics metrics() const = 0;
  /// Packets that came out of the network before one that had gone in before them, and waited for it.
  std::uint64_t packets_early() const;
  const LostPackets& lost() const { return lost_; }

 protected:
  static constexpr unsigned most_nodes = 1024;

  /// `nodes` with what follows from the network; ConfigError where that is nothing for `count` nodes.
  static Cenju4Config complete(Cenju4Config nodes, const network::NetworkConfig& network,
                               const graph::Topology& topology, std::uint64_t count);
  /// ConfigError for a packet of so many flits that this switching does not take.
  static void validate_largest_packet(const network::NetworkConfig& network, unsigned flits);

  /// A machine's own part of the network.
  struct Joints {
    std::string end;  ///< what stands in front of the bridges, for the names of their channels
    const routing::Routing* routing = nullptr;                     ///< null: that of Parts
    std::function<traffic::BridgeUnit(NodeId node)> unit_of = {};  ///< empty: there are none
    /// LoadedNetwork::Parts; may be empty.
    std::function<std::unique_ptr<traffic::EmissionSource>(graph::RouterId)> make_control = {};
    network::FaultObserver* fault_observer = nullptr;  ///< LoadedNetwork::Parts
  };

  explicit BridgedNodes(const Parts& parts);
  /// Once, in the constructor of the machine, before build_nodes().
  void build_network(const Parts& parts, const Joints& joints);

  ClockDomain& host_clock_domain() { return host_clock_; }
  /// The channels of a node of the network to and from its bridge.
  PacketLink& from_end(NodeId node) { return *from_ends_[node]; }
  PacketLink& to_end(NodeId node) { return *to_ends_[node]; }
  std::uint64_t flits_from_ends() const;
  /// On these channels, in bridges and in the network.
  std::uint64_t flits_between_ends() const;
  /// The packets in the network in at most `limit` lines.
  std::string wait_report(unsigned limit) const;
  /// The network's own accounts, and no packet that matters is lost; ModelError if not.
  void check_losses() const;
  bool may_still_arrive() const override;

 private:
  /// Node of the network by which a Cenju-4 node is joined to others.
  virtual NodeId end_of(NodeId node) const { return node; }
  /// Of those in the network, flits that nothing but a change of the network sets free.
  virtual std::uint64_t flits_held_in_vain() const { return 0; }
  /// A lost packet with the source and destination that its network interface gave it.
  virtual Packet as_sent(const Packet& packet) const { return packet; }
  std::unique_ptr<traffic::EmissionSource> make_bridge(NodeId node, unsigned nodes, const Joints& joints);
  std::string machine_name() const override { return "machine"; }
  std::string loss_report() const override;
  std::string dead_nodes_report() const;
  bool router_lives(NodeId node) const;
  bool is_missed(NodeId destination) const;

  const traffic::LinkBridgeConfig bridge_config_;
  LostPackets lost_;
  std::unique_ptr<network::LoadedNetwork> network_;
  ClockDomain host_clock_;
  std::vector<std::unique_ptr<PacketLink>> from_ends_, to_ends_;
  std::vector<const traffic::LinkBridge*> bridges_;
};

}  // namespace tsuji::machines
