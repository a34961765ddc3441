// SPDX-License-Identifier: Apache-2.0
// In-transit adaptive routing with on-the-fly misrouting on dragonflies.
#include <algorithm>
#include <map>
#include <set>

#include "routing/decisions_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/minimal_routing.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;

namespace {

constexpr unsigned most_hops = 8;  // two local links in each of three groups, two global ones

Topology dragonfly(unsigned routers, unsigned nodes, unsigned links, unsigned groups) {
  return graph::make_dragonfly({routers, nodes, links, groups, graph::GlobalLinks::palmtree}, 1, 1);
}

DeadlockConfig with(unsigned vcs) {
  DeadlockConfig config;
  config.vcs = vcs;
  return config;
}

/// Routers of a group of four over which a packet may go from one to another, worked out by hand: two
/// ascending or two descending links of one parity, an ascending odd link before any, a descending even one
/// before any but an ascending odd one, a descending odd one before an ascending even one.
const std::map<std::pair<unsigned, unsigned>, std::set<unsigned>> over_in_four = {
    {{0, 1}, {3}},    {{0, 2}, {1, 3}}, {{0, 3}, {1}}, {{1, 0}, {2}}, {{1, 2}, {0}}, {{1, 3}, {2}},
    {{2, 0}, {1, 3}}, {{2, 1}, {3}},    {{2, 3}, {1}}, {{3, 0}, {1}}, {{3, 1}, {2}}, {{3, 2}, {0}}};

struct Allowed {
  unsigned links;
  bool misroute;
};

/// A dragonfly of groups of four routers with one link between every two groups.
class GroupsOfFour {
 public:
  explicit GroupsOfFour(const Topology& topology) : topology_(topology) {
    for (RouterId router = 0; router < topology.routers(); ++router)
      for (unsigned port = 3; port < topology.ports(router); ++port) {
        const Topology::Far& far = topology.far(router, port);
        if (far.kind == Topology::Far::Kind::router)
          gates_[{router / 4, far.at.router / 4}] = {router, far.at.router};
      }
  }
  /// Links of the minimal path: local, global, local.
  unsigned links(RouterId from, RouterId to) const {
    if (from / 4 == to / 4) return from == to ? 0 : 1;
    const auto [leaves, enters] = gates_.at({from / 4, to / 4});
    return (leaves == from ? 0 : 1) + 1 + (enters == to ? 0 : 1);
  }
  /// Links that a packet may take at its source's router, by port.
  std::map<unsigned, Allowed> allowed(const RouteQuery& query) const {
    const RouterId here = query.router, to = topology_.node(query.destination.node()).eject.router;
    std::map<unsigned, Allowed> ports;
    if (here == to) return ports;
    const RouterId leaves = here / 4 == to / 4 ? to : gates_.at({here / 4, to / 4}).first;
    for (unsigned port = 0; port < topology_.ports(here); ++port) {
      const Topology::Far& far = topology_.far(here, port);
      if (far.kind != Topology::Far::Kind::router) continue;
      const RouterId next = far.at.router;
      const bool global = next / 4 != here / 4;
      if (global ? next / 4 == to / 4 : next == leaves) {
        ports[port] = {1 + links(next, to), false};
      } else if (global) {
        if (here / 4 != to / 4) ports[port] = {1 + links(next, to), true};
      } else if (leaves != here && over_in_four.at({here % 4, leaves % 4}).count(next % 4) != 0) {
        ports[port] = {2 + links(leaves, to), true};
      }
    }
    return ports;
  }

 private:
  const Topology& topology_;
  std::map<std::pair<RouterId, RouterId>, std::pair<RouterId, RouterId>> gates_;  ///< by both groups
};

}  // namespace

