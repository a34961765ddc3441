// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "router/recovery_scene.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

// Deadlock recovery of a router, cycle by cycle (Yoshinaga 2004, 2.2 and 4.3): 5 cycles a hop with its link,
// 5 more for a read of the table.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

TEST_CASE("recovery: a hop takes 5 cycles, and 5 more where the table is read, but not for a node") {
  Scene scene(100);
  const PacketIndex outside = scene.send(20, 2, 0, way), to_node = scene.send(20, 3, 1, node_port);
  scene.rig.run(40);
  scene.detour.in_region = true;
  const PacketIndex inside = scene.send(50, 2, 0, way), to_node_inside = scene.send(50, 3, 1, node_port);
  scene.rig.run(70);
  CHECK(scene.out(outside).cycle == 25);
  CHECK(scene.out(to_node).cycle == 25);
  CHECK(scene.out(inside).cycle == 60);
  CHECK(scene.out(to_node_inside).cycle == 55);
  CHECK(scene.table.reads() == 1);
  CHECK(scene.table.wait_cycles() == 0);
}

TEST_CASE("recovery: heads of a group wait for its read port in turn, one read a cycle") {
  Scene scene(100);
  scene.detour.in_region = true;
  // With three virtual channels a port, 0 and 1 are one group, 2 is the other.
  const PacketIndex a = scene.send(20, 0, 0, 1), b = scene.send(20, 1, 1, 2), c = scene.send(20, 2, 0, 3),
                    other = scene.send(20, 3, 2, 2);
  scene.rig.run(60);
  CHECK(scene.out(a).cycle == 30);
  CHECK(scene.out(b).cycle == 31);
  CHECK(scene.out(c).cycle == 32);
  CHECK(scene.out(other).cycle == 30);
  CHECK(scene.table.wait_cycles() == 3);
  // Port 2 was served last, so port 3 comes before port 0.
  const PacketIndex first = scene.send(70, 0, 0, 1), second = scene.send(70, 3, 0, 2);
  scene.rig.run(100);
  CHECK(scene.out(first).cycle == 81);
  CHECK(scene.out(second).cycle == 80);
  // The least recently served input has the highest priority.
  const PacketIndex again = scene.send(120, 0, 0, 1), next = scene.send(120, 0, 1, 2);
  scene.rig.run(150);
  CHECK(scene.out(again).cycle == 131);
  CHECK(scene.out(next).cycle == 130);
}

TEST_CASE("recovery: a read port that is not pipelined is busy for the whole read") {
  lookup::PortedTableTiming timing;
  timing.pipelined = false;
  Scene scene(100, timing);
  scene.detour.in_region = true;
  const PacketIndex a = scene.send(20, 0, 0, 1), b = scene.send(20, 1, 0, 2);
  scene.rig.run(60);
  CHECK(scene.out(a).cycle == 30);
  CHECK(scene.out(b).cycle == 35);
  CHECK(scene.table.wait_cycles() == 5);
}

TEST_CASE("recovery: one read port serves all inputs, and other latencies add up") {
  lookup::PortedTableTiming timing{2, 7, 1, true};
  Scene scene(100, timing);
  scene.detour.in_region = true;
  const PacketIndex a = scene.send(20, 0, 0, 1), b = scene.send(20, 1, 2, 2);
  scene.rig.run(60);
  CHECK(scene.out(a).cycle == 33);
  CHECK(scene.out(b).cycle == 34);
  for (const lookup::PortedTableTiming& wrong :
       {lookup::PortedTableTiming{0, 5, 2, true}, {1, 0, 2, true}, {1, 5, 0, true}})
    CHECK_THROWS_AS(lookup::PortedTable(scene.detour, wrong, {3}), ModelError);
}

TEST_CASE("recovery: a blocked head reads the table in the cycle in which its timeout expires") {
  for (const Cycle timeout : {64, 128, 256}) {
    Scene scene(timeout);
    scene.block();
    scene.rig.run(25);
    const PacketIndex late = scene.send(30, 0, 0, way, 5);
    scene.rig.run(60 + timeout);
    const Seen& head = scene.out(late);
    CAPTURE(timeout);
    CHECK(head.cycle == 30 + timeout + 10);
    CHECK(head.port == way_round);
    CHECK(head.vc == ud_vc);
    CHECK(scene.rig.pool.at(late).packet_class == PacketClass::recovery);
    CHECK(scene.counters().recoveries == 1);
    CHECK(scene.counters().recoveries_by_hops == 0);
    // The flits after the head follow in order, one a cycle.
    unsigned sequence = 0;
    for (const Seen& seen : scene.rig.seen) {
      if (seen.packet != late) continue;
      CHECK(seen.sequence == sequence);
      CHECK(seen.cycle == head.cycle + sequence++);
      CHECK(seen.vc == ud_vc);
    }
    CHECK(sequence == 5);
  }
}

