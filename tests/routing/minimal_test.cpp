// SPDX-License-Identifier: Apache-2.0
// Minimal routing, Valiant and UGAL-L on HyperX, dragonfly, dragonfly+, Slim Fly and PolarFly.

#include <map>
#include <set>
#include <sstream>

#include "routing/capacity_cases.h"
#include "routing/decisions_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/dragonfly_plus.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/graph/paths.h"
#include "tsuji/graph/polar_fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/slim_fly.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/vc_classes.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using graph::GlobalLinks;

namespace {

struct Network {
  Topology topology;
  unsigned vcs;      ///< that minimal routing needs
  unsigned longest;  ///< links of its longest path
};

Topology dragonfly(unsigned routers, unsigned nodes, unsigned links, unsigned groups,
                   GlobalLinks arrangement = GlobalLinks::absolute) {
  return graph::make_dragonfly({routers, nodes, links, groups, arrangement}, 1, 1);
}

Topology dragonfly_plus(unsigned leaves, unsigned spines, unsigned nodes, unsigned links, unsigned groups) {
  return graph::make_dragonfly_plus({leaves, spines, nodes, links, groups, GlobalLinks::palmtree}, 1, 1);
}

std::vector<Network> networks() {
  return {{graph::make_hyperx({{4, 3}, {1, 1}, 2}, {1, 1}), 1, 2},
          {graph::make_hyperx({{2, 3, 3}, {2, 1, 3}, 1}, {1, 1, 1}), 1, 3},
          {dragonfly(4, 1, 2, 9), 2, 3},
          {dragonfly(4, 2, 2, 4, GlobalLinks::circulant), 2, 3},
          {dragonfly(3, 1, 2, 7, GlobalLinks::palmtree), 2, 3},
          {dragonfly_plus(3, 2, 1, 2, 5), 1, 3},
          {dragonfly_plus(2, 3, 2, 2, 4), 1, 3},
          {graph::make_slim_fly(4, 1, 1), 2, 2},
          {graph::make_polar_fly(3, 2, 1), 2, 2},
          {graph::make_torus({5, 3}, 1, 1), 2, 3},
          {graph::make_mesh({4, 2}, 1, 1), 1, 4},
          {graph::make_random_regular(20, 4, 1, 1), 4, 4}};
}

/// Links of a packet's path over first candidates, and lowest virtual channels.
unsigned walked(const Topology& topology, const Routing& routing, RouteQuery query) {
  RouteSet candidates;
  for (unsigned links = 0;; ++links) {
    REQUIRE(links < 20);
    routing.route(query, candidates);
    const Topology::Far& far = topology.far(query.router, candidates[0].port);
    if (far.kind == Topology::Far::Kind::node) return links;
    query.router = far.at.router;
    query.in_port = far.at.port;
    query.in_vc = static_cast<unsigned>(__builtin_ctz(candidates[0].vcs));
  }
}

bool is_dragonfly(const Topology& topology) {
  return topology.shape_as<graph::DragonflyShape>() != nullptr;
}

/// Planted error: a candidate with one of the two highest virtual channels has both.
auto highest_two_as_one(unsigned vcs) {
  const auto top = static_cast<VcMask>(3U << (vcs - 2));
  return [top](const RouteQuery&, RouteSet& candidates) {
    RouteSet all;
    for (const RouteCandidate& candidate : candidates) {
      const bool has_one = (candidate.vcs & top) != 0 || candidate.vcs == 0;
      all.add(candidate.port, static_cast<VcMask>(has_one ? candidate.vcs | top : candidate.vcs));
    }
    candidates = all;
  };
}

}  // namespace

TEST_CASE("classes divide virtual channels evenly, the first ones get what is left over") {
  const VcClasses five(5, 2), six(6, 3, 4);
  CHECK(five.of(0) == 0b00111);
  CHECK(five.of(1) == 0b11000);
  CHECK(five.class_of(2) == 0);
  CHECK(five.class_of(3) == 1);
  CHECK(five.vcs() == 5);
  CHECK(six.of(1) == 0b11000000);
  CHECK(six.of_mask(0b101) == 0b1100110000);
  CHECK(six.class_of(5) == 2);
}

