// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "router/rig.h"
#include "support/catch.h"
#include "support/purge_router.h"
#include "support/scripted_routing.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;
using tsuji::test::purge_router;
using tsuji::test::ScriptedRouting;

namespace {

unsigned flits_of(const Rig& rig, PacketIndex packet) {
  unsigned count = 0;
  for (const Seen& seen : rig.seen) count += seen.packet == packet ? 1 : 0;
  return count;
}

/// Flits of the packet in the router's input 0, on virtual channel 0.
unsigned flits_held(const Rig& rig, PacketIndex packet) {
  unsigned count = 0;
  for (unsigned place = 0; place < rig.config.channel.depth_flits; ++place) {
    const FlitSlot& slot = rig.in[0]->ring(0).behind_front(place);
    count += slot.holds_flit() && slot.packet() == packet ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("a purged packet releases its output, its credits and its place in the queue") {
  RigConfig config;
  config.channel.vcs = 1;
  Rig rig(config);
  rig.stopped[1] = true;
  const PacketIndex first = rig.packet(1, 12, 1), second = rig.packet(2, 3, 2), third = rig.packet(1, 2, 3);
  for (unsigned f = 0; f < 8; ++f) rig.arrive(20 + f, 0, 0, first, f);
  rig.run(60);  // eight flits of the first are at the far end
  for (unsigned f = 8; f < 12; ++f) rig.arrive(60 + f, 0, 0, first, f);
  rig.arrive(74, 0, 0, second);  // follows the first
  rig.arrive(74, 2, 0, third);   // waits for its output
  rig.run(100);
  CHECK(rig.state->counters().flits == 8);
  CHECK(purge_router(*rig.state, first, 99));
  rig.out[1]->kill(first);
  rig.stopped[1] = false;
  rig.run(200);
  CHECK(flits_of(rig, second) == 3);
  CHECK(flits_of(rig, third) == 2);
  CHECK(rig.state->counters().killed_flits == 4);
  // Every place of the input is free again, and its sender knows.
  CHECK(rig.in[0]->flits_held() == 0);
  CHECK(rig.in[0]->ring(0).credits(200) == config.channel.depth_flits);
  CHECK_FALSE(purge_router(*rig.state, first, 200));
}

TEST_CASE("a packet is purged in each of its states") {
  const Cycle when = GENERATE(18, 19, 20, 21, 22, 23, 24, 25);
  const unsigned flits = GENERATE(1U, 4U, 7U);
  const auto route_at = GENERATE(RouteAt::front, RouteAt::arrival);
  const auto switching = GENERATE(Switching::wormhole, Switching::store_and_forward);
  RigConfig config;
  config.channel.vcs = 2;
  config.router.route_at = route_at;
  config.router.switching = switching;
  Rig rig(config);
  const PacketIndex doomed = rig.packet(1, flits, 1), other = rig.packet(1, 4, 2);
  rig.arrive(20, 0, 0, doomed);
  rig.arrive(switching == Switching::store_and_forward ? 60 : 20 + flits, 0, 0, other);
  rig.run(when + 1);
  const unsigned gone = std::min(flits, static_cast<unsigned>(rig.state->counters().flits));  // it is ahead
  purge_router(*rig.state, doomed, when);
  rig.out[1]->kill(doomed);
  for (auto coming = rig.under_way.begin(); coming != rig.under_way.end();) {
    coming = coming->second.flit.packet == doomed ? rig.under_way.erase(coming) : std::next(coming);
  }
  const unsigned arrived = flits_held(rig, doomed);
  rig.run(58);
  CHECK(flits_held(rig, doomed) == 0);
  rig.run(100);
  CHECK(flits_of(rig, other) == 4);
  CHECK(rig.state->counters().killed_flits == arrived);
  CHECK(gone + arrived <= flits);
  CHECK((when < 25 || gone > 0 || switching == Switching::store_and_forward));
  CHECK(rig.in[0]->ring(0).credits(100) == config.channel.depth_flits);
  CHECK(rig.in[0]->flits_held() == 0);
}

TEST_CASE("a packet that reuses the record of a purged one sends a route request for itself") {
  RigConfig config;
  config.channel.vcs = 1;
  config.router.route_at = RouteAt::arrival;
  Rig rig(config);
  const PacketIndex first = rig.packet(1, 4, 1), doomed = rig.packet(1, 1, 2);
  rig.stopped[1] = true;
  rig.arrive(20, 0, 0, first);
  rig.arrive(24, 0, 0, doomed);
  rig.run(26);
  rig.state->purge(doomed, 0, 0, 25);
  rig.pool.attach(doomed).reset();
  const PacketIndex next = rig.packet(2, 2, 3);
  REQUIRE(next == doomed);
  rig.arrive(30, 0, 0, next);
  rig.stopped[1] = false;
  rig.run(100);
  CHECK(flits_of(rig, next) == 2);
  CHECK(rig.seen.back().port == 2);
}

TEST_CASE("a head all of whose candidates are down is dropped, or waits until one comes back") {
  struct Events final : RouterEvents {
    void on_blocked(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override {}
    void on_no_route(graph::RouterId, unsigned, unsigned, PacketIndex packet, Cycle now) override {
      list.push_back({packet, now});
    }
    std::vector<std::pair<PacketIndex, Cycle>> list;
  } events;
  RigConfig config;
  config.router.dead_route = GENERATE(DeadRoute::drop, DeadRoute::wait);
  config.router.switching = GENERATE(Switching::wormhole, Switching::virtual_cut_through);
  Rig rig(config, nullptr, &events);
  rig.out[1]->set_down(true, 0);
  const PacketIndex packet = rig.packet(1, 2);
  rig.arrive(20, 0, 0, packet);
  rig.run(60);
  if (config.router.dead_route == DeadRoute::drop) {
    REQUIRE(events.list.size() == 1);
    CHECK(events.list.front() == std::pair<PacketIndex, Cycle>{packet, 21});
    return;
  }
  CHECK(events.list.empty());
  rig.out[1]->set_down(false, 59);
  rig.run(100);
  CHECK(flits_of(rig, packet) == 2);
}

TEST_CASE("a packet without any candidate route is reported, under either policy for failed candidates") {
  const ScriptedRouting routing(1);
  struct Events final : RouterEvents {
    void on_blocked(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override {}
    void on_no_route(graph::RouterId, unsigned, unsigned, PacketIndex packet, Cycle) override {
      told.push_back(packet);
    }
    std::vector<PacketIndex> told;
  } events;
  RigConfig config;
  config.router.dead_route = GENERATE(DeadRoute::drop, DeadRoute::wait);
  lookup::LocalLookup nowhere(routing, 1);
  Rig rig(config, &nowhere, &events);
  const PacketIndex packet = rig.packet(1, 2);
  rig.arrive(20, 0, 0, packet);
  rig.run(40);
  CHECK(events.told == std::vector<PacketIndex>{packet});
}

TEST_CASE("a router counts as one hop, however often the packet requests its route there") {
  const Cycle when = GENERATE(range(19, 25));
  Rig rig({});
  const PacketIndex packet = rig.packet(1, 4);
  rig.arrive(20, 0, 0, packet);
  rig.run(when + 1);
  rig.state->route_again(0, 0, when);
  rig.run(100);
  CHECK(flits_of(rig, packet) == 4);
  CHECK(rig.pool.at(packet).hops == 1);
}

TEST_CASE("a purged packet has been at a router that its head has left, and at no other") {
  const Cycle when = GENERATE(range(18, 30));
  RigConfig config;
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 7);
  rig.arrive(20, 0, 0, packet);
  rig.run(when + 1);
  const bool head_left = rig.state->counters().flits > 0;
  purge_router(*rig.state, packet, when);
  CHECK(rig.pool.at(packet).hops == (head_left ? 1 : 0));
  CHECK((when != 18 || !head_left));
  CHECK((when != 29 || head_left));
}

TEST_CASE("a credit for an output that a head no longer wants does not count as a flit") {
  // The credit is already reported, or the virtual channel still waits for it, when the packet is rerouted.
  const bool reported = GENERATE(true, false);
  unsigned port = 1;
  const ScriptedRouting routing(
      1, [&port](const routing::RouteQuery&, routing::RouteSet& routes) { routes.add(port, 1); });
  lookup::LocalLookup table(routing, 0);
  RigConfig config;
  config.channel.vcs = 1;
  config.channel.depth_flits = 2;
  config.channel.latency_cycles = config.channel.credit_latency_cycles = 9;
  Rig rig(config, &table);
  rig.stopped[1] = true;
  const PacketIndex first = rig.packet(1, 2, 1), second = rig.packet(1, 2, 2);
  rig.arrive(20, 2, 0, first);
  rig.arrive(30, 0, 0, second, 0);
  rig.run(40);  // the second head holds an output whose buffer is full
  CHECK(rig.state->view(0, 0).state == VcState::active);
  rig.stopped[1] = !reported;
  rig.run(41);
  CHECK((rig.out[1]->ring(0).credit_at() != never) == reported);
  port = 2;
  rig.state->route_again(0, 0, 40);
  rig.stopped[1] = false;
  rig.run(50);
  // Its head has left, and the tail is not here when the credit comes.
  CHECK(rig.out[1]->ring(0).credit_at() > 46);
  CHECK(rig.state->view(0, 0).state == VcState::active);
  rig.arrive(60, 0, 0, second, 1);
  rig.run(100);
  const auto tail = rig.seen.back();
  CHECK(tail.packet == second);
  CHECK(tail.port == 2);
  CHECK(tail.cycle == 60 + 2 + config.channel.latency_cycles);
}
