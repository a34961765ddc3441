#include "tsuji/fabric/config/vc_network_config.h"

#include <algorithm>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji::fabric {

void VcNetworkConfig::validate() const {
  router.validate();
  if (router.input_speedup > vcs)
    throw ConfigError("router.input_speedup", std::to_string(router.input_speedup),
                      "an input has no more virtual channels to send from", "1 up to router.vcs");
}

void VcNetworkConfig::validate_with(const graph::Topology& topology, const routing::Routing& routing) const {
  for (graph::RouterId id = 0; id < topology.routers(); ++id) {
    if (topology.ports(id) * router.input_speedup <= 64 &&
        topology.ports(id) * std::max(vcs, vcs_of_nodes()) < 4096)
      continue;
    throw ConfigError("topology.kind", topology.name(),
                      "router " + std::to_string(id) + " has " + std::to_string(topology.ports(id)) +
                          " ports, and a crossbar takes 64 inputs",
                      "at most 64 ports times router.input_speedup");
  }
  if (routing.needs_atomic_vcs() && router.switching == router::Switching::wormhole && !router.atomic_vcs) {
    throw ConfigError(
        "router.atomic_vcs", "false",
        "this routing's proof of freedom from deadlock does not hold for wormhole switching when a "
        "virtual channel is taken before it is empty",
        "true, or router.switching virtual_cut_through or store_and_forward");
  }
}

}  // namespace tsuji::fabric