TEST_CASE("minimal routing delivers every pair, by shortest paths or local, global and local links") {
  for (const Network& network : networks()) {
    const Topology& topology = network.topology;
    CAPTURE(topology.name());
    for (const unsigned vcs : {network.vcs, network.vcs + 3}) {
      const auto minimal = made("minimal", topology, vcs);
      CHECK(minimal->vcs_needed() == network.vcs);
      if (!is_dragonfly(topology)) {
        require_minimal_delivery(topology, *minimal, vcs);
        continue;
      }
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        for (NodeId to = 0; to < topology.nodes(); ++to) {
          std::string global, local;
          follow(topology, *minimal, vcs, at_source(topology, from, to), 3, [&](const Step& step) {
            const auto& far = topology.far(step.query.router, step.port);
            const bool crosses =
                topology.coordinates(step.query.router)[0] != topology.coordinates(far.at.router)[0];
            REQUIRE(crosses ==
                    (topology.coordinates(step.query.router)[0] !=
                         topology.coordinates(topology.node(to).eject.router)[0] &&
                     step.port >= topology.shape_as<graph::DragonflyShape>()->first_global_port()));
            if (!crosses && step.hop > 0) REQUIRE(step.vc >= vcs - vcs / 2);
          });
        }
      }
    }
  }
}

TEST_CASE("of several links to a group a router takes its own, else any router's") {
  // Links 0 and 4 of group 0, at its routers 0 and 2, lead to group 1.
  const Topology topology = dragonfly(4, 1, 2, 5);
  const auto minimal = made("minimal", topology, 2);
  CHECK(minimal->max_candidates() == 2);
  CHECK(minimal->table_image() == nullptr);
  const auto next = [&](const Routing& routing, const Topology& of, NodeId from, NodeId to) {
    RouteSet candidates;
    routing.route(at_source(of, from, to), candidates);
    std::vector<RouterId> routers;
    for (const RouteCandidate& candidate : candidates) {
      routers.push_back(of.far(from, candidate.port).at.router);
      REQUIRE(candidate.vcs == (routers.back() / 4 == from / 4 ? 0b01 : 0b11));
    }
    return routers;
  };
  using Routers = std::vector<RouterId>;
  CHECK(next(*minimal, topology, 1, 7) == Routers{0, 2});
  CHECK(next(*minimal, topology, 3, 7) == Routers{0, 2});
  CHECK(next(*minimal, topology, 0, 7) == Routers{4});  // link 0 of group 1, at its router 0
  CHECK(next(*minimal, topology, 2, 7) == Routers{6});  // link 4 of group 1
  const Topology two = dragonfly(4, 1, 2, 2);
  CHECK(next(*made("minimal", two, 2), two, 1, 7) == Routers{5, 5});
  CHECK(made("minimal", dragonfly(4, 1, 2, 9), 2)->table_image() != nullptr);
}

TEST_CASE("parallel links and equal shortest paths share the packets") {
  const Topology hyperx = graph::make_hyperx({{2, 3, 3}, {2, 1, 3}, 1}, {1, 1, 1});
  RouteSet candidates;
  made("minimal", hyperx, 1)->route(at_source(hyperx, 0, 12), candidates);  // two steps in dimension 2
  std::set<unsigned> ports;
  for (const RouteCandidate& candidate : candidates) ports.insert(candidate.port);
  CHECK(ports == std::set<unsigned>{7, 8, 9});
  // A complete bipartite graph: six paths between any two routers of one side.
  std::ostringstream text;
  for (unsigned a = 0; a < 6; ++a)
    for (unsigned b = 6; b < 12; ++b) text << "link " << a << " " << b << "\n";
  for (unsigned a = 0; a < 12; ++a) text << "node " << a << " at " << a << "\n";
  std::istringstream stream(text.str());
  const Topology bipartite = graph::read_topology(stream, "text", 1);
  const auto minimal = made("minimal", bipartite, 2);
  std::map<unsigned, unsigned> taken;
  for (NodeId from = 0; from < 6; ++from) {
    for (NodeId to = 0; to < 6; ++to) {
      if (from == to) continue;
      minimal->route(at_source(bipartite, from, to), candidates);
      ++taken[candidates[0].port];
    }
  }
  CHECK(taken.size() == 6);
  for (const auto& [port, count] : taken) CHECK((count == 4 || count == 6));
}

