// SPDX-License-Identifier: Apache-2.0
#include "routing/compact_cases.h"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

#include "tsuji/core/random.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"

namespace tsuji::test {

using graph::Topology;

namespace {

/// A connected graph whose coordinates neither fill rows nor are in order.
Topology scattered(std::uint64_t seed) {
  CounterRandom random(seed, 77);
  const unsigned routers = 5 + static_cast<unsigned>(random.below(20));
  std::ostringstream text;
  std::set<std::pair<std::uint64_t, std::uint64_t>> places;
  for (unsigned router = 0; router < routers; ++router) {
    std::pair<std::uint64_t, std::uint64_t> place;
    do {
      place = {random.below(9), 3 + random.below(7)};
    } while (!places.insert(place).second);
    text << "router " << router << " at " << place.first << " " << place.second << "\n";
    if (router > 0) text << "link " << router << " " << random.below(router) << "\n";
    text << "node " << router << " at " << router << "\n";
  }
  for (unsigned i = 0; i < routers; ++i) {
    const std::uint64_t a = random.below(routers), b = random.below(routers);
    if (a != b) text << "link " << a << " " << b << "\n";
  }
  std::istringstream stream(text.str());
  return graph::read_topology(stream, "scattered " + std::to_string(seed), 1);
}

}  // namespace

CompactCase compact_case(unsigned number) {
  CounterRandom random(number, 5);
  const auto spare = static_cast<unsigned>(random.below(12));
  const std::uint64_t seed = number;
  switch (number % 5) {
    case 0: {
      const auto side = static_cast<unsigned>(4 + random.below(5));
      const auto length = static_cast<unsigned>(2 + random.below(4));
      return {graph::make_random_grid({side * side, 4, length, seed, 0}, 1), {}, spare, false};
    }
    case 1: {
      const std::array<std::vector<unsigned>, 5> radices{{{5, 4}, {3, 3, 3}, {9}, {2, 6}, {6, 6}}};
      return {graph::make_torus(radices[random.below(5)], 1, 1), {}, spare, true};
    }
    case 2: {
      Topology mesh = graph::make_mesh(
          number % 2 == 0 ? std::vector<unsigned>{7, 6} : std::vector<unsigned>{3, 4, 3}, 1, 1);
      const graph::FaultSet faults = graph::draw_connected_faults(mesh, {4, 3, seed});
      return {std::move(mesh), faults, spare, false};
    }
    case 3: {
      Topology torus = graph::make_torus({6, 5}, 1, 1);
      const graph::FaultSet faults = graph::draw_connected_faults(torus, {5, 4, seed});
      return {std::move(torus), faults, spare, true};
    }
    default:
      return {scattered(seed), {}, spare, false};
  }
}

routing::CoordinateDistance distance_of(const CompactCase& example, unsigned number) {
  return static_cast<routing::CoordinateDistance>(number % (example.rings ? 3 : 2));
}

std::uint64_t grid_distance(const Topology& topology, graph::RouterId a, graph::RouterId b,
                            routing::CoordinateDistance distance) {
  const auto* cube = topology.shape_as<graph::CubeShape>();
  std::uint64_t sum = 0;
  for (std::size_t d = 0; d < topology.coordinates(a).size(); ++d) {
    const unsigned at_a = topology.coordinates(a)[d], at_b = topology.coordinates(b)[d];
    const std::uint64_t apart = std::max(at_a, at_b) - std::min(at_a, at_b);
    switch (distance) {
      case routing::CoordinateDistance::euclid:
        sum += apart * apart;
        break;
      case routing::CoordinateDistance::manhattan:
        sum += apart;
        break;
      case routing::CoordinateDistance::wrapped:
        sum += std::min<std::uint64_t>(apart, cube->radices[d] - apart);
        break;
    }
  }
  return sum;
}

}  // namespace tsuji::test
