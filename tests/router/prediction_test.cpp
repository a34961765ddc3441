// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "router/prediction_rig.h"
#include "support/catch.h"
#include "support/purge_router.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

// A router that predicts, cycle by cycle (Tateshita 2009, fig. 2): with stages of one cycle a head leaves
// three cycles after it came, and one that hits after a single one.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

TEST_CASE("prediction: a hit takes ST alone, and so do the flits that follow the head") {
  Rig rig(predicting("straight"));
  const PacketIndex packet = rig.packet(1, 4);
  rig.arrive(20, 0, 0, packet);
  rig.run(60);
  CHECK(cycles_of(rig, packet) == Cycles{21 + link, 22 + link, 23 + link, 24 + link});
  CHECK(visits(rig, PredictionOutcome::hit) == 1);
  CHECK(rig.state->prediction_counters().kept_flits == 3);
  CHECK(rig.state->counters().flits == 4);
}

TEST_CASE("prediction: a wrong flit leaves by no output, and a miss costs no cycle") {
  for (const char* kind : {"none", "straight"}) {
    Rig rig(predicting(kind));
    const PacketIndex packet = rig.packet(2, 4);
    rig.arrive(20, 0, 0, packet);
    rig.run(60);
    CHECK(cycles_of(rig, packet) == Cycles{23 + link, 24 + link, 25 + link, 26 + link});
    CHECK(std::all_of(rig.seen.begin(), rig.seen.end(), [](const Seen& seen) { return seen.port == 2; }));
    CHECK(visits(rig, PredictionOutcome::wrong) == (kind == std::string("straight") ? 1 : 0));
    CHECK(visits(rig, PredictionOutcome::hit) == 0);
  }
}

TEST_CASE(
    "prediction: a purged packet does not change the order of older wishes, in whichever cycles the router "
    "runs") {
  for (const Cycle va_cycles : {0, 1}) {  // with either driver
    for (const bool sparse : {false, true}) {
      RigConfig config = predicting("straight", {2, 2, no_port});
      config.router.va_cycles = va_cycles;
      config.sparse = sparse;
      Rig rig(config);
      const PacketIndex cut = rig.packet(2, 2, 1), behind = rig.packet(2, 1, 2);
      rig.arrive(20, 1, 0, cut, 0);  // takes the output from input 0, which holds it again from then on
      rig.run(40);
      tsuji::test::purge_router(*rig.state, cut, 39);
      rig.woken = true;
      rig.arrive(50, 0, 1, behind);
      rig.run(80);
      CAPTURE(va_cycles, sparse);
      CHECK(cycles_of(rig, behind) == Cycles{51 + link});
    }
  }
}

TEST_CASE("prediction: the purge of a packet does not free its output one cycle early") {
  for (const Cycle va_cycles : {0, 1}) {  // with either driver
    RigConfig config = predicting("straight", {2, 2, no_port});
    config.router.va_cycles = va_cycles;
    Rig rig(config);
    const PacketIndex cut = rig.packet(2, 2, 1), behind = rig.packet(2, 1, 2);
    rig.arrive(20, 1, 0, cut, 0);  // requests in 21
    rig.arrive(22, 0, 1, behind);
    rig.run(22);
    tsuji::test::purge_router(*rig.state, cut, 21);
    rig.run(60);
    CAPTURE(va_cycles);
    CHECK(cycles_of(rig, behind) == Cycles{25 + va_cycles + link});
    CHECK(visits(rig, PredictionOutcome::hit) == 0);
  }
}

