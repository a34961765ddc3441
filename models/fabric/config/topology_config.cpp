#include "tsuji/fabric/config/topology_config.h"

namespace tsuji::fabric {

void add_topology_keys(config::KeyTable& keys, TopologyConfig& config) {
  keys.add_choice("topology.kind", config.kind, config.kinds.words(),
                  "topology; each kind has keys of its own");
  config.kinds.add_keys(keys);
}

graph::Topology make_topology(const TopologyConfig& config, Cycle link_latency_cycles) {
  config.validate();
  return config.kinds.make(config.kind, link_latency_cycles);
}

}  // namespace tsuji::fabric
