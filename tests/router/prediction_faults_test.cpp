// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "router/prediction_rig.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

// Error-prone cases of a router that predicts. Each case fails when its fault is put into the code.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

/// Returns true if no two of the cycles are equal.
bool apart(Cycles cycles) {
  std::sort(cycles.begin(), cycles.end());
  return std::adjacent_find(cycles.begin(), cycles.end()) == cycles.end();
}

/// Look-up that answers when answer() is called.
class ToldLookup final : public RouteLookup {
 public:
  void bind_client(RouteClient& client) override { client_ = &client; }
  Cycle request(Cycle, const routing::RouteQuery&, std::uint32_t ticket, routing::RouteSet&) override {
    ticket_ = ticket;
    return never;
  }
  void cancel(Cycle, std::uint32_t) override {}
  void answer(Cycle at, unsigned port, routing::VcMask vcs) {
    routing::RouteSet candidates;
    candidates.add(port, vcs);
    client_->route_answer(ticket_, at, candidates);
  }

 private:
  RouteClient* client_ = nullptr;
  std::uint32_t ticket_ = 0;
};

}  // namespace

TEST_CASE("prediction: a prediction yields an output virtual channel to a VA request of its cycle") {
  for (const Cycle va_cycles : {0, 1}) {
    RigConfig config = predicting("straight", {1, no_port, no_port});
    config.channel.vcs = 1;
    config.router.va_cycles = va_cycles;
    Rig rig(config);
    const PacketIndex guess = rig.packet(1, 2, 1), asking = rig.packet(1, 2, 2);
    rig.arrive(20, 0, 0, guess);
    rig.arrive(19, 2, 0, asking);  // VA in 20
    rig.run(60);
    CAPTURE(va_cycles);
    CHECK(visits(rig, PredictionOutcome::lost) == 1);
    CHECK(visits(rig, PredictionOutcome::hit) == 0);
    const Cycle stages = 2 + va_cycles + 1;
    CHECK(cycles_of(rig, asking) == Cycles{19 + stages + link, 20 + stages + link});
    CHECK(cycles_of(rig, guess).front() > 20 + stages + link);
  }
}

TEST_CASE(
    "prediction: a predicted tail wakes the heads that wait for its virtual channel, at a lower or higher "
    "input") {
  // Inputs are handled by their numbers: the tail's before that of the waiting head, and after it.
  for (const unsigned waits : {0U, 2U}) {
    for (Cycle comes = 18; comes < 26; ++comes) {
      std::vector<unsigned> straight(3, no_port);
      straight[2 - waits] = 1;
      RigConfig config = predicting("straight", straight);
      config.channel.vcs = 1;
      Rig rig(config);
      const PacketIndex first = rig.packet(1, 6, 1), second = rig.packet(1, 1, 2);
      rig.arrive(18, 2 - waits, 0, first);  // hits; its tail crosses in 23
      rig.arrive(comes, waits, 0, second);
      rig.run(60);
      CAPTURE(waits, comes);
      const Cycles head = cycles_of(rig, second), all = cycles_of(rig, first);
      REQUIRE(head.size() == 1);
      REQUIRE(all.size() == 6);
      CHECK(visits(rig, PredictionOutcome::hit) == 1);
      CHECK(all.back() == 24 + link);
      // RC and VSA, which the head can win from the cycle after the tail's on, then ST.
      CHECK(head.front() == std::max<Cycle>(comes + 1, 24) + 2 + link);
    }
  }
}

TEST_CASE("prediction: no two flits cross a crossbar input in a cycle") {
  // The previous tail has won the switch and left the buffer when the head arrives at an empty input.
  for (const Cycle sa_cycles : {1, 2, 3}) {
    RigConfig config = predicting("straight");
    config.router.sa_cycles = sa_cycles;
    unsigned hits = 0, lost = 0;
    for (Cycle comes = 21; comes < 34; ++comes) {
      Rig rig(config);
      const PacketIndex wrong = rig.packet(2, 1, 1), next = rig.packet(1, 3, 2);
      rig.arrive(20, 0, 0, wrong);  // by the switch: wins in 21, crosses in 21 + SA
      rig.arrive(comes, 0, 1, next);
      rig.run(80);
      CAPTURE(sa_cycles, comes);
      CHECK(cycles_of(rig, wrong) == Cycles{22 + sa_cycles + link});
      Cycles crossing = cycles_of(rig, next);
      CHECK(crossing.size() == 3);
      crossing.push_back(22 + sa_cycles + link);
      CHECK(apart(crossing));  // ST takes a cycle
      hits += static_cast<unsigned>(visits(rig, PredictionOutcome::hit));
      lost += static_cast<unsigned>(visits(rig, PredictionOutcome::lost));
      if (comes == 21 + sa_cycles) CHECK(visits(rig, PredictionOutcome::lost) == 1);
      if (comes == 22 + sa_cycles) CHECK(visits(rig, PredictionOutcome::hit) == 1);
    }
    CHECK(hits > 0);
    CHECK(lost > 0);
  }
}

TEST_CASE("prediction: with an SA of several cycles an output is free until the flit that won it comes") {
  RigConfig config = predicting("straight", {1, no_port, no_port});
  config.router.sa_cycles = 4;
  // The other packet requests and wins in 21 and crosses in 25: its output is held again from 23 on.
  const auto outcome_at = [&](Cycle comes) {
    Rig rig(config);
    const PacketIndex other = rig.packet(1, 1, 1), head = rig.packet(1, 1, 2);
    rig.arrive(20, 2, 0, other);
    rig.arrive(comes, 0, 0, head);
    rig.run(80);
    REQUIRE(cycles_of(rig, other) == Cycles{26 + link});
    const bool hit = visits(rig, PredictionOutcome::hit) == 1;
    CHECK(cycles_of(rig, head) == Cycles{hit ? comes + 1 + link : comes + 6 + link});
    return hit;
  };
  CHECK(!outcome_at(21));
  CHECK(!outcome_at(22));  // a held output needs one cycle without a request first
  CHECK(outcome_at(23));
  CHECK(outcome_at(24));
  CHECK(!outcome_at(25));
  CHECK(outcome_at(26));
}

