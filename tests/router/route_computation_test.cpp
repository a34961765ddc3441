// SPDX-License-Identifier: Apache-2.0
#include "tsuji/router/route_computation.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"

// Route requests, tickets and answers alone: the test plays the look-up and the flits of an input.

using namespace tsuji;
using namespace tsuji::router;
using tsuji::test::ScriptedRouting;
using Asker = RouteComputation::Asker;

namespace {

/// Gives port `destination` at once, or keeps the request until the test answers.
class NotedLookup final : public RouteLookup {
 public:
  struct Asked {
    Cycle now;
    routing::RouteQuery query;
    std::uint32_t ticket;
  };
  void bind_client(RouteClient&) override {}
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t ticket,
                routing::RouteSet& candidates) override {
    asked.push_back({now, query, ticket});
    if (!at_once) return never;
    candidates = way(query.destination.node());
    return now + 3;
  }
  void cancel(Cycle, std::uint32_t ticket) override { cancelled.push_back(ticket); }
  static routing::RouteSet way(unsigned port) {
    routing::RouteSet candidates;
    candidates.clear();
    candidates.add(port, 1);
    return candidates;
  }

  bool at_once = false;
  std::vector<Asked> asked;
  std::vector<std::uint32_t> cancelled;
};

/// Gives two candidates for every destination.
class PlainTwoWays final : public RouteLookup {
 public:
  void bind_client(RouteClient&) override {}
  const routing::Routing* direct_routing(Cycle& cycles) const override {
    cycles = 2;
    return &routing_;
  }
  Cycle request(Cycle, const routing::RouteQuery&, std::uint32_t, routing::RouteSet&) override {
    FAIL("asked although its routing may be asked");
    return never;
  }
  void cancel(Cycle, std::uint32_t) override {}

 private:
  const ScriptedRouting routing_{1,
                                 [](const routing::RouteQuery& query, routing::RouteSet& candidates) {
                                   candidates.add(query.destination.node(), 1);
                                   candidates.add(query.router, 2);
                                 },
                                 2};
};

constexpr unsigned inputs = 8, input = 5, depth = 16;

struct Bench {
  explicit Bench(bool at_arrival = false) : routes({9, 77, inputs, 2, at_arrival}, lookup, arena) {
    ring.slots = slots.data();
    ring.end = depth * FlitRing::slot_words;
  }
  PacketIndex packet(NodeId destination) {
    PacketRef made = pool.make();
    made.edit().id = packet_id(3, destination);
    made.edit().source = 3;
    made.edit().destination = destination;
    made.edit().packet_class = PacketClass::control;
    made.edit().hops = 4;
    return made.detach();
  }
  Cycle ask(PacketIndex packet, Cycle now, unsigned number = input) {
    return routes.ask({number, 2, 1}, pool.at(packet), candidates, now);
  }
  void arrive(PacketIndex packet, unsigned flits, Cycle cycle) {
    for (unsigned f = 0; f < flits; ++f) {
      Flit flit;
      flit.packet = packet;
      flit.sequence = static_cast<std::uint16_t>(f);
      flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (f == 0 ? Flit::head : 0));
      ring.back().fill(flit, cycle + f);
      ring.pass_back();
    }
  }
  void leave() {
    ring.front().free(0);
    ring.pass_front();
    routes.pass(input);
  }
  void scan(Cycle now) { routes.scan({input, 2, 1}, ring, pool, now); }

  PacketPool pool;
  Arena arena;
  NotedLookup lookup;
  std::vector<FlitSlot> slots = std::vector<FlitSlot>(depth);
  FlitRing ring;
  RouteComputation routes;
  routing::RouteSet candidates;
};

}  // namespace

