// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <optional>

#include "tsuji/graph/connectivity.h"
#include "tsuji/routing/detour/detour_ud.h"
#include "tsuji/session/instrument_table.h"
#include "tsuji/session/network_faults.h"

namespace tsuji::session {
namespace {

/// Shortest paths, for small networks; without routing tables the fault regions are those of distance 1.
std::optional<graph::ConnectivityReport> connectivity_of(const network::NetworkPlan& parts,
                                                         const graph::LivingNetwork& network) {
  constexpr unsigned most_routers = 4096;
  if (parts.topology.routers() > most_routers) return std::nullopt;
  return graph::connectivity(parts.topology, network, graph::FaultRegions(parts.topology, network, 1));
}

void add_hops(const network::NetworkPlan& parts, const graph::LivingNetwork& network,
              observe::Results& results) {
  const std::optional<graph::ConnectivityReport> report = connectivity_of(parts, network);
  const auto value = [&](auto of) {
    return report && report->pairs != 0 ? observe::Value(of(*report)) : observe::Value(nullptr);
  };
  using Report = graph::ConnectivityReport;
  const auto mean = [](std::uint64_t sum, const Report& of) {
    return static_cast<double>(sum) / static_cast<double>(of.pairs);
  };
  results.metric("shortest_hops_mean", value([&](const Report& r) { return mean(r.hops, r); }), "hops");
  results.metric("shortest_hops_mean_without_faults",
                 value([&](const Report& r) { return mean(r.faultless_hops, r); }), "hops");
  results.metric("longest_hops", value([](const Report& r) { return r.longest; }), "hops");
  results.metric("longest_hops_without_faults", value([](const Report& r) { return r.faultless_longest; }),
                 "hops");
  results.metric("longer_pairs", value([](const Report& r) { return r.longer_pairs; }), "pairs");
}

/// Reports living, dead and cut-off routers, fault regions, hops of shortest paths, and packets that could
/// not be sent.
class Faults final : public Instrument {
 public:
  static bool watches(const WatchedRun& run) { return !run.plan.faults.empty(); }
  explicit Faults(const WatchedRun& run) : parts_(run.plan) {}
  void report(const RunEnd& end, observe::Results& results) override;
  void show(observe::Results& results) override {
    results.show("living_nodes", "living nodes");
    results.show("shortest_hops_mean", "hops of shortest paths, mean");
    results.show("shortest_hops_mean_without_faults", "  without faults");
    if (parts_.nodes.cuts_off()) results.show("packets_unreachable", "packets from or for cut-off nodes");
  }

 private:
  const network::NetworkPlan& parts_;
};

void Faults::report(const RunEnd& end, observe::Results& results) {
  const network::NetworkPlan& parts = parts_;
  const network::UnreachablePackets& unreachable = end.unreachable;
  const graph::LivingNetwork network(parts.topology, parts.faults);
  results.metric("living_nodes", parts.nodes.living(), "nodes");
  results.metric("living_routers", network.living(), "routers");
  results.metric("dead_routers", parts.faults.routers.size(), "routers");
  results.metric("dead_links", parts.faults.links.size(), "links");
  results.metric("cut_off_routers", network.cut_off().size(), "routers");
  if (const auto* const detour = dynamic_cast<const routing::DetourUd*>(parts.routing.get())) {
    results.metric("fault_regions", detour->generation().regions().regions(), "regions");
    results.metric("region_routers", detour->generation().regions().members(), "routers");
  }
  add_hops(parts, network, results);
  results.metric("packets_unreachable", unreachable.packets, "packets");
  observe::ResultTable& table =
      results.table("cut_off_nodes",
                    {{"node", ""}, {"router", ""}, {"packets_from", "packets"}, {"packets_to", "packets"}});
  for (NodeId node = 0; node < parts.topology.nodes(); ++node) {
    if (parts.nodes.state(node) != workload::NodeState::cut_off) continue;
    const bool counted = !unreachable.from.empty();
    table.row({node, parts.topology.node(node).eject.router,
               counted ? observe::Value(unreachable.from[node]) : observe::Value(nullptr),
               counted ? observe::Value(unreachable.to[node]) : observe::Value(nullptr)});
  }
}

}  // namespace

void add_faults(InstrumentTable& table) {
  add_instrument<Faults>(table);
}

}  // namespace tsuji::session
