// SPDX-License-Identifier: Apache-2.0
// The reconfiguration protocol without a network: nodes that know their own links and the content of
// messages.

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "faults/protocol_net.h"
#include "graph/faulty_cubes.h"
#include "tsuji/graph/cube.h"

using namespace tsuji;
using namespace tsuji::test;
using faults::ReconfigurationConfig;
using Phase = ReconfigurationNode::Phase;

namespace {

ReconfigurationConfig tables_take(Cycle cycles) {
  ReconfigurationConfig config;
  config.table_cycles = cycles;
  return config;
}

/// One fault, its reconfiguration, its repair, and the second reconfiguration.
void require_round_trip(const Topology& topology, const std::function<void(ProtocolNet&, bool)>& set) {
  ProtocolNet net(topology, tables_take(10));
  for (const bool lives : {false, true}) {
    set(net, lives);
    net.run_until_quiet([&] { net.require_one_generation(); });
    net.require_reconfigured();
  }
}

}  // namespace

TEST_CASE("every link and every router that dies and returns is reconfigured", "[reconfiguration]") {
  for (const Topology& topology :
       {graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 5}, 1, 1), graph::make_torus({3, 3, 3}, 1, 1),
        graph::make_mesh({4, 4}, 1, 1), graph::make_torus({2, 2, 2}, 1, 1)}) {
    for (std::uint32_t link = 0; link < topology.links().size(); ++link)
      require_round_trip(topology, [link](ProtocolNet& net, bool lives) { net.set_link(link, lives); });
    for (RouterId router = 0; router < topology.routers(); ++router)
      require_round_trip(topology, [router](ProtocolNet& net, bool lives) { net.set_router(router, lives); });
  }
}

TEST_CASE("links and routers that die and return within reconfigurations leave one generation in the end",
          "[reconfiguration]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CounterRandom random(seed, 3);
    const Topology topology =
        seed % 2 == 0 ? graph::make_torus({5, 5}, 1, 1) : graph::make_torus({3, 4}, 1, 1);
    ProtocolNet net(topology, tables_take(1 + random.below(60)), {}, seed);
    std::set<std::uint32_t> dead;
    RouterId dead_router = graph::none;
    for (unsigned event = 0; event < 30; ++event) {
      if (random.below(4) == 0) {
        if (dead_router == graph::none) dead_router = static_cast<RouterId>(random.below(topology.routers()));
        net.set_router(dead_router, !net.router_lives(dead_router));
        if (net.router_lives(dead_router)) dead_router = graph::none;
      } else {
        const auto link = static_cast<std::uint32_t>(random.below(topology.links().size()));
        const bool returns = dead.erase(link) != 0;
        if (!returns && dead.size() >= 3) continue;
        if (!returns) dead.insert(link);
        net.set_link(link, returns);
      }
      for (Cycle cycles = 1 + random.below(random.below(3) == 0 ? 400 : 30); cycles > 0; --cycles) {
        net.run_cycle();
        net.require_one_generation();
      }
    }
    INFO("seed " << seed);
    net.run_until_quiet([&] { net.require_one_generation(); });
    net.require_reconfigured();
  }
}

namespace {

/// Messages by kind, and the first and last cycle of each kind.
struct Traffic {
  std::map<ControlKind, unsigned> messages;
  std::map<ControlKind, Cycle> first, last;
  std::set<RouterId> informers;

  void watch(ProtocolNet& net) {
    net.on_sent = [this, &net](RouterId from, const faults::OutgoingControl& out) {
      const ControlKind kind = out.message.kind;
      if (messages[kind]++ == 0) first[kind] = net.now();
      last[kind] = net.now();
      if (kind == ControlKind::inform) informers.insert(from);
    };
  }
};

}  // namespace

TEST_CASE("the five steps on the paper's example, to the cycle", "[reconfiguration]") {
  Figure2 figure;
  constexpr Cycle tables = 100, depth = 10;  // the farthest router of a 10x10 torus
  ProtocolNet net(figure.torus, tables_take(tables));
  Traffic traffic;
  traffic.watch(net);
  net.set_link(figure.dead.links[0], false);
  net.run_cycle();
  // Step 1: A and B detect the fault, and step 2: they are suspended at once, their neighbours when they are
  // informed.
  CHECK(net.node(figure.router['A']).phase() == Phase::agreeing);
  CHECK(net.node(figure.router['C']).phase() == Phase::running);
  net.run_cycle();
  // C is next to A and the region's root: step 3.
  CHECK(net.node(figure.router['C']).phase() == Phase::computing);
  for (const char name : {'A', 'B', 'D', 'E', 'F', 'H', 'G'}) {
    INFO(name);
    CHECK(net.node(figure.router[name]).phase() == Phase::agreeing);
  }
  const RouterId far = at(figure.torus, {8, 9});
  CHECK(net.node(far).phase() == Phase::running);
  const Cycle begin = net.now();
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
  CHECK(net.node(far).in_use().root() == figure.router['C']);
  // Only the region's routers send in step 1. Each edge of the tree carries one message of each other kind.
  CHECK(traffic.informers == figure.of("ABCDEFGH"));
  for (const ControlKind kind : {ControlKind::configure, ControlKind::done, ControlKind::resume})
    CHECK(traffic.messages[kind] == figure.torus.routers() - 1);
  // Every router computes before it forwards; then the answers go up, and the resumption goes down.
  CHECK(traffic.first[ControlKind::configure] == begin + tables);
  const Cycle updated = begin + tables + depth * (1 + tables);
  CHECK(traffic.last[ControlKind::done] == updated + depth - 1);
  CHECK(traffic.first[ControlKind::resume] == updated + depth);
  CHECK(net.now() == updated + 2 * depth);
  // The link's return takes the same steps: the routers of its region are suspended when its notice arrives.
  net.set_link(figure.dead.links[0], true);
  net.run_cycle();
  net.run_cycle();
  for (const char name : {'A', 'B', 'D', 'E', 'F', 'H', 'G'}) {
    INFO(name);
    CHECK(net.node(figure.router[name]).phase() == Phase::agreeing);
  }
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
}

