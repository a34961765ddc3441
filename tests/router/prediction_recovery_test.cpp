// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "router/prediction_rig.h"
#include "router/recovery_scene.h"
#include "support/catch.h"

// Prediction in a router with recovery, cycle by cycle: hits and misses by coordinates and by the table, and
// heads without prediction.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

using Ports = std::vector<unsigned>;
const Ports second_ahead = {no_port, no_port, way, no_port};

struct Predicting : Scene {
  Predicting(
      PredictionCheck check, const Ports& straight, Cycle timeout_cycles = 64, unsigned hop_limit = 0,
      const std::function<void(RigConfig&)>& change = [](RigConfig&) {})
      : Scene(timeout_cycles, {}, hop_limit, [&](RigConfig& config) {
          config.router.prediction.kind = "straight";
          config.router.prediction.check = check;
          config.straight = straight;
          change(config);
        }) {}
  std::uint64_t fates(PredictionOutcome outcome) const { return visits(rig, outcome); }
  /// Returns true if the only head had this outcome.
  bool fate_is(PredictionOutcome outcome) const {
    const PredictionCounters counters = rig.state->prediction_counters();
    std::uint64_t all = 0;
    for (const std::uint64_t count : counters.visits) all += count;
    return all == 1 && fates(outcome) == 1;
  }
  bool dead_flits() const {
    return std::any_of(rig.seen.begin(), rig.seen.end(), [](const Seen& seen) { return seen.dead; });
  }
  void suspend(bool suspended) {
    rig.state->suspend(suspended, rig.now - 1);
    rig.woken = true;
  }
};

constexpr PredictionCheck checks[] = {PredictionCheck::kill, PredictionCheck::wait, PredictionCheck::leak};

}  // namespace

TEST_CASE(
    "prediction with recovery: a hit skips the stages that its check allows, and in a fault region also the "
    "read") {
  struct Hop {
    PredictionCheck check;
    Cycle outside, inside;  // of a hit; 5 and 10 without prediction
  };
  for (const Hop& hop :
       {Hop{PredictionCheck::kill, 2, 10}, {PredictionCheck::wait, 3, 8}, {PredictionCheck::leak, 2, 2}}) {
    for (const bool in_region : {false, true}) {
      for (const bool right : {true, false}) {
        for (const bool full : {false, true}) {
          Predicting scene(hop.check, {no_port, no_port, right ? way : way_round, no_port}, 64, 0,
                           [full](RigConfig& config) { config.full = full; });
          scene.detour.in_region = in_region;
          const PacketIndex packet = scene.send(20, 2, 0, way, 3);
          scene.rig.run(60);
          CAPTURE(static_cast<int>(hop.check), in_region, right, full);
          const Cycle slow = in_region ? 10 : 5,
                      taken = right ? (in_region ? hop.inside : hop.outside) : slow;
          CHECK(cycles_of(scene.rig, packet) == Cycles{20 + taken, 21 + taken, 22 + taken});
          const bool hit = taken < slow;
          CHECK(scene.fate_is(hit ? PredictionOutcome::hit : PredictionOutcome::wrong));
          CHECK(scene.rig.state->prediction_counters().saved_cycles == slow - taken);
          CHECK(scene.table.reads() == (in_region ? 1 : 0));
          CHECK(scene.dead_flits() == (hop.check == PredictionCheck::leak && !hit));
        }
      }
    }
  }
}

TEST_CASE(
    "prediction with recovery: a hit that waits for a long read saves allocation, one that leaks the read") {
  for (const Cycle table_cycles : {2, 30}) {
    for (const PredictionCheck check : checks) {
      Scene scene(64, {1, table_cycles, 1, true}, 0, [check](RigConfig& config) {
        config.router.prediction.kind = "straight";
        config.router.prediction.check = check;
        config.router.st_cycles = 40;  // longer than any read
        config.straight = second_ahead;
      });
      scene.detour.in_region = true;
      const PacketIndex packet = scene.send(20, 2, 0, way);
      scene.rig.run(140);
      CAPTURE(table_cycles, static_cast<int>(check));
      const Cycle slow = 5 + table_cycles + 39;
      CHECK(scene.out(packet).cycle == 20 + (check == PredictionCheck::kill   ? slow
                                             : check == PredictionCheck::wait ? slow - 2
                                                                              : 41));
    }
  }
}

TEST_CASE("prediction with recovery: heads for the node of a router in a region hit by coordinates") {
  Predicting scene(PredictionCheck::kill, {no_port, no_port, node_port, no_port});
  scene.detour.in_region = true;
  const PacketIndex packet = scene.send(20, 2, 0, node_port, 2);
  scene.rig.run(60);
  CHECK(cycles_of(scene.rig, packet) == Cycles{22, 23});
}

