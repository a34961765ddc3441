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

/// Cenju-4 nodes on a virtual-channel network of any topology. A bridge at each node of the network converts
/// packets to flits and flits to packets.
///
/// Links and routers may fail and return during a run. The message library needs every packet: a permanently
/// lost packet ends the run with an error that names it, unless its destination has finished its programs and
/// has a dead router. With retry, a packet is delivered if its nodes are connected again in time. A node with
/// a dead router continues to run, without a network.
///
/// Contract: the constructor of a derived class calls build_network() and then build_nodes(), once each.
class BridgedNodes : public Cenju4Nodes {
 public:
  /// Parts of the machine; references outlive it.
  struct Parts {
    const network::NetworkConfig& network;                  ///< parameters of the network
    const graph::Topology& topology;                        ///< routers, links and nodes
    const routing::Routing& routing;                        ///< routing of the nodes' packets
    const Cenju4Config& nodes;                              ///< complete_config() of this topology
    const traffic::LinkBridgeConfig& bridge;                ///< parameters of the bridges
    std::uint64_t seed = 1;                                 ///< seed of random numbers
    network::LoadedNetwork::OnDelivered on_delivered = {};  ///< may be empty; packets out of the network
    traffic::RetryConfig retry = {};                        ///< its window is the bridge's retry_packets
    unsigned threads = 1;                                   ///< as in LoadedNetwork::Parts
    network::FaultReaction* fault_reaction = nullptr;       ///< as in LoadedNetwork::Parts
    bool counts_waits = false;                              ///< as in LoadedNetwork::Parts
    bool flits_are_observed = false;                        ///< as in LoadedNetwork::Parts
    bool cycles_are_shown = false;                          ///< as in LoadedNetwork::Parts
    bool heads_are_observed = false;                        ///< as in LoadedNetwork::Parts
    bool only_results = false;                              ///< as in LoadedNetwork::Parts
  };

  /// Throws ConfigError if the senders' retry memories allow more early packets at one of `nodes` nodes than
  /// its bridge has room for.
  static void validate_retry(const traffic::RetryConfig& retry, const traffic::LinkBridgeConfig& bridge,
                             unsigned nodes);
  ~BridgedNodes() override;

  network::LoadedNetwork& network() { return *network_; }
  const network::LoadedNetwork& network() const { return *network_; }
  virtual observe::NetworkMetrics metrics() const = 0;
  /// Number of packets that have overtaken an earlier packet in the network, and waited for it at the
  /// receiver.
  std::uint64_t packets_early() const;
  const LostPackets& lost() const { return lost_; }

 protected:
  static constexpr unsigned most_nodes = 1024;

  /// Returns `nodes`, completed with the values that follow from the network. Throws ConfigError if the
  /// network does not fit `count` nodes.
  static Cenju4Config complete(Cenju4Config nodes, const network::NetworkConfig& network,
                               const graph::Topology& topology, std::uint64_t count);
  /// Throws ConfigError if the network's switching does not accept packets of `flits` flits.
  static void validate_largest_packet(const network::NetworkConfig& network, unsigned flits);

  /// Parts of the network that a derived machine replaces or adds.
  struct Joints {
    std::string end;  ///< name of the parts between nodes and bridges, for the names of the bridges' channels
    const routing::Routing* routing = nullptr;  ///< routing of the whole network; null: Parts::routing
    std::function<traffic::BridgeUnit(NodeId node)> unit_of =
        {};  ///< makes the unit next to a node's bridge; empty: there are no units
    /// LoadedNetwork::Parts; may be empty.
    std::function<std::unique_ptr<traffic::EmissionSource>(graph::RouterId)> make_control = {};
    network::FaultObserver* fault_observer = nullptr;  ///< as in LoadedNetwork::Parts
  };

  explicit BridgedNodes(const Parts& parts);
  /// Builds the network; called once, in the constructor of the machine, before build_nodes().
  void build_network(const Parts& parts, const Joints& joints);

  ClockDomain& host_clock_domain() { return host_clock_; }
  /// Channel from a node to its bridge.
  PacketLink& from_end(NodeId node) { return *from_ends_[node]; }
  /// Channel from a bridge to its node.
  PacketLink& to_end(NodeId node) { return *to_ends_[node]; }
  std::uint64_t flits_from_ends() const;
  /// Number of flits on these channels, in bridges and in the network.
  std::uint64_t flits_between_ends() const;
  /// Report of the packets in the network, in at most `limit` lines.
  std::string wait_report(unsigned limit) const;
  /// Checks the network's accounts. Throws ModelError if they do not agree, or a packet is lost that a
  /// program needs.
  void check_losses() const;
  bool may_still_arrive() const override;
  /// Checks the network's accounts, that no more packets have ended than were made, and that no more are
  /// missing than exist. Senders' packets that wait for the link exist, too.
  void check_conservation_under_way(Cycle now) const override;
  /// Packets that units between nodes and network have made of others.
  struct UnitPackets {
    std::uint64_t made = 0,  ///< Copies and releases.
        ended = 0,           ///< Packets that were merged or absorbed.
        shared = 0;          ///< Most copies under way that share one packet's memory.
  };

 private:
  /// Node of the network by which a Cenju-4 node is joined to others.
  virtual NodeId end_of(NodeId node) const { return node; }
  /// Counts of the units, before cycle `now`; none: the machine has no units.
  virtual UnitPackets unit_packets(Cycle now) const {
    (void)now;
    return {};
  }
  /// Number of flits in the network that can move only after a change of the network.
  virtual std::uint64_t flits_held_in_vain() const { return 0; }
  /// Returns a lost packet with the source and destination that its network interface gave it.
  virtual Packet as_sent(const Packet& packet) const { return packet; }
  std::unique_ptr<traffic::EmissionSource> make_bridge(NodeId node, unsigned nodes, const Joints& joints);
  std::string machine_name() const override { return "machine"; }
  bool network_may_run_ahead() const override;
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
