// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/express_mesh.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

void check_express_mesh(const ExpressShape& shape) {
  check_cube({shape.radices, std::vector<bool>(shape.radices.size(), false), shape.nodes_per_router});
  const unsigned longest = *std::max_element(shape.radices.begin(), shape.radices.end());
  if (shape.interval < 2 || shape.interval >= longest)
    throw ConfigError("topology.interval", std::to_string(shape.interval),
                      "no dimension has an express link of this length", "2.." + std::to_string(longest - 1));
}

std::string express_name(const ExpressShape& shape) {
  std::string name = "mesh ";
  for (const unsigned radix : shape.radices) name += (name.back() == ' ' ? "" : "x") + std::to_string(radix);
  name += " with express links of " + std::to_string(shape.interval);
  if (shape.nodes_per_router > 1) name += ", " + std::to_string(shape.nodes_per_router) + " nodes a router";
  return name;
}

}  // namespace

Topology make_express_mesh(const ExpressShape& shape, Cycle link_cycles, Cycle express_cycles) {
  check_express_mesh(shape);
  const auto dimensions = static_cast<unsigned>(shape.radices.size());
  unsigned routers = 1;
  for (const unsigned radix : shape.radices) routers *= radix;
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes;
  std::vector<std::vector<unsigned>> coordinates(routers);
  for (RouterId router = 0; router < routers; ++router) {
    unsigned weight = 1;
    for (unsigned d = 0; d < dimensions; weight *= shape.radices[d], ++d) {
      const unsigned here = router / weight % shape.radices[d];
      coordinates[router].push_back(here);
      const auto connect = [&](unsigned steps, bool express, Cycle cycles) {
        if (here + steps >= shape.radices[d]) return;
        links.push_back({{router, ExpressShape::port(d, true, express)},
                         {router + steps * weight, ExpressShape::port(d, false, express)},
                         cycles});
      };
      connect(1, false, link_cycles);
      if (here % shape.interval == 0) connect(shape.interval, true, express_cycles);
    }
    for (unsigned n = 0; n < shape.nodes_per_router; ++n) {
      const PortRef port{router, 4 * dimensions + n};
      nodes.push_back({port, port});
    }
  }
  Topology mesh(express_name(shape), std::vector<unsigned>(routers, 4 * dimensions + shape.nodes_per_router),
                std::move(links), std::move(nodes), shape, std::move(coordinates));
  mesh.set_link_classes({"short", "express"}, [](const RouterLink& link) { return link.a.port / 2 % 2; });
  return mesh;
}

void ExpressMeshConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.radices", radices, {2, 32'768}, {1, 8}, "routers",
           "express_mesh: number of routers in each dimension");
  keys.add("topology.interval", interval, {2, 32'767}, "steps",
           "express_mesh: steps of an express link, between routers whose coordinate is a multiple of it");
  keys.add("topology.express_latency_cycles", express_latency_cycles, {0, 1'000'000}, "cycles",
           "express_mesh: latency of express links; 0: link.latency_cycles for each step");
  keys.add("topology.nodes_per_router", nodes_per_router, {1, 256}, "nodes",
           "express_mesh: nodes attached to each router");
}

Topology ExpressMeshConfig::make(Cycle link_latency_cycles) const {
  const Cycle of_steps = link_latency_cycles * interval;
  Topology mesh = make_express_mesh({radices, interval, nodes_per_router}, link_latency_cycles,
                                    express_latency_cycles == 0 ? of_steps : express_latency_cycles);
  if (express_latency_cycles != 0) mesh.keep_latencies("express");
  return mesh;
}

void add_express_mesh(TopologyKinds& kinds) {
  kinds.add<ExpressMeshConfig>("express_mesh", {"minimal"});
}

}  // namespace tsuji::graph
