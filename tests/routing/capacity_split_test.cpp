// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "routing/capacity_cases.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/detour/detour_ud.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/routing_kinds.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

// Bounds of adaptive routings, and of routings with recovery.

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using graph::Topology;
using Kind = LoadedChannel::Kind;

namespace {

unsigned shuffled(unsigned node) {
  return (node << 1 & 63U) | node >> 5;
}

unsigned reversed(unsigned node) {
  unsigned result = 0;
  for (unsigned i = 0; i < 6; ++i) result |= (node >> i & 1U) << (5 - i);
  return result;
}

}  // namespace

// Optima of the linear program over all splits, by scipy's HiGHS.
TEST_CASE("adaptive routings are bounded by their best split") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1), torus = graph::make_torus({8, 8}, 1, 1);
  const Duato duato(mesh, 4), round(torus, 4);
  const TurnModel negative_first(mesh, 1, Turns::negative_first);
  const auto transpose = permutation([](NodeId node) { return transposed(node, 8); });
  const auto shuffle = permutation(shuffled);
  const auto complement = permutation([](NodeId node) { return 63 - node; });
  struct Row {
    double found, best;
  };
  const Topology mesh4 = graph::make_mesh({4, 4}, 1, 1), mesh5 = graph::make_mesh({5, 5}, 1, 1);
  for (const Row& row : {
           Row{at_most(mesh, duato, uniform(mesh)), 0.5},
           Row{at_most(mesh, duato, transpose), 0.454545},
           Row{at_most(mesh, duato, permutation(reversed)), 0.476190},
           Row{at_most(mesh, duato, shuffle), 0.5},
           Row{at_most(mesh, negative_first, transpose), 0.142857},
           Row{at_most(mesh, negative_first, shuffle), 0.25},
           Row{at_most(mesh, negative_first, complement), 0.166667},
           Row{at_most(torus, round, transpose), 0.666667},
           Row{at_most(torus, round, shuffle), 0.5},
           Row{at_most(mesh4, TurnModel(mesh4, 1, Turns::negative_first), uniform(mesh4)), 0.8},
           Row{at_most(mesh5, TurnModel(mesh5, 1, Turns::negative_first), uniform(mesh5)), 0.641026},
           Row{at_most(mesh5, Duato(mesh5, 2), uniform(mesh5)), 0.833333},
       }) {
    CHECK(row.found >= row.best - 1e-6);
    CHECK(row.found <= 1.006 * row.best);
  }
}

TEST_CASE("no split of an adaptive routing carries more than its bound") {
  const Topology mesh = graph::make_mesh({4, 3}, 2, 1), torus = graph::make_torus({4, 4}, 2, 1),
                 regular = graph::make_random_regular(16, 3, 5, 1), tree = graph::make_fat_tree(2, 3, 3, 1);
  std::vector<Case> list;
  list.push_back(make_case<Duato>(mesh, 4));
  list.push_back(make_case<Duato>(torus, 4));
  for (const Turns turns : {Turns::negative_first, Turns::west_first, Turns::north_last})
    list.push_back(make_case<TurnModel>(mesh, 2, turns));
  list.push_back(make_case<UpDown>(regular, 2, UpDownConfig{}));
  list.push_back(make_case<LeastCommonAncestor>(tree, 2, UpPort::adaptive));
  list.push_back({torus, DetourUdConfig{}.make({torus, 4}), 4});
  for (const Case& c : list) {
    CAPTURE(c.topology.name());
    // Links saturate before ports.
    const auto demand = [base = ragged()](NodeId from, NodeId to) {
      return from % 2 == 0 && to > from + 4 ? base(from, to) : 0.1 * base(from, to);
    };
    const CapacityBound bound = bound_of(c.topology, *c.routing, demand);
    REQUIRE(bound.kind == CapacityKind::upper_bound);
    UNSCOPED_INFO(full_text(bound, c.topology));
    // Each pair's packets take the least loaded of six paths, some of them in recovery.
    std::map<graph::RouterId, std::map<std::uint32_t, double>> flits;
    double most = 0;  // largest load of node ports, which have no choice, and then of links
    for (const LoadedChannel& channel : bound.channels)
      if (channel.kind != Kind::link) most = std::max(most, channel.flits_per_cycle);
    Walker walker{c};
    for (NodeId from = 0; from < c.topology.nodes(); ++from) {
      for (NodeId to = 0; to < c.topology.nodes(); ++to) {
        RouteQuery query;
        query.source = from;
        query.destination = to;
        std::vector<graph::PortRef> best;
        double least = 1e9;
        for (unsigned i = 0; i < 6; ++i) {
          std::vector<graph::PortRef> way = walker.walk(query);
          double load = 0;
          for (const graph::PortRef& port : way) load = std::max(load, flits[port.router][port.port]);
          if (load < least) {
            least = load;
            best = std::move(way);
          }
        }
        for (const graph::PortRef& port : best) {
          flits[port.router][port.port] += demand(from, to);
          most = std::max(most, flits[port.router][port.port]);
        }
      }
    }
    CHECK(1 / most <= bound.flits_per_node_cycle * (1 + 1e-9));
    // The split found is valid, and nearly the best one.
    double even = 0;
    for (const LoadedChannel& channel : bound.channels) even = std::max(even, channel.flits_per_cycle);
    CHECK(1 / even <= bound.flits_per_node_cycle * (1 + 1e-9));
    CHECK(1 / even >= bound.flits_per_node_cycle / 1.02);
  }
}

