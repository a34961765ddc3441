#include "tsuji/fabric/config/deadlock_config.h"

namespace tsuji::fabric {

routing::DeadlockConfig deadlock_config(const NetworkConfig& machine, bool to_self) {
  const router::VcRouterConfig& router = machine.network.router;
  routing::DeadlockConfig config;
  config.vcs = machine.network.vcs;
  config.node_vcs = machine.network.node_vcs;
  config.uturn_network = router.uturn_network;
  config.uturn_node = router.uturn_node;
  config.to_self = to_self;
  config.whole_packets = router.switching != router::Switching::wormhole;
  config.atomic_vcs = router.atomic_vcs;
  config.dead_way_waits = router.dead_way == router::DeadWay::wait;
  for (const LinkFault& fault : machine.faults())
    config.outages.push_back({fault.link, fault.down, fault.up});
  return config;
}

}  // namespace tsuji::fabric
