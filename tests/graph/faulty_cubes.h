// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/faults.h"

namespace tsuji::test {

using graph::FaultSet;
using graph::RouterId;
using graph::RouterLink;
using graph::Topology;

constexpr unsigned no_path = 1U << 20;

/// Router of a cube by its coordinates.
inline RouterId at(const Topology& topology, const std::vector<unsigned>& coordinates) {
  for (RouterId router = 0; router < topology.routers(); ++router)
    if (topology.coordinates(router) == coordinates) return router;
  FAIL("no such router");
  return graph::none;
}

/// The first link between two routers.
inline std::uint32_t link_of(const Topology& topology, RouterId a, RouterId b) {
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
    const RouterLink& l = topology.links()[link];
    if ((l.a.router == a && l.b.router == b) || (l.a.router == b && l.b.router == a)) return link;
  }
  FAIL("no such link");
  return graph::none;
}

/// Hops between all routers by Floyd and Warshall, over links that are not dead.
inline std::vector<std::vector<unsigned>> all_distances(const Topology& topology, const FaultSet& faults) {
  std::vector<std::vector<unsigned>> hops(topology.routers(),
                                          std::vector<unsigned>(topology.routers(), no_path));
  const auto dead = [&](RouterId r) {
    return std::count(faults.routers.begin(), faults.routers.end(), r) != 0;
  };
  for (RouterId r = 0; r < topology.routers(); ++r) hops[r][r] = 0;
  for (std::uint32_t i = 0; i < topology.links().size(); ++i) {
    const RouterLink& l = topology.links()[i];
    if (std::count(faults.links.begin(), faults.links.end(), i) != 0 || dead(l.a.router) || dead(l.b.router))
      continue;
    hops[l.a.router][l.b.router] = hops[l.b.router][l.a.router] = 1;
  }
  for (RouterId k = 0; k < topology.routers(); ++k)
    for (RouterId a = 0; a < topology.routers(); ++a)
      for (RouterId b = 0; b < topology.routers(); ++b)
        hops[a][b] = std::min(hops[a][b], hops[a][k] + hops[k][b]);
  return hops;
}

/// The picture of fig. 2: rows are drawn downwards, and letters name routers of a 10x10 torus whose C is at
/// (3, 4).
struct Figure2 {
  Topology torus = graph::make_torus({10, 10}, 1, 1);
  std::map<char, RouterId> router{
      {'C', at(torus, {3, 4})}, {'A', at(torus, {4, 4})}, {'E', at(torus, {5, 4})}, {'F', at(torus, {3, 5})},
      {'B', at(torus, {4, 5})}, {'H', at(torus, {5, 5})}, {'D', at(torus, {4, 3})}, {'G', at(torus, {4, 6})}};
  FaultSet dead{{link_of(torus, router['A'], router['B'])}, {}};

  std::set<RouterId> of(const std::string& letters) const {
    std::set<RouterId> list;
    for (char letter : letters) list.insert(router.at(letter));
    return list;
  }
};

/// Every fault of one link or one router.
inline std::vector<FaultSet> single_faults(const Topology& topology) {
  std::vector<FaultSet> list;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) list.push_back({{link}, {}});
  for (RouterId router = 0; router < topology.routers(); ++router) list.push_back({{}, {router}});
  return list;
}

/// Random sets of growing size, up to those after which few routers are left together. They need not be
/// connected.
inline std::vector<FaultSet> random_faults(const Topology& topology, unsigned sets, std::uint64_t seed) {
  std::vector<FaultSet> list;
  CounterRandom random(seed, 5);
  while (list.size() < sets) {
    FaultSet faults;
    const std::uint64_t percent = 60 * list.size() / sets;
    for (RouterId r = 1; r < topology.routers(); ++r)
      if (random.below(200) < percent) faults.routers.push_back(r);
    for (std::uint32_t l = 0; l < topology.links().size(); ++l)
      if (random.below(100) < percent) faults.links.push_back(l);
    list.push_back(faults);
  }
  return list;
}

}  // namespace tsuji::test
