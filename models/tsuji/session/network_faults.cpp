// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_faults.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>

#include "tsuji/core/error.h"
#include "tsuji/core/output_file.h"
#include "tsuji/graph/connectivity.h"
#include "tsuji/routing/detour/detour_certificate.h"
#include "tsuji/routing/detour/detour_ud.h"

namespace tsuji::session {
namespace {

const routing::DetourUd* detour_ud(const network::NetworkPlan& parts) {
  return dynamic_cast<const routing::DetourUd*>(parts.routing.get());
}

}  // namespace

int check_detour(const network::NetworkConfig& machine, const network::NetworkPlan& parts, bool to_self,
                 std::ostream& out) {
  const routing::DetourUd* const detour = detour_ud(parts);
  if (detour == nullptr) return -1;
  if (!machine.link_faults.empty())
    throw ConfigError("link.faults", machine.link_faults,
                      "recovery is checked only for links that do not fail during the run", "none");
  const routing::DetourGeneration& generation = detour->generation();
  const routing::RecoveryVerdict recovery =
      routing::check_recovery(parts.topology, generation, *detour, detour->ud_vcs());
  out << parts.topology.name() << ", " << parts.faults.links.size() << " dead links, "
      << parts.faults.routers.size() << " dead routers, root " << generation.root() << '\n'
      << recovery.text() << routing::check_adaptive(parts.topology, generation, *detour).text();
  if (!parts.faults.empty())
    out << graph::connectivity(parts.topology, generation.network(), generation.regions()).text();
  const bool refused = to_self && !machine.network.router.uturn_node;
  if (refused)
    out << "not every packet reaches its node: routers refuse those of a node to itself "
           "(router.uturn_node), which "
        << (machine.network.router.dead_route == router::DeadRoute::wait ? "wait forever"
                                                                         : "are dropped (no_way)")
        << '\n';
  return recovery.holds() && !refused ? 0 : 1;
}

namespace {

void write_certificate(const network::NetworkPlan& parts, const std::string& path, std::ostream& out) {
  const routing::DetourUd* const detour = detour_ud(parts);
  if (detour == nullptr)
    throw ConfigError("--certificate", path, "the routing has no tables to certify",
                      "routing.kind detour_ud");
  const routing::RecoveryVerdict recovery =
      routing::check_recovery(parts.topology, detour->generation(), *detour, detour->ud_vcs());
  OutputFile file(path, "--certificate");
  file.stream() << routing::detour_certificate(parts.topology, detour->generation(), recovery).dump() << '\n';
  file.commit();
  out << path << ": certificate of " << parts.topology.name() << ", "
      << detour->generation().network().living() << " living routers\n";
}

}  // namespace

std::vector<std::pair<Cycle, graph::FaultSet>> states_of_faults(const network::NetworkConfig& machine,
                                                                const graph::Topology& topology) {
  std::vector<std::pair<Cycle, graph::FaultSet>> states;
  const faults::FaultSchedule schedule = machine.fault_schedule(topology);
  const auto add = [&](Cycle cycle) {
    graph::FaultSet present = schedule.at(cycle);
    const auto same = [&present](const auto& state) {
      return state.second.links == present.links && state.second.routers == present.routers;
    };
    if (std::none_of(states.begin(), states.end(), same)) states.emplace_back(cycle, std::move(present));
  };
  add(0);
  for (const faults::FaultEvent& event : schedule.events()) add(event.cycle);
  return states;
}

bool ends_all_traffic(const graph::Topology& topology, const graph::FaultSet& present) {
  std::vector<bool> dead(topology.routers(), false);
  for (const graph::RouterId router : present.routers) dead[router] = true;
  for (NodeId node = 0; node < topology.nodes(); ++node)
    if (!dead[topology.node(node).eject.router]) return false;
  return true;
}

void write_certificates(const network::NetworkConfig& machine, const std::string& path, std::ostream& out) {
  const graph::Topology topology = network::make_topology(machine);
  for (const auto& [cycle, present] : states_of_faults(machine, topology)) {
    if (cycle != 0 && ends_all_traffic(topology, present)) {
      out << "from cycle " << cycle << " on no node lives: there is nothing to certify\n";
      continue;
    }
    std::filesystem::path file = path;
    if (cycle != 0)
      file.replace_filename(file.stem().string() + '-' + std::to_string(cycle) + file.extension().string());
    write_certificate(network::NetworkPlan(machine, &present), file.string(), out);
  }
}

void require_living_ranks(const workload::Trace& trace, const std::vector<NodeId>& node_of,
                          const network::TrafficNodes& nodes, const char* place) {
  for (std::size_t rank = 0; rank < node_of.size(); ++rank) {
    const workload::NodeState state = nodes.state(node_of[rank]);
    if (state == workload::NodeState::living) continue;
    throw ConfigError(trace.key, std::to_string(node_of.size()) + " ranks",
                      "rank " + std::to_string(rank) + " is " + place + " node " +
                          std::to_string(node_of[rank]) + ", which is " +
                          (state == workload::NodeState::dead ? "dead" : "cut off"),
                      "ranks at living nodes, or other faults.*");
  }
}

}  // namespace tsuji::session
