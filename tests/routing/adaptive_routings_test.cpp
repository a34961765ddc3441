// SPDX-License-Identifier: Apache-2.0
// PAR on dragonflies, DAL and OmniWAR on HyperX, ROMM, O1TURN and planar-adaptive routing on torus and mesh.

#include <map>
#include <set>

#include "routing/capacity_cases.h"
#include "routing/decisions_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/graph/paths.h"
#include "tsuji/routing/checkers/deadlock.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;

namespace {

struct Network {
  std::string kind;
  Topology topology;
  unsigned vcs;      ///< fewest
  unsigned longest;  ///< links of the longest path
  bool escapes = false;
  std::vector<std::string> settings = {};
  bool minimal = false;  ///< all paths are shortest

  std::unique_ptr<const Routing> routing(unsigned with_vcs) const {
    return made(kind, topology, with_vcs, "0", "port", settings);
  }
};

Topology dragonfly(unsigned routers, unsigned nodes, unsigned links, unsigned groups) {
  return graph::make_dragonfly({routers, nodes, links, groups, graph::GlobalLinks::palmtree}, 1, 1);
}
Topology hyperx(const std::vector<unsigned>& radices, const std::vector<unsigned>& trunks,
                unsigned nodes = 1) {
  return graph::make_hyperx({radices, trunks, nodes}, std::vector<Cycle>(radices.size(), 1));
}

std::vector<Network> networks() {
  return {{"par", dragonfly(4, 2, 2, 9), 5, 7},
          {"par", dragonfly(3, 1, 2, 4), 5, 7},
          {"dal", hyperx({4, 3}, {1, 1}), 2, 4, true},
          {"dal", hyperx({3, 3, 3}, {1, 1, 1}), 2, 6, true},
          {"dal", hyperx({3, 4}, {2, 1}, 2), 2, 4, true},
          {"omni_war", hyperx({4}, {1}), 2, 2},
          {"omni_war", hyperx({4, 3}, {1, 1}), 3, 3},
          {"omni_war", hyperx({4, 3}, {1, 2}, 2), 4, 4, false, {"routing.deroutes=2"}},
          {"omni_war", hyperx({3, 3, 3}, {1, 1, 1}), 3, 3, false, {"routing.deroutes=0"}, true},
          {"romm", graph::make_mesh({4, 3}, 1, 1), 2, 5, false, {}, true},
          {"romm", graph::make_torus({5, 4}, 1, 1), 4, 4, false, {}, true},
          {"romm", graph::make_mesh({3, 2, 3}, 2, 1), 2, 5, false, {}, true},
          {"o1turn", graph::make_mesh({4, 3}, 2, 1), 2, 5, false, {}, true},
          {"o1turn", graph::make_torus({5, 4}, 1, 1), 4, 4, false, {}, true},
          {"o1turn", graph::make_cube({{3, 5}, {true, false}, 1}, 1), 2, 5, false, {}, true},
          {"planar_adaptive", graph::make_mesh({4, 3}, 2, 1), 2, 5, false, {}, true},
          {"planar_adaptive", graph::make_mesh({3, 3, 3}, 1, 1), 3, 6, false, {}, true},
          {"planar_adaptive", graph::make_mesh({3, 2, 2, 3}, 1, 1), 3, 6, false, {}, true}};
}

DeadlockConfig config_of(const Network& network, unsigned vcs) {
  DeadlockConfig config;
  config.vcs = vcs;
  config.uturn_network = network.kind == "par";  // an intermediate router may send a packet back
  return config;
}

}  // namespace

TEST_CASE("these routings are free of deadlock with their number of channels, and one fewer is refused") {
  for (const Network& network : networks()) {
    CAPTURE(network.kind, network.topology.name());
    for (const unsigned vcs : {network.vcs, network.vcs + 1, network.vcs + 4}) {
      const auto routing = network.routing(vcs);
      CHECK(routing->vcs_needed() == network.vcs);
      CHECK(routing->promises().turns_back == config_of(network, vcs).uturn_network);
      const DeadlockReport report = check_deadlock(network.topology, *routing, config_of(network, vcs));
      INFO(report.text(network.topology));
      CHECK(report.good());
      CHECK(report.all_outcomes);
      CHECK(report.longest_path == network.longest);
      CHECK((report.escape_channels != 0) == network.escapes);
      CHECK(report.minimal == network.minimal);
    }
    CHECK_THROWS_WITH(network.routing(network.vcs - 1),
                      Catch::Contains("router.vcs") && Catch::Contains(std::to_string(network.vcs) + "..16"));
  }
}