TEST_CASE("prediction: a real request for the output in the same cycle wins") {
  for (const Cycle other_comes : {18, 19, 20}) {
    Rig rig(predicting("straight"));
    const PacketIndex packet = rig.packet(1, 1, 1), other = rig.packet(1, 1, 2);
    rig.arrive(20, 0, 0, packet);
    rig.arrive(other_comes, 2, 0, other);  // predicted to leave by output 0
    rig.run(60);
    // The other requests output 1 one cycle after its arrival, which releases the connection in that cycle
    // and for the next one.
    const bool lost = other_comes == 18 || other_comes == 19;
    CHECK(visits(rig, PredictionOutcome::lost) == (lost ? 1 : 0));
    CHECK(visits(rig, PredictionOutcome::hit) == (lost ? 0 : 1));
    CHECK(visits(rig, PredictionOutcome::wrong) == 1);
    CHECK(cycles_of(rig, packet) == Cycles{(lost ? 23 : 21) + link});
    CHECK(cycles_of(rig, other) == Cycles{other_comes + 3 + link});
  }
}

TEST_CASE("prediction: a packet continues through the switch when others request its output") {
  Rig rig(predicting("straight"));
  const PacketIndex packet = rig.packet(1, 6, 1), other = rig.packet(1, 2, 2);
  rig.arrive(20, 0, 0, packet);
  rig.arrive(21, 2, 1, other);  // requests in 22
  rig.run(60);
  const Cycles own = cycles_of(rig, packet);
  REQUIRE(own.size() == 6);
  CHECK(own[0] == 21 + link);
  CHECK(own[1] == 22 + link);
  CHECK(own[2] >= 24 + link);  // by SA from 22 on
  CHECK(rig.state->prediction_counters().kept_flits == 1);
  Cycles all = own;
  for (const Cycle cycle : cycles_of(rig, other)) all.push_back(cycle);
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());  // a flit a cycle and output
  CHECK(all.size() == 8);
}

TEST_CASE("prediction: an input that holds or follows a packet predicts nothing") {
  Rig rig(predicting("straight"));
  const PacketIndex first = rig.packet(1, 4, 1), second = rig.packet(1, 1, 2), third = rig.packet(1, 1, 3);
  rig.arrive(20, 0, 0, first);
  rig.arrive(24, 0, 1, second);  // the tail came and left in 23
  rig.stopped[1] = true;
  rig.run(30);
  rig.stopped[1] = false;
  CHECK(visits(rig, PredictionOutcome::hit) == 2);
  const PacketIndex blocked = rig.packet(1, 12, 4);
  for (unsigned f = 0; f < 6; ++f) rig.arrive(40 + f, 0, 0, blocked, f);
  rig.arrive(47, 0, 1, third);
  for (unsigned f = 6; f < 12; ++f) rig.arrive(42 + f, 0, 0, blocked, f);
  rig.run(100);
  CHECK(visits(rig, PredictionOutcome::hit) == 3);
  CHECK(visits(rig, PredictionOutcome::not_idle) == 1);
  CHECK(cycles_of(rig, third).size() == 1);
  CHECK(cycles_of(rig, blocked).size() == 12);
}

TEST_CASE("prediction: without a free virtual channel and a credit nothing is predicted") {
  RigConfig config = predicting("straight");
  config.channel.vcs = 1;
  config.channel.depth_flits = 2;
  Rig rig(config);
  rig.stopped[1] = true;
  const PacketIndex first = rig.packet(1, 2, 1), second = rig.packet(1, 1, 2);
  rig.arrive(20, 0, 0, first);
  rig.arrive(30, 0, 0, second);
  rig.run(50);
  CHECK(visits(rig, PredictionOutcome::hit) == 1);
  CHECK(visits(rig, PredictionOutcome::no_room) == 1);
  rig.stopped[1] = false;
  rig.run(80);
  CHECK(cycles_of(rig, second).size() == 1);
}

namespace {

/// Off-chip channel: flits of `words` words, handled after their last word, between a deserializer and a
/// serializer.
RigConfig words_pass(unsigned words, PredictionCheck check) {
  RigConfig config = predicting("straight");
  config.channel.flit_cycles = words;
  config.channel.whole_flit = true;
  config.router.des_cycles = config.router.ser_cycles = 1;
  config.router.prediction.serial = true;
  config.router.prediction.check = check;
  return config;
}

RigConfig late(PredictionCheck check, Cycle rc_cycles) {
  RigConfig config = predicting("straight");
  config.router.prediction.check = check;
  config.rc_cycles = rc_cycles;
  return config;
}

}  // namespace

