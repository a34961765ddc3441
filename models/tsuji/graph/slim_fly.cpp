// SPDX-License-Identifier: Apache-2.0
#include "tsuji/graph/slim_fly.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/finite_field.h"
#include "tsuji/graph/network_limits.h"
#include "tsuji/graph/regular_graph.h"
#include "tsuji/graph/topology_kinds.h"

namespace tsuji::graph {
namespace {

/// Generator sets X and X': for q = 4 w + 1 and 4 w the even and odd powers of a primitive element, for q = 4
/// w - 1 half of each and their negatives (Hafner 2004).
std::vector<unsigned> generators(const FiniteField& field, bool odd_powers) {
  const unsigned q = field.size(), shift = odd_powers ? 1 : 0;
  std::vector<unsigned> set;
  if (q % 4 != 3) {
    for (unsigned exponent = shift; exponent < q - 1 + (q % 2 == 0 ? shift : 0); exponent += 2)
      set.push_back(field.power(exponent));
    return set;
  }
  const unsigned w = (q + 1) / 4;
  for (unsigned i = 0; i < w; ++i) {
    set.push_back(field.power(2 * i + shift));
    set.push_back(field.power(2 * w - 1 + 2 * i + shift));
  }
  return set;
}

}  // namespace

Topology make_slim_fly(unsigned q, unsigned nodes_per_router, Cycle link_latency_cycles) {
  if (q < 3 || q > most_field_elements || q % 4 == 2)
    throw ConfigError("topology.field", std::to_string(q), "no such Slim Fly",
                      "a power of a prime that is not 2, 3.." + std::to_string(most_field_elements));
  const FiniteField field(q, "topology.field");
  check_nodes(std::uint64_t{2} * q * q, nodes_per_router);
  const std::vector<unsigned> sets[2] = {generators(field, false), generators(field, true)};
  const auto router = [q](unsigned half, unsigned x, unsigned y) { return (half * q + x) * q + y; };
  Neighbours neighbours(2 * std::size_t{q} * q);
  std::vector<std::vector<unsigned>> coordinates;
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned x = 0; x < q; ++x)
      for (unsigned y = 0; y < q; ++y) {
        coordinates.push_back({half, x, y});
        for (const unsigned step : sets[half])
          neighbours[router(half, x, y)].push_back(router(half, x, field.add(y, step)));
        if (half == 0) continue;
        for (unsigned to = 0; to < q; ++to) {  // here x is m, and y is c
          const RouterId other = router(0, to, field.add(field.multiply(x, to), y));
          neighbours[router(half, x, y)].push_back(other);
          neighbours[other].push_back(router(half, x, y));
        }
      }
  for (std::vector<RouterId>& list : neighbours) std::sort(list.begin(), list.end());
  Topology slim_fly = wire_up(
      "slim fly, field of " + std::to_string(q) + ", " + std::to_string(nodes_per_router) +
          (nodes_per_router == 1 ? " node a router" : " nodes a router"),
      neighbours, [&](RouterId, RouterId) { return link_latency_cycles; }, std::move(coordinates),
      nodes_per_router);
  slim_fly.set_link_classes({"local", "global"}, [&slim_fly](const RouterLink& link) {
    return slim_fly.coordinates(link.a.router)[0] == slim_fly.coordinates(link.b.router)[0] ? 0U : 1U;
  });
  return slim_fly;
}

void SlimFlyConfig::add_keys(config::KeyTable& keys) {
  keys.add("topology.field", field, {2, most_field_elements}, "elements",
           "slim_fly, polar_fly: elements of the finite field, q, a power of a prime: 2 q^2 or q^2 + q + 1 "
           "routers");
  keys.add("topology.nodes_per_router", nodes_per_router, {1, 256}, "nodes",
           "hyperx, dragonfly, slim_fly, polar_fly: nodes of each router; dragonfly_plus: of each leaf");
}

void add_slim_fly(TopologyKinds& kinds) {
  kinds.add<SlimFlyConfig>("slim_fly", {"minimal"});
}

}  // namespace tsuji::graph
