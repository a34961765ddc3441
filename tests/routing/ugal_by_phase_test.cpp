// SPDX-License-Identifier: Apache-2.0
// UGAL on dragonflies by the rules of BookSim2.
#include <map>
#include <set>
#include <string>

#include "routing/decisions_cases.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/routing/checkers/deadlock.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;

namespace {

/// Groups of 4 routers of 2 nodes: ports 0 and 1 of nodes, 2 to 4 of local links, 5 and 6 of global ones.
Topology dragonfly() {
  return graph::make_dragonfly({4, 2, 2, 9, graph::GlobalLinks::absolute, true}, 1, 1);
}

/// A path: routers, and virtual channels of its links and of the ejection.
struct Path {
  std::vector<RouterId> routers;
  std::vector<VcMask> vcs;
};

Path path_of(const Topology& topology, const Routing& routing, RouteQuery query) {
  Path path;
  for (;; ++query.hops) {
    REQUIRE(path.vcs.size() < 8);
    path.routers.push_back(query.router);
    RouteSet candidates;
    routing.route(query, candidates);
    REQUIRE(candidates.size() == 1);
    path.vcs.push_back(candidates[0].vcs);
    const Topology::Far& far = topology.far(query.router, candidates[0].port);
    if (far.kind == Topology::Far::Kind::node) {
      REQUIRE(far.node == query.destination.node());
      return path;
    }
    query.router = far.at.router;
    query.in_port = far.at.port;
    query.decision = routing.decisions()->decide(query, Held{});
  }
}

/// Channels of a path by hand: 0 to the intermediate router, then 1, 2 from the last global link on or within
/// the source's group. `middle`: index of the intermediate router, 0: a minimal path.
std::vector<VcMask> channels(const std::vector<RouterId>& routers, std::size_t middle) {
  std::vector<VcMask> vcs;
  const bool in_group = routers.front() / 4 == routers.back() / 4 && middle == 0;
  bool after_global = in_group;
  for (std::size_t i = 0; i < routers.size(); ++i) {
    const bool last = i + 1 == routers.size();
    if (i >= middle && !last && routers[i] / 4 != routers[i + 1] / 4) after_global = true;
    vcs.push_back(i < middle ? 1 : after_global ? 4 : 2);
  }
  return vcs;
}

}  // namespace

TEST_CASE("UGAL by phase: a packet's channel is its phase, over every intermediate router") {
  const Topology topology = dragonfly();
  const auto routing = made("ugal_by_phase", topology, 3);
  std::set<std::size_t> lengths;
  for (NodeId from : {0U, 9U, 71U})
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      const RouteQuery packet = at_source(topology, from, to);
      const bool in_group = from / 8 == to / 8;
      const auto possible = routing->decisions()->possible(packet);
      REQUIRE(possible.size() == (in_group ? 1U : 33U));  // the minimal path, and 32 routers of other groups
      std::set<RouterId> middles;
      for (std::size_t i = 0; i < possible.size(); ++i) {
        RouteQuery query = packet;
        query.decision = possible[i].decision;
        const Path path = path_of(topology, *routing, query);
        CAPTURE(from, to, i);
        lengths.insert(path.routers.size() - 1);
        if (i == 0) {
          CHECK(path.routers.size() <= 4);
          CHECK(path.vcs == channels(path.routers, 0));
          continue;
        }
        std::size_t middle = 0;  // the first router after which channel 0 is not taken
        while (path.vcs[middle] == 1) ++middle;
        CHECK(path.routers[middle] / 4 != from / 8);
        middles.insert(path.routers[middle]);
        CHECK(path.vcs == channels(path.routers, middle));
      }
      CHECK(middles.size() == possible.size() - 1);
    }
  CHECK(lengths == std::set<std::size_t>{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("UGAL by phase: the minimal queue is weighed by 1, the other by 2, by credits alone") {
  const Topology topology = dragonfly();
  const auto routing = made("ugal_by_phase", topology, 3, "30");
  // From router 0, whose global links are ports 5 and 6 to groups 1 and 2, to group 1: port 5.
  const Decision minimal = routing->decisions()->decide(at_source(topology, 0, 8), Held{});
  std::map<unsigned, unsigned> detours;
  unsigned own_group = 0;
  for (PacketId id = 0; id < 3600; ++id) {
    const RouteQuery query = at_source(topology, 0, 8, id);
    const auto decided = [&](const Held& buffers) { return routing->decisions()->decide(query, buffers); };
    Held full;
    full.held = {{5, 250}};
    const Decision decision = decided(full);
    if (decision == minimal) {
      ++own_group;  // or over port 5, too
      continue;
    }
    RouteQuery around = query;
    around.decision = decision;
    RouteSet candidates;
    routing->route(around, candidates);
    const unsigned port = candidates[0].port;
    ++detours[port];
    CHECK(candidates[0].vcs == 1);
    Held even, more, waits;
    even.held = {{5, 70}, {port, 20}};  // 70 = 2 * 20 + 30
    more.held = {{5, 71}, {port, 20}};
    waits.queued = {{5, 250}};
    CHECK(decided(even) == minimal);
    CHECK(decided(more) == decision);
    CHECK(decided(waits) == minimal);
    more.credited = {{5, 1}};
    CHECK(decided(more) == minimal);
  }
  // Own group and group 1 (over port 5) have 8 of 36 routers, group 2 has 4, six groups lie beyond local
  // links.
  CHECK(std::abs(static_cast<int>(own_group) - 800) < 90);
  CHECK(std::abs(static_cast<int>(detours[6]) - 400) < 70);
  for (const unsigned local : {2U, 3U, 4U}) CHECK(std::abs(static_cast<int>(detours[local]) - 800) < 90);
  // Within a group a packet takes the minimal path for any queue.
  Held full;
  full.held = {{2, 250}};
  const RouteQuery inside = at_source(topology, 0, 2);
  CHECK(routing->decisions()->decide(inside, full) == routing->decisions()->decide(inside, Held{}));
}

TEST_CASE("UGAL by phase: the deadlock checker finds the cycle of channel 0") {
  const Topology topology = dragonfly();
  const auto routing = made("ugal_by_phase", topology, 3);
  DeadlockConfig config;
  config.vcs = 3;
  config.uturn_network = true;
  const DeadlockReport report = check_deadlock(topology, *routing, config);
  CHECK(report.delivers);
  CHECK(report.longest_path == 6);
  REQUIRE_FALSE(report.deadlock_free);
  REQUIRE(report.cycle.size() > 2);
  for (const auto& channel : report.cycle) CHECK_THAT(channel.text(), Catch::Contains(" vc 0"));
}

TEST_CASE("refusals of UGAL by phase, and too many hops stop the run") {
  CHECK_THROWS_WITH(made("ugal_by_phase", dragonfly(), 2),
                    Catch::Contains("router.vcs") && Catch::Contains("3..16"));
  CHECK_THROWS_WITH(made("ugal_by_phase", graph::make_mesh({3, 3}, 1, 1), 3), Catch::Contains("a dragonfly"));
  const Topology topology = dragonfly();
  const auto routing = made("ugal_by_phase", topology, 3);
  RouteQuery query = at_source(topology, 0, 70);
  query.hops = 6;
  CHECK_NOTHROW(routing->decisions()->decide(query, Held{}));
  ++query.hops;
  CHECK_THROWS_WITH(routing->decisions()->decide(query, Held{}), Catch::Contains("at most 6"));
}