TEST_CASE("prediction: a hit that is not passed word by word is serialized") {
  RigConfig config = predicting("straight");
  config.router.des_cycles = 2;
  config.router.ser_cycles = 3;
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 2, 1), other = rig.packet(2, 1, 2);
  rig.arrive(20, 0, 0, packet);
  rig.arrive(40, 0, 0, other);
  rig.run(60);
  CHECK(cycles_of(rig, packet) == Cycles{24 + link, 25 + link});  // ST, Ser
  CHECK(cycles_of(rig, other) == Cycles{46 + link});              // RC, VSA, ST, Ser
}

TEST_CASE("prediction: words of a hit are on the next link one cycle after their arrival") {
  for (const unsigned words : {1U, 4U}) {
    for (const bool right : {true, false}) {
      Rig rig(words_pass(words, PredictionCheck::hint));
      const PacketIndex packet = rig.packet(right ? 1 : 2, 3);
      // The first word is on the wires in cycle 20; the flit can be handled after its last word and Des.
      const Cycle whole = link + words - 1, ready = 20 + whole + 1;
      for (unsigned f = 0; f < 3; ++f) rig.arrive(ready + f * words, 0, 0, packet, f);
      rig.run(80);
      const Cycle first = right ? 21 + whole : ready + 4 + whole;  // RC, VSA, ST, Ser
      CHECK(cycles_of(rig, packet) == Cycles{first, first + words, first + 2 * words});
      CHECK(visits(rig, PredictionOutcome::hit) == (right ? 1 : 0));
      CHECK(visits(rig, PredictionOutcome::wrong) == (right ? 0 : 1));
      CHECK(rig.state->prediction_counters().kept_flits == (right ? 2 : 0));
      CHECK(std::all_of(rig.seen.begin(), rig.seen.end(),
                        [&](const Seen& seen) { return seen.port == (right ? 1 : 2) && !seen.dead; }));
    }
  }
}

TEST_CASE("prediction: with store and forward words of a hit pass, others wait for the whole packet") {
  for (const bool room : {true, false}) {
    RigConfig config = words_pass(1, PredictionCheck::hint);
    config.router.switching = Switching::store_and_forward;
    config.channel.vcs = 1;
    config.channel.depth_flits = 4;
    Rig rig(config);
    rig.stopped[1] = true;
    const PacketIndex before = rig.packet(1, room ? 1 : 2, 1), packet = rig.packet(1, 3, 2);
    rig.arrive(16, 0, 0, before);
    for (unsigned f = 0; f < 3; ++f) rig.arrive(22 + 2 * f, 0, 0, packet, f);
    rig.run(40);
    rig.stopped[1] = false;
    rig.run(80);
    // Three credits are needed in addition to those of the previous packet.
    CHECK(visits(rig, PredictionOutcome::hit) == (room ? 2 : 1));
    CHECK(visits(rig, PredictionOutcome::no_room) == (room ? 0 : 1));
    CHECK(cycles_of(rig, packet).size() == 3);
    CHECK(rig.state->prediction_counters().kept_flits == (room ? 2 : 1));
  }
}

TEST_CASE("prediction: a flit that cannot pass on arrival is buffered, and so are the flits that follow it") {
  Rig rig(words_pass(4, PredictionCheck::hint));
  const PacketIndex packet = rig.packet(1, 4, 1), other = rig.packet(1, 1, 2);
  for (unsigned f = 0; f < 4; ++f) rig.arrive(40 + 4 * f, 0, 0, packet, f);  // words from 36 - 1 on
  rig.arrive(38, 2, 1, other);                                               // requests output 1 in 39
  rig.run(120);
  const Cycles own = cycles_of(rig, packet);
  REQUIRE(own.size() == 4);
  CHECK(own[0] == 40);
  CHECK(own[1] > 44);  // the other requests when its first word comes
  CHECK(rig.state->prediction_counters().kept_flits == 0);
  Cycles all = own;
  for (const Cycle cycle : cycles_of(rig, other)) all.push_back(cycle);
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(all[i] >= all[i - 1] + 4);  // a flit takes the link for four cycles
}

