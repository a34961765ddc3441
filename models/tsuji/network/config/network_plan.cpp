// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_plan.h"

#include <string>

#include "tsuji/core/error.h"

namespace tsuji::network {
namespace {

/// Routing on the virtual channels that the machine's own packets do not use.
std::unique_ptr<const routing::Routing> routing_of_nodes(const NetworkConfig& config,
                                                         const graph::Topology& topology,
                                                         const graph::FaultSet& faults) {
  const unsigned own = config.network.own_vcs;
  try {
    return make_routing(config.routing, topology, config.network.vcs_of_routing(), faults);
  } catch (const ConfigError& refusal) {
    if (own == 0 || refusal.key() != "router.vcs") throw;
    throw ConfigError(refusal.key(), std::to_string(config.network.vcs),
                      refusal.problem() + ", as nic.kind takes " + std::to_string(own),
                      refusal.accepted() + ", and " + std::to_string(own) + " more");
  }
}

}  // namespace

// The file of a topology may be a pipe: it is read once.
NetworkPlan::NetworkPlan(const NetworkConfig& config, const graph::FaultSet* present)
    : topology(make_topology(config)),
      faults(present == nullptr ? config.dead.on(topology) : *present),
      routing(routing_of_nodes(config, topology, faults)),
      nodes(TrafficNodes::of(topology, faults)) {
  check(config);
}

void NetworkPlan::check(const NetworkConfig& config) const {
  (void)config.fault_schedule(topology);  // refused before anything runs
  config.network.validate_with(topology, *routing);
  config.lookup.validate_with(topology, *routing, config.routing.kind);
}

}  // namespace tsuji::network
