// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/grouped_config.h"

#include "tsuji/machines/cenju4/cenju4_keys.h"

namespace tsuji::machines {

network::CrosspointNetworkConfig GroupsConfig::network_of(unsigned group) const {
  network::CrosspointNetworkConfig one = network;
  one.topology.first_node = numbers().first_of(group);
  return one;
}

void GroupsConfig::resolve() {
  network.topology.nodes = members;
  network.topology.gateway = true;
  network.crosspoint.ports = network.topology.radix;
}

void GroupsConfig::validate() const {
  network.topology.validate("groups");
  network.crosspoint.validate();
  network.switch_kinds.validate(network.switch_kind);
  gateway.validate();
}

void add_groups_keys(config::KeyTable& keys, GroupsConfig& groups) {
  keys.add("groups.members", groups.members, {2, 512}, "nodes",
           "number of nodes in each group; a group has one node of the network as its gateway");
  add_crosspoint_keys(keys, groups.network, "groups");
  keys.add("gateway.fifo_packets", groups.gateway.fifo_packets, {1, 8}, "packets",
           "capacity of a gateway's FIFO in each direction, in packets of any size");
  keys.add("gateway.cycles", groups.gateway.cycles, {1, 1000}, "cycles",
           "latency of a gateway, from a packet's last flit at one side to its head at the other");
  keys.add("gateway.word_flits", groups.gateway.word_flits, {0, 64}, "flits",
           "length of the gateway header, which precedes every packet between two gateways");
}

}  // namespace tsuji::machines