TEST_CASE("in-transit routing: free of deadlock with three channels, and two are refused") {
  for (const Topology& topology : {dragonfly(4, 2, 2, 9), dragonfly(5, 1, 2, 4), dragonfly(6, 1, 1, 7),
                                   dragonfly(2, 1, 3, 7), dragonfly(1, 2, 4, 5), dragonfly(8, 1, 2, 5)}) {
    CAPTURE(topology.name());
    for (const unsigned vcs : {3U, 4U, 7U}) {
      const auto routing = made("in_transit", topology, vcs);
      CHECK(routing->vcs_needed() == 3);
      CHECK_FALSE(routing->promises().turns_back);
      const DeadlockReport report = check_deadlock(topology, *routing, with(vcs));
      INFO(report.text(topology));
      CHECK(report.good());
      CHECK(report.longest_path <= most_hops);
      CHECK_FALSE(report.minimal);
    }
    CHECK_THROWS_WITH(made("in_transit", topology, 2),
                      Catch::Contains("router.vcs") && Catch::Contains("3..16"));
  }
}

TEST_CASE("in-transit routing: a packet misroutes once globally and once in each group") {
  const Topology topology = dragonfly(5, 1, 2, 4);
  const auto routing = made("in_transit", topology, 3);
  const auto minimal = make_minimal("minimal", topology);
  unsigned longest = 0, misrouted = 0;
  for (NodeId from = 0; from < topology.nodes(); ++from)
    for (NodeId to = 0; to < topology.nodes(); ++to)
      longest = std::max(
          longest,
          follow(topology, *routing, 3, at_source(topology, from, to), most_hops, [&](const Step& step) {
            const Topology::Far& far = topology.far(step.query.router, step.port);
            const RouterId here = step.query.router / 5, next = far.at.router / 5;
            const bool local = here == next, after_local = step.query.in_port < 4;
            // The second local link of a group lies on the minimal path.
            if (local && after_local) {
              RouteSet shortest;
              minimal->route(step.query, shortest);
              REQUIRE(std::any_of(shortest.begin(), shortest.end(),
                                  [&](const RouteCandidate& one) { return one.port == step.port; }));
            }
            // Global links lead to the destination's group, or on channel 0 from the source's group to a
            // third.
            if (local || next == to / 5) return;
            REQUIRE(here == from / 5);
            REQUIRE(here != to / 5);
            ++misrouted;
          }));
  CHECK(longest == most_hops);
  CHECK(misrouted > 0);
  RouteQuery query = at_source(topology, 0, 19);
  query.hops = most_hops;
  CHECK_NOTHROW(routing->decisions()->decide(query, Held{}));
  ++query.hops;
  CHECK_THROWS_WITH(routing->decisions()->decide(query, Held{}),
                    Catch::Contains("has made 9 hops") && Catch::Contains("at most 8"));
}

TEST_CASE("in-transit routing: one channel fewer and unrestricted local links are found") {
  const Topology topology = dragonfly(4, 2, 2, 9);
  const auto routing = made("in_transit", topology, 3), minimal = made("minimal", topology, 2);
  for (const VcMask pair : {VcMask{3}, VcMask{6}}) {  // two classes on common channels
    ScriptedRouting merged(*routing, [pair](const RouteQuery&, RouteSet& candidates) {
      for (unsigned i = 0; i < candidates.size(); ++i)
        if ((candidates[i].vcs & pair) != 0)
          candidates.set_vcs(i, static_cast<VcMask>(candidates[i].vcs | pair));
    });
    merged.promised.place_decides = true;
    CHECK_FALSE(check_deadlock(topology, merged, with(3)).deadlock_free);
  }
  // Any third router of the group, without regard to sign and parity.
  const ScriptedDecisions any(nullptr, [&](const RouteQuery& query) {
    auto all = routing->decisions()->possible(query);
    RouteSet shortest;
    minimal->route(query, shortest);
    if (shortest[0].port >= 3) return all;
    const auto add = [&](unsigned port) {
      const auto decision = static_cast<Decision>(port + 1);
      for (const auto& one : all)
        if (one.decision == decision) return;
      all.push_back({decision, RouteDecisions::unknown_share});
    };
    if (all[0].decision == 0) all.clear();
    add(shortest[0].port);
    for (unsigned port = 0; query.in_port >= 3 && port < 3; ++port) add(port);
    return all;
  });
  ScriptedRouting unrestricted(*routing);
  unrestricted.decider = &any;
  unrestricted.promised.place_decides = true;
  CHECK_FALSE(check_deadlock(topology, unrestricted, with(3)).deadlock_free);
}