TEST_CASE("minimal routing is free of deadlock with the published number of virtual channels") {
  for (const Network& network : networks()) {
    CAPTURE(network.topology.name());
    for (const unsigned vcs : {network.vcs, network.vcs + 1}) {
      const DeadlockReport report =
          check_deadlock(network.topology, *made("minimal", network.topology, vcs), vcs);
      INFO(report.text(network.topology));
      CHECK(report.good());
      CHECK(report.theorem == DeadlockTheorem::acyclic);
      CHECK(report.longest_path == network.longest);
    }
  }
}

TEST_CASE("with one virtual channel fewer minimal routing has a cycle, and is refused") {
  for (const Network& network : networks()) {
    if (network.vcs != 2) continue;  // the last of many classes closes no cycle
    CAPTURE(network.topology.name());
    CHECK_THROWS_WITH(made("minimal", network.topology, network.vcs - 1),
                      Catch::Contains("router.vcs") && Catch::Contains("routing minimal") &&
                          Catch::Contains(std::to_string(network.vcs) + "..16"));
    const auto minimal = made("minimal", network.topology, network.vcs);
    ScriptedRouting merged(*minimal, highest_two_as_one(network.vcs));
    merged.promised.place_decides = true;
    const DeadlockReport report = check_deadlock(network.topology, merged, network.vcs);
    CHECK_FALSE(report.deadlock_free);
    CHECK(report.cycle.size() >= 2);
  }
  // One channel is enough on a HyperX only because the order of the dimensions is the same everywhere.
  const Topology hyperx = graph::make_hyperx({{3, 3}, {1, 1}, 1}, {1, 1});
  const auto order = made("minimal", hyperx, 1);
  ScriptedRouting either(*order, [&](const RouteQuery& query, RouteSet& candidates) {
    const RouterId to = query.destination.node();
    if (to % 2 == 0 || query.router % 3 == to % 3 || query.router / 3 == to / 3) return;
    candidates.clear();  // dimension 1 first
    candidates.add(2 + to / 3 - (to / 3 > query.router / 3 ? 1 : 0), 1);
  });
  either.promised.place_decides = true;
  CHECK_FALSE(check_deadlock(hyperx, either, 1).deadlock_free);
}

TEST_CASE("Valiant and UGAL-L are free of deadlock with twice the virtual channels") {
  for (const Network& network : networks()) {
    const Topology& topology = network.topology;
    CAPTURE(topology.name());
    for (const char* kind : {"valiant", "ugal"}) {
      for (const unsigned vcs : {2 * network.vcs, 2 * network.vcs + 1}) {
        const auto routing = made(kind, topology, vcs);
        CHECK(routing->vcs_needed() == 2 * network.vcs);
        DeadlockConfig config;
        config.vcs = vcs;
        config.uturn_network = true;
        const DeadlockReport report = check_deadlock(topology, *routing, config);
        INFO(report.text(topology));
        CHECK(report.good());
        CHECK(report.longest_path <= 2 * network.longest);
        CHECK(report.longest_path > network.longest);
      }
      CHECK_THROWS_WITH(made(kind, topology, 2 * network.vcs - 1), Catch::Contains("router.vcs"));
      // One channel fewer: the two highest ones as one. The last of many classes closes no cycle.
      if (network.vcs > 2) continue;
      const auto routing = made(kind, topology, 2 * network.vcs);
      ScriptedRouting merged(*routing, highest_two_as_one(2 * network.vcs));
      merged.promised.place_decides = true;
      DeadlockConfig config;
      config.vcs = 2 * network.vcs;
      config.uturn_network = true;
      CHECK_FALSE(check_deadlock(topology, merged, config).deadlock_free);
    }
  }
}

