#include <algorithm>
#include <catch2/catch.hpp>

#include "router/prediction_rig.h"
#include "tsuji/core/error.h"

// A router that predicts, cycle by cycle (Tateshita 2009, fig. 2): with stages of one cycle a head leaves
// three cycles after it came, and one that hits after a single one.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

TEST_CASE("prediction: a hit takes ST alone, and the flits behind the head as well") {
  Rig rig(predicting("straight"));
  const PacketIndex packet = rig.packet(1, 4);
  rig.arrive(20, 0, 0, packet);
  rig.run(60);
  CHECK(cycles_of(rig, packet) == Cycles{21 + link, 22 + link, 23 + link, 24 + link});
  CHECK(visits(rig, PredictionOutcome::hit) == 1);
  CHECK(rig.state->prediction_counters().kept_flits == 3);
  CHECK(rig.state->counters().flits == 4);
}

TEST_CASE("prediction: a wrong flit leaves by no output, and a miss takes not a cycle more than none") {
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

TEST_CASE("prediction: a real request for the output in the same cycle wins") {
  for (const Cycle other_comes : {18, 19, 20}) {
    Rig rig(predicting("straight"));
    const PacketIndex packet = rig.packet(1, 1, 1), other = rig.packet(1, 1, 2);
    rig.arrive(20, 0, 0, packet);
    rig.arrive(other_comes, 2, 0, other);  // predicted to leave by output 0
    rig.run(60);
    // The other asks for output 1 one cycle after it came, which releases the connection in that cycle and
    // for the next one.
    const bool lost = other_comes == 18 || other_comes == 19;
    CHECK(visits(rig, PredictionOutcome::lost) == (lost ? 1 : 0));
    CHECK(visits(rig, PredictionOutcome::hit) == (lost ? 0 : 1));
    CHECK(visits(rig, PredictionOutcome::wrong) == 1);
    CHECK(cycles_of(rig, packet) == Cycles{(lost ? 23 : 21) + link});
    CHECK(cycles_of(rig, other) == Cycles{other_comes + 3 + link});
  }
}

TEST_CASE("prediction: a packet whose output others ask for goes on by the switch") {
  Rig rig(predicting("straight"));
  const PacketIndex packet = rig.packet(1, 6, 1), other = rig.packet(1, 2, 2);
  rig.arrive(20, 0, 0, packet);
  rig.arrive(21, 2, 1, other);  // asks in 22
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

TEST_CASE("prediction: an input with a packet, or behind one, tries nothing") {
  Rig rig(predicting("straight"));
  const PacketIndex first = rig.packet(1, 4, 1), second = rig.packet(1, 1, 2), third = rig.packet(1, 1, 3);
  rig.arrive(20, 0, 0, first);
  rig.arrive(24, 0, 1, second);  // the tail came in 23, and has left in it
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

TEST_CASE("prediction: without a virtual channel and a credit at hand nothing is tried") {
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

TEST_CASE("prediction: what a router that predicts cannot do is refused by its key") {
  const auto refusal = [](const std::function<void(VcRouterConfig&)>& change) {
    VcRouterConfig config;
    config.prediction.kind = "latest_port";
    change(config);
    try {
      config.validate();
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using Catch::Contains;
  CHECK(refusal([](VcRouterConfig&) {}) == "accepted");
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.prediction.kind = "luck"; }), Contains("unknown predictor"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.switching = Switching::store_and_forward; }),
             Contains("router.switching"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.des_cycles = 1; }), Contains("router.des_cycles"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.ser_cycles = 1; }), Contains("router.ser_cycles"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.vc_change_cycles = 1; }), Contains("router.vc_change_cycles"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.input_speedup = 2; }), Contains("router.input_speedup"));
  CHECK_THAT(refusal([](VcRouterConfig& c) { c.route_at = RouteAt::arrival; }), Contains("router.route_at"));
}