TEST_CASE("a message has one flit for each dead link or router, and one more", "[reconfiguration]") {
  const Topology torus = graph::make_torus({5, 5}, 1, 1);
  faults::PlanBook plans(torus, {});
  faults::LinkStates states(torus.links().size());
  CHECK(plans.plan(states)->control_flits() == 1);
  states.change(link_of(torus, 6, 7));
  CHECK(plans.plan(states)->control_flits() == 2);
  for (const RouterId neighbour : {13, 17, 11}) states.change(link_of(torus, 12, neighbour));
  CHECK(plans.plan(states)->control_flits() == 5);
  states.change(link_of(torus, 12, 7));  // the last link of router 12, now one fault
  CHECK(plans.plan(states)->control_flits() == 3);
  CHECK(plans.plan(states) != plans.plan(faults::LinkStates(torus.links().size())));
}

TEST_CASE("joined knowledge is the plan of both, whichever was computed earlier", "[reconfiguration]") {
  const Topology torus = graph::make_torus({5, 5}, 1, 1);
  const auto links = static_cast<std::uint32_t>(torus.links().size());
  faults::PlanBook plans(torus, {});
  std::mt19937 random(5);
  std::vector<std::shared_ptr<const faults::ReconfigurationPlan>> known;
  for (unsigned i = 0; i < 8; ++i) {
    faults::LinkStates states(links);
    for (unsigned change = 0; change < i; ++change) states.change(random() % links);
    known.push_back(plans.plan(states));
  }
  for (unsigned i = 0; i < 500; ++i) {
    const auto &a = known[random() % known.size()], &b = known[random() % known.size()];
    const auto both = plans.joined(a, {b, &b->states()});
    std::uint64_t sum = 0;
    for (std::uint32_t link = 0; link < links; ++link) {
      const std::uint32_t most = std::max(a->states().changes(link), b->states().changes(link));
      CHECK(both->states().changes(link) == most);
      sum += most;
    }
    CHECK(both->states().changes() == sum);
    CHECK((both == a) == (a->states().changes() == sum));
    if (i % 3 == 0) CHECK(plans.joined(a, {b, &b->states()}) == both);  // the kept answer
  }
}

TEST_CASE("a living root of a static list stays the root, and a lost one is replaced", "[reconfiguration]") {
  const Topology torus = graph::make_torus({6, 6}, 1, 1);
  routing::DetourConfig detour;
  detour.root_priority = {14, 3};
  ProtocolNet net(torus, tables_take(5), detour);
  Traffic traffic;
  traffic.watch(net);
  net.set_link(link_of(torus, 0, 1), false);
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
  CHECK(net.node(20).in_use().root() == 14);
  CHECK(traffic.messages[ControlKind::report] > 0);  // the region is away from its root
  net.set_router(14, false);
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
  CHECK(net.node(20).in_use().root() == 3);
}

TEST_CASE("of two reconfigurations that meet, the higher root restarts with both lists",
          "[reconfiguration]") {
  const Topology torus = graph::make_torus({8, 8}, 1, 1);
  ProtocolNet net(torus, tables_take(20));
  std::set<RouterId> roots;
  net.on_sent = [&](RouterId from, const faults::OutgoingControl& out) {
    if (out.message.kind == ControlKind::configure && net.node(from).in_use().root() == from)
      roots.insert(from);
  };
  const RouterId near = at(torus, {1, 2}), other = at(torus, {5, 6});
  net.set_link(link_of(torus, near, at(torus, {2, 2})), false);
  net.set_link(link_of(torus, other, at(torus, {6, 6})), false);
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
  // Each region's least vertex: (0, 2) and (4, 6).
  CHECK(roots == std::set<RouterId>{at(torus, {0, 2}), at(torus, {4, 6})});
  CHECK(net.node(0).in_use().root() == at(torus, {0, 2}));
}

