// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/vc_machine.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/nic/first_hop.h"
#include "tsuji/nic/parcel.h"

namespace tsuji::machines {
namespace {

/// There is one FIFO behind a network interface, its bridge's, and no multicast.
class BridgeFirst final : public nic::FirstHop {
 public:
  std::uint32_t single_cast(NodeId) const override { return 1; }
  std::uint32_t multicast(std::uint32_t, std::uint64_t) const override { return 0; }
  std::uint32_t synchronization(std::uint64_t) const override { return 0; }
};

constexpr Cycle channel_cycles = 1;  // between a network interface and its bridge
constexpr unsigned most_nodes = 1024;

}  // namespace

void VcMachine::validate(const network::NetworkConfig& network, const Cenju4Config& nodes) {
  nodes.check_library({}, "this network carries packets from one node to one other only");
  const nic::PacketSizes& sizes = nodes.nic.sizes;
  const unsigned largest = sizes.flits(PacketKind::single_cast, sizes.max_payload_bytes);
  if (network.network.router.switching != router::Switching::wormhole &&
      largest > network.network.buffer_flits) {
    throw ConfigError(
        "router.buffer_flits", std::to_string(network.network.buffer_flits),
        "the network interface's largest packet does not fit into a virtual channel's buffer, as this "
        "switching requires",
        "at least " + std::to_string(largest) + ", or router.switching wormhole");
  }
}

Cenju4Config VcMachine::complete_config(Cenju4Config nodes, const network::NetworkConfig& network,
                                        const graph::Topology& topology) {
  if (topology.nodes() < 2 || topology.nodes() > most_nodes) {
    throw ConfigError("topology.kind", topology.name(),
                      "the network interface cannot name " + std::to_string(topology.nodes()) + " nodes",
                      "2.." + std::to_string(most_nodes) + " nodes");
  }
  validate(network, nodes);
  nodes.clock_period_ps = network.clock_period_ps;
  nodes.process_mode = network.process_mode;
  nodes.shuffle_seed = network.shuffle_seed;
  nodes.network.topology.nodes = topology.nodes();
  nodes.resolve();
  nodes.validate();
  return nodes;
}

void VcMachine::validate_retry(const traffic::RetryConfig& retry, const traffic::LinkBridgeConfig& bridge,
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

VcMachine::VcMachine(const Parts& parts)
    : Cenju4Nodes(parts.nodes),
      bridge_config_(parts.bridge),
      lost_(config(), parts.retry.on() ? parts.retry.most_tries : 0),
      host_clock_("host_clock", host_clock(parts.nodes)) {
  network::LoadedNetwork::Parts network{parts.network, parts.topology, parts.routing};
  network.seed = parts.seed;
  network.make_source = [&](NodeId node) { return make_bridge(node, parts); };
  network.on_delivered = parts.on_delivered;
  network.sources_have_channels = true;
  network.retry = parts.retry;
  network.retry.window_packets = bridge_config_.retry_packets;
  network.on_lost = [this](const Packet& packet, const char* cause, Cycle now) {
    lost_.add(packet, cause, now);
  };
  network.fault_reaction = parts.fault_reaction;
  network_ = std::make_unique<network::LoadedNetwork>(network);
  build_nodes(parts.topology.nodes(), network_->domain(), host_clock_, network_->pool(), [&](NodeId node) {
    return Joint{std::make_unique<BridgeFirst>(), *from_nodes_[node], *to_nodes_[node]};
  });
}

// Packets on channels and in nodes go back to the network's pool.
VcMachine::~VcMachine() {
  destroy_nodes();
}

std::unique_ptr<traffic::EmissionSource> VcMachine::make_bridge(NodeId node, const Parts& parts) {
  const std::string number = std::to_string(node);
  from_nodes_.push_back(std::make_unique<PacketLink>(("from_node" + number).c_str(), channel_cycles));
  to_nodes_.push_back(std::make_unique<PacketLink>(("to_node" + number).c_str(), channel_cycles));
  auto bridge = std::make_unique<traffic::LinkBridge>(bridge_config_, *from_nodes_.back(), *to_nodes_.back(),
                                                      node, parts.topology.nodes());
  bridges_.push_back(bridge.get());
  return bridge;
}

observe::NetworkMetrics VcMachine::metrics() const {
  observe::NetworkMetrics metrics = node_metrics();
  for (const auto& link : from_nodes_) metrics.flits_offered += link->flits_sent();
  metrics.flit_hops = network_->network().counters().flits;
  metrics.flits_in_flight_at_end = flits_in_network();
  return metrics;
}

std::uint64_t VcMachine::packets_early() const {
  std::uint64_t packets = 0;
  for (const traffic::LinkBridge* bridge : bridges_) packets += bridge->packets_early();
  return packets;
}

std::uint64_t VcMachine::flits_in_network() const {
  std::uint64_t flits = network_->network().flits_in_flight();
  for (const traffic::LinkBridge* bridge : bridges_) flits += bridge->flits_held();
  for (const auto& link : from_nodes_) flits += link->flying_flits();
  for (const auto& link : to_nodes_) flits += link->flying_flits();
  return flits;
}

std::string VcMachine::held_report(unsigned limit) const {
  return "\n" + network::wait_report(network_->network(), network_->pool(), last_cycle(), limit);
}

/// Packets that wait for a lost one do not.
bool VcMachine::may_still_arrive() const {
  if (network_->retry() != nullptr && network_->retry()->messages_kept() != 0) return true;
  std::uint64_t waiting = 0;
  for (const traffic::LinkBridge* bridge : bridges_) waiting += bridge->flits_waiting();
  return flits_in_network() != (lost_.packets() == 0 ? 0 : waiting);
}

bool VcMachine::router_lives(NodeId node) const {
  const graph::NodePorts& ports = network_->network().topology().node(node);
  const faults::LivingLinks& living = network_->supervisor().living();
  return living.router_lives(ports.inject.router) && living.router_lives(ports.eject.router);
}

/// A packet for this node would matter.
bool VcMachine::is_missed(NodeId destination) const {
  if (router_lives(destination)) return true;
  for (unsigned task = 0; task < node(destination).tasks(); ++task)
    if (waits(destination, task)) return true;
  return false;
}

std::string VcMachine::dead_nodes_report() const {
  std::string text;
  for (NodeId id = 0; id < nodes(); ++id) {
    if (router_lives(id) || config().ranks_on(id).empty()) continue;
    const graph::NodePorts& ports = network_->network().topology().node(id);
    text += "\n  " + LostPackets::end_text(config(), id) + " is cut off";
    for (const faults::FaultEvent& event : network_->supervisor().schedule().events()) {
      const bool own = event.number == ports.inject.router || event.number == ports.eject.router;
      if (event.of_router && own && !event.returns && event.cycle <= last_cycle())
        text += ": router " + std::to_string(event.number) + " died in cycle " + std::to_string(event.cycle);
    }
  }
  return text;
}

std::string VcMachine::loss_report() const {
  constexpr unsigned most_lines = 32;
  if (lost_.packets() == 0) return "";
  return "\n" + std::to_string(lost_.packets()) + " packets were lost" + lost_.report(most_lines) +
         dead_nodes_report();
}

void VcMachine::check_conservation() const {
  network_->check_conservation();
  const std::vector<NodeId> destinations = lost_.destinations();
  if (std::any_of(destinations.begin(), destinations.end(), [this](NodeId node) { return is_missed(node); }))
    throw ModelError(machine_name(), last_cycle(), "", "all programs have finished" + loss_report());
  const observe::NetworkMetrics all = metrics();
  const std::uint64_t delivered = all.packets_delivered() + packets_dropped_by_receivers();
  if (all.packets_sent == delivered + lost_.packets()) return;
  throw ModelError(machine_name(), last_cycle(), "",
                   std::to_string(all.packets_sent) + " packets were sent, " +
                       std::to_string(all.packets_delivered()) + " delivered and " +
                       std::to_string(lost_.packets()) + " lost");
}

}  // namespace tsuji::machines
