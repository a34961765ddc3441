// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/hyperx.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/graph/network_limits.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

void check_hyperx(const HyperXShape& shape) {
  constexpr unsigned most_ports = 1024;
  const unsigned directions = shape.one_way_ports ? 2 : 1;
  std::uint64_t routers = 1, ports = shape.nodes_per_router;
  for (std::size_t d = 0; d < shape.radices.size(); ++d) {
    routers *= shape.radices[d];
    ports += std::uint64_t{shape.radices[d] - 1} * shape.trunks[d] * directions;
    check_routers("topology.radices", shape.radices[d], routers);
    if (ports > most_ports)
      throw ConfigError("topology.radices", std::to_string(shape.radices[d]),
                        "a router would have " + std::to_string(ports) + " ports",
                        "at most " + std::to_string(most_ports));
  }
  check_nodes(routers, shape.nodes_per_router);
}

std::string by_x(const std::vector<unsigned>& values) {
  std::string text;
  for (const unsigned value : values) text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}

std::string hyperx_name(const HyperXShape& shape) {
  std::string name = "hyperx " + by_x(shape.radices);
  for (const unsigned trunks : shape.trunks) {
    if (trunks == 1) continue;
    name += ", trunks " + by_x(shape.trunks);
    break;
  }
  if (shape.nodes_per_router > 1) name += ", " + std::to_string(shape.nodes_per_router) + " nodes a router";
  return name;
}

/// One value for each dimension, from a list of one for all or one for each.
std::vector<unsigned> of_dimensions(const char* key, const std::vector<unsigned>& values,
                                    std::size_t dimensions) {
  if (values.size() == dimensions) return values;
  if (values.size() == 1) return std::vector<unsigned>(dimensions, values.front());
  throw ConfigError(key, std::to_string(values.size()) + " values", "neither one nor one for each dimension",
                    "1 or " + std::to_string(dimensions) + " values");
}

}  // namespace

namespace {

/// Makes each link two of one direction, and gives the inputs of a router ports by their senders.
std::vector<RouterLink> one_way_links(const HyperXShape& shape, unsigned routers,
                                      const std::vector<RouterLink>& two_way) {
  std::vector<RouterLink> links;
  for (const RouterLink& link : two_way) {
    links.push_back(link);
    links.push_back(link);
    std::swap(links.back().a, links.back().b);
  }
  std::sort(links.begin(), links.end(), [](const RouterLink& one, const RouterLink& other) {
    return std::tie(one.a.router, one.a.port) < std::tie(other.a.router, other.a.port);
  });
  const unsigned first_input = shape.first_network_port() + shape.network_ports();
  std::vector<unsigned> inputs(routers, first_input);
  for (RouterLink& link : links) {
    link.one_way = true;
    link.b.port = inputs[link.b.router]++;
  }
  return links;
}

}  // namespace

unsigned HyperXShape::network_ports() const {
  unsigned ports = 0;
  for (std::size_t d = 0; d < radices.size(); ++d) ports += (radices[d] - 1) * trunks[d];
  return ports;
}

Topology make_hyperx(const HyperXShape& shape, const std::vector<Cycle>& latencies,
                     const std::vector<Cycle>& step_latencies) {
  check_hyperx(shape);
  unsigned routers = 1;
  for (const unsigned radix : shape.radices) routers *= radix;
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes;
  std::vector<std::vector<unsigned>> coordinates(routers);
  for (RouterId router = 0; router < routers; ++router) {
    unsigned weight = 1, first_port = shape.first_network_port();
    for (std::size_t d = 0; d < shape.radices.size(); ++d) {
      const unsigned radix = shape.radices[d], trunks = shape.trunks[d], here = router / weight % radix;
      const Cycle step_cycles = step_latencies.empty() ? 0 : step_latencies[d];
      coordinates[router].push_back(here);
      for (unsigned to = here + 1; to < radix; ++to) {
        const RouterId other = router + (to - here) * weight;
        for (unsigned trunk = 0; trunk < trunks; ++trunk)
          links.push_back({{router, first_port + (to - 1) * trunks + trunk},
                           {other, first_port + here * trunks + trunk},
                           latencies[d] + (to - here - 1) * step_cycles});
      }
      weight *= radix;
      first_port += (radix - 1) * trunks;
    }
    for (unsigned n = 0; n < shape.nodes_per_router; ++n) {
      const PortRef port{router, shape.first_node_port() + n};
      nodes.push_back({port, port});
    }
  }
  if (shape.one_way_ports) links = one_way_links(shape, routers, links);
  Topology hyperx(hyperx_name(shape), std::vector<unsigned>(routers, shape.ports()), std::move(links),
                  std::move(nodes), shape, std::move(coordinates));
  hyperx.set_link_classes(
      numbered_classes("dimension", shape.radices.size()), [&shape](const RouterLink& link) {
        unsigned dimension = 0;
        for (unsigned end = shape.first_network_port();
             (end += (shape.radices[dimension] - 1) * shape.trunks[dimension]) <= link.a.port;)
          ++dimension;
        return dimension;
      });
  return hyperx;
}

void HyperXConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.radices", radices, {2, 32'768}, {1, 8}, "routers",
           "hyperx: number of routers in each dimension");
  keys.add("topology.trunks", trunks, {1, 64}, {1, 8}, "links",
           "hyperx: parallel links between two routers, for all dimensions or for each");
  keys.add("topology.dimension_latency_cycles", dimension_latency_cycles, {0, 1'000'000}, {1, 8}, "cycles",
           "hyperx: latency of links between adjacent coordinates, for all dimensions or for each; 0: "
           "link.latency_cycles");
  keys.add(
      "topology.step_latency_cycles", step_latency_cycles, {0, 10'000}, {1, 8}, "cycles",
      "hyperx: further latency of a link for each further step between the coordinates that it connects, "
      "for all dimensions or for each: longer wires");
  keys.add("topology.one_way_ports", one_way_ports,
           "hyperx: false: a link has one port at each router, and nodes have the last ports; true: nodes, "
           "outputs by dimension and inputs by the number of the sending router have ports in this order, "
           "at the first of which arbiters begin (BookSim2's flatfly)");
  keys.add("topology.nodes_per_router", nodes_per_router, {1, 256}, "nodes",
           "hyperx, dragonfly, slim_fly, polar_fly: nodes of each router; dragonfly_plus: of each leaf");
}

Topology HyperXConfig::make(Cycle link_latency_cycles) const {
  const std::size_t dimensions = radices.size();
  const std::vector<unsigned> own_latencies =
      of_dimensions("topology.dimension_latency_cycles", dimension_latency_cycles, dimensions);
  std::vector<Cycle> latencies;
  for (const unsigned own : own_latencies) latencies.push_back(own == 0 ? link_latency_cycles : own);
  const std::vector<unsigned> steps =
      of_dimensions("topology.step_latency_cycles", step_latency_cycles, dimensions);
  Topology hyperx = make_hyperx(
      {radices, of_dimensions("topology.trunks", trunks, dimensions), nodes_per_router, one_way_ports},
      latencies, {steps.begin(), steps.end()});
  for (std::size_t d = 0; d < dimensions; ++d)
    if (own_latencies[d] != 0 || steps[d] != 0) hyperx.keep_latencies(hyperx.link_classes()[d].name);
  return hyperx;
}

void add_hyperx(TopologyKinds& kinds) {
  kinds.add<HyperXConfig>("hyperx", {"minimal"});
}

}  // namespace tsuji::graph
