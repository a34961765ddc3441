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
           "nodes of a group, which has a node of the network as its gateway");
  add_crosspoint_keys(keys, groups.network, "groups");
  keys.add("gateway.fifo_packets", groups.gateway.fifo_packets, {1, 8}, "packets",
           "FIFO of a gateway in each direction, in whole packets");
  keys.add("gateway.cycles", groups.gateway.cycles, {1, 1000}, "cycles",
           "gateway: last flit in to head on the other side");
  keys.add("gateway.word_flits", groups.gateway.word_flits, {0, 64}, "flits",
           "the gateways' word in front of every packet between two gateways");
}

}  // namespace tsuji::machines
