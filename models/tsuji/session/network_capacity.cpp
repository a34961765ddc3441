// SPDX-License-Identifier: Apache-2.0
#include "tsuji/session/network_capacity.h"

#include <limits>

namespace tsuji::session {
namespace {

struct EffortLimits {
  std::uint64_t questions, search_steps;
};

EffortLimits limits_of(CapacityEffort effort) {
  switch (effort) {
    case CapacityEffort::run:
      return {4'000'000, 20'000'000};
    case CapacityEffort::design:
      return {50'000'000, 200'000'000};
    default:
      return {std::numeric_limits<std::uint64_t>::max(), 1'000'000'000};
  }
}

/// Reason why the traffic has no capacity bound; null: it has one.
const char* refusal(const network::NetworkConfig& machine, const network::NetworkPlan& parts,
                    const network::TrafficConfig& traffic) {
  if (!traffic.traits().offers_load) return "no offered load";
  const faults::FaultSchedule schedule = machine.fault_schedule(parts.topology);
  for (const faults::FaultEvent& event : schedule.events())
    if (event.cycle != 0) return "faults during the run";
  return nullptr;
}

}  // namespace

routing::CapacityBound network_capacity(const network::NetworkConfig& machine,
                                        const network::NetworkPlan& parts,
                                        const network::TrafficConfig& traffic,
                                        const network::TrafficSources& sources, bool repeats,
                                        CapacityEffort effort) {
  if (const char* const reason = refusal(machine, parts, traffic)) {
    routing::CapacityBound none;
    none.reason = reason;
    return none;
  }
  routing::CapacityConfig config;
  if (machine.network.vcs_of_nodes() != machine.network.vcs)
    config.own_node_vcs = machine.network.vcs_of_nodes();
  config.uturn_node = machine.network.router.uturn_node;
  config.flit_cycles = machine.network.flit_cycles;
  const EffortLimits limits = limits_of(effort);
  config.most_questions = limits.questions;
  config.most_search_steps = limits.search_steps;
  config.demand = [&sources](NodeId source, NodeId destination) {
    return sources.demand(source, destination);
  };
  routing::CapacityBound bound = routing::capacity_bound(parts.topology, *parts.routing, config);
  if (repeats && bound.kind == routing::CapacityKind::exact) bound.kind = routing::CapacityKind::upper_bound;
  return bound;
}

void add_capacity(const routing::CapacityBound& bound, const network::NetworkPlan& parts,
                  observe::Results& results) {
  const bool known = bound.kind != routing::CapacityKind::none;
  results.metric("capacity_bound_flits_per_node_cycle",
                 known ? observe::Value(bound.flits_per_node_cycle) : observe::Value(nullptr),
                 "flits/node/cycle");
  results.metric("capacity_bound_kind", routing::capacity_kind_name(bound.kind), "");
  results.metric("capacity_bound_at", routing::full_text(bound, parts.topology), "");
}

}  // namespace tsuji::session