TEST_CASE(
    "prediction: a hit does not overtake a tail in its virtual channel that has won the switch earlier") {
  for (Cycle comes = 22; comes < 28; ++comes) {
    RigConfig config = predicting("straight", {1, no_port, no_port});
    config.channel.vcs = 1;
    config.router.sa_cycles = 4;
    Rig rig(config);
    const PacketIndex other = rig.packet(1, 1, 1), head = rig.packet(1, 1, 2);
    rig.arrive(20, 2, 0, other);  // wins in 21, crosses in 25
    rig.arrive(comes, 0, 0, head);
    rig.run(80);
    CAPTURE(comes);
    CHECK(cycles_of(rig, other) == Cycles{26 + link});
    CHECK(cycles_of(rig, head) == Cycles{comes + (comes < 26 ? 6 : 1) + link});
    CHECK(visits(rig, PredictionOutcome::no_room) == (comes < 26 ? 1 : 0));
  }
}

TEST_CASE("prediction: an answer after ST has ended is no kill") {
  for (const Cycle cycles : {1, 2, 3}) {
    for (const unsigned destination : {1U, 2U}) {
      RigConfig config = predicting("straight");
      config.rc_cycles = cycles;
      config.router.st_cycles = 3;
      Rig rig(config);
      const PacketIndex packet = rig.packet(destination, 2);
      rig.arrive(20, 0, 0, packet);
      rig.run(60);
      CAPTURE(cycles, destination);
      const bool right = destination == 1;
      CHECK(visits(rig, PredictionOutcome::hit) == (right ? 1 : 0));
      CHECK(visits(rig, PredictionOutcome::wrong) == (right ? 0 : 1));
      const Cycle leaves = 20 + (right ? 0 : cycles + 1) + 3 + link;
      CHECK(cycles_of(rig, packet) == Cycles{leaves, leaves + 1});
    }
  }
}

TEST_CASE("prediction: one input holds an output that two predict") {
  for (const unsigned vcs : {1U, 4U}) {
    RigConfig config = predicting("straight", {1, no_port, 1});
    config.channel.vcs = vcs;
    Rig rig(config);
    Cycles crossing;
    for (std::uint32_t pair = 0; pair < 4; ++pair) {
      const Cycle comes = 20 + 20 * Cycle{pair};
      const PacketIndex a = rig.packet(1, 1, 2 * pair), b = rig.packet(1, 1, 2 * pair + 1);
      rig.arrive(comes, 0, 0, a);
      rig.arrive(comes, 2, 0, b);
      rig.run(comes + 15);
      CAPTURE(vcs, pair);
      CHECK(visits(rig, PredictionOutcome::hit) == pair + 1);
      CHECK(visits(rig, PredictionOutcome::lost) == pair + 1);
      for (const PacketIndex packet : {a, b})
        for (const Cycle cycle : cycles_of(rig, packet)) crossing.push_back(cycle);
      CHECK(std::count(crossing.begin(), crossing.end(), comes + 1 + link) == 1);
    }
    CHECK(crossing.size() == 8);
    CHECK(apart(crossing));
  }
}

TEST_CASE("prediction: an answer after leaked flits must name the virtual channel by which they left") {
  for (const unsigned port : {1U, 2U}) {
    for (const routing::VcMask named : {1U, 2U, 3U}) {
      RigConfig config = predicting("straight");
      config.router.prediction.check = PredictionCheck::leak;
      ToldLookup lookup;
      Rig rig(config, &lookup);
      const PacketIndex packet = rig.packet(1, 2);
      rig.arrive(20, 0, 0, packet);
      rig.run(24);
      REQUIRE(cycles_of(rig, packet).size() == 2);
      const unsigned vc = rig.seen[0].vc;
      REQUIRE(rig.seen[1].vc == vc);
      lookup.answer(25, port, named);
      CAPTURE(port, named, vc);
      if (port == 1 && (named >> vc & 1U) != 0) {
        CHECK_NOTHROW(rig.run(60));
      } else {
        CHECK_THROWS_WITH(rig.run(60),
                          Catch::Contains("cycle 25") && Catch::Contains(packet_name(packet_id(7, 0))) &&
                              Catch::Contains("a virtual channel that its look-up does not return"));
      }
    }
  }
}

TEST_CASE("prediction: a router that checks by hints is not made without them") {
  RigConfig config = predicting("straight");
  config.router.prediction.check = PredictionCheck::hint;
  const auto refused = [&](bool knows_routing, bool hints) {
    config.knows_routing = knows_routing;
    config.hints = hints;
    const auto error = tsuji::test::thrown<ModelError>([&] { const Rig rig(config); });
    if (error)
      CHECK_THAT(error->what(),
                 Catch::Contains("router 0") && Catch::Contains("hint bits, and the packet has none"));
    return error.has_value();
  };
  CHECK(!refused(true, true));
  CHECK(refused(true, false));
  CHECK(refused(false, true));
  config.router.prediction.check = PredictionCheck::kill;
  CHECK(!refused(true, false));
  CHECK(!refused(false, true));
}
