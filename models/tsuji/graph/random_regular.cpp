// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/regular_graph.h"

namespace tsuji::graph {
namespace {

class Anywhere final : public WiringRule {
 public:
  explicit Anywhere(unsigned routers) : routers_(routers) {}
  bool may(RouterId, RouterId) const override { return true; }
  RouterId draw(RouterId a, CounterRandom& random) const override {
    const auto b = static_cast<RouterId>(random.below(routers_ - 1));
    return b < a ? b : b + 1;
  }
  unsigned reach(RouterId) const override { return routers_ - 1; }

 private:
  unsigned routers_;
};

}  // namespace

Topology make_random_regular(unsigned nodes, unsigned degree, std::uint64_t seed, Cycle link_latency_cycles) {
  if (nodes < 3 || nodes > most_random_routers)
    throw ConfigError("topology.nodes", std::to_string(nodes), "out of range",
                      "3.." + std::to_string(most_random_routers));
  const std::string name = "random regular, " + std::to_string(nodes) + " routers, degree " +
                           std::to_string(degree) + ", seed " + std::to_string(seed);
  return wire_up(name, make_regular_graph(nodes, degree, Anywhere(nodes), seed, "topology.degree"),
                 [&](RouterId, RouterId) { return link_latency_cycles; });
}

}  // namespace tsuji::graph
