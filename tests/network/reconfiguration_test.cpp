// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/reconfiguration/reconfiguration.h"

#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>

#include "network/reconfiguring_cube.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/core/random.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/routing/detour/detour_check.h"

// Links and routers that die and return under load, with Detour-UD.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using Phase = faults::ReconfigurationNode::Phase;

namespace {

/// Checks that every packet was delivered or dropped with a cause, and every living router runs.
void require_settled(VcRig& rig) {
  LoadedNetwork& loaded = *rig.loaded;
  REQUIRE(rig.run_until_idle(200'000));
  loaded.check_conservation();
  const observe::PacketFates fates = loaded.accounts().fates();
  std::uint64_t dropped = 0;
  for (const auto& [cause, packets] : fates.dropped) dropped += packets;
  CHECK(fates.under_way == 0);
  CHECK(fates.born + fates.born_at_routers == fates.delivered + fates.ended_at_routers + dropped);
  CHECK(loaded.supervisor().dropped(NetworkDropCause::no_route) == 0);
  CHECK(loaded.pool().in_use() == 0);
  std::set<PacketId> once;
  for (const observe::DeliveredPacket& packet : rig.delivered) CHECK(once.insert(packet.id).second);
  for (graph::RouterId router = 0; router < rig.plan.topology.routers(); ++router) {
    const faults::ReconfigurationNode* const node = rig.reconfiguration->node(router);
    if (node == nullptr) continue;
    INFO("router " << router << " is " << phase_name(node->phase()));
    CHECK((node->phase() == Phase::running || node->phase() == Phase::cut_off));
  }
}

}  // namespace

namespace {

struct Outcome {
  std::uint64_t born = 0, delivered = 0, recoveries = 0;
  std::map<std::string, std::uint64_t> dropped;
  std::size_t reconfigurations = 0;
  ReconfigurationCounters reconfiguration;
  std::string text() const {
    std::ostringstream out;
    out << born << " born, " << delivered << " delivered, " << recoveries << " recoveries";
    for (const auto& [cause, packets] : dropped) out << ", " << packets << ' ' << cause;
    out << "; " << reconfigurations << " reconfigurations, " << reconfiguration.unsettled_cycles
        << " cycles, " << reconfiguration.updates << " updates, " << reconfiguration.suspended_cycles
        << " suspended, " << reconfiguration.control_messages << " messages";
    return out.str();
  }
};

/// Checks the up/down tables of every generation that routers read: no cycle, and every router is reached.
void judge_generations(const VcRig& rig, std::set<std::uint32_t>& judged) {
  rig.reconfiguration->visit_generations([&](std::uint32_t number, const routing::DetourUd& routing) {
    if (!judged.insert(number).second) return;
    const routing::RecoveryVerdict verdict =
        routing::check_recovery(rig.plan.topology, routing.generation(), routing, routing.ud_vcs());
    if (!verdict.holds())
      throw std::runtime_error("generation " + std::to_string(number) + ": " + verdict.text());
  });
}

/// Runs one history and checks all accounts every few cycles. `deliveries`: includes those of each packet.
std::string play(const NetworkConfig& config, const TrafficConfig& traffic, Cycle step = 13,
                 bool deliveries = false) {
  return tsuji::test::forked([&] {
    VcRig rig(config);
    rig.build(traffic);
    std::set<std::uint32_t> judged;
    while (rig.loaded->now() < traffic.of<traffic::OpenLoopConfig>().last_cycle + 500) {
      rig.loaded->run_to(rig.loaded->now() + step);
      rig.loaded->check_conservation();
      judge_generations(rig, judged);
    }
    require_settled(rig);
    Outcome outcome;
    outcome.born = rig.loaded->accounts().packets_born();
    outcome.delivered = rig.loaded->accounts().packets_delivered();
    outcome.recoveries = rig.loaded->network().counters().recoveries;
    for (const auto& [cause, packets] : rig.loaded->accounts().fates().dropped)
      outcome.dropped[cause] = packets;
    outcome.reconfiguration = rig.reconfiguration->counters(rig.loaded->now());
    outcome.reconfigurations = rig.reconfiguration->episodes().size();
    std::string text = outcome.text();
    if (deliveries)
      for (const auto& [id, tail] : tails(rig)) text += '\n' + packet_name(id) + ' ' + std::to_string(tail);
    return text;
  });
}

/// Reconfiguration with one planted error.
struct Planted : Reconfiguration {
  using Reconfiguration::Reconfiguration;
  std::function<ControlPort::Parts(graph::RouterId, ControlPort::Parts)> plant;

 protected:
  ControlPort::Parts control_parts(graph::RouterId router) override {
    return plant(router, Reconfiguration::control_parts(router));
  }
};

using Plant = std::function<ControlPort::Parts(graph::RouterId, ControlPort::Parts)>;

/// The error with which a run with a planted error ends. `meddle` is called in every cycle.
std::string error_of(
    NetworkConfig config, const Plant& plant, const std::function<void(VcRig&)>& meddle = [](VcRig&) {}) {
  config.watchdog_cycles = 3000;
  return tsuji::test::forked([&]() -> std::string {
    VcRig rig(config);
    auto planted = std::make_unique<Planted>(rig.config, rig.plan.topology, *rig.plan.routing);
    planted->plant = plant;
    rig.reconfiguration = std::move(planted);
    rig.build(load(0.4, 8, 3000));
    while (rig.loaded->now() < 3000) {
      rig.loaded->run_to(rig.loaded->now() + 1);
      meddle(rig);
    }
    rig.run_until_idle(30'000);
    return "no error";
  });
}

}  // namespace

TEST_CASE("routers that compute for longer than the watchdog waits do not count as a standstill") {
  NetworkConfig config = cube({3, 3}, "link 5@500");
  config.dead.reconfiguration.table_cycles = 4000;
  config.watchdog_cycles = 1000;
  const std::string text = play(config, load(0.2, 8, 1500));
  INFO(text);
  CHECK(text.find("exception") == std::string::npos);
}

TEST_CASE("every single link and router dies and returns") {
  unsigned held[2] = {0, 0};  // runs in which a dead link, or a dead router, held packets
  for (const std::vector<unsigned>& radices : {std::vector<unsigned>{4, 4}, {5, 5}, {3, 3, 3}}) {
    for (const Losses losses : {Losses::recovering, Losses::nothing}) {
      NetworkConfig config = cube(radices, "link 0@1");
      lose(losses, config);
      const graph::Topology topology = make_topology(config.topology, 1);
      for (const bool of_router : {false, true}) {
        const auto count = of_router ? topology.routers() : topology.links().size();
        for (std::uint32_t number = 0; number < count; ++number) {
          config.dead.events = (of_router ? "router " : "link ") + std::to_string(number) + "@400:1100";
          INFO(config.dead.events);
          const std::string text = play(config, load(0.4, 8, 2000));
          INFO(text);
          CHECK(text.find("exception") == std::string::npos);
          if (losses == Losses::nothing) CHECK(text.find(", 0 in_recovery") != std::string::npos);
          held[of_router ? 1 : 0] += text.find(", 0 dead_router") == std::string::npos ? 1 : 0;
        }
      }
    }
  }
  CHECK(held[0] == 0);
  CHECK(held[1] > 80);
}

TEST_CASE("a link dies and returns under load: all routers take new tables twice") {
  const std::string text = play(cube({4, 4}, "link 5@500:1500"), load(0.3, 16, 3000), 7);
  INFO(text);
  CHECK(text.find("; 2 reconfigurations") != std::string::npos);
  CHECK(text.find(" 32 updates") != std::string::npos);
}

TEST_CASE("a thousand events, drawn at random, faults within reconfigurations among them") {
  struct History {
    std::vector<unsigned> radices;
    double link_mean_cycles, router_mean_cycles;
    Cycle repair_cycles;
    std::uint64_t deaths;
  };
  // Rare events, each over before the next one, and frequent ones, with several dead at once and regions that
  // meet.
  for (const History& history : {History{{5, 5}, 60'000, 0, 600, 60},
                                 {{4, 4}, 40'000, 20'000, 700, 150},
                                 {{3, 3, 3}, 60'000, 30'000, 900, 150},
                                 {{6, 6}, 20'000, 30'000, 300, 150},
                                 {{2, 3}, 20'000, 20'000, 400, 60}}) {
    for (const Losses losses : {Losses::recovering, Losses::everything, Losses::nothing}) {
      NetworkConfig config = cube(history.radices, "");
      config.dead.campaign.link_mean_cycles = history.link_mean_cycles;
      config.dead.campaign.router_mean_cycles = history.router_mean_cycles;
      config.dead.campaign.repair_cycles = history.repair_cycles;
      config.dead.campaign.deaths = history.deaths;
      lose(losses, config);
      const graph::Topology topology = make_topology(config.topology, 1);
      const Cycle end = config.fault_schedule(topology).events().back().cycle;
      const std::string text = play(config, load(0.2, 8, end + 100), 97);
      CAPTURE(topology.name(), text);
      CHECK(text.find("exception") == std::string::npos);
      CHECK((text.find(", 0 tables_changed") == std::string::npos) == (losses == Losses::everything));
    }
  }
}

TEST_CASE("a reconfiguration ends when the living routers run again, and a dead router is not suspended") {
  // Router 6 dies while it runs, and while it is suspended because its link 5 has died.
  for (const char* const events : {"router 6@500", "link 5@480, router 6@500", "router 6@500:9000"}) {
    CAPTURE(events);
    const std::string text = tsuji::test::forked([&] {
      VcRig rig(cube({4, 4}, events));
      rig.build(std::vector<VcRig::Send>{});
      rig.loaded->run_to(6000);
      const ReconfigurationCounters settled = rig.reconfiguration->counters(6000),
                                    later = rig.reconfiguration->counters(8000);
      std::ostringstream out;
      for (const ReconfigurationEpisode& episode : rig.reconfiguration->episodes())
        out << (episode.from > 480 && episode.from < 510) << (episode.to < 6000) << ' ';
      out << (settled.unsettled_cycles > 0) << ' ' << later.unsettled_cycles - settled.unsettled_cycles << ' '
          << later.suspended_cycles - settled.suspended_cycles;
      return out.str();
    });
    CHECK(text == "11 1 0 0");
  }
}

TEST_CASE("a cut-off router has unchanged tables, without a route, when it dies") {
  const std::string text = tsuji::test::forked([] {
    const graph::Topology topology = make_topology(cube({4, 4}, "").topology, 1);
    std::string events = "router 5@3000";
    for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
      const graph::RouterLink& ends = topology.links()[link];
      if (ends.a.router == 5 || ends.b.router == 5) events += ", link " + std::to_string(link) + "@500";
    }
    VcRig rig(cube({4, 4}, events));
    rig.build(std::vector<VcRig::Send>{});
    const std::uint32_t first = rig.loaded->changes().routing_view(5).generation;
    rig.loaded->run_to(2900);
    const faults::ReconfigurationNode* const node = rig.reconfiguration->node(5);
    if (node == nullptr || node->phase() != Phase::cut_off) return std::string("it is not cut off");
    const std::uint32_t alone = rig.loaded->changes().routing_view(5).generation;
    rig.loaded->run_to(3100);
    const std::uint32_t dead = rig.loaded->changes().routing_view(5).generation;
    return std::string(alone > first ? "other tables, " : "none, ") + std::to_string(dead - alone);
  });
  CHECK(text == "other tables, 0");
}

TEST_CASE("faults of the beginning may end, and links dead from the beginning take no flit") {
  NetworkConfig config = cube({4, 4}, "link 5@0:900, router 9@0:2300, link 20@0");
  config.dead.links = {7};
  const std::string text = play(config, load(0.3, 8, 3500));
  INFO(text);
  CHECK(text.find("exception") == std::string::npos);
  CHECK(text.find(" 0 link_down") != std::string::npos);
  CHECK(text.find("; 2 reconfigurations") != std::string::npos);
}

TEST_CASE("a router that returns as the root computes tables before it is informed of older faults") {
  // Link 5 joins routers 2 and 6. Router 6 finds the link dead, and is the root of its known region.
  NetworkConfig config = cube({4, 4}, "link 3@300, link 12@900, link 5@1500, router 6@2200:3500");
  config.routing.of<routing::DetourUdConfig>().tables.root_priority = {6, 0};
  config.dead.reconfiguration.table_cycles = 10;
  config.link_latency_cycles = 60;
  config.network.buffer_flits = 32;
  const TrafficConfig traffic = load(0.1, 8, 5000);
  for (const Losses losses : {Losses::recovering, Losses::everything, Losses::nothing}) {
    lose(losses, config);
    CHECK(play(config, traffic).find("exception") == std::string::npos);
    const std::string generations = tsuji::test::forked([&] {
      VcRig rig(config);
      rig.build(traffic);
      std::string text;
      for (const Cycle at : {2100, 3530, 6000}) {
        rig.loaded->run_to(at);
        const auto generation = [&](graph::RouterId router) {
          return rig.loaded->changes().routing_view(router).generation;
        };
        text += generation(6) == generation(0)  ? "same "
                : generation(6) < generation(0) ? "older "
                                                : "newer ";
      }
      return text;
    });
    CHECK(generations == "same older same ");
  }
}

TEST_CASE("transient faults are the same in any order of modules") {
  NetworkConfig config = cube({4, 4}, "link 3@300:1500, router 6@600:1700, link 12@640, router 0@1400");
  for (const Losses losses : {Losses::recovering, Losses::everything, Losses::nothing}) {
    lose(losses, config);
    const std::string expected = play(config, load(0.3, 8, 2500), 13, true);
    CHECK(expected.find("exception") == std::string::npos);
    for (const RunOrder& order : run_orders)
      CHECK(play(in_order(config, order), load(0.3, 8, 2500), 13, true) == expected);
  }
}

TEST_CASE("planted errors of the protocol are reported") {
  // Link 5 joins routers 2 and 6, whose region has its root at 1.
  const NetworkConfig config = cube({4, 4}, "link 5@500");
  const Plant nothing = [](graph::RouterId, ControlPort::Parts parts) { return parts; };
  const auto loses = [](faults::ControlKind kind, graph::RouterId at) -> Plant {
    return [kind, at](graph::RouterId router, ControlPort::Parts parts) {
      if (router == at)
        parts.loses = [kind](const faults::OutgoingControl& out) { return out.message.kind == kind; };
      return parts;
    };
  };
  CHECK(error_of(config, nothing) == "no error");
  SECTION("a lost answer") {
    const std::string error = error_of(config, loses(faults::ControlKind::done, 2));
    INFO(error);
    CHECK(error.find("no flit has moved for 3000 cycles") != std::string::npos);
    CHECK(error.find("router 1 is suspended since cycle") != std::string::npos);
    CHECK(error.find(", reducing; its root is router 1") != std::string::npos);
  }
  SECTION("a resumption that is never announced") {
    const std::string error = error_of(config, loses(faults::ControlKind::resume, 1));
    INFO(error);
    CHECK(error.find("no flit has moved for 3000 cycles") != std::string::npos);
    CHECK(error.find("router 1 is suspended") == std::string::npos);
    CHECK(error.find("router 2 is suspended since cycle") != std::string::npos);
    CHECK(error.find(", waiting; its root is router 1") != std::string::npos);
  }
  SECTION("a router with another root") {
    const graph::Topology topology = make_topology(config.topology, 1);
    routing::DetourConfig other;
    other.root_priority = {9};
    faults::PlanBook book(topology, other);
    const std::string error = error_of(config, [&book](graph::RouterId router, ControlPort::Parts parts) {
      return router == 6 ? ControlPort::Parts{router, book, parts.config, parts.peers, parts.most_flits}
                         : parts;
    });
    INFO(error);
    CHECK(error.find("router 6, cycle") != std::string::npos);
    CHECK(error.find("runs with routing tables of generation") != std::string::npos);
  }
  SECTION("block timers that run on") {
    const std::string error = error_of(config, nothing, [](VcRig& rig) {
      if (rig.reconfiguration->node(6)->suspended())
        rig.loaded->network().router(6).suspending()->suspend(false, rig.loaded->now() - 1);
    });
    INFO(error);
    CHECK(error.find("router 6, cycle") != std::string::npos);
    CHECK(error.find("heads began recovery while it was suspended") != std::string::npos);
  }
}

TEST_CASE("resumption exactly as the paper says lets two generations of tables meet, which stops the run") {
  NetworkConfig config = cube({5, 5}, "link 5@500");
  config.dead.reconfiguration.resume = faults::Resume::upward;
  const std::string text = play(config, load(0.2, 8, 2000));
  CHECK(text.find("runs with routing tables of generation") != std::string::npos);
}

TEST_CASE("a pause is a separate part of a packet's latency") {
  // One packet that crosses suspended routers: its latency less the pause equals its latency without one.
  const auto parts = [](Cycle created) {
    return tsuji::test::forked([&] {
      NetworkConfig config = cube({4, 4}, "link 5@400");
      config.network.router.block_timeout_cycles = 60'000;
      VcRig rig(config);
      // From router 0, which is not suspended, to router 1 of the region, by the only route.
      rig.build(std::vector<VcRig::Send>{{0, 1, created, 8}});
      PacketLedger ledger(rig.loaded->network(), rig.loaded->pool(), true);
      std::string text;
      rig.loaded->run_to(9000);
      for (const observe::DeliveredPacket& packet : rig.delivered) {
        if (packet.source.is_router()) continue;
        const std::vector<Cycle> taken = ledger.take(packet);
        REQUIRE(taken.size() == ledger.part_names().size());
        Cycle sum = 0;
        for (const Cycle part : taken) sum += part;
        REQUIRE(sum == packet.tail_cycle - packet.created);
        text += std::to_string(packet.tail_cycle - packet.created - taken.back()) + " and " +
                std::to_string(taken.back());
      }
      return text;
    });
  };
  const std::string alone = parts(6000), paused = parts(430);
  INFO(alone << "; " << paused);
  CHECK(alone.substr(alone.find(" and ")) == " and 0");
  CHECK(alone.substr(0, alone.find(" and ")) == paused.substr(0, paused.find(" and ")));
  CHECK(std::stoul(paused.substr(paused.find("and ") + 4)) > 400);
}

TEST_CASE("the five steps in an idle network, to the cycle") {
  // A message about one fault has 2 flits: H R + (H-1) L + L_inj + L_ej + P cycles for a router's first
  // message. Each further message adds the 2 flits of its predecessor and the 2 cycles for which that one's
  // tail holds the channel.
  constexpr Cycle stages = 4, table_cycles = 100, first = 2 * stages + 1 + 1 + 1 + 2, further = 4;
  const std::string text = tsuji::test::forked([&] {
    std::ostringstream wrong;
    VcRig rig(cube({5, 5}, "link 20@200"));
    rig.build(std::vector<VcRig::Send>{});
    std::map<graph::RouterId, std::map<Phase, Cycle>> since;
    rig.reconfiguration->tell_of_phases([&](graph::RouterId router, const faults::ReconfigurationNode* node,
                                            Cycle at) { since[router][node->phase()] = at; });
    rig.run_until_idle(20'000);
    const graph::RouterLink link = rig.plan.topology.links()[20];
    const auto expect = [&](graph::RouterId router, Phase phase, Cycle cycle) {
      if (since[router][phase] != cycle)
        wrong << "router " << router << " is " << phase_name(phase) << " from " << since[router][phase]
              << ", not " << cycle << '\n';
    };
    // The link's ends notice the fault one cycle later, and are suspended from the next cycle on.
    expect(link.a.router, Phase::agreeing, 202);
    expect(link.b.router, Phase::agreeing, 202);
    const faults::ReconfigurationPlan& plan = rig.reconfiguration->node(0)->in_use();
    const graph::RouterId root = plan.root();
    for (graph::RouterId router = 0; router < rig.plan.topology.routers(); ++router) {
      const std::vector<unsigned>& children = plan.child_ports(router);
      // A leaf's new tables are visible with its answer.
      const Cycle updated = since[router][Phase::computing] + table_cycles;
      expect(router, children.empty() ? Phase::waiting : Phase::reducing, updated);
      for (std::size_t i = 0; i < children.size(); ++i) {
        const graph::RouterId child = rig.plan.topology.far(router, children[i]).at.router;
        expect(child, Phase::computing, updated + first + i * further + 1);
        expect(child, Phase::running, since[router][Phase::running] + first + i * further + 1);
      }
    }
    // The root is informed by the last message that an end of the link sends to its neighbours in the region.
    wrong << "root " << root << ' ' << since[root][Phase::computing] - 202 << '\n';
    return wrong.str();
  });
  CHECK(text == "root 5 " + std::to_string(first + 2 * further + 1) + "\n");
}

TEST_CASE("with retry every message whose ends have not died arrives once") {
  for (const Losses losses : {Losses::recovering, Losses::everything, Losses::nothing}) {
    const std::string text = tsuji::test::forked([&] {
      NetworkConfig config = cube({5, 5}, "link 5@600:2500, router 12@900:2200, link 30@950, router 0@1800");
      lose(losses, config);
      VcRig rig(config);
      rig.parts->retry.timeout_cycles = 1000;
      std::vector<VcRig::Send> list;
      CounterRandom random(7, 1);
      for (Cycle created = 10; created < 3000; created += 3) {
        const auto source = static_cast<NodeId>(random.below(25));
        const auto destination = static_cast<NodeId>((source + 1 + random.below(24)) % 25);
        list.push_back({source, destination, created, 8});
      }
      rig.build(list);
      rig.run_until_idle(2'000'000);
      rig.loaded->check_conservation();
      std::map<std::tuple<NodeId, NodeId, Cycle>, unsigned> arrived;
      for (const observe::DeliveredPacket& packet : rig.delivered) {
        if (packet.source.is_router() || packet.arrival != PacketArrival::first) continue;
        ++arrived[{packet.source.node(), packet.destination.node(), packet.created}];
      }
      const auto died = [](NodeId node) { return node == 12 || node == 0; };
      std::ostringstream wrong;
      unsigned lost = 0;
      for (const VcRig::Send& send : list) {
        const unsigned times = arrived[{send.source, send.destination, send.created}];
        if (times == 1) continue;
        ++lost;
        if (times > 1 || !(died(send.source) || died(send.destination)))
          wrong << send.source << " to " << send.destination << " at " << send.created << ": " << times
                << '\n';
      }
      const observe::PacketFates fates = rig.loaded->accounts().fates();
      if (fates.under_way != 0 || fates.born != list.size() || fates.born - fates.delivered != lost)
        wrong << fates.born << " born, " << fates.delivered << " delivered, " << lost << " lost";
      if (lost == 0) wrong << "no message for a dead node";
      return wrong.str();
    });
    INFO(text);
    CHECK(text.empty());
  }
}

TEST_CASE("until a death is detected, normal heads wait at the dead link, and no router reacts") {
  NetworkConfig config = cube({4, 4}, "link 5@500");
  config.dead.detection_cycles = 300;
  config.network.router.block_timeout_cycles = 60'000;
  const std::string text = tsuji::test::forked([&] {
    VcRig rig(config);
    rig.build(std::vector<VcRig::Send>{{2, 6, 520, 8}});
    std::ostringstream told;
    rig.reconfiguration->tell_of_phases(
        [&](graph::RouterId router, const faults::ReconfigurationNode* node, Cycle at) {
          if (node->phase() == Phase::agreeing) told << router << ' ' << at << ", ";
        });
    rig.run_until_idle(20'000);
    told << rig.loaded->accounts().packets_delivered() << " delivered";
    return told.str();
  });
  CHECK(text.substr(0, 16) == "2 801, 6 801, 3 ");
  CHECK(text.find("1 delivered") != std::string::npos);
}
