// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "router/rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"

// Credits of outputs, as a routing reads them.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;
using tsuji::test::ScriptedRouting;

namespace {

/// Routes to port `destination`, and records the credits, the returning ones and the capacity of output
/// `watched`.
struct Reader {
  Reader(unsigned watched, routing::VcMask vcs)
      : decisions(
            [this, watched, vcs](const routing::RouteQuery& query, const routing::OutputBuffers& outputs) {
              const auto packet = static_cast<std::uint32_t>(query.packet);
              read[packet] = outputs.credits(watched, vcs);
              returning[packet] = outputs.returning(watched, vcs);
              capacity[packet] = outputs.capacity(watched, vcs);
              CHECK(outputs.occupied(watched, vcs) == capacity[packet] - read[packet]);
              before[packet] = query.decision;
              return static_cast<routing::Decision>(query.decision + 0x8001U);
            },
            [](const routing::RouteQuery& query) {
              const auto next = static_cast<routing::Decision>(query.decision + 0x8001U);
              return std::vector<routing::RouteDecisions::Possible>{{next, 1.0}};
            }),
        routing(1, [this](const routing::RouteQuery& query, routing::RouteSet& candidates) {
          CHECK(query.decision == before.at(static_cast<std::uint32_t>(query.packet)) + 0x8001U);
          candidates.add(query.destination.node(), 1);
        }) {
    routing.decider = &decisions;
  }
  tsuji::test::ScriptedDecisions decisions;
  ScriptedRouting routing;
  std::map<std::uint32_t, unsigned> read, returning, capacity;  ///< by the packet's serial number
  std::map<std::uint32_t, routing::Decision> before;
};

}  // namespace

TEST_CASE("a routing reads the credits that outputs had in the previous cycle, and those that return") {
  constexpr unsigned ports = 16, worm_flits = 16;
  RigConfig config;
  config.full = GENERATE(false, true);
  const bool stopped = GENERATE(false, true);
  config.ports = ports;
  config.channel.vcs = 2;
  Reader reader(1, 1);
  lookup::LocalLookup lookup(reader.routing, 1);
  Rig rig(config, &lookup);
  rig.stopped[1] = stopped;
  rig.arrive(20, 0, 0, rig.packet(1, worm_flits, 99));
  // One head arrives in each cycle from 21 on, each at a separate input.
  for (std::uint32_t h = 1; h < 13; ++h) rig.arrive(20 + h, 1 + h, 0, rig.packet(14, 1, h));
  rig.run(60);
  for (std::uint32_t h = 1; h < 13; ++h) {
    const Cycle asked = 20 + h;
    // The worm's flits leave from 22 on, one a cycle while there are credits. Each is at the far end three
    // cycles later, and its credit can be used three after that.
    unsigned sent = 0, returned = 0;
    for (Cycle cycle = 22; cycle < asked; ++cycle) {
      if (sent < 8 || !stopped) ++sent;
      if (!stopped && cycle >= 22 + 3 + 3) ++returned;
    }
    CAPTURE(stopped, asked);
    CHECK(reader.read.at(h) == 8 - sent + returned);
    CHECK(reader.returning.at(h) == (!stopped && asked >= 22 + 3 + 3 ? 1 : 0));
    CHECK(reader.capacity.at(h) == 8);
  }
}

TEST_CASE("returning credits are those of the virtual channels asked for") {
  // Worms of 8 flits leave on both virtual channels of output 1, on each in every second cycle: 16 credits
  // return, one a cycle.
  constexpr unsigned ports = 16;
  RigConfig config;
  config.full = GENERATE(false, true);
  config.ports = ports;
  config.channel.vcs = 2;
  std::map<routing::VcMask, unsigned> sums;
  ScriptedRouting routing(3, [](const routing::RouteQuery& query, routing::RouteSet& candidates) {
    candidates.add(query.destination.node(), query.destination.node() != 1 ? 3 : query.in_port == 0 ? 1 : 2);
  });
  const tsuji::test::ScriptedDecisions decisions(
      [&](const routing::RouteQuery& query, const routing::OutputBuffers& outputs) {
        if (query.destination.node() != 1)
          for (const routing::VcMask vcs : {1, 2, 3}) sums[vcs] += outputs.returning(1, vcs);
        return routing::Decision{1};
      },
      [](const routing::RouteQuery&) {
        return std::vector<routing::RouteDecisions::Possible>{{1, 1.0}};
      });
  routing.decider = &decisions;
  lookup::LocalLookup lookup(routing, 1);
  Rig rig(config, &lookup);
  for (const unsigned input : {0U, 2U}) rig.arrive(20, input, 0, rig.packet(1, 8, 90 + input));
  for (std::uint32_t h = 0; h < 8; ++h) rig.arrive(30 + h, 3 + h, 0, rig.packet(14, 1, h));
  rig.run(80);
  CHECK(sums == std::map<routing::VcMask, unsigned>{{1, 4}, {2, 4}, {3, 8}});
}

