// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/capacity/capacity_bound.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <tuple>

#include "routing/capacity_cases.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/checkers/random_outcomes.h"
#include "tsuji/routing/compact/compact.h"
#include "tsuji/routing/destination_digits.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::CubeShape;
using graph::Topology;
using namespace tsuji::test;
using Kind = LoadedChannel::Kind;

namespace {

/// Routings with one candidate a head.
std::vector<Case> oblivious() {
  std::vector<Case> list;
  for (const Topology& cube :
       {graph::make_torus({4, 6}, 1, 1), graph::make_torus({5, 2, 3}, 2, 1), graph::make_mesh({5, 4}, 1, 1),
        graph::make_cube({{4, 3}, {true, false}, 2}, 1)})
    for (const Dateline dateline : {Dateline::crossing, Dateline::balanced, Dateline::switching})
      for (const Ties ties : {Ties::random, Ties::up})
        list.push_back(make_case<DimensionOrder>(cube, 4, DimensionOrderConfig{ties, dateline}));
  for (const Topology& tree : {graph::make_fat_tree(4, 4, 3, 1), graph::make_fat_tree(3, 2, 3, 1)})
    for (const UpPort up : {UpPort::one_to_one, UpPort::random})
      list.push_back(make_case<LeastCommonAncestor>(tree, 2, up));
  list.push_back(make_case<DestinationDigits>(graph::make_fly(3, 3, 1), 2));
  const Topology graph = graph::make_random_regular(24, 4, 3, 1);
  list.push_back(make_case<SourceTable>(graph, 4));
  list.push_back(make_case<UpDown>(graph, 2, UpDownConfig{3, false}));
  return list;
}

using PortKey = std::tuple<Kind, std::uint32_t, std::uint32_t>;

PortKey key_of(const LoadedChannel& channel) {
  if (channel.kind == Kind::link) return {Kind::link, channel.from.router, channel.from.port};
  return {channel.kind, channel.node, 0};
}

/// The share of packets with this packet's random outcome.
double share_of(const Routing& routing, const RouteQuery& query) {
  const RandomChoices* const choices = routing.random_choices();
  return choices == nullptr ? 1.0 : choices->outcome_share(choices->random_outcome(query));
}

/// Every channel's flits, by following each pair and outcome.
std::map<PortKey, double> walked(const Case& of, const Demand& demand) {
  std::map<PortKey, double> flits;
  bool all = false;
  const std::vector<PacketId> packets = packets_of_all_outcomes(*of.routing, 4096, all);
  REQUIRE(all);
  Walker walker{of};
  for (NodeId from = 0; from < of.topology.nodes(); ++from) {
    for (NodeId to = 0; to < of.topology.nodes(); ++to) {
      if (demand(from, to) == 0) continue;
      flits[{Kind::injection, from, 0}] += demand(from, to);
      flits[{Kind::ejection, to, 0}] += demand(from, to);
      for (const PacketId packet : packets) {
        RouteQuery query;
        query.source = from;
        query.destination = to;
        query.packet = packet;
        const double part = demand(from, to) * share_of(*of.routing, query);
        for (const graph::PortRef& port : walker.walk(query))
          flits[{Kind::link, port.router, port.port}] += part;
      }
    }
  }
  return flits;
}

/// The routes of a base without their shares: each pair and outcome is followed.
ScriptedRouting untold(const Routing& base) {
  return ScriptedRouting(base);
}

std::map<PortKey, double> loads_of(const CapacityBound& bound) {
  std::map<PortKey, double> flits;
  for (const LoadedChannel& channel : bound.channels) flits[key_of(channel)] = channel.flits_per_cycle;
  return flits;
}

void require_equal(const std::map<PortKey, double>& a, const std::map<PortKey, double>& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [key, flits] : a) {
    REQUIRE(b.count(key) == 1);
    REQUIRE(b.at(key) == Approx(flits).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("dimension order under uniform traffic saturates at the textbook's load") {
  for (unsigned k = 2; k <= 9; ++k) {
    CAPTURE(k);
    const double odd = (k * k - 1.0) / k;
    const Topology mesh = graph::make_mesh({k, k}, 1, 1);
    CHECK(exact(mesh, DimensionOrder(mesh, 2), uniform(mesh)) ==
          Approx(std::min(1.0, 4 / (k % 2 == 0 ? k : odd))));
    const Topology torus = graph::make_torus({k, k, k}, 1, 1);
    CHECK(exact(torus, DimensionOrder(torus, 2), uniform(torus)) ==
          Approx(std::min(1.0, 8 / (k % 2 == 0 ? k : odd))));
  }
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  CHECK(exact(mesh, DimensionOrder(mesh, 1), uniform(mesh)) == Approx(0.5));
  // Ties upwards: k / 2 hops in one direction, k / 2 - 1 in the other.
  const Topology torus = graph::make_torus({12}, 1, 1);
  CHECK(exact(torus, DimensionOrder(torus, 2, {Ties::up, Dateline::crossing}), uniform(torus)) ==
        Approx(12 / (6 * 7 / 2.0)));
}

TEST_CASE("permutations saturate where their paths meet") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1), torus = graph::make_torus({8, 8}, 1, 1);
  const DimensionOrder xy(mesh, 1), round(torus, 2);
  const auto transpose = permutation([](NodeId node) { return transposed(node, 8); });
  const CapacityBound bound = bound_of(mesh, xy, transpose);
  CHECK(bound.flits_per_node_cycle == Approx(1.0 / 7));
  CHECK(bound.full.size() == 4);
  CHECK(full_text(bound, mesh) == "link 0->8 (0,0)->(0,1) and 3 others");
  const auto complement = permutation([](NodeId node) { return 63 - node; });
  CHECK(exact(mesh, xy, complement) == Approx(1.0 / 4));
  CHECK(exact(torus, round, complement) == Approx(1.0 / 2));
  const auto tornado = permutation([](NodeId node) { return node / 8 * 8 + (node + 3) % 8; });
  CHECK(exact(torus, round, tornado) == Approx(1.0 / 3));
  const auto own = permutation([](NodeId node) { return node; });
  const CapacityBound alone = bound_of(torus, round, own);
  CHECK(alone.flits_per_node_cycle == Approx(1.0));
  CHECK(full_text(alone, torus) == "ejection port of node 0 and 127 others");
}

TEST_CASE("a fat tree with random up ports saturates at its nodes, or where it has fewer links") {
  for (const auto& [up, down] : {std::pair{4U, 4U}, {2U, 4U}, {1U, 3U}}) {
    const Topology tree = graph::make_fat_tree(up, down, 3, 1);
    const LeastCommonAncestor random(tree, 1, UpPort::random), adaptive(tree, 1, UpPort::adaptive);
    // All packets go over the top. Below it, a switch of level l has down^(l + 1) nodes and up^(l + 1) links.
    const unsigned nodes = tree.nodes();
    const auto far = permutation([nodes](NodeId node) { return (node + nodes / 2) % nodes; });
    const double thin = 1.0 * up * up / down / down;
    if (down % 2 == 0) CHECK(exact(tree, random, far) == Approx(thin));
    if (down % 2 == 0) CHECK(at_most(tree, adaptive, far) == Approx(thin));
    const double over_top = 1 - 1.0 / down, over_second = 1 - 1.0 / down / down;
    CHECK(exact(tree, random, uniform(tree)) ==
          Approx(std::min({1.0, thin / over_top, 1.0 * up / down / over_second})));
  }
}

TEST_CASE("the loads of all channels equal those of following every packet, on any virtual channel") {
  unsigned number = 0;
  for (const Case& c : oblivious()) {
    CAPTURE(number++, c.topology.name());
    const CapacityBound bound = bound_of(c.topology, *c.routing, ragged());
    REQUIRE(bound.kind == CapacityKind::exact);
    const std::map<PortKey, double> flits = loads_of(bound);
    require_equal(walked(c, ragged()), flits);
    require_equal(loads_of(bound_of(c.topology, untold(*c.routing), ragged())), flits);
    double most = 0;
    for (const auto& [key, value] : flits) most = std::max(most, value);
    REQUIRE(bound.flits_per_node_cycle == Approx(1 / most));
    for (const LoadedChannel& channel : bound.full) REQUIRE(channel.flits_per_cycle >= 0.99 * most);
  }
}

TEST_CASE("outcomes of random choices are as frequent as the routing declares") {
  for (const Case& c : oblivious()) {
    const RandomChoices* const choices = c.routing->random_choices();
    if (choices == nullptr) continue;
    const std::uint64_t outcomes = choices->random_outcomes();
    CAPTURE(c.topology.name(), outcomes);
    constexpr unsigned draws = 20'000;
    std::vector<double> counts(outcomes, 0);
    for (PacketId packet = 0; packet < draws; ++packet) {
      RouteQuery query;
      query.seed = 5;
      query.packet = packet;
      counts.at(choices->random_outcome(query)) += 1;
    }
    double chi_square = 0;
    for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
      const double expected = draws * choices->outcome_share(outcome);
      chi_square += (counts[outcome] - expected) * (counts[outcome] - expected) / expected;
    }
    const double freedom = static_cast<double>(outcomes) - 1;
    CHECK(chi_square < freedom + 4 * std::sqrt(2 * freedom) + 4);
  }
}