TEST_CASE("the root dies in each cycle of its own reconfiguration", "[reconfiguration]") {
  const Topology torus = graph::make_torus({4, 5}, 1, 1);
  for (Cycle cycles = 1; cycles < 70; ++cycles) {
    ProtocolNet net(torus, tables_take(5));
    net.set_link(link_of(torus, at(torus, {2, 2}), at(torus, {2, 3})), false);
    for (Cycle i = 0; i < cycles; ++i) net.run_cycle();
    net.set_router(at(torus, {1, 2}), false);
    INFO("after " << cycles);
    net.run_until_quiet([&] { net.require_one_generation(); });
    net.require_reconfigured();
  }
}

TEST_CASE("resumption exactly as in step 5 lets nodes of two generations run side by side",
          "[reconfiguration]") {
  Figure2 figure;
  ReconfigurationConfig config = tables_take(10);
  config.resume = faults::Resume::upward;
  ProtocolNet net(figure.torus, config);
  net.set_link(figure.dead.links[0], false);
  unsigned cycles = 0;
  net.run_until_quiet([&] { cycles += net.generations_meet() ? 1 : 0; });
  CHECK(cycles > 0);
  net.require_reconfigured();
}

TEST_CASE("cut-off routers learn of the cut within their own part, and return with a link",
          "[reconfiguration]") {
  const Topology mesh =
      graph::make_mesh({12, 2}, 1, 1);  // the far end of the smaller part is in no fault region
  ProtocolNet net(mesh, tables_take(5));
  const std::uint32_t one = link_of(mesh, at(mesh, {4, 0}), at(mesh, {5, 0}));
  const std::uint32_t two = link_of(mesh, at(mesh, {4, 1}), at(mesh, {5, 1}));
  net.set_link(one, false);
  net.set_link(two, false);
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
  CHECK(net.node(at(mesh, {0, 1})).phase() == Phase::cut_off);
  CHECK(net.node(at(mesh, {5, 0})).phase() == Phase::running);
  net.set_link(one, true);
  net.run_until_quiet([&] { net.require_one_generation(); });
  net.require_reconfigured();
  CHECK(net.node(at(mesh, {0, 1})).phase() == Phase::running);
}

TEST_CASE("answers of an overtaken attempt are ignored", "[reconfiguration]") {
  const Topology torus = graph::make_torus({5, 5}, 1, 1);
  faults::PlanBook plans(torus, {});
  const RouterId root = at(torus, {1, 1});
  faults::LinkStates states(torus.links().size());
  const std::shared_ptr<const faults::ReconfigurationPlan> old = plans.plan(states);
  const unsigned port = 0;
  states.change(torus.far(root, port).link);
  const std::shared_ptr<const faults::ReconfigurationPlan> plan = plans.plan(states);
  const RouterId west = at(torus, {0, 1});  // the region's least vertex
  REQUIRE(plan->root() == west);
  ReconfigurationNode node(west, plans, tables_take(3));
  node.receive({ControlKind::inform, 2, {plan, &plan->states()}}, 10);
  node.step(12);
  CHECK(node.phase() == Phase::computing);
  node.step(13);
  const std::size_t children = plan->child_ports(west).size();
  REQUIRE(children > 1);
  for (std::size_t child = 0; child < children; ++child)
    node.receive({ControlKind::done, 1, {old, &old->states()}}, 14);
  CHECK(node.phase() == Phase::reducing);
  for (std::size_t child = 0; child < children; ++child) {
    CHECK(node.phase() == Phase::reducing);
    node.receive({ControlKind::done, 2, {plan, &plan->states()}}, 15);
  }
  CHECK(node.phase() == Phase::running);
}

TEST_CASE("new tables use the other set of UD channels once any router may run by the previous ones",
          "[reconfiguration]") {
  const Topology torus = graph::make_torus({5, 5}, 1, 1);
  faults::PlanBook plans(torus, {});
  const RouterId root = at(torus, {0, 1});
  ReconfigurationNode node(root, plans, tables_take(0));
  faults::LinkStates states(torus.links().size());
  const auto learn_of = [&](std::uint32_t link, Cycle now) {
    states.change(link);
    const std::shared_ptr<const faults::ReconfigurationPlan> plan = plans.plan(states);
    REQUIRE(plan->root() == root);
    node.receive({ControlKind::report, 2, {plan, &plan->states()}}, now);
    node.step(now);
    return plan;
  };
  const auto answer = [&](const std::shared_ptr<const faults::ReconfigurationPlan>& plan) {
    for (std::size_t child = 0; child < plan->child_ports(root).size(); ++child)
      node.receive({ControlKind::done, 1, {plan, &plan->states()}}, 40);
  };
  CHECK(node.bank() == 0);
  learn_of(torus.far(at(torus, {1, 1}), 0).link, 10);
  CHECK(node.bank() == 1);
  REQUIRE(node.phase() == Phase::reducing);
  // Messages that began before the first fault still recover on set 0, and none on set 1.
  const auto second = learn_of(torus.far(at(torus, {1, 2}), 0).link, 20);
  CHECK(node.bank() == 1);
  answer(second);
  REQUIRE(node.phase() == Phase::running);
  const auto third = learn_of(torus.far(at(torus, {1, 3}), 0).link, 50);
  CHECK(node.bank() == 0);
  answer(third);
  CHECK(node.phase() == Phase::running);
}