TEST_CASE("an intermediate router has nodes, and paths over it are two minimal ones") {
  const Topology topology = dragonfly_plus(3, 2, 2, 2, 5);
  const auto valiant = made("valiant", topology, 2);
  const auto minimal = made("minimal", topology, 1);
  const RouteQuery packet = at_source(topology, 3, 20);
  const auto possible = valiant->decisions()->possible(packet);
  REQUIRE(possible.size() == 15);  // five groups of three leaves
  std::set<RouterId> met;
  for (const auto& one : possible) {
    RouteQuery query = packet;
    query.decision = one.decision;
    std::vector<RouterId> leaves;
    RouteSet candidates;
    for (bool arrived = false; !arrived;) {
      if (topology.coordinates(query.router)[1] < 3) leaves.push_back(query.router);
      valiant->route(query, candidates);
      const Topology::Far& far = topology.far(query.router, candidates[0].port);
      arrived = far.kind == Topology::Far::Kind::node;
      if (arrived) break;
      query.router = far.at.router;
      query.in_port = far.at.port;
      query.in_vc = static_cast<unsigned>(__builtin_ctz(candidates[0].vcs));
      query.decision = valiant->decisions()->possible(query).front().decision;
    }
    REQUIRE(leaves.size() <= 3);
    met.insert(leaves.begin(), leaves.end());
  }
  CHECK(met.size() == 15);
}

TEST_CASE("UGAL compares queue times hops on these topologies, too") {
  for (const Network& network : networks()) {
    const Topology& topology = network.topology;
    CAPTURE(topology.name());
    const unsigned vcs = 2 * network.vcs;
    const auto ugal = made("ugal", topology, vcs), valiant = made("valiant", topology, vcs),
               minimal = made("minimal", topology, network.vcs);
    const auto shortest = [&](const Routing& routing, const RouteQuery& query, const Held& buffers) {
      RouteSet candidates;
      routing.route(query, candidates);
      unsigned fewest = ~0U;
      for (const RouteCandidate& candidate : candidates)
        fewest = std::min(fewest, buffers.held[candidate.port]);
      return fewest;
    };
    unsigned direct_count = 0, detours = 0;
    for (PacketId id = 0; id < 1000; ++id) {
      CounterRandom random(5, id);
      Held buffers;
      for (unsigned port = 0; port < 64; ++port) buffers.held[port] = static_cast<unsigned>(random.below(8));
      const RouteQuery query = at_source(topology, static_cast<NodeId>(random.below(topology.nodes())),
                                         static_cast<NodeId>(random.below(topology.nodes())), id);
      const Decision other = valiant->decisions()->decide(query, buffers);
      const Decision decision = ugal->decisions()->decide(query, buffers);
      const auto possible = valiant->decisions()->possible(query);
      const auto number = static_cast<std::size_t>(
          std::find_if(possible.begin(), possible.end(), [&](auto& one) { return one.decision == other; }) -
          possible.begin());
      std::vector<RouterId> with_nodes;
      for (NodeId node = 0; node < topology.nodes(); ++node)
        if (with_nodes.empty() || with_nodes.back() != topology.node(node).eject.router)
          with_nodes.push_back(topology.node(node).eject.router);
      const RouterId middle = with_nodes.at(number);
      NodeId there = 0;
      while (topology.node(there).eject.router != middle) ++there;
      const unsigned links = walked(topology, *minimal, query);
      const unsigned around =
          walked(topology, *minimal, at_source(topology, query.source.node(), there)) +
          walked(topology, *minimal, at_source(topology, there, query.destination.node()));
      RouteQuery via = query;
      via.destination = there;
      const unsigned direct = links * shortest(*minimal, query, buffers);
      const unsigned detour = around * shortest(*minimal, middle == query.router ? query : via, buffers);
      REQUIRE((decision == other) == (direct > detour));
      (direct > detour ? detours : direct_count) += 1;
      if (direct > detour || query.router == topology.node(query.destination.node()).eject.router) continue;
      RouteQuery decided = query;  // on the minimal path a packet enters either half of the channels
      decided.decision = decision;
      RouteSet candidates;
      ugal->route(decided, candidates);
      REQUIRE((candidates[0].vcs & vc_range(0, network.vcs)) != 0);
      REQUIRE((candidates[0].vcs & vc_range(network.vcs, network.vcs)) != 0);
    }
    CHECK(direct_count > 300);
    CHECK(detours > 30);
  }
}