TEST_CASE("prediction: a hinted head crosses without a route, and nothing without a hint is predicted") {
  for (const Cycle rc_cycles : {Cycle{0}, Cycle{1}, Cycle{27}}) {
    Rig rig(late(PredictionCheck::hint, rc_cycles));
    const PacketIndex packet = rig.packet(1, 2, 1), other = rig.packet(2, 2, 2);
    rig.arrive(20, 0, 0, packet);
    rig.arrive(60, 1, 0, other);  // by the port straight on, which no hint names
    rig.run(120);
    CHECK(cycles_of(rig, packet) == Cycles{21 + link, 22 + link});
    CHECK(cycles_of(rig, other) == Cycles{62 + rc_cycles + link, 63 + rc_cycles + link});
    CHECK(visits(rig, PredictionOutcome::hit) == 1);
    CHECK(visits(rig, PredictionOutcome::not_predicted) == 1);
  }
}

TEST_CASE("prediction: a head that waits for its route saves the allocation") {
  for (const bool right : {true, false}) {
    Rig rig(late(PredictionCheck::wait, 5));
    const PacketIndex packet = rig.packet(right ? 1 : 2, 3);
    rig.arrive(20, 0, 0, packet);
    rig.run(60);
    const Cycle first = (right ? 26 : 27) + link;
    CHECK(cycles_of(rig, packet) == Cycles{first, first + 1, first + 2});
    CHECK(visits(rig, PredictionOutcome::hit) == (right ? 1 : 0));
    CHECK(visits(rig, PredictionOutcome::wrong) == (right ? 0 : 1));
  }
}

TEST_CASE("prediction: an output that is requested while a head waits for its route is lost or held again") {
  for (const Cycle other_comes : {18, 19}) {
    Rig rig(late(PredictionCheck::wait, 5));
    const PacketIndex packet = rig.packet(1, 1, 1), other = rig.packet(1, 1, 2);
    rig.arrive(20, 0, 0, packet);
    rig.arrive(other_comes, 2, 0, other);  // requests in 23 or 24
    rig.run(60);
    // Nothing requests an output in a cycle before 25.
    CHECK(visits(rig, PredictionOutcome::hit) == (other_comes == 18 ? 1 : 0));
    CHECK(visits(rig, PredictionOutcome::lost) == (other_comes == 18 ? 0 : 1));
    CHECK(cycles_of(rig, packet).size() == 1);
  }
}

TEST_CASE(
    "prediction: flits that leak stay in their buffer until the route is known, and wrong ones are dead") {
  for (const bool right : {true, false}) {
    Rig rig(late(PredictionCheck::leak, 5));
    const PacketIndex packet = rig.packet(right ? 1 : 2, 4);
    rig.arrive(20, 0, 0, packet);
    rig.run(25);
    CHECK(rig.in[0]->flits_held() == 4);
    rig.run(26);
    CHECK(rig.in[0]->flits_held() == (right ? 0 : 3));  // the head has won the switch
    rig.run(80);
    Cycles early, live;
    for (const Seen& seen : rig.seen) {
      if (seen.cycle < 26) early.push_back(seen.cycle);
      if (!seen.dead) live.push_back(seen.cycle);
      CHECK(seen.dead == (!right && seen.port == 1));
    }
    CHECK(early == Cycles{21 + link, 22 + link, 23 + link, 24 + link});
    CHECK(live == (right ? early : Cycles{27 + link, 28 + link, 29 + link, 30 + link}));
    CHECK(visits(rig, PredictionOutcome::hit) == (right ? 1 : 0));
    CHECK(visits(rig, PredictionOutcome::wrong) == (right ? 0 : 1));
    CHECK(rig.state->prediction_counters().leaked_flits == (right ? 0 : 4));
    CHECK(rig.in[0]->flits_held() == 0);
  }
}