TEST_CASE("a packet of these routings arrives on every branch within the longest path's links") {
  for (const Network& network : networks()) {
    if (network.topology.routers() > 20) continue;
    CAPTURE(network.kind, network.topology.name());
    const auto routing = network.routing(network.vcs);
    unsigned longest = 0;
    for (NodeId from = 0; from < network.topology.nodes(); from += 3)
      for (NodeId to = 0; to < network.topology.nodes(); to += 2)
        for (PacketId id = 0; id < 2; ++id) {
          const unsigned links = follow(network.topology, *routing, network.vcs,
                                        at_source(network.topology, from, to, id), network.longest);
          longest = std::max(longest, links);
          const unsigned shortest = distance(network.topology, from, to);
          const auto dimensions = static_cast<unsigned>(network.topology.coordinates(0).size());
          if (network.kind == "omni_war")
            CHECK(links == (shortest == 0 ? 0 : shortest + network.longest - dimensions));
          if (network.kind == "dal") CHECK(links == 2 * shortest);
        }
    CHECK(longest == network.longest);
    if (routing->decisions() == nullptr) continue;
    RouteQuery query = at_source(network.topology, 0, network.topology.nodes() - 1);
    query.hops = static_cast<std::uint16_t>(network.longest);
    CHECK_NOTHROW(routing->decisions()->decide(query, Held{}));
    ++query.hops;
    CHECK_THROWS_WITH(routing->decisions()->decide(query, Held{}),
                      Catch::Contains("has made " + std::to_string(network.longest + 1) + " hops") &&
                          Catch::Contains("at most " + std::to_string(network.longest)));
  }
}

TEST_CASE("the deadlock checker finds two classes of channels of these routings that are one") {
  for (const Network& network : networks()) {
    if (network.escapes) continue;
    CAPTURE(network.kind, network.topology.name());
    bool found = false;
    for (unsigned lower = 0; lower + 1 < network.vcs; ++lower) {
      const auto pair = static_cast<VcMask>(3U << lower);
      const auto merge = [pair](const RouteQuery&, RouteSet& candidates) {
        RouteSet all;
        for (const RouteCandidate& one : candidates)
          all.add(one.port, static_cast<VcMask>((one.vcs & pair) != 0 ? one.vcs | pair : one.vcs));
        candidates = all;
      };
      const auto routing = network.routing(network.vcs);
      ScriptedRouting merged(*routing, merge);
      merged.promised.place_decides = true;
      found |= !check_deadlock(network.topology, merged, config_of(network, network.vcs)).deadlock_free;
    }
    CHECK(found);
  }
}

TEST_CASE("DAL needs its escape channel, and channels that are empty when they are allocated") {
  const Topology topology = hyperx({4, 3}, {1, 1});
  const auto dal = made("dal", topology, 2);
  CHECK(dal->promises().needs_atomic_vcs);
  DeadlockConfig config;
  config.vcs = 2;
  CHECK(check_deadlock(topology, *dal, config).theorem == DeadlockTheorem::escape_wormhole);
  config.atomic_vcs = false;
  CHECK_FALSE(check_deadlock(topology, *dal, config).deadlock_free);
  config.whole_packets = true;
  CHECK(check_deadlock(topology, *dal, config).good());
  // No escape, and an escape channel that adaptive packets use, too.
  ScriptedRouting alone(*dal, [](const RouteQuery&, RouteSet& candidates) {
    const RouteCandidate first = candidates[0];
    candidates.clear();
    candidates.add(first.port, first.vcs);
  });
  alone.promised.place_decides = true;
  CHECK_FALSE(check_deadlock(topology, alone, config).deadlock_free);
  ScriptedRouting shared(*dal, [](const RouteQuery&, RouteSet& candidates) {
    if (candidates.size() < 2) return;
    const RouteCandidate first = candidates[0], escape = candidates[1];
    candidates.clear();
    candidates.add(first.port, 3);
    candidates.add(escape.port, 1, 1);
  });
  shared.promised.place_decides = true;
  config.whole_packets = false;
  config.atomic_vcs = true;
  CHECK_FALSE(check_deadlock(topology, shared, config).deadlock_free);
}

