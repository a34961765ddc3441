// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/topology_config.h"

namespace tsuji::network {

void add_topology_keys(config::KeyTable& keys, TopologyConfig& config) {
  keys.add_choice("topology.kind", config.kind, config.kinds.words(),
                  "kind of topology; each kind has its own keys");
  const char* const by_file = "no kind of its own; topology.kind file reads any graph of routers and links";
  keys.also_called("topology.kind", {{"hypercube", "write cube with topology.radices [2,2,2] for 8 routers"},
                                     {"ring", "write torus with one radix, topology.radices [8]"},
                                     {"kncube", "torus"},
                                     {"k_ary_n_cube", "torus"},
                                     {"butterfly", "fly"},
                                     {"fattree", "fat_tree"},
                                     {"random", "random_regular"},
                                     {"jellyfish", "random_regular"},
                                     {"dragonflynew", "dragonfly"},
                                     {"dragonfly+", "dragonfly_plus"},
                                     {"megafly", "dragonfly_plus"},
                                     {"flattened_butterfly", "hyperx"},
                                     {"flatfly", "hyperx"},
                                     {"slimfly", "slim_fly"},
                                     {"mms", "slim_fly"},
                                     {"polarfly", "polar_fly"},
                                     {"express_cube", "express_mesh"},
                                     {"cmesh", "write mesh with topology.nodes_per_router 4"},
                                     {"crossbar", by_file}});
  config.kinds.add_keys(keys);
}

graph::Topology make_topology(const TopologyConfig& config, Cycle link_latency_cycles) {
  config.validate();
  return config.kinds.make(config.kind, link_latency_cycles);
}

}  // namespace tsuji::network
