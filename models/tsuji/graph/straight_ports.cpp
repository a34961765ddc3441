// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/straight_ports.h"

namespace tsuji::graph {
namespace {

std::vector<unsigned> ports_that_lead_up(const Topology& topology, RouterId router) {
  std::vector<unsigned> up;
  for (unsigned port = 0; port < topology.ports(router); ++port)
    if (topology.directions().leads_up(router, port)) up.push_back(port);
  return up;
}

bool sends(const Topology& topology, RouterId router, std::uint32_t port) {
  return port != none && topology.far(router, port).sends;
}

}  // namespace

std::vector<std::uint32_t> straight_ports(const Topology& topology, RouterId router, TopTurn top) {
  const Directions& directions = topology.directions();
  if (!directions.opposite) return {};
  const bool root = directions.leads_up && ports_that_lead_up(topology, router).empty();
  const unsigned ports = topology.ports(router);
  std::vector<std::uint32_t> table(ports, none);
  for (unsigned port = 0; port < ports; ++port) {
    const std::uint32_t turn = top == TopTurn::next ? (port + 1) % ports : port;
    const std::uint32_t on = root ? turn : directions.opposite(router, port);
    if (sends(topology, router, on)) table[port] = on;
  }
  return table;
}

std::vector<std::uint32_t> up_ports(const Topology& topology, RouterId router) {
  const Directions& directions = topology.directions();
  if (!directions.leads_up) return {};
  const std::vector<unsigned> up = ports_that_lead_up(topology, router);
  std::vector<std::uint32_t> table(topology.ports(router), none);
  unsigned below = 0;
  for (unsigned port = 0; port < table.size() && !up.empty(); ++port)
    if (!directions.leads_up(router, port)) table[port] = up[below++ % up.size()];
  return table;
}

}  // namespace tsuji::graph