TEST_CASE("ports of nodes saturate where they carry most") {
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  const DimensionOrder xy(mesh, 1);
  const auto hot = [](NodeId, NodeId to) { return to == 5 ? 1.0 : 0.0; };
  const CapacityBound ejection = bound_of(mesh, xy, hot);
  CHECK(ejection.flits_per_node_cycle == Approx(1.0 / 16));
  CHECK(full_text(ejection, mesh) == "ejection port of node 5");
  const auto busy = [](NodeId from, NodeId) { return from == 5 ? 3.0 / 16 : 0.1 / 16; };
  const CapacityBound injection = bound_of(mesh, xy, busy);
  CHECK(injection.flits_per_node_cycle == Approx(1.0 / 3));
  CHECK(full_text(injection, mesh) == "injection port of node 5");
}

TEST_CASE("slow links, and routers that refuse packets of a node to itself, are taken into account") {
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  const DimensionOrder xy(mesh, 1);
  CapacityConfig config;
  config.demand = uniform(mesh);
  config.flit_cycles = 5;
  CHECK(capacity_bound(mesh, xy, config).flits_per_node_cycle == Approx(1.0 / 5));
  config.flit_cycles = 1;
  config.demand = permutation([](NodeId node) { return node; });
  config.uturn_node = false;
  const CapacityBound bound = capacity_bound(mesh, xy, config);
  CHECK(bound.channels.size() == 16);
  for (const LoadedChannel& channel : bound.channels) CHECK(channel.kind == Kind::injection);
}

