// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>
#include <string>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/least_common_ancestor.h"

// Routings that read credits, in networks.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

using Possible = routing::RouteDecisions::Possible;

/// Chooses the candidate of the network's routing with the most credits; the first of equal ones.
struct Emptiest {
  explicit Emptiest(const routing::Routing& own)
      : decisions(
            [this, &own](const routing::RouteQuery& query, const routing::OutputBuffers& outputs) {
              return best(own, query, outputs);
            },
            [&own](const routing::RouteQuery& query) {
              routing::RouteSet candidates;
              own.route(query, candidates);
              std::vector<Possible> all;
              for (unsigned c = 0; c < candidates.size(); ++c)
                all.push_back({static_cast<routing::Decision>(c), routing::RouteDecisions::unknown_share});
              return all;
            }),
        routing(own, [](const routing::RouteQuery& query, routing::RouteSet& candidates) {
          const routing::RouteCandidate one = candidates[query.decision];
          candidates.clear();
          candidates.add(one.port, one.vcs);
        }) {
    routing.decider = &decisions;
  }
  routing::Decision best(const routing::Routing& own, const routing::RouteQuery& query,
                         const routing::OutputBuffers& outputs) {
    routing::RouteSet candidates;
    own.route(query, candidates);
    unsigned best = 0, most = outputs.credits(candidates[0].port, candidates[0].vcs);
    for (unsigned c = 1; c < candidates.size(); ++c) {
      const unsigned credits = outputs.credits(candidates[c].port, candidates[c].vcs);
      if (credits <= most) continue;
      most = credits;
      best = c;
      ++other_than_first;
    }
    return static_cast<routing::Decision>(best);
  }

  unsigned other_than_first = 0;
  tsuji::test::ScriptedDecisions decisions;
  ScriptedRouting routing;
};

NetworkConfig fat_tree() {
  NetworkConfig config;
  config.topology.kind = "fat_tree";
  graph::FatTreeConfig& tree = config.topology.of<graph::FatTreeConfig>();
  tree.levels = 3;
  tree.up_links = tree.down_links = 4;
  config.routing.of<routing::LeastCommonAncestorConfig>().up_port = routing::UpPort::adaptive;
  config.network.vcs = 2;
  config.network.buffer_flits = 8;
  config.link_latency_cycles = 4;
  return config;
}

}  // namespace

TEST_CASE(
    "a routing that takes the emptier port decides alike in any order of modules and when groups run ahead") {
  const auto play = [](const RunOrder& order) {
    VcRig rig(in_order(fat_tree(), order));
    const Emptiest emptiest(*rig.plan.routing);
    rig.route_by(emptiest.routing);
    rig.run_ahead(order.ahead);
    rig.build(load(0.4, 4, 500));
    if ((rig.loaded->group_cycles() > 1) != order.ahead) return std::string("windows");
    if (!rig.run_until_idle(30'000)) return std::string("not idle");
    if (emptiest.other_than_first < 1000) return std::string("no choices");
    std::ostringstream out;
    for (const auto& [id, p] : rig.by_packet())
      out << id << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
    return out.str();
  };
  const std::string expected = tsuji::test::forked([&] { return play(run_orders[0]); });
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 2000);
  for (const RunOrder& order : run_orders)
    CHECK(tsuji::test::forked([&] { return play(order); }) == expected);
}

TEST_CASE("a routing that decides by credits is checked for deadlock over all its possible decisions") {
  const VcRig rig(fat_tree());
  const Emptiest emptiest(*rig.plan.routing);
  const routing::DeadlockReport own = routing::check_deadlock(rig.plan.topology, *rig.plan.routing, 2);
  const routing::DeadlockReport decided = routing::check_deadlock(rig.plan.topology, emptiest.routing, 2);
  CHECK(decided.good());
  CHECK(decided.dependencies == own.dependencies);
  CHECK(decided.channels == own.channels);
  CHECK(decided.longest_path == own.longest_path);
}

TEST_CASE("a routing that decides is refused where routes must be known in advance") {
  NetworkConfig config = torus(4);
  config.routing.kind = "ugal";
  config.network.vcs = 4;
  config.network.router.prediction.kind = "straight";
  CHECK_NOTHROW(VcRig(config));
  config.network.router.prediction.check = router::PredictionCheck::leak;
  CHECK_THROWS_WITH(VcRig(config),
                    Catch::Contains("prediction.kind") && Catch::Contains("the routing decides by credits"));
}