TEST_CASE("recovery: a head releases the channel that it holds if it has not sent") {
  Scene scene(64);
  // Both buffers downstream of port `way` are full, and their channels are free.
  scene.rig.stopped[way] = true;
  for (unsigned vc = 0; vc < fa_vcs; ++vc) scene.send(20, 2, vc, way, 8);
  scene.rig.run(35);
  const PacketIndex holder = scene.send(40, 0, 0, way);
  scene.rig.run(60);
  const VcView before = scene.rig.state->view(0, 0);
  REQUIRE(before.state == VcState::active);
  REQUIRE(before.out_port == way);
  scene.rig.run(105);
  CHECK(scene.rig.state->view(0, 0).state == VcState::routing);  // since 104
  // Packets take both channels again.
  const PacketIndex next[] = {scene.send(110, 2, 0, way), scene.send(110, 2, 1, way)};
  scene.rig.run(112);
  scene.rig.stopped[way] = false;
  scene.rig.run(160);
  CHECK(scene.out(holder).cycle == 40 + 64 + 10);
  CHECK(scene.out(holder).vc == ud_vc);
  CHECK(scene.out(next[0]).vc != scene.out(next[1]).vc);
  CHECK(scene.counters().recoveries == 1);
}

TEST_CASE("recovery: a head that waits for its node, one in recovery and a body never begin recovery") {
  Scene scene(64);
  scene.rig.stopped[node_port] = true;
  scene.rig.stopped[way_round] = true;
  for (unsigned vc = 0; vc < 3; ++vc) scene.send(20, 1, vc, node_port, 8);
  scene.rig.run(35);
  const PacketIndex to_node = scene.send(40, 2, 0, node_port, 3);
  const PacketIndex recovering = scene.rig.packet(way, 12, 50);
  scene.rig.pool.at(recovering).packet_class = PacketClass::recovery;
  for (unsigned f = 0; f < 8; ++f) scene.rig.arrive(40 + f, 2, ud_vc, recovering, f);
  const PacketIndex second = scene.rig.packet(way, 1, 51);
  scene.rig.pool.at(second).packet_class = PacketClass::recovery;
  scene.rig.arrive(41, 0, ud_vc, second, 0);
  // The worm's head leaves, and its tail does not come.
  const PacketIndex worm = scene.rig.packet(way, 3, 52);
  scene.rig.arrive(40, 0, 0, worm, 0);
  scene.rig.arrive(41, 0, 0, worm, 1);
  scene.rig.run(400);
  CHECK(scene.counters().recoveries == 0);
  CHECK(scene.rig.pool.at(to_node).packet_class == PacketClass::normal);
  CHECK(scene.rig.state->view(0, ud_vc).state != VcState::idle);  // the head still waits
}

TEST_CASE("recovery: a head with too many hops begins it at the next router, and is counted separately") {
  Scene scene(64, {}, 12);
  const auto after = [&](Cycle cycle, std::uint16_t hops) {
    const PacketIndex packet = scene.rig.packet(way, 1, ++scene.serial);
    scene.rig.pool.at(packet).hops = hops;
    scene.rig.arrive(cycle, 2, 0, packet);
    return packet;
  };
  const PacketIndex at_limit = after(20, 12), above = after(40, 13);
  scene.rig.run(80);
  CHECK(scene.out(at_limit).port == way);
  CHECK(scene.out(at_limit).cycle == 25);
  CHECK(scene.out(above).port == way_round);
  CHECK(scene.out(above).cycle == 50);
  CHECK(scene.counters().recoveries_by_hops == 1);
  CHECK(scene.counters().recoveries == 0);
  // A packet in recovery is not reported a second time.
  const PacketIndex recovering = scene.rig.packet(way, 1, ++scene.serial);
  scene.rig.pool.at(recovering).hops = 14;
  scene.rig.pool.at(recovering).packet_class = PacketClass::recovery;
  scene.rig.arrive(90, 2, ud_vc, recovering);
  scene.rig.run(120);
  CHECK(scene.out(recovering).cycle == 100);
  CHECK(scene.counters().recoveries_by_hops == 1);
  CHECK(scene.counters().over_hop_limit == 1);
}

TEST_CASE("recovery: a probe sees the head begin again in the cycle of its timeout") {
  struct Stages final : RouterProbe {
    void on_stage(graph::RouterId, unsigned port, unsigned, PacketIndex, HeadStage stage, Cycle at) override {
      if (port == 0) seen.push_back({stage, at});
    }
    std::vector<std::pair<HeadStage, Cycle>> seen;
  } stages;
  Scene scene(64);
  scene.block();
  scene.rig.state->set_probe(&stages);
  scene.rig.run(25);
  scene.send(30, 0, 0, way);
  scene.rig.run(120);
  const std::vector<std::pair<HeadStage, Cycle>> expected = {{HeadStage::route_computation, 30},
                                                             {HeadStage::vc_allocation, 31},
                                                             {HeadStage::none, 94},
                                                             {HeadStage::route_computation, 94},
                                                             {HeadStage::vc_allocation, 100},
                                                             {HeadStage::switch_allocation, 101}};
  CHECK(stages.seen == expected);
}