TEST_CASE("prediction with recovery: nothing is predicted for heads in recovery and of control") {
  for (const PredictionCheck check : checks) {
    for (const PacketClass of : {PacketClass::recovery, PacketClass::control}) {
      Predicting scene(check, {no_port, no_port, way_round, no_port});
      const PacketIndex packet = scene.send(20, 2, ud_vc, way_round, 3);
      scene.rig.pool.at(packet).packet_class = of;
      scene.rig.run(60);
      CAPTURE(static_cast<int>(check), static_cast<int>(of));
      CHECK(scene.out(packet).cycle == (of == PacketClass::recovery ? 30 : 25));
      CHECK(scene.fate_is(PredictionOutcome::not_predicted));
      CHECK_FALSE(scene.dead_flits());
      // The input predicts again when it is empty.
      const PacketIndex next = scene.send(70, 2, 0, way_round);
      scene.rig.run(90);
      CHECK(scene.out(next).cycle == (check == PredictionCheck::wait ? 73 : 72));
    }
  }
}

TEST_CASE(
    "prediction with recovery: while a head in recovery is at an input no other one finds the input empty") {
  Predicting scene(PredictionCheck::kill, second_ahead);
  const PacketIndex recovers = scene.send(20, 2, ud_vc, way), next = scene.send(21, 2, 0, way);
  scene.rig.pool.at(recovers).packet_class = PacketClass::recovery;
  scene.rig.run(60);
  CHECK(scene.out(next).cycle == 26);
  CHECK(scene.fates(PredictionOutcome::not_idle) == 1);
}

TEST_CASE(
    "prediction with recovery: an input at which a head recovers leaves its output to others' predictions") {
  for (const bool full : {false, true}) {
    Predicting scene(PredictionCheck::kill, {way, no_port, way, no_port}, 64, 0,
                     [full](RigConfig& config) { config.full = full; });
    // A real request takes the output from input 0, and input 2 has it next.
    scene.send(20, 3, 0, way);
    const PacketIndex recovers = scene.send(40, 2, ud_vc, way), other = scene.send(43, 0, 0, way);
    scene.rig.pool.at(recovers).packet_class = PacketClass::recovery;
    scene.rig.run(60);
    CAPTURE(full);
    CHECK(scene.out(other).cycle == 45);
    CHECK(scene.out(recovers).cycle == 50);
  }
}

TEST_CASE("prediction with recovery: while words of a head in recovery come its input is not idle") {
  Predicting scene(PredictionCheck::leak, second_ahead, 64, 0, [](RigConfig& config) {
    config.router.prediction.serial = true;
    config.router.des_cycles = 4;
    config.channel.flit_cycles = 3;
    config.channel.whole_flit = true;
    config.sparse = false;
  });
  // Their first words come seven cycles before they can be routed.
  const PacketIndex recovers = scene.send(50, 2, ud_vc, way), next = scene.send(53, 2, 0, way);
  scene.rig.pool.at(recovers).packet_class = PacketClass::recovery;
  scene.rig.run(100);
  CHECK(scene.out(recovers).port == way_round);
  CHECK(scene.out(next).port == way);
  CHECK(scene.fates(PredictionOutcome::not_predicted) == 1);
  CHECK(scene.fates(PredictionOutcome::not_idle) == 1);
}

TEST_CASE(
    "prediction with recovery: a head that a correct prediction forwarded may recover before its request") {
  Predicting scene(PredictionCheck::leak, second_ahead, 64, 0, [](RigConfig& config) {
    config.router.prediction.serial = true;
    config.channel.flit_cycles = 3;
    config.channel.whole_flit = true;
    config.sparse = false;
  });
  const PacketIndex packet = scene.send(40, 2, 0, way);
  scene.rig.run(39);  // its first word has crossed in 37, and its last one is still to come
  scene.rig.pool.at(packet).packet_class = PacketClass::recovery;
  CHECK_NOTHROW(scene.rig.run(80));
  CHECK(scene.out(packet).port == way);
  CHECK(scene.fate_is(PredictionOutcome::hit));
}

TEST_CASE("prediction with recovery: heads in recovery and of control teach no predictor") {
  for (const char* kind : {"latest_port", "last_destination", "finite_context"}) {
    for (const PredictionCheck check : checks) {
      Predicting scene(check, {}, 64, 0, [kind](RigConfig& config) { config.router.prediction.kind = kind; });
      for (const Cycle cycle : {20, 60, 100, 140}) scene.send(cycle, 2, 0, way);
      const PacketIndex recovers = scene.send(180, 2, ud_vc, 3), control = scene.send(220, 2, ud_vc, 3);
      scene.rig.pool.at(recovers).packet_class = PacketClass::recovery;
      scene.rig.pool.at(control).packet_class = PacketClass::control;
      const PacketIndex after = scene.send(260, 2, 0, way);
      scene.rig.run(300);
      CAPTURE(kind, static_cast<int>(check));
      CHECK(scene.out(after).cycle == (check == PredictionCheck::wait ? 263 : 262));
    }
  }
}

