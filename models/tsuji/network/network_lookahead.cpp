// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string>

#include "tsuji/core/error.h"
#include "tsuji/network/network_assembly.h"

// Cycles that groups of a network's modules may run ahead of each other.

namespace tsuji::network {
namespace {

/// The time of a credit over a link, from the freed place to the sender.
Cycle credit_cycles(const VcNetworkConfig& network, Cycle link, Cycle process) {
  return 1 + (network.credit_latency_cycles == 0 ? link : network.credit_latency_cycles) + process;
}

}  // namespace

/// Number of cycles that a group of modules may run ahead of others: the least lookahead declared by any
/// part. A part without a declaration counts as one cycle, and then no group runs ahead.
NetworkAssembly::Lookahead NetworkAssembly::least_lookahead() const {
  const Lookahead all[] = {
      {ClockDomain::longest_window, "a window has an end"},
      {parts_.heads_may_lack_a_route() ? 1 : never,
       "a packet without a route is dropped in all routers at once, which faults, foreign routers and some "
       "routings need"},
      {parts_.config.classify_timeouts ? 1 : never, "all routers are looked at between two cycles"},
      {parts_.reads_network() ? 1 : never,
       "the routing (routing.kind) reads the queues of all routers between two cycles"},
      // Of several threads they are reported by cycle, when the window is over.
      {parts_.on_delivered && parts_.threads == 1 ? parts_.deliveries_lookahead_cycles : never,
       "deliveries are recorded in the order of cycles"},
      {lookahead_of_nodes(), "nodes see each other, or their routers, within a cycle"},
      {lookahead_of_links(), "flits or credits take one cycle"},
      {modules_.lookup ? modules_.lookup->lookahead_cycles() : never, "look-up hardware consists of modules"},
      {modules_.network->lookahead_cycles(), "links are pins"},
      {parts_.measurement != nullptr ? parts_.measurement->lookahead_cycles() : never,
       parts_.config.classes.on() ? "waits of classes are measured in the order of cycles"
                                  : "the measurement ends with an arrival"},
      {parts_.config.watchdog_cycles, "the watchdog looks in every cycle"}};
  return *std::min_element(std::begin(all), std::end(all), [](const Lookahead& one, const Lookahead& other) {
    return one.cycles < other.cycles;
  });
}

/// Several threads need windows, nodes whose sources share nothing, and a router each.
void NetworkAssembly::check_threads(const Lookahead& least) const {
  const auto refuse = [this](const std::string& why, const std::string& accepted) {
    throw ConfigError("--threads", std::to_string(parts_.threads), why, accepted);
  };
  if (least.cycles == 1) refuse(least.reason, "1");
  if (parts_.config.process_mode == ProcessMode::process_each || parts_.config.shuffle_seed != 0)
    refuse("run.processes process_each and run.shuffle_seed run one module after the other", "1");
  if (sources_share()) refuse("the nodes' programs, or routers' own packets, use data of several nodes", "1");
  const std::size_t routers = modules_.network->routers();
  if (parts_.threads > routers)
    refuse("the network has fewer routers", routers == 1 ? "1" : "1 to " + std::to_string(routers));
}

/// True if a source uses data of other nodes than its own.
bool NetworkAssembly::sources_share() const {
  return !modules_.control.empty() || nodes_share();
}

/// Likewise of the sources that are not at control ports.
bool NetworkAssembly::nodes_share() const {
  bool shares = false;
  modules_.visit_own_nodes(
      [&shares](const auto& node) { shares |= node.source().lookahead_cycles() != never; });
  return shares;
}

/// Why this network cannot be divided among ranks; empty: it can.
std::string NetworkAssembly::undivided() const {
  const NetworkConfig& config = parts_.config;
  if (parts_.threads > 1) return "--threads: a rank runs on one thread";
  if (parts_.flits_are_observed || parts_.cycles_are_shown)
    return "waveforms and logs see the flits of all routers";
  if (parts_.fault_observer != nullptr) return "failed links are observed in all routers";
  if (parts_.custom.make_lookup || parts_.custom.make_switch || parts_.custom.module_rtl.any())
    return "foreign look-up hardware sees the routers of one process";
  if (config.process_mode != ProcessMode::one_for_all || config.shuffle_seed != 0)
    return "run.processes process_each and run.shuffle_seed run one module after the other";
  if (runs_densely_) return "";
  if (parts_.heads_are_observed) return "records of a network of modules are taken at all routers";
  if (config.classify_timeouts) return "timeouts are classified in all routers between two cycles";
  if (config.lookup.in_switch() && config.lookup.as_modules()) return "look-up hardware consists of modules";
  if (parts_.custom.over_pins.links || parts_.custom.over_pins.nodes) return "links are pins";
  if (!parts_.only_results) return "further parts of the platform use the network's modules";
  return "";
}

namespace {

[[noreturn]] void refuse_ranks(const mpi::Ranks& ranks, const std::string& why,
                               const std::string& accepted = "one process") {
  throw ConfigError("mpirun", std::to_string(ranks.count()) + " ranks", why, accepted);
}

}  // namespace

/// Several ranks need a network in which nothing is changed everywhere at once, and a router each.
void NetworkAssembly::check_ranks() const {
  const std::string why = undivided();
  if (!why.empty()) refuse_ranks(*parts_.ranks, why);
  const std::size_t routers = parts_.topology.routers();
  if (parts_.ranks->count() > routers)
    refuse_ranks(*parts_.ranks, "the network has fewer routers",
                 routers == 1 ? "one process" : "1 to " + std::to_string(routers) + " ranks");
}

/// Likewise of the nodes' sources and of the look-up hardware, which have been made.
void NetworkAssembly::check_shares() const {
  const bool share = modules_.retry ? modules_.retry->sources_share() : nodes_share();
  if (parts_.ranks->sum(share ? 1 : 0) != 0)
    refuse_ranks(*parts_.ranks, "the nodes' programs use data of several nodes");
  if (modules_.lookup && modules_.lookup->lookahead_cycles() == 1)
    refuse_ranks(*parts_.ranks, "the ports of a switch share a look-up memory, which is a module");
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
  const auto look_apart = [&](Cycle credit_process_cycles, const graph::NodePorts& wires) {
    const Cycle inject = wires.latency_or(network.inject_latency_cycles);
    const Cycle eject = wires.latency_or(network.eject_latency_cycles);
    least = std::min({least, 1 + inject - early, leave + eject,
                      credit_cycles(network, inject, credit_process_cycles),
                      credit_cycles(network, eject, network.credit_process_cycles)});
  };
  const auto look = [&](const traffic::FlitNode& node, graph::RouterId id, Cycle credit_process_cycles,
                        const graph::NodePorts& wires) {
    least = std::min(least, node.state().source().lookahead_cycles());
    if (modules_.domain->same_group(node, modules_.network->module(id))) return;
    look_apart(credit_process_cycles, wires);
  };
  const auto look_dense = [&](const dense::Node& node) {
    least = std::min(least, node.source().lookahead_cycles());
    const graph::NodePorts& ports = parts_.topology.node(node.id());
    for (const graph::RouterId id : {ports.inject.router, ports.eject.router})
      if (!modules_.dense->together(node, id)) look_apart(network.credit_process_cycles_of_nodes(), ports);
  };
  if (modules_.dense) modules_.dense->visit_nodes(look_dense);
  for (const auto& node : modules_.nodes) {
    const graph::NodePorts& ports = parts_.topology.node(node->state().end().node());
    for (const graph::RouterId id : {ports.inject.router, ports.eject.router})
      look(*node, id, network.credit_process_cycles_of_nodes(), ports);
  }
  for (const auto& [id, node] : modules_.control) look(*node, id, network.credit_process_cycles, {});
  return least;
}

}  // namespace tsuji::network