TEST_CASE("prediction: a leak continues after the answer, and stops for a real request") {
  Rig rig(late(PredictionCheck::leak, 5));
  const PacketIndex packet = rig.packet(1, 12, 1), other = rig.packet(1, 1, 2);
  Cycles expected;
  for (unsigned f = 0; f < 12; ++f) {
    const Cycle comes = (f < 7 ? 20 : 25) + f;  // three cycles after the answer the buffer has room
    rig.arrive(comes, 0, 0, packet, f);
    expected.push_back(comes + 1 + link);
  }
  rig.run(60);
  CHECK(cycles_of(rig, packet) == expected);
  const PacketIndex again = rig.packet(1, 6, 3);
  rig.arrive(80, 0, 0, again);
  rig.arrive(77, 2, 1, other);  // requests output 1 in 82
  rig.run(140);
  const Cycles own = cycles_of(rig, again);
  REQUIRE(own.size() == 6);
  CHECK(own[1] == 82 + link);
  CHECK(own[2] > 85 + link);  // by the switch, when the route is known
  CHECK(cycles_of(rig, other).size() == 1);
}

TEST_CASE("prediction: words that leak are on the next link before their packet's route is requested") {
  for (const bool right : {true, false}) {
    RigConfig config = words_pass(4, PredictionCheck::leak);
    config.rc_cycles = 3;
    Rig rig(config);
    const PacketIndex packet = rig.packet(right ? 1 : 2, 2);
    rig.arrive(25, 0, 0, packet, 0);  // the first word from 20 on
    rig.arrive(29, 0, 0, packet, 1);
    rig.run(80);
    REQUIRE(rig.seen.size() == (right ? 2 : 4));
    CHECK(rig.seen[0].cycle == 25);
    CHECK(rig.seen[1].cycle == 29);
    CHECK(rig.seen[0].dead == !right);
    if (!right) CHECK(rig.seen[2].cycle == 25 + 3 + 3 + 4);  // RC, VSA, ST and Ser, the link
    CHECK(rig.in[0]->flits_held() == 0);
    CHECK(visits(rig, PredictionOutcome::not_idle) == 0);
  }
}

TEST_CASE("prediction: what a router that predicts cannot do is refused by its key") {
  const auto refusal = [](const std::function<void(VcRouterConfig&)>& change) {
    VcRouterConfig config;
    config.prediction.kind = "latest_port";
    change(config);
    return tsuji::test::text_of<ConfigError>([&] { config.validate(); }, "accepted");
  };
  using Catch::Contains;
  CHECK(refusal([](VcRouterConfig&) {}) == "accepted");
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.prediction.kind = "luck"; }), Contains("unknown predictor"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.switching = Switching::store_and_forward; }),
             Contains("router.switching"));
  for (const PredictionCheck check : {PredictionCheck::kill, PredictionCheck::wait}) {
    CHECK_THAT(refusal([&](VcRouterConfig& c) {
                 c.prediction.serial = true;
                 c.prediction.check = check;
               }),
               Contains("prediction.check") && Contains("hint or leak"));
  }
  const auto serial = [&](Cycle st_cycles) {
    return refusal([&](VcRouterConfig& c) {
      c.prediction.serial = true;
      c.prediction.check = PredictionCheck::leak;
      c.switching = Switching::store_and_forward;
      c.st_cycles = st_cycles;
    });
  };
  CHECK(serial(1) == "accepted");
  CHECK_THAT(serial(0), Contains("router.st_cycles"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.vc_change_cycles = 1; }), Contains("router.vc_change_cycles"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.input_speedup = 2; }), Contains("router.input_speedup"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.route_at = RouteAt::arrival; }), Contains("router.route_at"));
}