TEST_CASE("prediction with recovery: a head with too many hops begins recovery instead of being predicted") {
  for (const PredictionCheck check : checks) {
    for (const bool serial : {false, true}) {
      if (serial && check != PredictionCheck::leak) continue;
      Predicting scene(check, second_ahead, 64, 12, [serial](RigConfig& config) {
        config.router.prediction.serial = serial;
        config.sparse = !serial;
        config.channel.flit_cycles = serial ? 3 : 1;
        config.channel.whole_flit = serial;
      });
      const PacketIndex packet = scene.rig.packet(way, 1, 60);
      scene.rig.pool.at(packet).hops = 13;
      scene.rig.arrive(40, 2, 0, packet);
      scene.rig.run(90);
      CAPTURE(static_cast<int>(check), serial);
      REQUIRE(scene.rig.seen.size() == 1);
      CHECK(scene.rig.seen[0].port == way_round);
      CHECK(scene.rig.seen[0].vc == ud_vc);
      CHECK(scene.fate_is(PredictionOutcome::not_predicted));
      CHECK(scene.counters().recoveries_by_hops == 1);
    }
  }
}

TEST_CASE("prediction with recovery: no prediction uses a channel of recovery, and a blocked head recovers") {
  for (const PredictionCheck check : checks) {
    for (const bool full : {false, true}) {
      Predicting scene(check, {way, no_port, no_port, no_port}, 64, 0,
                       [full](RigConfig& config) { config.full = full; });
      scene.block();
      scene.rig.run(25);
      const PacketIndex late = scene.send(30, 0, 0, way, 5);
      scene.rig.run(160);
      CAPTURE(static_cast<int>(check), full);
      CHECK(scene.fates(PredictionOutcome::no_room) == 1);
      CHECK(scene.fates(PredictionOutcome::wrong) == 0);
      CHECK(scene.fates(PredictionOutcome::hit) == 0);
      CHECK_FALSE(scene.dead_flits());
      CHECK(cycles_of(scene.rig, late) == Cycles{104, 105, 106, 107, 108});
      CHECK(scene.out(late).vc == ud_vc);
      CHECK(scene.counters().recoveries == 1);
    }
  }
}

TEST_CASE("prediction with recovery: a channel of recovery is usable towards a node") {
  Predicting scene(PredictionCheck::kill, {no_port, no_port, node_port, no_port});
  // Heads without tails hold the first two.
  for (unsigned vc = 0; vc < fa_vcs; ++vc)
    scene.rig.arrive(20, 3, vc, scene.rig.packet(node_port, 2, 90 + vc), 0);
  scene.rig.run(35);
  const PacketIndex packet = scene.send(40, 2, 0, node_port);
  scene.rig.run(60);
  CHECK(scene.out(packet).cycle == 42);
  CHECK(scene.out(packet).vc == ud_vc);
}

TEST_CASE("prediction with recovery: a head whose copies have left has an answer before its timeout") {
  for (const bool right : {true, false}) {
    Predicting scene(PredictionCheck::leak, {no_port, no_port, right ? way : way_round, no_port}, 3);
    scene.detour.in_region = true;
    const PacketIndex packet = scene.send(20, 2, 0, way, 3);
    scene.rig.run(80);
    CAPTURE(right);
    // The answer is there in 26, and the head begins recovery in 27.
    const Cycle first = right ? 22 : 27 + 10;
    CHECK(cycles_of(scene.rig, packet) == Cycles{first, first + 1, first + 2});
    CHECK(scene.counters().recoveries == (right ? 0 : 1));
    CHECK(scene.dead_flits() == !right);
    CHECK(scene.fates(right ? PredictionOutcome::hit : PredictionOutcome::wrong) == 1);
    // The channel that the dead flits held is free again.
    const PacketIndex next = scene.send(90, 1, 0, 3);
    scene.detour.in_region = false;
    scene.rig.run(120);
    CHECK(scene.out(next).cycle == 95);
  }
}