TEST_CASE("UGAL's queue is that of the output, or of the virtual channels that a path takes") {
  /// Buffers with `held` flits in each virtual channel of each port.
  struct HeldVcs final : OutputBuffers {
    unsigned credits(unsigned port, VcMask vcs) const override {
      unsigned sum = 0;
      for (unsigned vc = 0; vc < 8; ++vc)
        if ((vcs >> vc & 1) != 0) sum += 20 - (port == busy ? held[vc] : 0);
      return sum;
    }
    unsigned capacity(unsigned, VcMask vcs) const override {
      return 20U * static_cast<unsigned>(__builtin_popcount(vcs & 0xffU));
    }
    unsigned busy = 0;
    unsigned held[8] = {};
  };
  const Topology topology = dragonfly(4, 2, 2, 9);
  std::map<std::string, std::unique_ptr<const Routing>> ugal;
  for (const char* queue : {"port", "vcs", "hybrid"}) ugal[queue] = made("ugal", topology, 8, "0", queue);
  const auto minimal = made("minimal", topology, 2), valiant = made("valiant", topology, 8);
  const auto first = [](const Routing& routing, const RouteQuery& query) {
    RouteSet candidates;
    routing.route(query, candidates);
    return candidates[0];
  };
  unsigned shared = 0, apart = 0;
  for (PacketId id = 0; id < 500; ++id) {
    const RouteQuery query = at_source(topology, 0, 40, id);
    RouteQuery around = query;
    around.decision = valiant->decisions()->decide(query, Held{});
    HeldVcs buffers;
    buffers.busy = first(*minimal, query).port;
    const bool same = first(*valiant, around).port == buffers.busy;
    const auto detours = [&](const char* queue) {
      return ugal[queue]->decisions()->decide(query, buffers) == around.decision;
    };
    // Flits in the lower half only, which minimal packets do not enter: a queue of the port, not of the path.
    std::fill(buffers.held, buffers.held + 4, 20U);
    CHECK(detours("vcs") == false);
    if (around.decision > 3 && !same) CHECK(detours("port"));
    CHECK(detours("hybrid") == (same ? false : detours("port")));
    // Flits in the upper half: the queue of minimal packets alone.
    std::fill(buffers.held, buffers.held + 4, 0U);
    std::fill(buffers.held + 4, buffers.held + 8, 20U);
    if (around.decision < 3) continue;  // over the source's own router: the minimal path
    CHECK(detours("vcs"));
    CHECK(detours("hybrid"));
    CHECK(detours("port") == !same);
    (same ? shared : apart) += 1;
    // A packet on the minimal path enters the upper half.
    RouteQuery direct = query;
    direct.decision = ugal["vcs"]->decisions()->decide(at_source(topology, 0, 0), HeldVcs{});
    CHECK((first(*ugal["vcs"], direct).vcs & 0x0f) == 0);
    CHECK((first(*ugal["port"], direct).vcs & 0x0f) != 0);
  }
  CHECK(shared > 20);
  CHECK(apart > 200);
}

TEST_CASE("a packet with more hops than two minimal paths is an error of the model") {
  for (const Network& network : networks()) {
    const auto valiant = made("valiant", network.topology, 2 * network.vcs);
    RouteQuery query = at_source(network.topology, 0, 5);
    query.decision = valiant->decisions()->decide(query, Held{});
    query.hops = static_cast<std::uint16_t>(2 * network.longest);
    CHECK(valiant->decisions()->decide(query, Held{}) == query.decision);
    ++query.hops;
    CHECK_THROWS_WITH(
        valiant->decisions()->decide(query, Held{}),
        Catch::Contains("hops") && Catch::Contains("at most " + std::to_string(2 * network.longest)));
  }
}

