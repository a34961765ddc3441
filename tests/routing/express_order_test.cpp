// SPDX-License-Identifier: Apache-2.0
// Dimension order on a mesh with express links, and routings over it.

#include <algorithm>
#include <vector>

#include "routing/capacity_cases.h"
#include "routing/decisions_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/express_order.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;

namespace {

struct Network {
  std::vector<unsigned> radices;
  unsigned interval, nodes = 1;
  Topology topology() const { return graph::make_express_mesh({radices, interval, nodes}, 1, interval); }
};
std::vector<Network> networks() {
  return {{{9}, 4}, {{10, 4}, 3, 2}, {{5, 6}, 2}, {{3, 3, 4}, 2}, {{17}, 5}, {{7, 2}, 6}};
}

/// Fewest links between coordinates without a link away from the destination.
unsigned fewest(unsigned from, unsigned to, unsigned interval) {
  const unsigned low = std::min(from, to), high = std::max(from, to);
  std::vector<unsigned> links(high + 1, ~0U);
  links[low] = 0;
  for (unsigned here = low; here < high; ++here) {
    links[here + 1] = std::min(links[here + 1], links[here] + 1);
    if (here % interval == 0 && here + interval <= high)
      links[here + interval] = std::min(links[here + interval], links[here] + 1);
  }
  return links[high];
}

}  // namespace

TEST_CASE("express links are taken where they shorten the path, in one dimension after the other") {
  for (const Network& network : networks()) {
    const Topology topology = network.topology();
    const ExpressOrder order("minimal", topology, {});
    CAPTURE(topology.name());
    unsigned longest = 0;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        const RouteQuery packet = at_source(topology, from, to);
        const auto &a = topology.coordinates(packet.router),
                   &b = topology.coordinates(topology.node(to).eject.router);
        unsigned links = 0, dimension = 0;
        for (std::size_t d = 0; d < a.size(); ++d) links += fewest(a[d], b[d], network.interval);
        REQUIRE(order.hops(packet.router, topology.node(to).eject.router) == links);
        REQUIRE(follow(topology, order, 1, packet, links, [&](const Step& step) {
                  REQUIRE(step.port / 4 >= dimension);
                  dimension = step.port / 4;
                }) == links);
        longest = std::max(longest, links);
      }
    }
    CHECK(order.longest() == longest);
  }
}

TEST_CASE("dimension order with express links is free of deadlock on one channel, Valiant and UGAL on two") {
  for (const Network& network : networks()) {
    const Topology topology = network.topology();
    CAPTURE(topology.name());
    for (const char* kind : {"minimal", "valiant", "ugal"}) {
      const unsigned vcs = kind == std::string("minimal") ? 1 : 2;
      const auto routing = made(kind, topology, vcs);
      CHECK(routing->vcs_needed() == vcs);
      DeadlockConfig config;
      config.vcs = vcs;
      config.uturn_network = vcs == 2;
      CHECK(check_deadlock(topology, *routing, config).good());
      CHECK_THROWS_WITH(made(kind, topology, vcs - 1), Catch::Contains("router.vcs"));
      if (vcs == 1 || topology.routers() < 20) continue;
      // Planted: both halves of the channels are one.
      ScriptedRouting merged(*routing, [](const RouteQuery&, RouteSet& candidates) {
        const RouteCandidate one = candidates[0];
        candidates.clear();
        candidates.add(one.port, 3);
      });
      merged.promised.place_decides = true;
      CHECK_FALSE(check_deadlock(topology, merged, config).deadlock_free);
    }
  }
  CHECK_THROWS_WITH(ExpressOrder("minimal", graph::make_mesh({4, 4}, 1, 1), {}),
                    Catch::Contains("a mesh with express links"));
}

TEST_CASE("an express mesh carries more than its mesh, by the links through its middle") {
  // Eight routers in a line: 16 pairs cross the middle, from 3 to 4.
  const Topology line = graph::make_express_mesh({{8}, 4, 1}, 1, 4), mesh = graph::make_mesh({8}, 1, 1);
  CHECK(exact(mesh, *made("minimal", mesh, 1), uniform(mesh)) == Approx(4.0 / 8));
  // Four of them, from 0, take the express link. The fullest link is then that from 4 to 5, with 5 times 3 pairs.
  CHECK(exact(line, *made("minimal", line, 1), uniform(line)) == Approx(8.0 / 15));
}