TEST_CASE("prediction with recovery: a head in recovery that leaves its channels stops the run") {
  for (const bool full : {false, true}) {
    Predicting scene(PredictionCheck::kill, second_ahead, 64, 0,
                     [full](RigConfig& config) { config.full = full; });
    scene.detour.recovery_mask = routing::vc_range(0, 1);
    const PacketIndex packet = scene.send(20, 2, ud_vc, way);
    scene.rig.pool.at(packet).packet_class = PacketClass::recovery;
    CHECK_THROWS_WITH(scene.rig.run(60),
                      Catch::Contains("a packet in recovery leaves the virtual channels of recovery"));
  }
}

TEST_CASE("prediction with recovery: while its router is suspended nothing is predicted for normal heads") {
  for (const PredictionCheck check : checks) {
    Predicting scene(check, second_ahead);
    const PacketIndex long_one = scene.send(30, 2, 0, way, 40);
    scene.rig.run(50);
    scene.suspend(true);
    const PacketIndex stands = scene.send(90, 2, 1, way);
    scene.rig.run(100);
    CAPTURE(static_cast<int>(check));
    CHECK(cycles_of(scene.rig, long_one).size() == 40);  // its head had hit
    CHECK(cycles_of(scene.rig, long_one).back() == 30 + 39 + (check == PredictionCheck::wait ? 3 : 2));
    scene.rig.run(200);
    CHECK(cycles_of(scene.rig, stands).empty());
    scene.suspend(false);
    scene.rig.run(300);
    CHECK(scene.out(stands).cycle == 205);
    CHECK(scene.fates(PredictionOutcome::hit) == 1);
    CHECK(scene.fates(PredictionOutcome::not_predicted) == 1);
    CHECK_FALSE(scene.dead_flits());
    // Heads that come later are predicted.
    const PacketIndex after = scene.send(310, 2, 0, way);
    scene.rig.run(340);
    CHECK(scene.out(after).cycle == (check == PredictionCheck::wait ? 313 : 312));
  }
}

TEST_CASE("prediction with recovery: a suspended head is routed as if nothing had been predicted") {
  for (const PredictionCheck check : {PredictionCheck::kill, PredictionCheck::wait}) {
    Predicting scene(check, second_ahead);
    scene.detour.in_region = true;
    const PacketIndex packet = scene.send(20, 2, 0, way, 3);  // its answer would be there in 26
    scene.rig.run(23);
    scene.suspend(true);
    scene.rig.run(60);
    CHECK(cycles_of(scene.rig, packet).empty());
    scene.suspend(false);
    scene.rig.run(100);
    CAPTURE(static_cast<int>(check));
    CHECK(cycles_of(scene.rig, packet) == Cycles{70, 71, 72});
    CHECK(scene.fates(PredictionOutcome::hit) == 0);
  }
}

TEST_CASE(
    "prediction with recovery: a head whose prediction waits for its answer requests the exchanged routing") {
  Predicting scene(PredictionCheck::wait, second_ahead);
  Detour next;
  next.other_way = 3;
  scene.detour.in_region = true;
  const PacketIndex packet = scene.send(20, 2, 0, way, 3);
  scene.rig.run(23);
  scene.rig.state->exchange_routing({&next, 1}, scene.rig.now - 1);
  scene.rig.woken = true;
  scene.rig.run(60);
  // From 23 on, by coordinates.
  CHECK(cycles_of(scene.rig, packet) == Cycles{28, 29, 30});
  CHECK(scene.out(packet).port == 3);
  CHECK(scene.fates(PredictionOutcome::hit) + scene.fates(PredictionOutcome::wrong) == 0);
}

TEST_CASE("prediction with recovery: the purge of a packet that hit leaves no state") {
  for (const bool full : {false, true}) {
    Predicting scene(PredictionCheck::kill, second_ahead, 64, 0,
                     [full](RigConfig& config) { config.full = full; });
    const PacketIndex packet = scene.send(20, 2, 0, way, 6);
    scene.rig.run(23);  // three flits have crossed
    const PurgedPart part = scene.rig.state->purge(packet, 2, 0, scene.rig.now - 1);
    scene.rig.woken = true;
    CAPTURE(full);
    CHECK(part.found);
    CHECK(part.leads_on);
    CHECK(part.out_port == way);
    for (auto& [cycle, arrival] : scene.rig.under_way) arrival.flit.flags |= Flit::killed;
    scene.rig.run(50);
    CHECK(cycles_of(scene.rig, packet).size() == 3);
    CHECK(scene.rig.state->view(2, 0).state == VcState::idle);
    CHECK(scene.counters().killed_flits == 3);
    // Input, output and virtual channel are free again.
    for (const Cycle cycle : {60, 80}) {
      const PacketIndex next = scene.send(cycle, 2, 0, way, 2);
      scene.rig.run(cycle + 15);
      CHECK(cycles_of(scene.rig, next) == Cycles{cycle + 2, cycle + 3});
    }
  }
}
