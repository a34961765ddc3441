// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tsuji/machines/cenju4/bridged_nodes.h"
#include "tsuji/machines/grouped/gateway_module.h"
#include "tsuji/machines/grouped/grouped_config.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

namespace tsuji::machines {

/// Groups of Cenju-4 nodes, each on a multistage network of crosspoint switches. A gateway connects each
/// group, by a bridge, to a virtual-channel network of any topology (rooms/grouped.md), which carries single
/// casts, multicasts and synchronizations. A dead router isolates its group; members still reach each other.
class GroupedMachine final : public BridgedNodes {
 public:
  /// Checks that need no topology. Throws ConfigError for requirements that the library or the networks
  /// cannot meet.
  static void validate(const network::NetworkConfig& network, const Cenju4Config& nodes,
                       const GroupsConfig& groups);
  /// Returns the nodes' configuration, completed with the values that follow from the networks. Throws
  /// ConfigError if they do not fit.
  static Cenju4Config complete_config(Cenju4Config nodes, const network::NetworkConfig& network,
                                      const graph::Topology& topology, const GroupsConfig& groups);

  /// Builds groups and network; `groups` must be resolved.
  GroupedMachine(const Parts& parts, const GroupsConfig& groups);
  /// The simulation must have ended.
  ~GroupedMachine() override;

  /// Number of groups.
  unsigned groups() const { return static_cast<unsigned>(groups_.size()); }
  /// Network of a group.
  network::CrosspointNetwork& group(unsigned number) { return *groups_[number]; }
  /// Network of a group.
  const network::CrosspointNetwork& group(unsigned number) const { return *groups_[number]; }
  /// Decisions and counters of a group's gateway.
  const Gateway& gateway(unsigned number) const { return gateways_[number]->gateway(); }
  /// SystemC module of a group's gateway.
  GatewayModule& gateway_module(unsigned number) { return *gateways_[number]; }
  /// Channel from the network between groups to a gateway.
  PacketLink& link_from_others(unsigned group) { return to_end(group); }
  /// Sums over all groups.
  crosspoint::SwitchCounters switch_counters() const;
  /// Sums over all gateways.
  GatewayCounters gateway_counters() const;
  /// Metrics of all nodes, groups and the network between groups.
  observe::NetworkMetrics metrics() const override;

 private:
  void build_group(unsigned number);
  NodeId end_of(NodeId node) const override { return numbers_.group_of(node); }
  Packet as_sent(const Packet& packet) const override;
  std::uint64_t flits_in_network() const override;
  std::string held_report(unsigned limit) const override;
  void check_conservation() const override;
  UnitPackets unit_packets(Cycle now) const override;

  const GroupsConfig groups_config_;
  const GroupNumbers numbers_;
  std::vector<std::unique_ptr<network::CrosspointNetwork>> groups_;
  std::vector<std::unique_ptr<GatewayModule>> gateways_;
};

}  // namespace tsuji::machines
