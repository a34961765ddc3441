// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/network_plan.h"

#include <string>
#include <utility>
#include <vector>

#include "tsuji/core/error.h"
#include "tsuji/routing/class_routing.h"

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

/// A routing for each set of virtual channels of the classes of messages.
std::unique_ptr<const routing::Routing> routing_of_classes(const NetworkConfig& config,
                                                           const graph::Topology& topology,
                                                           const graph::FaultSet& faults) {
  const MessageClasses classes = config.message_classes();
  std::vector<routing::ClassRouting::Set> sets(classes.policy().sets);
  for (unsigned c = 0; c < classes.all.size(); ++c) {
    const MessageClass& one = classes.all[c];
    routing::ClassRouting::Set& set = sets[classes.set_of(c)];
    if (set.routing != nullptr) continue;
    set.first_vc = one.first_vc;
    set.vcs = one.vcs;
    try {
      set.routing = make_routing(config.routing, topology, one.vcs, faults);
    } catch (const ConfigError& refusal) {
      if (refusal.key() != "router.vcs") throw;
      throw ConfigError("classes.list", one.name + " with " + std::to_string(one.vcs) + " virtual channels",
                        refusal.problem(), refusal.accepted() + " for each class");
    }
  }
  return std::make_unique<routing::ClassRouting>(topology, std::move(sets), config.routing.kind);
}

}  // namespace

// The file of a topology may be a pipe: it is read once.
NetworkPlan::NetworkPlan(const NetworkConfig& config, const graph::FaultSet* present, Checks checks)
    : topology(make_topology(config)),
      faults(present == nullptr ? config.dead.on(topology) : *present),
      routing(config.classes.on() ? routing_of_classes(config, topology, faults)
                                  : routing_of_nodes(config, topology, faults)),
      rails(config.rails.on(topology)),
      nodes(TrafficNodes::of(topology, faults, rails)) {
  if (checks == Checks::now) check(config);
}

NetworkPlan::NetworkPlan(const NetworkConfig& config, const graph::FaultSet* present)
    : NetworkPlan(config, present, Checks::now) {}

NetworkPlan NetworkPlan::unchecked(const NetworkConfig& config) {
  return {config, nullptr, Checks::later};
}

void NetworkPlan::check(const NetworkConfig& config) const {
  (void)config.fault_schedule(topology);  // refused before anything runs
  config.network.validate_with(topology, *routing);
  config.lookup.validate_with(topology, *routing, config.routing.kind);
}

}  // namespace tsuji::network