TEST_CASE("in-transit routing: a misroute needs a product smaller by more than the threshold") {
  const Topology topology = dragonfly(4, 2, 2, 9);
  const GroupsOfFour groups(topology);
  for (const unsigned threshold : {0U, 12U}) {
    const auto routing = made("in_transit", topology, 3, std::to_string(threshold));
    CHECK(routing->decisions()->reads_waiting());
    std::map<bool, unsigned> taken;
    std::set<unsigned> ties;
    unsigned at_threshold = 0;
    for (PacketId id = 0; id < 6000; ++id) {
      CounterRandom random(17, id);
      Held buffers;
      for (unsigned port = 0; port < 5; ++port) {
        buffers.held[port] = static_cast<unsigned>(random.below(6));
        buffers.queued[port] = static_cast<unsigned>(random.below(6));
      }
      const RouteQuery query = at_source(topology, static_cast<NodeId>(random.below(72)),
                                         static_cast<NodeId>(random.below(72)), id);
      const std::map<unsigned, Allowed> allowed = groups.allowed(query);
      std::set<Decision> wanted;
      for (const auto& [port, link] : allowed) wanted.insert(static_cast<Decision>(port + 1));
      if (allowed.empty()) wanted = {0};
      std::set<Decision> possible;
      for (const auto& one : routing->decisions()->possible(query))
        REQUIRE(possible.insert(one.decision).second);
      REQUIRE(possible == wanted);
      const Decision decision = routing->decisions()->decide(query, buffers);
      REQUIRE(wanted.count(decision) == 1);
      if (allowed.empty()) continue;
      const auto product = [&](unsigned port) {
        return (buffers.held[port] + buffers.queued[port]) * allowed.at(port).links;
      };
      unsigned direct = ~0U, around = ~0U, least = 0;
      for (const auto& [port, link] : allowed) {
        unsigned& smallest = link.misroute ? around : direct;
        smallest = std::min(smallest, product(port));
      }
      for (const auto& [port, link] : allowed) least += link.misroute && product(port) == around ? 1 : 0;
      const bool misroutes = around != ~0U && direct > around + threshold;
      CAPTURE(id, direct, around);
      REQUIRE(allowed.at(decision - 1U).misroute == misroutes);
      REQUIRE(product(decision - 1U) == (misroutes ? around : direct));
      ++taken[misroutes];
      at_threshold += around != ~0U && direct == around + threshold ? 1 : 0;
      if (misroutes && least > 1) ties.insert(decision);
    }
    CHECK(taken[false] > 1000);
    CHECK(taken[true] > 300);
    CHECK(at_threshold > 20);
    CHECK(ties.size() > 3);
  }
}

