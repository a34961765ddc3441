// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_plan.h"

namespace tsuji::network {

// The file of a topology may be a pipe: it is read once.
NetworkPlan::NetworkPlan(const NetworkConfig& config, const graph::FaultSet* present)
    : topology(make_topology(config.topology, config.link_latency_cycles)),
      faults(present == nullptr ? config.dead.on(topology) : *present),
      routing(make_routing(config.routing, topology, config.network.vcs, faults)),
      nodes(TrafficNodes::of(topology, faults)) {
  (void)config.fault_schedule(topology);  // refused before anything runs
  config.network.validate_with(topology, *routing);
  config.lookup.validate_with(topology, *routing, config.routing.kind);
}

}  // namespace tsuji::network
