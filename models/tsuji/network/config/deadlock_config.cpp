// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/deadlock_config.h"

#include <map>

namespace tsuji::network {

routing::DeadlockConfig deadlock_config(const NetworkConfig& machine, const graph::Topology& topology,
                                        bool to_self) {
  const router::VcRouterConfig& router = machine.network.router;
  routing::DeadlockConfig config;
  config.vcs = machine.network.vcs;
  config.node_vcs = machine.network.node_vcs;
  config.uturn_network = router.uturn_network;
  config.uturn_node = router.uturn_node;
  config.to_self = to_self;
  config.whole_packets = router.switching != router::Switching::wormhole;
  config.atomic_vcs = router.atomic_vcs;
  config.dead_route_waits = router.dead_route == router::DeadRoute::wait;
  const MessageClasses classes = machine.message_classes();
  for (const MessageClass& one : classes.all) {
    if (!one.answer) continue;
    const MessageClass& answer = classes.all[*one.answer];
    config.answers.push_back({one.name + " waits for room for " + answer.name,
                              static_cast<routing::VcMask>(one.vc_mask()),
                              static_cast<routing::VcMask>(answer.vc_mask())});
  }
  std::map<std::uint32_t, std::size_t> open;  // link to its outage
  const faults::FaultSchedule schedule = machine.fault_schedule(topology);
  for (const faults::FaultEvent& event : schedule.events()) {
    if (event.of_router) continue;
    if (!event.returns) {
      // Routes lead round a link that is dead from the first cycle on.
      if (event.cycle == 0) continue;
      open[event.number] = config.outages.size();
      config.outages.push_back({event.number, event.cycle, never});
    } else if (const auto outage = open.find(event.number); outage != open.end()) {
      config.outages[outage->second].up = event.cycle;
    }
  }
  return config;
}

}  // namespace tsuji::network
