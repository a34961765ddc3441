// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/regular_graph.h"

namespace tsuji::graph {
namespace {

unsigned difference(unsigned a, unsigned b) {
  return a > b ? a - b : b - a;
}

class WithinLength final : public WiringRule {
 public:
  WithinLength(unsigned side, unsigned length) : side_(side), length_(length) {}
  unsigned distance(RouterId a, RouterId b) const {
    return difference(a % side_, b % side_) + difference(a / side_, b / side_);
  }
  bool may(RouterId a, RouterId b) const override { return distance(a, b) <= length_; }
  RouterId draw(RouterId a, CounterRandom& random) const override {
    // Rejection sampling: from the square around the diamond until the router is in the diamond and on the
    // grid.
    const auto reach = static_cast<std::int64_t>(length_ < side_ ? length_ : side_ - 1);
    for (;;) {
      const auto offset = [&] {
        return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(2 * reach + 1))) - reach;
      };
      const std::int64_t x = a % side_ + offset(), y = a / side_ + offset();
      if (x < 0 || y < 0 || x >= side_ || y >= side_) continue;
      const auto b = static_cast<RouterId>(y * side_ + x);
      if (b != a && may(a, b)) return b;
    }
  }
  unsigned reach(RouterId a) const override {
    const unsigned x = a % side_, y = a / side_;
    unsigned count = 0;
    for (unsigned row = 0; row < side_; ++row) {
      if (difference(row, y) > length_) continue;
      const unsigned left = length_ - difference(row, y);
      count += 1 + std::min(left, x) + std::min(left, side_ - 1 - x);
    }
    return count - 1;  // without the router itself
  }

 private:
  unsigned side_, length_;
};

unsigned side_of(unsigned nodes) {
  unsigned side = 2;
  while (side < nodes / (side + 1) && (side + 1) * (side + 1) <= nodes) ++side;
  if (nodes < 4 || nodes > most_random_routers || side * side != nodes)
    throw ConfigError(
        "topology.nodes", std::to_string(nodes), "no square grid",
        "a square number, 4.." + std::to_string(most_random_routers) +
            (nodes > 4 && nodes < most_random_routers ? ", such as " + std::to_string(side * side) + " or " +
                                                            std::to_string((side + 1) * (side + 1))
                                                      : std::string()));
  return side;
}

}  // namespace

Topology make_random_grid(const RandomGridConfig& config, Cycle link_latency_cycles) {
  const unsigned side = side_of(config.nodes);
  if (config.wire_length < 1)
    throw ConfigError("topology.wire_length", "0", "wires without length", "1 or more");
  const WithinLength rule(side, config.wire_length);
  std::vector<std::vector<unsigned>> coordinates;
  for (RouterId router = 0; router < config.nodes; ++router)
    coordinates.push_back({router % side, router / side});
  const std::string name = "random grid " + std::to_string(side) + "x" + std::to_string(side) + ", degree " +
                           std::to_string(config.degree) + ", wires of " +
                           std::to_string(config.wire_length) + ", seed " + std::to_string(config.seed);
  Topology grid = wire_up(
      name, make_regular_graph(config.nodes, config.degree, rule, config.seed, "topology.wire_length"),
      [&](RouterId a, RouterId b) {
        return link_latency_cycles + config.cycles_per_length * (rule.distance(a, b) - 1);
      },
      std::move(coordinates));
  if (config.cycles_per_length != 0) grid.keep_latencies("link");
  return grid;
}

}  // namespace tsuji::graph
