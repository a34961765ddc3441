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

// A routing that reads credits, in networks.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

/// Of the candidates of a network's own routing, the one with the most credits; the first of equal ones.
ScriptedRouting emptiest(const routing::Routing& own, unsigned& other_than_first) {
  ScriptedRouting routing(
      own, [&other_than_first](const routing::RouteQuery& query, routing::RouteSet& candidates) {
        if (candidates.size() < 2) return;
        routing::RouteCandidate best = candidates[0];
        unsigned most = query.outputs->credits(best.port, best.vcs);
        for (const routing::RouteCandidate& candidate : candidates) {
          const unsigned credits = query.outputs->credits(candidate.port, candidate.vcs);
          if (credits <= most) continue;
          most = credits;
          best = candidate;
          ++other_than_first;
        }
        candidates.clear();
        candidates.add(best.port, best.vcs);
      });
  routing.promised.reads_credits = true;
  return routing;
}

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
    "a routing that takes the emptier port finds the same one in any order of modules and ahead of others") {
  const auto play = [](const RunOrder& order) {
    VcRig rig(in_order(fat_tree(), order));
    rig.group_cycles = order.ahead;
    unsigned other_than_first = 0;
    const ScriptedRouting routing = emptiest(*rig.routing, other_than_first);
    rig.build(load(0.4, 4, 500), 1, nullptr, &routing);
    if ((rig.loaded->group_cycles() > 1) != order.ahead) return std::string("windows");
    if (!rig.run_until_idle(30'000)) return std::string("not idle");
    if (other_than_first < 1000) return std::string("no choices");
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

TEST_CASE("a routing that reads credits is refused where nobody shows them") {
  const VcRig rig(fat_tree());
  unsigned other_than_first = 0;
  const ScriptedRouting routing = emptiest(*rig.routing, other_than_first);
  CHECK_THROWS_WITH(routing::check_deadlock(rig.topology, routing, 2),
                    Catch::Contains("its candidates follow from credits"));
}