TEST_CASE("adaptive routing on HyperX takes the least product of queue and links left") {
  // Ports: 0 to 2 to the other coordinates of dimension 0, 3 and 4 of dimension 1.
  const Topology topology = hyperx({4, 3}, {1, 1});
  for (const std::string kind : {"dal", "omni_war"}) {
    for (const unsigned bonus : {0U, 1U, 5U}) {
      const auto routing =
          made(kind, topology, 4, "0", "port", {"routing.hop_flits=" + std::to_string(bonus)});
      CHECK(routing->decisions()->reads_waiting());
      std::map<unsigned, unsigned> taken;
      for (PacketId id = 0; id < 2000; ++id) {
        CounterRandom random(3, id);
        Held buffers;
        for (unsigned port = 0; port < 5; ++port) {
          buffers.held[port] = static_cast<unsigned>(random.below(4));
          buffers.queued[port] = static_cast<unsigned>(random.below(4));
        }
        RouteQuery query = at_source(topology, 0, 7, id);  // to coordinates 3 and 1
        query.decision = routing->decisions()->decide(query, buffers);
        RouteSet candidates;
        routing->route(query, candidates);
        const unsigned port = candidates[0].port;
        const auto product = [&](unsigned of) {
          const unsigned links = of == 2 || of == 3 ? 2 : 3;
          return (buffers.held[of] + buffers.queued[of] + bonus) * links;
        };
        for (unsigned other = 0; other < 5; ++other) {
          REQUIRE(product(port) <= product(other));
          const bool deroutes = port != 2 && port != 3, minimal = other == 2 || other == 3;
          if (deroutes && minimal) REQUIRE(product(port) < product(other));
        }
        ++taken[port];
      }
      CHECK(taken.size() == 5);
      // Of equal outputs each is taken equally often.
      std::map<unsigned, unsigned> idle;
      for (PacketId id = 0; id < 2000; ++id) {
        RouteQuery query = at_source(topology, 0, 7, id);
        query.decision = routing->decisions()->decide(query, Held{});
        RouteSet candidates;
        routing->route(query, candidates);
        ++idle[candidates[0].port];
      }
      CHECK(idle.size() == 2);
      CHECK(std::abs(static_cast<int>(idle[2]) - 1000) < 130);
    }
  }
}

TEST_CASE("DAL deroutes once in each dimension, and in none that is aligned") {
  const Topology topology = hyperx({4, 4}, {1, 1});
  const auto dal = made("dal", topology, 2);
  for (NodeId to = 0; to < 16; ++to) {
    follow(topology, *dal, 2, at_source(topology, 0, to), 4, [&](const Step& step) {
      const unsigned d = step.port / 3;
      const graph::Coordinates here = topology.coordinates(step.query.router),
                               there = topology.coordinates(to);
      REQUIRE(here[d] != there[d]);
    });
  }
  // A packet whose decision says that it has derouted in dimension 0 takes the link to its destination there.
  RouteQuery query = at_source(topology, 0, 3);
  const auto before = dal->decisions()->possible(query);
  CHECK(before.size() == 3);
  unsigned once = 0;
  for (const auto& one : before) {
    query.decision = one.decision;
    once += dal->decisions()->possible(query).size() == 1 ? 1U : 0U;
  }
  CHECK(once == 2);
}

