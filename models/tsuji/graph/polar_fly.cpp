// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/polar_fly.h"

#include "tsuji/core/error.h"
#include "tsuji/graph/finite_field.h"
#include "tsuji/graph/network_limits.h"
#include "tsuji/graph/regular_graph.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

using Point = std::vector<unsigned>;

/// Points of the projective plane: vectors whose first element that is not zero is one.
std::vector<Point> points(unsigned q) {
  std::vector<Point> list;
  for (unsigned y = 0; y < q; ++y)
    for (unsigned z = 0; z < q; ++z) list.push_back({1, y, z});
  for (unsigned z = 0; z < q; ++z) list.push_back({0, 1, z});
  list.push_back({0, 0, 1});
  return list;
}

bool orthogonal(const FiniteField& field, const Point& a, const Point& b) {
  unsigned sum = 0;
  for (unsigned i = 0; i < 3; ++i) sum = field.add(sum, field.multiply(a[i], b[i]));
  return sum == 0;
}

}  // namespace

Topology make_polar_fly(unsigned q, unsigned nodes_per_router, Cycle link_latency_cycles) {
  if (q > most_field_elements)
    throw ConfigError("topology.field", std::to_string(q), "no such PolarFly",
                      "a power of a prime, 2.." + std::to_string(most_field_elements));
  const FiniteField field(q, "topology.field");
  std::vector<Point> list = points(q);
  const auto routers = static_cast<RouterId>(list.size());
  check_nodes(routers, nodes_per_router);
  Neighbours neighbours(routers);
  for (RouterId a = 0; a < routers; ++a)
    for (RouterId b = 0; b < routers; ++b)
      if (a != b && orthogonal(field, list[a], list[b])) neighbours[a].push_back(b);
  return wire_up(
      "polarfly, field of " + std::to_string(q) + ", " + std::to_string(nodes_per_router) +
          (nodes_per_router == 1 ? " node a router" : " nodes a router"),
      neighbours, [&](RouterId, RouterId) { return link_latency_cycles; }, std::move(list), nodes_per_router);
}

void PolarFlyConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.field", field, {2, most_field_elements}, "elements",
           "slim_fly, polar_fly: elements of the finite field, q, a power of a prime: 2 q^2 or q^2 + q + 1 "
           "routers");
  keys.add("topology.nodes_per_router", nodes_per_router, {1, 256}, "nodes",
           "hyperx, dragonfly, slim_fly, polar_fly: nodes of each router; dragonfly_plus: of each leaf");
}

void add_polar_fly(TopologyKinds& kinds) {
  kinds.add<PolarFlyConfig>("polar_fly", {"minimal"});
}

}  // namespace tsuji::graph