TEST_CASE("adversarial traffic between groups has the published capacities") {
  // Kim 2008: every node of a group sends to the next group, over one global link: 1 / (a p).
  const graph::DragonflyShape shape{4, 2, 2, 9, GlobalLinks::absolute};
  const Topology topology = graph::make_dragonfly(shape, 1, 1);
  const auto next_group = permutation([](NodeId from) { return (from + 8) % 72; });
  CHECK(exact(topology, *made("minimal", topology, 2), next_group) == Approx(1.0 / 8));
  // Over random intermediate routers each packet takes up to two global links, of one a node.
  const double valiant = exact(topology, *made("valiant", topology, 4), next_group);
  CHECK(valiant > 0.4);
  CHECK(valiant < 0.55);
  // Kim 2007: p nodes of a router send to the next router of a dimension, over one link: 1 / p.
  const Topology hyperx = graph::make_hyperx({{4, 4}, {1, 1}, 4}, {1, 1});
  const auto next_router = permutation([](NodeId from) { return from / 16 * 16 + (from + 4) % 16; });
  CHECK(exact(hyperx, *made("minimal", hyperx, 1), next_router) == Approx(1.0 / 4));
  CHECK(exact(hyperx, *made("valiant", hyperx, 2), next_router) == Approx(0.5));
  CHECK(exact(hyperx, *made("minimal", hyperx, 1), uniform(hyperx)) == Approx(1.0));
}

TEST_CASE("with channels by phase a packet takes channel 0 up to its global link, and channel 1 from it on") {
  for (const bool nodes_first : {false, true}) {
    const graph::DragonflyShape shape{4, 2, 2, 9, GlobalLinks::absolute, nodes_first};
    const Topology topology = graph::make_dragonfly(shape, 1, 1);
    const auto minimal = made("minimal", topology, 3, "0", "port", {"routing.by_phase=true"});
    const auto shared = made("minimal", topology, 3);
    unsigned ends_in_0 = 0;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        RouteQuery query = at_source(topology, from, to);
        query.in_vc = 2;  // only a node's packets come in on it
        VcMask expected = 1;
        for (unsigned links = 0;; ++links) {
          REQUIRE(links <= 3);
          RouteSet candidates, others;
          minimal->route(query, candidates);
          shared->route(query, others);
          REQUIRE(candidates.size() == 1);
          REQUIRE(candidates[0].port == others[0].port);
          const auto& far = topology.far(query.router, candidates[0].port);
          const bool to_router = far.kind == Topology::Far::Kind::router;
          if (to_router && topology.link_class(far.link).name == "global") expected = 2;
          REQUIRE(candidates[0].vcs == expected);
          if (!to_router) break;
          query.router = far.at.router;
          query.in_port = far.at.port;
          query.in_vc = expected / 2;
        }
        if (expected == 1) ++ends_in_0;
      }
    }
    CHECK(ends_in_0 == topology.nodes() * 8);  // those of a group
  }
  CHECK_THROWS_WITH(
      made("minimal", graph::make_mesh({4, 4}, 1, 1), 2, "0", "port", {"routing.by_phase=true"}),
      Catch::Contains("routing.by_phase") && Catch::Contains("has no groups"));
}

TEST_CASE("refusals of minimal routing") {
  CHECK_THROWS_WITH(made("minimal", graph::make_fat_tree(2, 2, 2, 1), 4),
                    Catch::Contains("routing.kind") && Catch::Contains("without levels and stages"));
  CHECK_THROWS_WITH(made("minimal", graph::make_random_regular(34, 2, 1, 1), 16),
                    Catch::Contains("does not fit") && Catch::Contains("at most 16 links"));
  CHECK(made("minimal", graph::make_random_regular(33, 2, 1, 1), 16)->vcs_needed() == 16);
  CHECK_THROWS_WITH(made("minimal", graph::make_hyperx({{2, 2}, {33, 1}, 1}, {1, 1}), 4),
                    Catch::Contains("33 candidates"));
  CHECK_THROWS_WITH(made("minimal", dragonfly_plus(2, 33, 1, 1, 3), 4), Catch::Contains("33 candidates"));
  CHECK_THROWS_WITH(made("minimal", graph::make_hyperx({{2, 2}, {1, 1}, 1}, {1, 1}), 17),
                    Catch::Contains("too many virtual channels"));
}
