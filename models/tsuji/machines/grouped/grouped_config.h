// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/config/key_table.h"
#include "tsuji/machines/grouped/gateway_config.h"
#include "tsuji/machines/grouped/group_numbers.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

namespace tsuji::machines {

/// Groups of Cenju-4 nodes, each on crosspoint switches of its own and behind a gateway.
struct GroupsConfig {
  unsigned members = 4;                      ///< nodes of a group
  network::CrosspointNetworkConfig network;  ///< of each group; nodes and gateway follow `members`
  GatewayConfig gateway;                     ///< Gateway of each group.

  /// Relation between the numbers of nodes, groups and members.
  GroupNumbers numbers() const { return {members}; }
  /// The network of one group.
  network::CrosspointNetworkConfig network_of(unsigned group) const;
  void resolve();         ///< fills in what follows from other fields
  void validate() const;  ///< throws ConfigError
};

/// Binds groups.*, switch.* and gateway.*.
void add_groups_keys(config::KeyTable& keys, GroupsConfig& groups);

}  // namespace tsuji::machines