namespace {

/// Packets to `destination`, or to ports 1 and 2 for destination 3; a routing that reads the flits that wait
/// for output 1.
struct WaitingReader {
  explicit WaitingReader(bool declared = true)
      : decisions(
            [this](const routing::RouteQuery& query, const routing::OutputBuffers& outputs) {
              const auto packet = static_cast<std::uint32_t>(query.packet);
              both[packet] = outputs.waiting(1, 3);
              second[packet] = outputs.waiting(1, 2);
              return routing::Decision{1};
            },
            [](const routing::RouteQuery&) {
              return std::vector<routing::RouteDecisions::Possible>{{1, 1.0}};
            }),
        routing(2, [](const routing::RouteQuery& query, routing::RouteSet& candidates) {
          if (query.destination.node() < 3) return candidates.add(query.destination.node(), 3);
          candidates.add(1, 2);
          candidates.add(2, 3);
        }) {
    decisions.waiting = declared;
    routing.decider = &decisions;
  }
  tsuji::test::ScriptedDecisions decisions;
  ScriptedRouting routing;
  std::map<std::uint32_t, unsigned> both, second;  ///< by the packet's serial number
};

RigConfig of_16_ports(bool full) {
  RigConfig config;
  config.full = full;
  config.ports = 16;
  config.channel.vcs = 2;
  return config;
}

}  // namespace

TEST_CASE("a routing reads the flits of front packets that waited for an output in the previous cycle") {
  constexpr unsigned worm_flits = 16;
  const bool full = GENERATE(false, true), stopped = GENERATE(false, true);
  WaitingReader reader;
  lookup::LocalLookup lookup(reader.routing, 1);
  Rig rig(of_16_ports(full), &lookup);
  rig.stopped[1] = stopped;
  rig.arrive(20, 0, 0, rig.packet(1, worm_flits, 99));
  for (std::uint32_t h = 0; h < 30; ++h) rig.arrive(20 + h, 3 + h % 13, 0, rig.packet(2, 1, h));
  rig.run(80);
  for (const auto& [h, read] : reader.both) {
    if (h == 99) continue;
    const Cycle asked = 20 + h;
    // The route request in 20 is seen from 21 on; flits leave from 22 on, one a cycle: 8 if none is taken.
    const unsigned left =
        asked < 22 ? 0 : std::min<unsigned>(static_cast<unsigned>(asked - 22), stopped ? 8 : 16);
    CAPTURE(full, stopped, asked);
    CHECK(read == (asked == 20 ? 0 : worm_flits - left));
  }
  CHECK(reader.both.size() > 25);
}

TEST_CASE(
    "waiting flits of a head with several candidates count at each until it leaves, at its first channel") {
  const bool full = GENERATE(false, true);
  WaitingReader reader;
  lookup::LocalLookup lookup(reader.routing, 1);
  Rig rig(of_16_ports(full), &lookup);
  // All outputs are held by packets that cannot continue: 1 and 2, both virtual channels.
  rig.stopped[1] = rig.stopped[2] = true;
  for (unsigned i = 0; i < 4; ++i) {
    const PacketIndex worm = rig.packet(1 + i % 2, 16, 90 + i);
    for (unsigned f = 0; f < 16; ++f) rig.arrive(12 + 3 * Cycle{f}, 3 + i, 0, worm, f);
  }
  rig.run(60);
  rig.arrive(60, 8, 0, rig.packet(2, 1, 1));
  rig.run(70);
  CHECK(reader.both.at(1) == 2 * (16 - 8));
  rig.arrive(70, 9, 0, rig.packet(3, 5, 2));
  rig.arrive(80, 10, 0, rig.packet(1, 6, 3));
  rig.arrive(90, 11, 0, rig.packet(2, 1, 4));
  rig.run(100);
  CHECK(reader.both.at(3) == 2 * (16 - 8) + 5);
  CHECK(reader.both.at(4) == 2 * (16 - 8) + 5 + 6);
  CHECK(reader.second.at(4) == 16 - 8 + 5);
  // What is purged or has left waits no longer.
  for (PacketIndex packet = 0; packet < 5; ++packet) {
    for (unsigned port = 0; port < 16; ++port)
      for (unsigned vc = 0; vc < 2; ++vc) rig.state->purge(packet, port, vc, 99);
  }
  rig.arrive(110, 12, 0, rig.packet(2, 1, 5));
  rig.run(120);
  CHECK(reader.both.at(5) == 5 + 6);
  rig.stopped[1] = rig.stopped[2] = false;
  rig.run(300);
  rig.arrive(310, 12, 0, rig.packet(2, 1, 6));
  rig.run(330);
  CHECK(reader.both.at(6) == 0);
}

