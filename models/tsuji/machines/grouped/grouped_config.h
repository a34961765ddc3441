// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/machines/grouped/gateway_config.h"
#include "tsuji/machines/grouped/group_numbers.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

namespace tsuji::machines {

/// Parameters of groups of Cenju-4 nodes, each with its own crosspoint switches and a gateway.
struct GroupsConfig {
  unsigned members = 4;                      ///< nodes of a group
  network::CrosspointNetworkConfig network;  ///< network of each group; resolve() sets its nodes and gateway
  GatewayConfig gateway;                     ///< Gateway of each group.

  /// Relation between the numbers of nodes, groups and members.
  GroupNumbers numbers() const { return {members}; }
  /// Configuration of the network of one group.
  network::CrosspointNetworkConfig network_of(unsigned group) const;
  void resolve();         ///< sets the values that follow from other fields
  void validate() const;  ///< throws ConfigError
};

/// Adds the keys groups.*, switch.* and gateway.*.
void add_groups_keys(config::KeyTable& keys, GroupsConfig& groups);

}  // namespace tsuji::machines
