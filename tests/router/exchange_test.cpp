// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "router/rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"

// Routings that are exchanged at one router between two cycles.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;
using tsuji::test::ScriptedRouting;

namespace {

constexpr unsigned ports = 6;

/// Routes to port destination + `shift`, and records which packets requested a route.
struct Shifted {
  explicit Shifted(unsigned shift)
      : routing(0xf, [this, shift](const routing::RouteQuery& query, routing::RouteSet& candidates) {
          ++asked[query.packet];
          candidates.add((query.destination.node() + shift) % ports, 0xf);
        }) {}
  unsigned questions_of(const Rig& rig, PacketIndex packet) const {
    const auto found = asked.find(rig.pool.at(packet).id);
    return found == asked.end() ? 0 : found->second;
  }
  ScriptedRouting routing;
  std::map<PacketId, unsigned> asked;
};

const Seen& head_of(const Rig& rig, PacketIndex packet) {
  for (const Seen& seen : rig.seen) {
    if (seen.packet == packet && seen.sequence == 0) return seen;
  }
  FAIL("no flit of packet " << packet << " has left");
  return rig.seen.front();
}

}  // namespace

TEST_CASE("after an exchange, heads without an output request the new routing, and heads with one keep it") {
  Shifted old(0), next(3);
  lookup::LocalLookup lookup(old.routing, 4);
  RigConfig config;
  config.full = GENERATE(false, true);
  config.sparse = GENERATE(false, true);
  config.ports = ports;
  config.channel.vcs = 1;
  Rig rig(config, &lookup);
  rig.stopped[1] = rig.stopped[2] = true;
  // A worm whose head has left, and a head that waits for the output it holds.
  const PacketIndex worm = rig.packet(1, 12, 1), waits = rig.packet(1, 2, 2);
  for (unsigned f = 0; f < 12; ++f) rig.arrive((f < 8 ? 20 : 30) + f, 0, 0, worm, f);
  rig.arrive(40, 3, 0, waits);
  // A head that holds an output and has no credit: the previous packet has filled the buffer.
  const PacketIndex filler = rig.packet(2, 8, 3), holds = rig.packet(2, 2, 4);
  rig.arrive(20, 4, 0, filler);
  rig.arrive(40, 4, 0, holds);
  // The route of this head is requested; its answer would be valid from 101 on.
  const PacketIndex routes = rig.packet(0, 2, 5);
  rig.arrive(97, 5, 0, routes);
  rig.run(100);
  CHECK(rig.state->view(3, 0).state == VcState::waiting);
  CHECK(rig.state->view(4, 0).state == VcState::active);
  CHECK(rig.state->view(5, 0).state == VcState::routing);
  CHECK(old.asked.size() == 5);
  CHECK(rig.state->routing_generation() == 0);

  rig.state->exchange_routing({&next.routing, 3}, 99);
  rig.woken = true;
  CHECK(rig.state->routing_generation() == 3);
  rig.run(120);
  // Requested in 100, answered for 104: VA in 104, SA in 105, on the wires in 107.
  CHECK(head_of(rig, routes).cycle == 108);
  CHECK(head_of(rig, routes).port == 3);
  CHECK(head_of(rig, waits).cycle == 108);
  CHECK(head_of(rig, waits).port == 4);
  rig.stopped[1] = rig.stopped[2] = false;
  rig.run(200);
  CHECK(head_of(rig, holds).port == 2);
  CHECK(head_of(rig, worm).port == 1);
  CHECK(rig.seen.size() == 12 + 2 + 8 + 2 + 2);
  for (const PacketIndex packet : {worm, waits, filler, holds, routes}) {
    CAPTURE(packet);
    CHECK(old.questions_of(rig, packet) == 1);
    CHECK(next.questions_of(rig, packet) == (packet == waits || packet == routes ? 1 : 0));
    CHECK(rig.pool.at(packet).hops == 1);
  }
}

TEST_CASE("a routing that a router cannot read is refused, with its generation") {
  Shifted old(0), next(1);
  const ScriptedRouting wide(0xf, nullptr, 9);
  lookup::LocalLookup lookup(old.routing, 1);
  Rig rig({}, &lookup);
  CHECK_THROWS_WITH(
      rig.state->exchange_routing({&wide, 7}, 40),
      Catch::Contains("router 0, cycle 40") &&
          Catch::Contains("a routing of generation 7 may give 9 candidates, and there is room for 8"));
  CHECK(rig.state->routing_generation() == 0);

  class OwnTables final : public RouteLookup {
   public:
    void bind_client(RouteClient&) override {}
    Cycle request(Cycle, const routing::RouteQuery&, std::uint32_t, routing::RouteSet&) override {
      return never;
    }
    void cancel(Cycle, std::uint32_t) override {}
  } tables;
  Rig other({}, &tables);
  CHECK_THROWS_WITH(other.state->exchange_routing({&next.routing, 1}, 40),
                    Catch::Contains("cycle 40") && Catch::Contains("tables of its own"));
}