TEST_CASE("PAR decides again at the second router of the source's group, and only there") {
  const Topology topology = dragonfly(4, 2, 2, 9);
  const auto par = made("par", topology, 5), ugal = made("ugal", topology, 4);
  unsigned again = 0, at_once = 0;
  for (NodeId to = 8; to < 72; ++to) {
    RouteQuery query = at_source(topology, 0, to);
    const auto first = par->decisions()->possible(query);
    CHECK(first.size() == ugal->decisions()->possible(query).size());
    query.decision = ugal->decisions()->decide(at_source(topology, 0, 0), Held{});  // the minimal path
    CHECK(par->decisions()->decide(at_source(topology, 0, to), Held{}) == query.decision);
    RouteSet candidates;
    par->route(query, candidates);
    const unsigned port = candidates[0].port;
    const Topology::Far& far = topology.far(0, port);
    const bool local = far.at.router < 4;
    for (const RouteCandidate& one : candidates) CHECK((one.vcs == 1) == local);
    RouteQuery next = query;
    next.router = far.at.router;
    next.in_port = far.at.port;
    next.in_vc = local ? 0 : 3;
    CHECK(par->decisions()->possible(next).size() == (local ? first.size() : 1));
    (local ? again : at_once) += 1;
    if (!local) continue;
    // Its minimal output is full: it takes another path from here.
    par->route(next, candidates);
    Held buffers;
    for (unsigned p = 0; p < topology.ports(next.router); ++p)
      buffers.held[p] = p == candidates[0].port ? 40 : 0;
    bool leaves = false;
    for (PacketId id = 0; id < 20; ++id) {
      next.packet = id;
      leaves |= par->decisions()->decide(next, buffers) != next.decision;
      CHECK(par->decisions()->decide(next, Held{}) == next.decision);
    }
    CHECK(leaves);
  }
  CHECK(again > 40);
  CHECK(at_once > 10);
  // Each decision, of a first and of a second router, is a possible one, whatever the queues.
  for (const char* queue : {"port", "vcs", "hybrid"}) {
    const auto routing = made("par", topology, 5, "0", queue);
    for (PacketId id = 0; id < 400; ++id) {
      CounterRandom random(8, id);
      Held buffers;
      for (unsigned p = 0; p < 7; ++p) buffers.queued[p] = static_cast<unsigned>(random.below(9));
      RouteQuery query = at_source(topology, 0, 8 + static_cast<NodeId>(random.below(64)), id);
      for (unsigned hop = 0; hop < 2; ++hop) {
        const Decision decision = routing->decisions()->decide(query, buffers);
        const auto all = routing->decisions()->possible(query);
        REQUIRE(
            std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.decision == decision; }));
        query.decision = decision;
        RouteSet candidates;
        routing->route(query, candidates);
        const Topology::Far& far = topology.far(query.router, candidates[0].port);
        query.router = far.at.router;
        query.in_port = far.at.port;
        query.in_vc = static_cast<unsigned>(__builtin_ctz(candidates[0].vcs));
      }
    }
  }
  // In its own group a packet has arrived after that hop.
  RouteQuery own = at_source(topology, 0, 6);
  own.decision = par->decisions()->decide(own, Held{});
  RouteSet candidates;
  par->route(own, candidates);
  CHECK((candidates[0].vcs & 1) == 0);
}

TEST_CASE("ROMM draws every router of the minimal paths equally often, and no other") {
  for (const Topology& topology : {graph::make_mesh({5, 4}, 1, 1), graph::make_torus({5, 6}, 1, 1)}) {
    const auto romm = made("romm", topology, 4), valiant = made("valiant", topology, 4);
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      const auto all = romm->decisions()->possible(at_source(topology, 7, to));
      std::map<Decision, unsigned> drawn;
      for (PacketId id = 0; id < 1500; ++id)
        ++drawn[romm->decisions()->decide(at_source(topology, 7, to, id), Held{})];
      double shares = 0;
      for (const auto& one : all) {
        CHECK(std::abs(drawn[one.decision] - 1500 * one.share) < 0.35 * 1500 * one.share + 40);
        shares += one.share;
      }
      CHECK(shares == Approx(1));
      CHECK(drawn.size() == all.size());
      // Mesh: as many routers as in the box between both ends.
      if (topology.name().find("mesh") != 0) continue;
      const unsigned x = to % 5 > 2 ? to % 5 - 2 : 2 - to % 5, y = to / 5 > 1 ? to / 5 - 1 : 1 - to / 5;
      CHECK(all.size() == (x + 1) * (y + 1));
    }
    require_minimal_delivery(topology, *romm, 4, 3);
  }
}

TEST_CASE("O1TURN's two orders share the links of a transposition") {
  const Topology topology = graph::make_mesh({6, 6}, 1, 1);
  const auto o1turn = made("o1turn", topology, 2);
  require_minimal_delivery(topology, *o1turn, 2, 4);
  const auto transpose = permutation([](NodeId from) { return transposed(from, 6); });
  // Seo 2005: one order loads a link next to the diagonal with k - 1 nodes, both with half of them each.
  const double one_order = exact(topology, *made("minimal", topology, 1), transpose);
  CHECK(one_order == Approx(1.0 / 5));
  CHECK(exact(topology, *o1turn, transpose) == Approx(2.0 / 5));
  CHECK(exact(topology, *o1turn, uniform(topology)) ==
        Approx(exact(topology, *made("minimal", topology, 1), uniform(topology))));
  unsigned lower = 0;
  for (PacketId id = 0; id < 2000; ++id) {
    RouteSet candidates;
    o1turn->route(at_source(topology, 0, 35, id), candidates);
    REQUIRE((candidates[0].port == 0) == (candidates[0].vcs == 1));
    lower += candidates[0].vcs == 1 ? 1U : 0U;
  }
  CHECK(lower > 900);
  CHECK(lower < 1100);
}