TEST_CASE(
    "a head's request has its place and its packet, and an immediate answer is valid from its time on") {
  Bench bench;
  bench.lookup.at_once = true;
  CHECK(bench.ask(bench.packet(6), 40) == 43);
  REQUIRE(bench.candidates.size() == 1);
  CHECK(bench.candidates[0].port == 6);
  const routing::RouteQuery& query = bench.lookup.asked.at(0).query;
  CHECK(query.router == 9);
  CHECK(query.in_port == 2);
  CHECK(query.in_vc == 1);
  CHECK(query.source == 3);
  CHECK(query.destination == 6);
  CHECK(query.packet == packet_id(3, 6));
  CHECK(query.packet_class == PacketClass::control);
  CHECK(query.hops == 4);
  CHECK(query.seed == 77);
  CHECK(bench.routes.answer(bench.lookup.asked[0].ticket, 50, bench.candidates) == Asker::nobody);
}

TEST_CASE("a routing without a table is queried directly, and an excess of candidates is refused by packet") {
  PlainTwoWays lookup;
  Arena arena;
  Bench bench;
  routing::RouteSet candidates;
  Packet& packet = bench.pool.at(bench.packet(6));
  RouteComputation two({9, 1, inputs, 2, false}, lookup, arena);
  CHECK(two.ask({input, 2, 1}, packet, candidates, 40) == 42);
  REQUIRE(candidates.size() == 2);
  CHECK(candidates[0].port == 6);
  CHECK(candidates[1].port == 9);
  RouteComputation one({9, 1, inputs, 1, false}, lookup, arena);
  CHECK_THROWS_WITH(one.ask({input, 2, 1}, packet, candidates, 40),
                    Catch::Contains("router 9, cycle 40") && Catch::Contains(packet_name(packet.id)) &&
                        Catch::Contains("a look-up returned too many candidates"));
}

TEST_CASE("an answer belongs to the open request of its ticket, once, until it is cancelled") {
  Bench bench;
  const PacketIndex packet = bench.packet(6);
  CHECK(bench.routes.answer(1U << RouteComputation::input_bits | input, 30, bench.candidates) ==
        Asker::nobody);
  CHECK(bench.ask(packet, 40) == never);
  CHECK(bench.ask(packet, 40, 4) == never);
  const std::uint32_t first = bench.lookup.asked[0].ticket, other = bench.lookup.asked[1].ticket;
  CHECK(RouteComputation::input_of(first) == input);
  CHECK(RouteComputation::input_of(other) == 4);
  CHECK(bench.routes.answer(0, 45, bench.candidates) == Asker::nobody);
  CHECK(bench.routes.answer(first | RouteComputation::most_inputs, 45, bench.candidates) == Asker::nobody);
  CHECK(bench.routes.answer(first, 45, bench.candidates) == Asker::front);
  CHECK(bench.routes.answer(first, 46, bench.candidates) == Asker::nobody);
  CHECK(bench.ask(packet, 47) == never);
  const std::uint32_t second = bench.lookup.asked[2].ticket;
  CHECK(second != first);
  CHECK(bench.routes.answer(first, 48, bench.candidates) == Asker::nobody);
  bench.routes.cancel(input, 49);
  CHECK(bench.lookup.cancelled == std::vector<std::uint32_t>{second});
  CHECK(bench.routes.answer(second, 50, bench.candidates) == Asker::nobody);
  CHECK(bench.routes.answer(other, 50, bench.candidates) == Asker::front);
}

TEST_CASE("tickets wrap round without the value for none") {
  Bench bench;
  const PacketIndex packet = bench.packet(6);
  for (unsigned question = 0; question < (1U << (32 - RouteComputation::input_bits)) + 2; ++question) {
    bench.lookup.asked.clear();
    bench.ask(packet, 40, 0);
    if (bench.routes.answer(bench.lookup.asked[0].ticket, 41, bench.candidates) != Asker::front)
      FAIL("question " << question);
  }
}

