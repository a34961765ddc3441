// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/network/network_assembly.h"

// Cycles that groups of a network's modules may run ahead of each other.

namespace tsuji::network {
namespace {

/// The time of a credit over a link, from the freed place to the sender.
Cycle credit_cycles(const VcNetworkConfig& network, Cycle link, Cycle process) {
  return 1 + (network.credit_latency_cycles == 0 ? link : network.credit_latency_cycles) + process;
}

}  // namespace

/// How many cycles a group of modules may be ahead of others: the least that any part states. One that states
/// nothing has one cycle, and then no group runs ahead.
Cycle NetworkAssembly::lookahead() const {
  return std::min(
      {ClockDomain::longest_window, parts_.config.watchdog_cycles, lookahead_of_links(), lookahead_of_nodes(),
       modules_.lookup ? modules_.lookup->lookahead_cycles() : never,
       // A packet is dropped everywhere at once, and all routers are looked at between two cycles.
       parts_.heads_may_lack_a_route() || parts_.config.classify_timeouts ? 1 : never,
       parts_.on_delivered ? parts_.deliveries_lookahead_cycles : never, modules_.network->lookahead_cycles(),
       parts_.measurement != nullptr ? parts_.measurement->lookahead_cycles() : never});
}

/// Flits and credits between routers.
Cycle NetworkAssembly::lookahead_of_links() const {
  const Cycle leave = modules_.network->router_kind().departs_after_cycles;
  if (leave == 0) return 1;
  const VcNetworkConfig& network = parts_.config.network;
  const Cycle early = modules_.network->router_kind().acts_early_cycles;
  Cycle least = never;
  for (const graph::RouterLink& link : parts_.topology.links())
    least = std::min({least, leave + link.latency_cycles - early,
                      credit_cycles(network, link.latency_cycles, network.credit_process_cycles)});
  return least;
}

/// Nodes among each other, and flits and credits between a node and a router of another group.
Cycle NetworkAssembly::lookahead_of_nodes() const {
  const Cycle leave = modules_.network->router_kind().departs_after_cycles;
  const Cycle early = modules_.network->router_kind().acts_early_cycles;
  const VcNetworkConfig& network = parts_.config.network;
  Cycle least = never;
  const auto look = [&](const traffic::FlitNode& node, graph::RouterId id, Cycle credit_process_cycles,
                        const graph::NodePorts& wires) {
    const Cycle inject = wires.latency_or(network.inject_latency_cycles);
    const Cycle eject = wires.latency_or(network.eject_latency_cycles);
    least = std::min(least, node.state().source().lookahead_cycles());
    if (modules_.domain->same_group(node, modules_.network->module(id))) return;
    least = std::min({least, 1 + inject - early, leave + eject,
                      credit_cycles(network, inject, credit_process_cycles),
                      credit_cycles(network, eject, network.credit_process_cycles)});
  };
  for (const auto& node : modules_.nodes) {
    const graph::NodePorts& ports = parts_.topology.node(node->state().end().node());
    for (const graph::RouterId id : {ports.inject.router, ports.eject.router})
      look(*node, id, network.credit_process_cycles_of_nodes(), ports);
  }
  for (const auto& [id, node] : modules_.control) look(*node, id, network.credit_process_cycles, {});
  return least;
}

}  // namespace tsuji::network
