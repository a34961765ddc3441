// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_prints.h"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tsuji/core/error.h"
#include "tsuji/graph/print.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/routing/checkers/vc_use.h"
#include "tsuji/session/design_facts.h"
#include "tsuji/session/network_capacity.h"
#include "tsuji/session/network_faults.h"
#include "tsuji/workload/packet_list.h"

namespace tsuji::session {

using platform::PlatformOption;
using platform::RunOptions;

namespace {

int print_topology(const NetworkRunConfig& config, const std::string& format, std::ostream& out) {
  const graph::Topology topology = network::make_topology(config.machine);
  if (format == "dot") {
    graph::print_dot(topology, out);
  } else if (format == "json") {
    graph::print_json(topology, out);
  } else {
    throw ConfigError("--print-topology", format, "unknown format", "dot or json");
  }
  return 0;
}

/// Returns true if a node may send packets to itself: ranks of a trace may share a node.
bool may_send_to_itself(const NetworkRunConfig& config, const graph::Topology& topology) {
  if (config.workload.has_ranks()) return true;
  if (config.traffic.traits().draws) return config.traffic.to_self;
  const std::string& list = config.traffic.of<traffic::PacketListConfig>().list;
  if (list.empty()) return true;
  const auto lists = workload::read_packet_list(list, topology.nodes());
  for (NodeId node = 0; node < lists.size(); ++node) {
    for (const workload::ListedPacket& packet : lists[node])
      if (packet.destination == node) return true;
  }
  return false;
}

int print_vcs(const NetworkRunConfig& config, std::ostream& out) {
  const network::NetworkPlan plan(config.machine);
  const graph::LivingNetwork network(plan.topology, plan.faults);
  routing::print_vc_use(routing::vc_use(plan.topology, network, *plan.routing, config.machine.network.vcs),
                        out);
  return 0;
}

/// Prints the capacity bound of the configured load, for any size of the network.
int print_capacity(const NetworkRunConfig& config, std::uint64_t seed, std::ostream& out) {
  if (config.workload.has_ranks())
    throw ConfigError("--print-capacity", "", "an application offers no load", "workload.kind synthetic");
  const network::NetworkPlan plan(config.machine);
  const network::TrafficSources sources = config.sources(plan, seed);
  const routing::CapacityBound bound = network_capacity(config.machine, plan, config.traffic, sources,
                                                        config.workload.retry.on(), CapacityEffort::print);
  routing::print_capacity(bound, plan.topology, 10, out);
  return 0;
}

/// Checks all fault sets of the run; returns the worst exit status.
int check_reconfigured(const NetworkRunConfig& config, std::ostream& out) {
  const graph::Topology topology = network::make_topology(config.machine);
  int worst = 0;
  for (const auto& [cycle, present] : states_of_faults(config.machine, topology)) {
    out << "from cycle " << cycle << " on: ";
    if (cycle != 0 && ends_all_traffic(topology, present)) {
      out << "no node lives, no message moves\n";
      continue;
    }
    const network::NetworkPlan plan(config.machine, &present);
    worst = std::max(worst, check_detour(config.machine, plan, may_send_to_itself(config, topology), out));
  }
  return worst;
}

int check_deadlock(const NetworkRunConfig& config, const RunOptions& options, std::ostream& out) {
  if (config.machine.reconfigures()) return check_reconfigured(config, out);
  const network::NetworkPlan plan(config.machine);
  const bool to_self = may_send_to_itself(config, plan.topology);
  if (const int status = check_detour(config.machine, plan, to_self, out); status >= 0) return status;
  observe::ProgressBar bar(std::cerr, !options.quiet && observe::ProgressBar::stderr_is_terminal());
  routing::DeadlockConfig checked = network::deadlock_config(config.machine, plan.topology, to_self);
  for (NodeId node = 0; node < plan.nodes.states.size(); ++node)
    checked.silent_nodes.push_back(plan.nodes.state(node) != workload::NodeState::living);
  checked.progress = [&bar](double share_done) { bar.update(share_done); };
  const routing::DeadlockReport report = routing::check_deadlock(plan.topology, *plan.routing, checked);
  bar.finish();
  out << report.text(plan.topology);
  return report.good() ? 0 : 1;
}

}  // namespace

std::vector<PlatformOption> network_prints(const NetworkRunConfig& config,
                                           const std::shared_ptr<DesignFacts>& facts) {
  PlatformOption topology;
  topology.name = "--print-topology";
  topology.value_name = "FORMAT";
  topology.meaning = "print the topology as dot or json, and stop";
  topology.print = [&](const std::string& format, const RunOptions&, std::ostream& out) {
    return print_topology(config, format, out);
  };
  PlatformOption vcs;
  vcs.name = "--print-vcs";
  vcs.meaning = "print the use of each virtual channel over all pairs of nodes, and stop";
  vcs.print = [&](const std::string&, const RunOptions&, std::ostream& out) {
    return print_vcs(config, out);
  };
  PlatformOption capacity;
  capacity.name = "--print-capacity";
  capacity.meaning =
      "print the load at which the first channel saturates and the most loaded channels, and stop";
  capacity.print = [&](const std::string&, const RunOptions& options, std::ostream& out) {
    return print_capacity(config, options.seed, out);
  };
  PlatformOption deadlock;
  deadlock.name = "--check-deadlock";
  deadlock.meaning =
      "prove the network free of deadlock, or print a cycle of channels that can deadlock (exit status 1), "
      "and stop";
  deadlock.print = [&](const std::string&, const RunOptions& options, std::ostream& out) {
    return check_deadlock(config, options, out);
  };
  PlatformOption certificate;
  certificate.name = "--certificate";
  certificate.value_name = "FILE";
  certificate.meaning =
      "write the tables of detour_ud with their proof of freedom from deadlock, for "
      "scripts/check_certificate, and stop";
  certificate.print = [&](const std::string& path, const RunOptions&, std::ostream& out) {
    write_certificates(config.machine, path, out);
    return 0;
  };
  PlatformOption design;
  design.name = "--print-design";
  design.meaning =
      "print the facts of the network that need no simulation as JSON: hardware, channel loads, capacity and "
      "latency without contention, and stop";
  design.prints_json = true;
  design.print = [&config, facts](const std::string&, const RunOptions& options, std::ostream& out) {
    out << facts->of(config, options.seed, options.resolved_keys).dump(2) << '\n';
    return 0;
  };
  return {topology, vcs, capacity, design, deadlock, certificate};
}

}  // namespace tsuji::session