TEST_CASE("packets from one router can use all its links, or one") {
  const Topology mesh = graph::make_mesh({2, 2}, 4, 1);
  const auto across = [](NodeId from, NodeId to) { return from < 4 && to == from + 12 ? 1.0 : 0.0; };
  CHECK(exact(mesh, DimensionOrder(mesh, 1), across) == Approx(0.25));
  const CapacityBound bound = bound_of(mesh, Duato(mesh, 2), across);
  CHECK(bound.flits_per_node_cycle == Approx(0.5));
  for (const LoadedChannel& channel : bound.full) CHECK(channel.kind == Kind::link);
}

namespace {

/// Further links that a packet may take.
enum class More : std::uint8_t {
  everywhere,      ///< every link of every router
  at_destination,  ///< those of the destination's router
  by_channel_1     ///< those of a router that a packet has entered by virtual channel 1
};

/// The candidates of a base, and further ones.
ScriptedRouting wandering(const Topology& topology, const Routing& base, More more) {
  ScriptedRouting routing(base, [&topology, more](const RouteQuery& query, RouteSet& candidates) {
    const bool arrived = topology.node(query.destination.node()).eject.router == query.router;
    if (more == More::by_channel_1 ? arrived || query.in_vc != 1 : arrived == (more == More::everywhere))
      return;
    for (unsigned port = 0; port < topology.ports(query.router); ++port)
      if (topology.far(query.router, port).kind == Topology::Far::Kind::router) candidates.add(port, 1);
  });
  routing.injection = ScriptedRouting::always(1);
  routing.most = 16;
  routing.promised.place_decides = true;
  return routing;
}

}  // namespace

TEST_CASE("packets that may take detours have every link of a cut, and shortest paths across it") {
  const Topology torus = graph::make_torus({6, 6}, 1, 1), mesh = graph::make_mesh({6, 6}, 1, 1);
  const Duato minimal(mesh, 2), round(torus, 3);
  const auto opposite = [](NodeId from, NodeId to) { return to == (from + 21) % 36 ? 1.0 : 0.0; };
  // Half of the packets cross six links, and no packet has to cross them twice.
  CHECK(at_most(mesh, wandering(mesh, minimal, More::everywhere), uniform(mesh)) ==
        Approx(4.0 / 6).epsilon(0.006));
  for (const auto& demand : {Demand(opposite), Demand(ragged())}) {
    CHECK(at_most(torus, wandering(torus, round, More::everywhere), demand) >=
          at_most(torus, round, demand) * 0.995);
    CHECK(at_most(torus, wandering(torus, round, More::at_destination), demand) ==
          Approx(at_most(torus, round, demand)));
  }
  // One router's packets: a straight link, or all four links.
  const Topology crowd = graph::make_torus({5, 5}, 4, 1);
  const DimensionOrder straight(crowd, 2);
  const auto along = [](NodeId from, NodeId to) { return from < 4 && to == from + 4 ? 1.0 : 0.0; };
  const ScriptedRouting anywhere = wandering(crowd, straight, More::everywhere);
  const ScriptedRouting choosy = wandering(crowd, straight, More::by_channel_1);
  CHECK(at_most(crowd, anywhere, along) == Approx(1.0).epsilon(0.006));
  CHECK(at_most(crowd, choosy, along) == Approx(0.25));
}

TEST_CASE("sources inject into the virtual channels of their links") {
  const Topology crowd = graph::make_torus({5, 5}, 4, 1);
  const DimensionOrder straight(crowd, 2);
  const ScriptedRouting choosy = wandering(crowd, straight, More::by_channel_1);
  CapacityConfig config;
  config.demand = [](NodeId from, NodeId to) { return from < 4 && to == from + 4 ? 1.0 : 0.0; };
  CHECK(capacity_bound(crowd, choosy, config).flits_per_node_cycle == Approx(0.25));
  config.own_node_vcs = 2;
  CHECK(capacity_bound(crowd, choosy, config).flits_per_node_cycle > 0.26);
}

TEST_CASE("candidates that depend on the source are found for each source") {
  const Topology mesh = graph::make_mesh({2, 2}, 4, 1);
  const TurnModel adaptive(mesh, 1, Turns::negative_first);
  // Even sources go first by dimension 0, odd ones by dimension 1.
  const ScriptedRouting by_parity(adaptive, [](const RouteQuery& query, RouteSet& candidates) {
    const RouteCandidate chosen = candidates[candidates.size() > 1 ? query.source.node() % 2 : 0];
    candidates.clear();
    candidates.add(chosen.port, chosen.vcs);
  });
  const auto across = [](NodeId from, NodeId to) { return from < 4 && to >= 12 ? 0.25 : 0.0; };
  CHECK(at_most(mesh, by_parity, across) == Approx(0.5));
}

TEST_CASE("packets in recovery have separate routes") {
  // A ring of five with its root at 0: from 4 to 2 messages go by 3, those in recovery by 0 and 1.
  const Topology ring = graph::make_torus({5}, 2, 1);
  const auto routing = DetourUdConfig{}.make({ring, 4});
  const auto across = [](NodeId from, NodeId to) { return from >= 8 && to == from - 4 ? 1.0 : 0.0; };
  CHECK(at_most(ring, *routing, across) == Approx(1.0).epsilon(0.006));
}

TEST_CASE("a cut is found with little search") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  CapacityConfig config;
  config.demand = uniform(mesh);
  config.most_search_steps = 1;
  const CapacityBound bound = capacity_bound(mesh, Duato(mesh, 4), config);
  CHECK(bound.flits_per_node_cycle == Approx(0.5));
  CHECK(bound.full.size() == 8);
}