TEST_CASE("in-transit routing: a local misroute has the links of the shortest path over its router") {
  const Topology topology = dragonfly(5, 1, 2, 4);  // three or four links between every two groups
  const auto routing = made("in_transit", topology, 3);
  const auto minimal = make_minimal("minimal", topology);
  unsigned several = 0;
  for (NodeId from = 0; from < 5; ++from)
    for (NodeId to = 5; to < topology.nodes(); ++to) {
      const RouteQuery query = at_source(topology, from, to);
      RouteSet shortest;
      minimal->route(query, shortest);
      unsigned direct = ~0U;
      Held buffers;
      for (unsigned port = 0; port < 6; ++port) buffers.held[port] = 90;
      for (const RouteCandidate& one : shortest) {
        buffers.held[one.port] = 10;
        direct = std::min(direct, 10 * (1 + minimal->hops(topology.far(from, one.port).at.router, to)));
      }
      for (const auto& one : routing->decisions()->possible(query)) {
        const unsigned port = one.decision - 1U;
        if (port >= 4 || buffers.held[port] == 10) continue;
        // The routers that may follow, by the routing at the next router.
        RouteQuery next = query;
        next.router = topology.far(from, port).at.router;
        next.in_port = topology.far(from, port).at.port;
        std::set<unsigned> lengths;
        for (const auto& then : routing->decisions()->possible(next))
          if (then.decision >= 1 && then.decision <= 4)
            lengths.insert(2 + minimal->hops(topology.far(next.router, then.decision - 1U).at.router, to));
        REQUIRE(!lengths.empty());
        several += lengths.size() > 1 ? 1 : 0;
        Held one_free = buffers;
        one_free.held[port] = 1;
        const unsigned gain = direct - *lengths.begin();
        CHECK(
            made("in_transit", topology, 3, std::to_string(gain - 1))->decisions()->decide(query, one_free) ==
            one.decision);
        CHECK(made("in_transit", topology, 3, std::to_string(gain))->decisions()->decide(query, one_free) !=
              one.decision);
      }
    }
  CHECK(several > 0);
  // After two global links none is left.
  RouteQuery last = at_source(topology, 0, 19);
  last.in_port = 4;
  last.in_vc = 2;
  last.decision = 5;
  RouteSet candidates;
  routing->route(last, candidates);
  CHECK(candidates.size() == 0);
}

TEST_CASE("in-transit routing: of equal misroutes each is taken equally often") {
  const Topology topology = dragonfly(4, 2, 2, 9);
  const GroupsOfFour groups(topology);
  const auto routing = made("in_transit", topology, 3);
  for (NodeId to = 8; to < 72; to += 8) {
    const RouteQuery query = at_source(topology, 0, to);
    Held buffers;
    unsigned misroutes = 0;
    for (const auto& [port, link] : groups.allowed(query)) {
      buffers.held[port] = link.misroute ? 0 : 40;
      misroutes += link.misroute ? 1 : 0;
    }
    std::map<Decision, unsigned> drawn;
    unsigned others = 0;  // packets that draw another misroute after a hop
    for (PacketId id = 0; id < 3000; ++id) {
      RouteQuery one = query;
      one.packet = id;
      const Decision first = routing->decisions()->decide(one, buffers);
      ++drawn[first];
      one.hops = 1;
      others += routing->decisions()->decide(one, buffers) != first ? 1U : 0U;
    }
    CHECK(drawn.size() == misroutes);
    CHECK((others > 1000) == (misroutes > 1));
    for (const auto& [decision, times] : drawn)
      CHECK(std::abs(static_cast<int>(times * misroutes) - 3000) < 400);
  }
}

TEST_CASE("in-transit routing: the order of a router's ports changes nothing but their numbers") {
  graph::DragonflyShape shape{4, 2, 2, 9, graph::GlobalLinks::palmtree};
  const Topology last = graph::make_dragonfly(shape, 1, 1);
  shape.nodes_first = true;
  const Topology first = graph::make_dragonfly(shape, 1, 1);
  const auto one = made("in_transit", last, 3), other = made("in_transit", first, 3);
  for (NodeId from = 0; from < 16; ++from)
    for (NodeId to = 0; to < last.nodes(); ++to) {
      const auto expected = one->decisions()->possible(at_source(last, from, to)),
                 found = other->decisions()->possible(at_source(first, from, to));
      REQUIRE(found.size() == expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        REQUIRE(found[i].decision == (expected[i].decision == 0 ? 0 : expected[i].decision + 2));
    }
}

TEST_CASE("in-transit routing refuses other topologies than a dragonfly") {
  for (const Topology& topology : {graph::make_mesh({3, 3}, 1, 1), graph::make_fat_tree(2, 2, 2, 1)})
    CHECK_THROWS_WITH(made("in_transit", topology, 4), Catch::Contains("does not fit the topology") &&
                                                           Catch::Contains("accepted: a dragonfly"));
}