TEST_CASE(
    "waiting flits are not read by a routing that does not declare it, nor where they are not counted") {
  WaitingReader silent(false), reader;
  lookup::LocalLookup lookup(silent.routing, 1);
  Rig rig({}, &lookup);
  rig.arrive(20, 0, 0, rig.packet(1, 1, 1));
  CHECK_THROWS_WITH(rig.run(30), Catch::Contains("RouteDecisions::reads_waiting()"));
  Rig other({});
  CHECK_THROWS_WITH(
      other.state->exchange_routing({&reader.routing, 1}, 9),
      Catch::Contains("router 0, cycle 9") && Catch::Contains("which this router does not count"));
}

TEST_CASE("credits are summed over the virtual channels that an output has, and it has to be one") {
  RigConfig config;
  config.channel.vcs = 2;
  const unsigned port = GENERATE(1U, 3U);
  Reader reader(port, 0xffff);
  lookup::LocalLookup lookup(reader.routing, 1);
  Rig rig(config, &lookup);
  const PacketIndex packet = rig.packet(2, 1, 7);
  rig.pool.at(packet).decision = 5;  // as left by the previous router
  rig.arrive(20, 0, 0, packet);
  if (port == 3) {
    CHECK_THROWS_WITH(rig.run(30), Catch::Contains("reads credits of port 3"));
  } else {
    rig.run(30);
    CHECK(reader.read.at(7) == 2 * 8);
    CHECK(reader.capacity.at(7) == 2 * 8);
    CHECK(reader.before.at(7) == 5);
    CHECK(rig.pool.at(packet).decision == 0x8006);
  }
}

TEST_CASE("a routing that reads credits may replace one that does not") {
  Reader reader(1, 1);
  Rig rig({});
  rig.arrive(20, 0, 0, rig.packet(2, 1, 1));
  rig.run(40);
  rig.state->exchange_routing({&reader.routing, 1}, 39);
  rig.arrive(50, 0, 0, rig.packet(2, 1, 2));
  rig.run(70);
  CHECK(reader.read == std::map<std::uint32_t, unsigned>{{2, 8}});
  rig.state->exchange_routing({&rig.routing, 2}, 69);
  rig.arrive(80, 0, 0, rig.packet(2, 1, 3));
  rig.run(100);
  CHECK(reader.read.size() == 1);
  CHECK(rig.seen.size() == 3);
}

TEST_CASE("an impossible decision of a routing ends the run, among the first decisions and in samples") {
  const unsigned wrong = GENERATE(0U, 15U, 1024U);  // of the decisions, by the packets' serial numbers
  const tsuji::test::ScriptedDecisions decisions(
      [wrong](const routing::RouteQuery& query, const routing::OutputBuffers&) {
        return static_cast<routing::Decision>(static_cast<std::uint32_t>(query.packet) == wrong ? 7 : 3);
      },
      [](const routing::RouteQuery&) {
        return std::vector<routing::RouteDecisions::Possible>{{2, 0.5}, {3, 0.5}};
      });
  ScriptedRouting routing(1, [](const routing::RouteQuery& query, routing::RouteSet& candidates) {
    candidates.add(query.destination.node(), 1);
  });
  routing.decider = &decisions;
  lookup::LocalLookup lookup(routing, 1);
  Rig rig({}, &lookup);
  const auto asks_at = [](std::uint32_t serial) { return 20 + 6 * Cycle{serial}; };
  for (std::uint32_t serial = 0; serial <= wrong; ++serial) {
    CHECK_NOTHROW(rig.run(asks_at(serial) - 5));
    rig.arrive(asks_at(serial), 0, 0, rig.packet(2, 1, serial));
  }
  const std::string cycle = std::to_string(asks_at(wrong));
  CHECK_THROWS_WITH(
      rig.run(asks_at(wrong) + 1),
      Catch::Contains(", cycle " + cycle + ", packet ") &&
          Catch::EndsWith("." + std::to_string(wrong) +
                          ": the routing decides 7, which is not among RouteDecisions::possible()"));
}
