// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/bridged_nodes.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::machines {
namespace {

constexpr Cycle channel_cycles = 1;  // between a bridge and its network interface

}  // namespace

void BridgedNodes::validate_largest_packet(const network::NetworkConfig& network, unsigned flits) {
  if (network.network.router.switching == router::Switching::wormhole ||
      flits <= network.network.buffer_flits)
    return;
  throw ConfigError(
      "router.buffer_flits", std::to_string(network.network.buffer_flits),
      "the network interface's largest packet does not fit into a virtual channel's buffer, as this "
      "switching requires",
      "at least " + std::to_string(flits) + ", or router.switching wormhole");
}

Cenju4Config BridgedNodes::complete(Cenju4Config nodes, const network::NetworkConfig& network,
                                    const graph::Topology& topology, std::uint64_t count) {
  if (count < 2 || count > most_nodes) {
    throw ConfigError("topology.kind", topology.name(),
                      "the network interface cannot address " + std::to_string(count) + " nodes",
                      "2.." + std::to_string(most_nodes) + " nodes");
  }
  nodes.clock_period_ps = network.clock_period_ps;
  nodes.process_mode = network.process_mode;
  nodes.shuffle_seed = network.shuffle_seed;
  nodes.network.topology.nodes = static_cast<unsigned>(count);
  nodes.resolve();
  nodes.validate();
  return nodes;
}

void BridgedNodes::validate_retry(const traffic::RetryConfig& retry, const traffic::LinkBridgeConfig& bridge,
                                  unsigned nodes) {
  if (!retry.on()) return;
  const std::uint64_t sources = nodes - 1;
  const std::uint64_t early = sources * (bridge.retry_packets - 1);
  if (early <= bridge.early_packets) return;
  throw ConfigError("nic.early_packets", std::to_string(bridge.early_packets),
                    "the retry memories of " + std::to_string(sources) +
                        " other nodes allow more packets in front of missing ones",
                    "at least " + std::to_string(early) + ", or nic.retry_packets up to " +
                        std::to_string(bridge.early_packets / sources + 1));
}

BridgedNodes::BridgedNodes(const Parts& parts)
    : Cenju4Nodes(parts.nodes),
      bridge_config_(parts.bridge),
      lost_(config(), parts.retry.on() ? parts.retry.most_tries : 0),
      host_clock_("host_clock", host_clock(parts.nodes)) {}

bool BridgedNodes::network_may_run_ahead() const {
  return !network_->network().has_pins();
}

void BridgedNodes::build_network(const Parts& parts, const Joints& joints) {
  network::LoadedNetwork::Parts network{parts.network, parts.topology,
                                        joints.routing == nullptr ? parts.routing : *joints.routing};
  network.seed = parts.seed;
  network.threads = parts.threads;
  network.counts_waits = parts.counts_waits;
  network.flits_are_observed = parts.flits_are_observed;
  network.cycles_are_shown = parts.cycles_are_shown;
  network.heads_are_observed = parts.heads_are_observed;
  network.only_results = parts.only_results;
  network.make_source = [&](NodeId node) { return make_bridge(node, parts.topology.nodes(), joints); };
  network.make_control = joints.make_control;
  network.on_delivered = parts.on_delivered;
  network.sources_have_channels = true;
  network.retry = parts.retry;
  network.retry.window_packets = bridge_config_.retry_packets;
  network.on_lost = [this](const Packet& packet, const char* cause, Cycle now) {
    lost_.add(as_sent(packet), cause, now);
  };
  network.fault_reaction = parts.fault_reaction;
  network.fault_observer = joints.fault_observer;
  // The network asks for its nodes' bridges in another order.
  from_ends_.resize(parts.topology.nodes());
  to_ends_.resize(parts.topology.nodes());
  bridges_.resize(parts.topology.nodes());
  network_ = std::make_unique<network::LoadedNetwork>(network);
}

BridgedNodes::~BridgedNodes() = default;

std::unique_ptr<traffic::EmissionSource> BridgedNodes::make_bridge(NodeId node, unsigned nodes,
                                                                   const Joints& joints) {
  const std::string name = joints.end + std::to_string(node);
  from_ends_[node] = std::make_unique<PacketLink>(("from_" + name).c_str(), channel_cycles);
  to_ends_[node] = std::make_unique<PacketLink>(("to_" + name).c_str(), channel_cycles);
  const traffic::BridgeUnit unit = joints.unit_of ? joints.unit_of(node) : traffic::BridgeUnit{};
  auto bridge = std::make_unique<traffic::LinkBridge>(bridge_config_, *from_ends_[node], *to_ends_[node],
                                                      node, nodes, unit);
  bridges_[node] = bridge.get();
  return bridge;
}