TEST_CASE("planar-adaptive routing allows the shortest paths of a plane, dimensions in turn") {
  const Topology flat = graph::make_mesh({4, 4}, 1, 1), solid = graph::make_mesh({3, 3, 3}, 1, 1);
  const auto in_flat = made("planar_adaptive", flat, 2), in_solid = made("planar_adaptive", solid, 4);
  require_minimal_delivery(flat, *in_flat, 2, 4);
  require_minimal_delivery(solid, *in_solid, 4, 6);
  const auto candidates_of = [](const Routing& routing, RouteQuery query) {
    RouteSet candidates;
    routing.route(query, candidates);
    std::map<unsigned, unsigned> found;  // virtual channels by port
    for (const RouteCandidate& one : candidates) found[one.port] = one.vcs;
    return found;
  };
  using Found = std::map<unsigned, unsigned>;
  // Ports: 0 up and 1 down in the first dimension, 2 and 3 in the next one, 4 and 5 in the last.
  CHECK(candidates_of(*in_flat, at_source(flat, 0, 15)) == Found{{0, 3}, {2, 1}});
  CHECK(candidates_of(*in_flat, at_source(flat, 3, 12)) == Found{{1, 3}, {2, 2}});
  CHECK(candidates_of(*in_flat, at_source(flat, 15, 0)) == Found{{1, 3}, {3, 2}});
  CHECK(candidates_of(*in_flat, at_source(flat, 0, 3)) == Found{{0, 3}});
  CHECK(candidates_of(*in_flat, at_source(flat, 0, 12)) == Found{{2, 3}});
  // With four channels the classes of the middle dimension have channels 0 and 1, 2, and 3.
  CHECK(candidates_of(*in_solid, at_source(solid, 0, 26)) == Found{{0, 15}, {2, 3}});
  CHECK(candidates_of(*in_solid, at_source(solid, 2, 24)) == Found{{1, 15}, {2, 4}});
  CHECK(candidates_of(*in_solid, at_source(solid, 0, 24)) == Found{{2, 8}, {4, 3}});
  CHECK(candidates_of(*in_solid, at_source(solid, 6, 18)) == Found{{3, 8}, {4, 12}});
  CHECK(candidates_of(*in_solid, at_source(solid, 0, 20)) == Found{{0, 15}});  // the planes of 0 and 2 differ
  // The last dimension alone is left: the class of the packets that went this way.
  RouteQuery left = at_source(flat, 3, 15);
  left.in_port = 1;  // it went up
  CHECK(candidates_of(*in_flat, left) == Found{{2, 1}});
  left.in_port = 0;
  CHECK(candidates_of(*in_flat, left) == Found{{2, 2}});
  for (const unsigned vc : {0, 1}) {
    left.in_port = 3;
    left.in_vc = vc;
    CHECK(candidates_of(*in_flat, left) == Found{{2, 1U << vc}});
  }
}

TEST_CASE("planar-adaptive routing whose last dimension takes any channel can deadlock") {
  const Topology flat = graph::make_mesh({4, 4}, 1, 1);
  const auto routing = made("planar_adaptive", flat, 2);
  const auto any = [](const RouteQuery&, RouteSet& candidates) {
    RouteSet all;
    for (const RouteCandidate& one : candidates)
      all.add(one.port, candidates.size() == 1 ? VcMask{3} : one.vcs);
    candidates = all;
  };
  DeadlockConfig config;
  config.vcs = 2;
  ScriptedRouting mixed(*routing, any);
  mixed.promised.place_decides = true;
  CHECK_FALSE(check_deadlock(flat, mixed, config).deadlock_free);
}

TEST_CASE("these routings refuse other topologies") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1), flat = hyperx({3, 3}, {1, 1}),
                 cube = graph::make_mesh({2, 2, 2}, 1, 1), groups = dragonfly(3, 1, 2, 4);
  const auto refuses = [](const std::string& kind, const Topology& topology, const std::string& accepted) {
    CHECK_THROWS_WITH(made(kind, topology, 8), Catch::Contains("does not fit the topology") &&
                                                   Catch::Contains(accepted) && Catch::Contains(kind));
  };
  refuses("par", flat, "a dragonfly");
  refuses("dal", groups, "a HyperX");
  refuses("omni_war", mesh, "a HyperX");
  refuses("romm", flat, "mesh");
  refuses("o1turn", cube, "two dimensions");
  refuses("planar_adaptive", graph::make_torus({4, 4}, 1, 1), "a mesh");
  refuses("planar_adaptive", flat, "mesh");
  CHECK_THROWS_WITH(made("dal", hyperx({2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1}), 4),
                    Catch::Contains("at most 6 dimensions and 1024 links"));
  CHECK_THROWS_WITH(made("dal", hyperx({3}, {40}), 4), Catch::Contains("candidates"));
}
