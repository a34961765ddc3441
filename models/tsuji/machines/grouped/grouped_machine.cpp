// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/grouped_machine.h"

#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/machines/cenju4/first_hop_of.h"
#include "tsuji/machines/grouped/gateway_word.h"

namespace tsuji::machines {

void GroupedMachine::validate(const network::NetworkConfig& network, const Cenju4Config& nodes,
                              const GroupsConfig& groups) {
  groups.validate();
  const network::CrosspointNetworkConfig& switches = groups.network;
  const crosspoint::SwitchKind kind = switches.switch_kinds.make(switches.switch_kind, switches.crosspoint);
  nodes.check_library({kind.multicasts, kind.synchronizes, false},
                      std::string("a ") + kind.name + " does not carry it");
  validate_largest_packet(network, nodes.nic.sizes.largest() + groups.gateway.word_flits);
}

Cenju4Config GroupedMachine::complete_config(Cenju4Config nodes, const network::NetworkConfig& network,
                                             const graph::Topology& topology, const GroupsConfig& groups) {
  nodes.network = groups.network;
  nodes.network.topology = {};
  nodes = complete(std::move(nodes), network, topology, std::uint64_t{topology.nodes()} * groups.members);
  validate(network, nodes, groups);
  return nodes;
}

GroupedMachine::GroupedMachine(const Parts& parts, const GroupsConfig& groups)
    : BridgedNodes(parts), groups_config_(groups), numbers_(groups.numbers()) {
  build_network(parts, {"gateway"});
  for (unsigned number = 0; number < parts.topology.nodes(); ++number) build_group(number);
  build_nodes(config().network.topology.nodes, network().domain(), host_clock_domain(), network().pool(),
              [&](NodeId node) {
                network::CrosspointNetwork& own = group(numbers_.group_of(node));
                const unsigned line = numbers_.member_of(node);
                return Joint{std::make_unique<FirstHopOf>(own.topology(), line), own.from_node(line),
                             own.to_node(line)};
              });
}

void GroupedMachine::build_group(unsigned number) {
  const std::string name = std::to_string(number);
  ClockDomain& clock = network().domain();
  groups_.push_back(std::make_unique<network::CrosspointNetwork>(("group" + name).c_str(), clock,
                                                                 groups_config_.network_of(number)));
  network::CrosspointNetwork& own = *groups_.back();
  const unsigned line = own.topology().gateway_line();
  gateways_.push_back(std::make_unique<GatewayModule>(("gateway" + name).c_str(), clock,
                                                      groups_config_.gateway, numbers_, number,
                                                      network().pool(), own.topology()));
  GatewayModule& gateway = *gateways_.back();
  gateway.from_group.bind(own.to_node(line));
  gateway.to_group.bind(own.from_node(line));
  gateway.from_others.bind(to_end(number));
  gateway.to_others.bind(from_end(number));
}

// Packets on channels, in switches, in gateways and in nodes go back to the network's pool.
GroupedMachine::~GroupedMachine() {
  destroy_nodes();
}

/// A multicast and a synchronization are named by the first of the nodes that miss it.
Packet GroupedMachine::as_sent(const Packet& packet) const {
  const GatewayWord word = GatewayWord::decode(packet.group);
  Packet sent = packet;
  sent.kind = word.kind;
  sent.source = word.source;
  sent.destination = word.destination;
  if (word.kind == PacketKind::single_cast) return sent;
  const std::uint64_t missing = packet.map & numbers_.map_of(packet.destination.node(), word.group);
  sent.destination = word.group * GroupNumbers::map_nodes + static_cast<unsigned>(__builtin_ctzll(missing));
  return sent;
}

crosspoint::SwitchCounters GroupedMachine::switch_counters() const {
  crosspoint::SwitchCounters sum;
  for (const auto& one : groups_) sum += one->counters();
  return sum;
}

GatewayCounters GroupedMachine::gateway_counters() const {
  GatewayCounters sum;
  for (const auto& one : gateways_) sum += one->gateway().counters();
  return sum;
}

observe::NetworkMetrics GroupedMachine::metrics() const {
  observe::NetworkMetrics metrics = node_metrics();
  for (NodeId id = 0; id < nodes(); ++id)
    metrics.flits_offered += group(numbers_.group_of(id)).from_node(numbers_.member_of(id)).flits_sent();
  metrics.flit_hops = network().accounts().flit_hops() + switch_counters().flits_sent;
  metrics.flits_in_flight_at_end = flits_in_network();
  return metrics;
}

std::uint64_t GroupedMachine::flits_in_network() const {
  std::uint64_t flits = flits_between_ends();
  for (const auto& one : groups_) flits += one->flits_in_flight();
  for (const auto& one : gateways_) flits += one->gateway().flits_held();
  return flits;
}

std::string GroupedMachine::held_report(unsigned limit) const {
  std::string text;
  for (unsigned number = 0; number < groups(); ++number) {
    const Gateway& own = gateway(number);
    const std::string held = group(number).held_report(limit);
    if (held.empty() && own.packets_held() == 0 && own.barriers_open() == 0) continue;
    text += "\n group " + std::to_string(number) + ": its gateway holds " +
            std::to_string(own.packets_held()) + " packets, and waits for other groups in " +
            std::to_string(own.barriers_open()) + " synchronizations" + held;
  }
  return text + wait_report(limit);
}

GroupedMachine::UnitPackets GroupedMachine::unit_packets(Cycle now) const {
  const crosspoint::SwitchCounters switches = switch_counters();
  const GatewayCounters gateways = gateway_counters();
  UnitPackets units;
  units.made = switches.replicated + gateways.copied + gateways.released;
  units.ended = switches.merged + gateways.absorbed;
  for (const auto& one : groups_) {
    const network::CrosspointNetwork::Population inside = one->population(now);
    units.made += inside.replicated;
    units.shared += inside.packets;
  }
  return units;
}

/// Every packet of a network interface, with the copies of switches and gateways, has come to one.
void GroupedMachine::check_conservation() const {
  for (const auto& one : groups_) one->check_conservation(last_cycle());
  check_losses();
  const observe::NetworkMetrics all = metrics();
  const crosspoint::SwitchCounters switches = switch_counters();
  const GatewayCounters gateways = gateway_counters();
  const std::uint64_t made = switches.replicated + gateways.copied + gateways.released;
  const std::uint64_t ended = switches.merged + gateways.absorbed + lost().packets();
  const std::uint64_t delivered = all.packets_delivered() + packets_dropped_by_receivers();
  if (all.packets_sent + made == ended + delivered) return;
  throw ModelError("machine", last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets were sent and " + std::to_string(made) +
                       " copied or released, " + std::to_string(ended) + " merged or lost and " +
                       std::to_string(delivered) + " delivered");
}

}  // namespace tsuji::machines