namespace {

struct ManyOutcomes final : RandomChoices {
  std::uint64_t random_outcomes() const override { return 100'000; }
  std::uint64_t random_outcome(const RouteQuery&) const override { return 0; }
};

/// Routes of a base, except for node 2 at one router.
ScriptedRouting faulty(const Routing& base, unsigned candidates, RouterId router,
                       const std::vector<RouteCandidate>& instead) {
  ScriptedRouting routing(base, planted(router, 2, instead));
  routing.most = candidates;
  routing.promised.place_decides = true;
  return routing;
}

}  // namespace

TEST_CASE("there is no bound, but a reason, for routes or traffic without one") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1);
  const DimensionOrder xy(mesh, 1);
  const auto reason = [&](const Topology& topology, const Routing& routing, const Demand& demand) {
    const CapacityBound bound = bound_of(topology, routing, demand);
    CHECK(bound.kind == CapacityKind::none);
    CHECK(full_text(bound, topology) == bound.reason);
    return bound.reason;
  };
  const auto nothing = [](NodeId, NodeId) { return 0.0; };
  const auto to_last = [](NodeId from, NodeId to) { return from == 0 && to == 2 ? 1.0 : 0.0; };
  CHECK(reason(mesh, xy, nothing) == "no packet");
  CHECK(reason(mesh, Duato(mesh, 2), nothing) == "no packet");
  for (const unsigned candidates : {1U, 2U}) {
    CAPTURE(candidates);
    const ManyOutcomes many;
    ScriptedRouting routing = faulty(xy, candidates, 0, {});
    CHECK_THAT(reason(mesh, routing, uniform(mesh)), Catch::StartsWith("no route from router 0 to"));
    routing.choices = &many;
    CHECK(reason(mesh, routing, uniform(mesh)) == too_many_outcomes);
    routing.choices = nullptr;
    const tsuji::test::ScriptedDecisions decisions(nullptr, [](const RouteQuery&) {
      return std::vector<RouteDecisions::Possible>{{0, RouteDecisions::unknown_share}};
    });
    routing.decider = &decisions;
    CHECK(reason(mesh, routing, uniform(mesh)) ==
          (candidates == 1 ? "routes that depend on credits"
                           : "a routing that decides and gives several candidates"));
  }
  // Up from router 0 to 1, and down again from there.
  const std::vector<RouteCandidate> down = {{CubeShape::down_port(0), 1, 0}};
  const ScriptedRouting around = faulty(xy, 1, 1, down), around_too = faulty(xy, 2, 1, down);
  CHECK(reason(mesh, around, to_last) == "routes with cycles");
  CHECK(reason(mesh, untold(around), to_last) == "routes with cycles");
  CHECK(reason(mesh, around_too, to_last) == "routes that do not arrive");
  CapacityConfig config;
  config.demand = uniform(mesh);
  for (const std::uint64_t most : {10U, 15U}) {
    config.most_questions = most;
    CHECK(capacity_bound(mesh, xy, config).reason == too_large);
    CHECK(capacity_bound(mesh, Duato(mesh, 2), config).reason == too_large);
  }
}

TEST_CASE("the bound is printed with its limit and the fullest channels") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  const auto print = [&](const CapacityBound& bound) {
    std::ostringstream out;
    print_capacity(bound, mesh, 2, out);
    return out.str();
  };
  const auto transpose = permutation([](NodeId node) { return transposed(node, 8); });
  CHECK(print(bound_of(mesh, DimensionOrder(mesh, 1), transpose)) ==
        "mesh 8x8: capacity is 0.1429 flits/node/cycle (exact)\n"
        "full: link 0->8 (0,0)->(0,1) and 3 others\n"
        "flits/cycle at a load of 1:\n"
        "  7.0000  link 0->8 (0,0)->(0,1)\n"
        "  7.0000  link 1->0 (1,0)->(0,0)\n");
  const std::string adaptive = print(bound_of(mesh, Duato(mesh, 2), transpose));
  CHECK_THAT(adaptive,
             Catch::StartsWith("mesh 8x8: capacity is at most 0.4545 flits/node/cycle (upper_bound)\n"));
  CHECK_THAT(adaptive, Catch::Contains("links under the most even split found:\n"));
  CHECK(print(bound_of(mesh, DimensionOrder(mesh, 1), [](NodeId, NodeId) { return 0.0; })) ==
        "no bound on capacity: no packet\n");
}