TEST_CASE("recovery: a head whose answer is pending requests its route again nevertheless") {
  // The timeout expires while the table is read.
  Scene scene(3);
  scene.detour.in_region = true;
  const PacketIndex late = scene.send(20, 2, 0, way);
  scene.rig.run(60);
  CHECK(scene.out(late).cycle == 20 + 3 + 10);
  CHECK(scene.out(late).port == way_round);
  CHECK(scene.counters().recoveries == 1);
}

TEST_CASE("recovery: the conditions of its freedom from deadlock are checked at run time") {
  const auto failure = [](const auto& plant) {
    Scene scene(64);
    plant(scene.detour);
    scene.block();
    scene.rig.run(30);
    scene.send(30, 0, 0, way);
    return tsuji::test::text_of<ModelError>([&] { scene.rig.run(120); }, "nothing");
  };
  using Catch::Contains;
  CHECK(failure([](Detour&) {}) == "nothing");
  CHECK_THAT(
      failure([](Detour& detour) { detour.recovery_mask = routing::vc_range(0, 1); }),
      Contains("router 0") && Contains("a packet in recovery leaves the virtual channels of recovery"));
  CHECK_THAT(failure([](Detour& detour) { detour.broken = "turns up after down"; }),
             Contains("in recovery it turns up after down") && Contains("7.1"));
}

TEST_CASE("suspension: a blocked head's timer pauses and resumes with the age that it had") {
  for (const Cycle pause : {1, 40, 500}) {
    Scene scene(64);
    scene.block();
    scene.rig.run(25);
    const PacketIndex late = scene.send(30, 0, 0, way, 5);
    scene.rig.run(50);
    scene.rig.state->suspend(true, scene.rig.now - 1);
    scene.rig.woken = true;
    scene.rig.run(50 + pause);
    CHECK(scene.counters().recoveries == 0);
    scene.rig.state->suspend(false, scene.rig.now - 1);
    scene.rig.woken = true;
    scene.rig.run(200 + pause);
    CAPTURE(pause);
    // As in a router that was not suspended, `pause` cycles later.
    CHECK(scene.out(late).cycle == 30 + 64 + 10 + pause);
    CHECK(scene.out(late).port == way_round);
    CHECK(scene.counters().recoveries == 1);
  }
}

TEST_CASE(
    "suspension: only normal heads are held, flits after a head, recovery and control packets proceed") {
  Scene scene(64);
  scene.rig.run(20);
  const PacketIndex long_one = scene.send(30, 2, 1, way, 40);
  scene.rig.run(50);
  scene.rig.state->suspend(true, scene.rig.now - 1);
  scene.rig.woken = true;
  const PacketIndex stands = scene.send(60, 0, 0, 2), to_node = scene.send(60, 3, 0, node_port),
                    behind = scene.send(61, 0, 0, 2);
  const PacketIndex recovers = scene.send(70, 1, ud_vc, 2), control = scene.send(80, 3, ud_vc, 2);
  scene.rig.pool.at(recovers).packet_class = PacketClass::recovery;
  scene.rig.pool.at(control).packet_class = PacketClass::control;
  scene.rig.run(500);
  const auto came_out = [&scene](PacketIndex packet) {
    return std::count_if(scene.rig.seen.begin(), scene.rig.seen.end(),
                         [packet](const Seen& seen) { return seen.packet == packet; });
  };
  CHECK(came_out(long_one) == 40);
  CHECK(scene.out(recovers).cycle == 80);  // by the table
  CHECK(scene.out(control).cycle == 85);
  CHECK(came_out(stands) + came_out(to_node) + came_out(behind) == 0);
  scene.rig.state->suspend(false, scene.rig.now - 1);
  scene.rig.woken = true;
  scene.rig.run(600);
  CHECK(scene.out(stands).cycle == 505);
  CHECK(scene.out(to_node).cycle == 505);
  CHECK(came_out(behind) == 1);
  CHECK(scene.counters().recoveries == 0);
}

TEST_CASE("suspension: a head with too many hops begins recovery when it is resumed") {
  Scene scene(64, {}, 2);
  scene.rig.run(20);
  scene.rig.state->suspend(true, scene.rig.now - 1);
  scene.rig.woken = true;
  const PacketIndex far = scene.send(30, 0, 0, way);
  scene.rig.pool.at(far).hops = 3;
  scene.rig.run(100);
  CHECK(scene.counters().recoveries_by_hops == 0);
  CHECK(scene.rig.pool.at(far).packet_class == PacketClass::normal);
  scene.rig.state->suspend(false, scene.rig.now - 1);
  scene.rig.woken = true;
  scene.rig.run(200);
  CHECK(scene.counters().recoveries_by_hops == 1);
  CHECK(scene.out(far).cycle == 110);
  CHECK(scene.out(far).port == way_round);
}
