// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Wires that a random graph may have.
class WiringRule {
 public:
  virtual ~WiringRule() = default;
  /// Returns true if `a` and `b` may be connected. Symmetric; a != b.
  virtual bool may(RouterId a, RouterId b) const = 0;
  /// Draws a router that may be connected to `a`, each with a positive probability.
  virtual RouterId draw(RouterId a, CounterRandom& random) const = 0;
  /// Number of routers that may be connected to `a`.
  virtual unsigned reach(RouterId a) const = 0;
};

/// [router]: its neighbours, ascending.
using Neighbours = std::vector<std::vector<RouterId>>;

/// Makes a connected graph without parallel wires in which every router has `degree` wires that the rule
/// allows (rooms/graph.md, Where the paper is silent, 6): random wires with eight tries per port; repair of
/// the remaining ports by replacing wires; then 20 random swaps of the ends of two wires per router that keep
/// the graph connected. Depends on its arguments only. `key` is the configuration key of a ConfigError: too
/// few routers within reach, an odd number of wire ends, or no such graph found.
Neighbours make_regular_graph(unsigned routers, unsigned degree, const WiringRule& rule, std::uint64_t seed,
                              const std::string& key);

/// The topology of a graph without parallel wires: ports 0..degree-1 of a router are connected to its
/// neighbours in ascending order, the next ports to its nodes. latency() gives the cycles of each link.
template <class Latency>
Topology wire_up(std::string name, const Neighbours& neighbours, const Latency& latency,
                 std::vector<std::vector<unsigned>> coordinates = {}, unsigned nodes_per_router = 1) {
  const auto routers = static_cast<unsigned>(neighbours.size());
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes;
  std::vector<unsigned> ports, used(routers, 0);
  for (RouterId a = 0; a < routers; ++a) {
    const auto degree = static_cast<unsigned>(neighbours[a].size());
    ports.push_back(degree + nodes_per_router);
    for (unsigned n = 0; n < nodes_per_router; ++n) nodes.push_back({{a, degree + n}, {a, degree + n}});
    // Links are made in ascending order of (a, b), so the next free port of b has the position of a in b's
    // list.
    for (unsigned i = 0; i < degree; ++i) {
      const RouterId b = neighbours[a][i];
      if (a < b) links.push_back({{a, i}, {b, used[b]++}, latency(a, b)});
    }
  }
  return Topology(std::move(name), ports, std::move(links), std::move(nodes), Shape{},
                  std::move(coordinates));
}

}  // namespace tsuji::graph