std::uint64_t BridgedNodes::flits_from_ends() const {
  std::uint64_t flits = 0;
  for (const auto& link : from_ends_) flits += link->flits_sent();
  return flits;
}

std::uint64_t BridgedNodes::packets_early() const {
  std::uint64_t packets = 0;
  for (const traffic::LinkBridge* bridge : bridges_) packets += bridge->packets_early();
  return packets;
}

std::uint64_t BridgedNodes::flits_between_ends() const {
  std::uint64_t flits = network_->accounts().flits_in_flight();
  for (const traffic::LinkBridge* bridge : bridges_) flits += bridge->flits_held();
  for (const auto& link : from_ends_) flits += link->flying_flits();
  for (const auto& link : to_ends_) flits += link->flying_flits();
  return flits;
}

std::string BridgedNodes::wait_report(unsigned limit) const {
  return "\n" + network::wait_report(network_->network(), network_->pool(), last_cycle(), limit);
}

/// Packets that wait for a lost one do not.
bool BridgedNodes::may_still_arrive() const {
  if (network_->retry() != nullptr && network_->retry()->messages_kept() != 0) return true;
  std::uint64_t waiting = 0;
  for (const traffic::LinkBridge* bridge : bridges_) waiting += bridge->flits_waiting();
  return flits_in_network() != flits_held_in_vain() + (lost_.packets() == 0 ? 0 : waiting);
}

bool BridgedNodes::router_lives(NodeId node) const {
  const graph::NodePorts& ports = network_->network().topology().node(end_of(node));
  const faults::LivingLinks& living = network_->supervisor().living();
  return living.router_lives(ports.inject.router) && living.router_lives(ports.eject.router);
}

/// A packet for this node would matter.
bool BridgedNodes::is_missed(NodeId destination) const {
  if (router_lives(destination)) return true;
  for (unsigned task = 0; task < node(destination).tasks(); ++task)
    if (waits(destination, task)) return true;
  return false;
}

std::string BridgedNodes::dead_nodes_report() const {
  std::string text;
  for (NodeId id = 0; id < nodes(); ++id) {
    if (router_lives(id) || config().ranks_on(id).empty()) continue;
    const graph::NodePorts& ports = network_->network().topology().node(end_of(id));
    text += "\n  " + LostPackets::end_text(config(), id) + " is cut off";
    for (const faults::FaultEvent& event : network_->supervisor().schedule().events()) {
      const bool own = event.number == ports.inject.router || event.number == ports.eject.router;
      if (event.of_router && own && !event.returns && event.cycle <= last_cycle())
        text += ": router " + std::to_string(event.number) + " died in cycle " + std::to_string(event.cycle);
    }
  }
  return text;
}

std::string BridgedNodes::loss_report() const {
  constexpr unsigned most_lines = 32;
  if (lost_.packets() == 0) return "";
  return "\n" + std::to_string(lost_.packets()) + " packets were lost" + lost_.report(most_lines) +
         dead_nodes_report();
}

void BridgedNodes::check_conservation_under_way(Cycle now) const {
  network_->check_conservation();
  const observe::NetworkMetrics nodes = node_metrics();
  const UnitPackets units = unit_packets(now);
  const std::uint64_t made = nodes.packets_sent + units.made;
  const std::uint64_t ended =
      nodes.packets_delivered() + packets_dropped_by_receivers() + lost_.packets() + units.ended;
  // Copies for several nodes share one packet's memory on the last channels and in receivers.
  std::uint64_t exist = network_->pool().in_use() + units.shared + packets_in_receivers();
  for (const auto& link : to_ends_) exist += link->flying_packets();
  if (ended <= made && made <= ended + exist) return;
  throw ModelError(machine_name(), now, "",
                   std::to_string(made) + " packets were sent or copied, " + std::to_string(ended) +
                       " delivered, dropped, merged or lost, and at most " + std::to_string(exist) +
                       " are under way");
}

void BridgedNodes::check_losses() const {
  network_->check_conservation();
  const std::vector<NodeId> destinations = lost_.destinations();
  if (std::any_of(destinations.begin(), destinations.end(), [this](NodeId node) { return is_missed(node); }))
    throw ModelError(machine_name(), last_cycle(), "", "all programs have finished" + loss_report());
}

}  // namespace tsuji::machines