TEST_CASE("heads that are not at the front request routes on arrival, once each, and killed ones never") {
  Bench bench(true);
  const PacketIndex front = bench.packet(1), killed = bench.packet(2), next = bench.packet(3),
                    late = bench.packet(4);
  bench.arrive(front, 2, 10);
  bench.arrive(killed, 1, 12);
  bench.ring.slots[2].kill();
  bench.arrive(next, 2, 13);
  bench.arrive(late, 1, 30);
  const auto destinations = [&] {
    std::string all;
    for (const NotedLookup::Asked& asked : bench.lookup.asked)
      all += std::to_string(asked.query.destination.node());
    return all;
  };
  bench.scan(12);
  CHECK(destinations().empty());
  bench.scan(13);
  CHECK(destinations() == "3");
  CHECK(bench.lookup.asked[0].query.hops == 4);
  bench.scan(29);
  CHECK(destinations() == "3");
  for (unsigned flit = 0; flit < 3; ++flit) bench.leave();
  bench.scan(30);
  CHECK(destinations() == "34");
  bench.scan(31);
  CHECK(destinations() == "34");
}

TEST_CASE("a head that reaches the front has the answer, or the open request, of its arrival") {
  Bench bench(true);
  const PacketIndex front = bench.packet(1), answered = bench.packet(2), open = bench.packet(3),
                    unasked = bench.packet(4);
  for (const PacketIndex packet : {front, answered, open}) bench.arrive(packet, 1, 10);
  bench.scan(10);
  REQUIRE(bench.lookup.asked.size() == 2);
  CHECK(bench.routes.answer(bench.lookup.asked[0].ticket, 15, NotedLookup::way(2)) == Asker::behind);
  CHECK(bench.routes.answer(bench.lookup.asked[0].ticket, 16, NotedLookup::way(2)) == Asker::nobody);
  Cycle ready = 0;
  routing::RouteSet candidates;
  CHECK_FALSE(bench.routes.take_early(input, unasked, ready, candidates));
  CHECK_FALSE(bench.routes.take_early(4, answered, ready, candidates));
  REQUIRE(bench.routes.take_early(input, answered, ready, candidates));
  CHECK(ready == 15);
  REQUIRE(candidates.size() == 1);
  CHECK(candidates[0].port == 2);
  CHECK_FALSE(bench.routes.take_early(input, answered, ready, candidates));
  REQUIRE(bench.routes.take_early(input, open, ready, candidates));
  CHECK(ready == never);
  CHECK(bench.routes.answer(bench.lookup.asked[1].ticket, 20, NotedLookup::way(3)) == Asker::front);
}

TEST_CASE("dropped route requests are cancelled if they are open, and all can be sent again") {
  Bench bench(true);
  const PacketIndex front = bench.packet(1), answered = bench.packet(2), open = bench.packet(3);
  for (const PacketIndex packet : {front, answered, open}) bench.arrive(packet, 1, 10);
  bench.scan(10);
  const std::uint32_t first = bench.lookup.asked.at(0).ticket, second = bench.lookup.asked.at(1).ticket;
  CHECK(bench.routes.answer(first, 15, NotedLookup::way(2)) == Asker::behind);
  SECTION("those of one packet") {
    bench.routes.drop_early(input, front, 16);
    bench.routes.drop_early(input, answered, 16);
    CHECK(bench.lookup.cancelled.empty());
    bench.routes.drop_early(input, open, 16);
    CHECK(bench.lookup.cancelled == std::vector<std::uint32_t>{second});
    CHECK(bench.routes.answer(second, 17, NotedLookup::way(3)) == Asker::nobody);
    bench.scan(18);
    CHECK(bench.lookup.asked.size() == 2);
  }
  SECTION("all") {
    bench.routes.drop_all_early(input, 16);
    CHECK(bench.lookup.cancelled == std::vector<std::uint32_t>{second});
    bench.scan(18);
    CHECK(bench.lookup.asked.size() == 4);
  }
  Cycle ready = 0;
  routing::RouteSet candidates;
  if (bench.lookup.asked.size() == 2)
    CHECK_FALSE(bench.routes.take_early(input, answered, ready, candidates));
}
