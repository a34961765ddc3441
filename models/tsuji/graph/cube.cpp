// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/cube.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

constexpr std::uint64_t most_routers = 1U << 20, most_nodes = 1U << 20;
constexpr unsigned most_radix = 32768;
constexpr unsigned most_dimensions = 8, most_nodes_per_router = 256;

}  // namespace

void check_cube(const CubeShape& shape) {
  if (shape.radices.empty() || shape.radices.size() > most_dimensions)
    throw ConfigError("topology.radices", std::to_string(shape.radices.size()) + " dimensions",
                      "no such number of dimensions", "1.." + std::to_string(most_dimensions));
  if (shape.wraps.size() != shape.radices.size())
    throw ConfigError("topology.wraps", std::to_string(shape.wraps.size()) + " values",
                      "not one value for each dimension", std::to_string(shape.radices.size()) + " values");
  std::uint64_t routers = 1;
  for (unsigned radix : shape.radices) {
    if (radix < 2 || radix > most_radix)
      throw ConfigError("topology.radices", std::to_string(radix), "no such dimension",
                        "2.." + std::to_string(most_radix) + " routers in each");
    routers *= radix;
    if (routers > most_routers)
      throw ConfigError("topology.radices", std::to_string(radix), "too many routers",
                        "at most " + std::to_string(most_routers) + " in all");
  }
  if (shape.nodes_per_router < 1 || shape.nodes_per_router > most_nodes_per_router)
    throw ConfigError("topology.nodes_per_router", std::to_string(shape.nodes_per_router), "out of range",
                      "1..256");
  if (routers * shape.nodes_per_router > most_nodes)
    throw ConfigError("topology.nodes_per_router", std::to_string(shape.nodes_per_router), "too many nodes",
                      "1.." + std::to_string(most_nodes / routers) + ", at most " +
                          std::to_string(most_nodes) + " nodes in all");
}

namespace {

std::string name_of(const CubeShape& shape) {
  const auto wrapped = std::count(shape.wraps.begin(), shape.wraps.end(), true);
  const bool none_wraps = wrapped == 0, all_wrap = wrapped == static_cast<int>(shape.wraps.size());
  std::string name = none_wraps ? "mesh " : all_wrap ? "torus " : "cube ";
  for (std::size_t d = 0; d < shape.radices.size(); ++d) {
    if (d != 0) name += "x";
    name += std::to_string(shape.radices[d]);
    if (!all_wrap && shape.wraps[d]) name += "w";
  }
  if (shape.nodes_per_router > 1) name += ", " + std::to_string(shape.nodes_per_router) + " nodes a router";
  return name;
}

}  // namespace

Topology make_cube(const CubeShape& shape, Cycle link_latency_cycles) {
  check_cube(shape);
  const auto dimensions = static_cast<unsigned>(shape.radices.size());
  unsigned routers = 1;
  for (unsigned radix : shape.radices) routers *= radix;

  std::vector<RouterLink> links;
  std::vector<std::vector<unsigned>> coordinates(routers);
  for (RouterId router = 0; router < routers; ++router) {
    unsigned weight = 1;
    for (unsigned d = 0; d < dimensions; weight *= shape.radices[d], ++d) {
      const unsigned here = router / weight % shape.radices[d];
      coordinates[router].push_back(here);
      const bool last = here + 1 == shape.radices[d];
      if (last && !shape.wraps[d]) continue;
      const RouterId next = last ? router - here * weight : router + weight;
      links.push_back(
          {{router, CubeShape::up_port(d)}, {next, CubeShape::down_port(d)}, link_latency_cycles});
    }
  }

  std::vector<NodePorts> nodes;
  for (RouterId router = 0; router < routers; ++router) {
    for (unsigned n = 0; n < shape.nodes_per_router; ++n) {
      const PortRef port{router, 2 * dimensions + n};
      nodes.push_back({port, port});
    }
  }
  Topology cube(name_of(shape), std::vector<unsigned>(routers, 2 * dimensions + shape.nodes_per_router),
                std::move(links), std::move(nodes), shape, std::move(coordinates));
  Directions directions;
  directions.opposite = [dimensions](RouterId, unsigned port) {
    return port < 2 * dimensions ? port ^ 1U : none;  // up_port and down_port of a dimension
  };
  cube.set_directions(std::move(directions));
  cube.set_link_classes(numbered_classes("dimension", dimensions),
                        [](const RouterLink& link) { return link.a.port / 2; });
  return cube;
}

Topology make_torus(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                    Cycle link_latency_cycles) {
  return make_cube({radices, std::vector<bool>(radices.size(), true), nodes_per_router}, link_latency_cycles);
}

Topology make_mesh(const std::vector<unsigned>& radices, unsigned nodes_per_router,
                   Cycle link_latency_cycles) {
  return make_cube({radices, std::vector<bool>(radices.size(), false), nodes_per_router},
                   link_latency_cycles);
}

void CubeConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.radices", radices, {2, most_radix}, {1, most_dimensions}, "routers",
           "mesh, torus, cube: number of routers in each dimension");
  keys.add("topology.wraps", wraps, {0, 1}, {1, most_dimensions}, "",
           "cube: 1 for each dimension that wraps around, 0 for each that does not; a mesh wraps in none, a "
           "torus in all");
  keys.add("topology.nodes_per_router", nodes_per_router, {1, most_nodes_per_router}, "nodes",
           "mesh, torus, cube: nodes attached to each router (concentration)");
}

CubeShape CubeConfig::shape(const std::string& kind) const {
  if (kind == "cube") return {radices, {wraps.begin(), wraps.end()}, nodes_per_router};
  return {radices, std::vector<bool>(radices.size(), kind == "torus"), nodes_per_router};
}

Topology CubeConfig::mesh(Cycle link_latency_cycles) const {
  return make_cube(shape("mesh"), link_latency_cycles);
}

Topology CubeConfig::torus(Cycle link_latency_cycles) const {
  return make_cube(shape("torus"), link_latency_cycles);
}

Topology CubeConfig::cube(Cycle link_latency_cycles) const {
  return make_cube(shape("cube"), link_latency_cycles);
}

void add_cube(TopologyKinds& kinds) {
  const TopologyTraits traits{"dimension_order"};
  kinds.add<CubeConfig>({{"mesh", &CubeConfig::mesh, "radices nodes_per_router", traits},
                         {"torus", &CubeConfig::torus, "radices nodes_per_router", traits},
                         {"cube", &CubeConfig::cube, "", traits}});
}

}  // namespace tsuji::graph
