// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/graph/topology_kinds.h"

namespace example {

using namespace tsuji;
using namespace tsuji::graph;

namespace {

/// Every two routers share a link. Port p of router r leads to router p, from p = r on to router p + 1; the
/// nodes' ports follow.
struct FullMesh {
  unsigned routers = 8;
  unsigned nodes_per_router = 1;

  void add_keys(config::KeyTable& keys) {
    keys.add("topology.routers", routers, {2, 256}, "routers", "full_mesh: routers");
    // A key of meshes and tori: full_mesh reads it, too.
    keys.add("topology.nodes_per_router", nodes_per_router, {1, 256}, "nodes",
             "full_mesh: nodes of a router");
  }

  void validate() const {
    constexpr unsigned most_nodes = 4096;
    if (routers * nodes_per_router > most_nodes)
      throw ConfigError("topology.nodes_per_router", std::to_string(nodes_per_router), "too many nodes",
                        "1.." + std::to_string(most_nodes / routers));
  }

  Topology make(Cycle link_latency_cycles) const {
    validate();
    std::vector<RouterLink> links;
    std::vector<NodePorts> nodes;
    for (RouterId a = 0; a < routers; ++a) {
      for (RouterId b = a + 1; b < routers; ++b) links.push_back({{a, b - 1}, {b, a}, link_latency_cycles});
      for (unsigned n = 0; n < nodes_per_router; ++n) {
        const PortRef port{a, routers - 1 + n};
        nodes.push_back({port, port});
      }
    }
    return Topology("full mesh of " + std::to_string(routers) + " routers",
                    std::vector<unsigned>(routers, routers - 1 + nodes_per_router), std::move(links),
                    std::move(nodes), Shape{});
  }
};

}  // namespace

void add_full_mesh(TopologyKinds& kinds) {
  kinds.add<FullMesh>("full_mesh", {"two_hop"});  // the routing that `routing.kind: auto` means
}

}  // namespace example
