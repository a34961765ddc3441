// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tsuji/core/random.h"
#include "tsuji/graph/topology.h"

namespace tsuji::graph {

/// Which wires a random graph may have.
class WiringRule {
 public:
  virtual ~WiringRule() = default;
  /// May `a` and `b` be wired? Symmetric; never asked with a == b.
  virtual bool may(RouterId a, RouterId b) const = 0;
  /// A random router that may be wired to `a`; every one may come.
  virtual RouterId draw(RouterId a, CounterRandom& random) const = 0;
  /// How many routers may be wired to `a`.
  virtual unsigned reach(RouterId a) const = 0;
};

/// For every router its neighbours, ascending.
using Neighbours = std::vector<std::vector<RouterId>>;

/// A connected graph without parallel wires in which every router has `degree` wires that the rule allows
/// (rooms/graph.md, Where the paper is silent, 6): wires at random, eight tries a port, repair of what is
/// left by replacing wires, then 20 random swaps of two wires' ends for each router, none of which may
/// disconnect the graph. A function of its arguments alone. `key` is the configuration key to blame in a
/// ConfigError: too few routers within reach, an odd number of wire ends, or no such graph found.
Neighbours make_regular_graph(unsigned routers, unsigned degree, const WiringRule& rule, std::uint64_t seed,
                              const std::string& key);

/// The topology over such a graph: ports 0..degree-1 lead to the neighbours in ascending order, one node a
/// router at the port after them. `latency` gives each link's cycles.
template <class Latency>
Topology wire_up(std::string name, const Neighbours& neighbours, const Latency& latency,
                 std::vector<std::vector<unsigned>> coordinates = {}) {
  const auto routers = static_cast<unsigned>(neighbours.size());
  std::vector<RouterLink> links;
  std::vector<NodePorts> nodes;
  std::vector<unsigned> ports, used(routers, 0);
  for (RouterId a = 0; a < routers; ++a) {
    const auto degree = static_cast<unsigned>(neighbours[a].size());
    ports.push_back(degree + 1);
    nodes.push_back({{a, degree}, {a, degree}});
    // Links are made in ascending order of (a, b), so the next free port of b is a's place in b's list.
    for (unsigned i = 0; i < degree; ++i) {
      const RouterId b = neighbours[a][i];
      if (a < b) links.push_back({{a, i}, {b, used[b]++}, latency(a, b)});
    }
  }
  return Topology(std::move(name), ports, std::move(links), std::move(nodes), Shape{},
                  std::move(coordinates));
}

}  // namespace tsuji::graph
