// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/timeout_classifier.h"

#include <memory>
#include <vector>

#include "graph/faulty_cubes.h"
#include "network/detour_rig.h"
#include "support/catch.h"
#include "tsuji/instruments/recovery_metrics.h"
#include "tsuji/router/vc/full_vc_router.h"
#include "tsuji/routing/dimension_order.h"

// Timeouts of blocked heads (Yoshinaga 2004): in a deadlock, waiting for one, and false.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;

namespace {

// In the knots below a head arrives at its first router in cycle a, leaves in a + 2 and reaches the front of
// the next one in a + 5, where its timer starts. Its buffer there is full when the eighth flit has left the
// first router, in a + 9: from then on the knot is complete.
constexpr Cycle timeout_cycles = 30;
constexpr Cycle knot_age = (5 + timeout_cycles) - 9;

DetourCase ring_of_five(unsigned nodes_per_router) {
  DetourCase one{{5}, "torus", 40};
  one.timeout_cycles = timeout_cycles;
  one.classify_timeouts = true;
  one.nodes_per_router = nodes_per_router;
  return one;
}

/// A message from a router's first node over two routers of the ring: it holds one link's adaptive channel
/// and waits for the next one's.
VcRig::Send over_two(unsigned router, unsigned nodes_per_router, Cycle created) {
  return {router * nodes_per_router, (router + 2) % 5 * nodes_per_router, created, 40};
}

const TimeoutClasses& run(DetourRig& one) {
  REQUIRE(one.rig.run_until_idle(20'000));
  CHECK(one.rig.by_packet().size() == one.list.size());
  const TimeoutClasses& classes = *one.rig.loaded->timeout_classes();
  CHECK(classes.heads() == one.counters().recoveries);
  return classes;
}

bool same(const TimeoutClasses& a, const TimeoutClasses& b) {
  return a.in_knot == b.in_knot && a.behind_knot == b.behind_knot && a.false_ones == b.false_ones &&
         a.knot_packets == b.knot_packets && a.most_knot_packets == b.most_knot_packets &&
         a.knot_age_cycles == b.knot_age_cycles && a.longest_knot_age_cycles == b.longest_knot_age_cycles;
}

}  // namespace

TEST_CASE(
    "timeouts: five heads of a knot detect it, each with its size and age, and one outside waits for it") {
  DetourRig one(ring_of_five(2), 1);
  for (unsigned router = 0; router < 5; ++router) one.list.push_back(over_two(router, 2, 10));
  // Its timeout expires after the others': it reached its first router three cycles later than they did.
  one.list.push_back({1, 4, 13, 40});
  one.build();
  const TimeoutClasses& classes = run(one);
  CHECK(classes.in_knot == 5);
  CHECK(classes.behind_knot == 1);
  CHECK(classes.false_ones == 0);
  CHECK(classes.knot_packets == 25);
  CHECK(classes.most_knot_packets == 5);
  CHECK(classes.knot_age_cycles == 5 * knot_age);
  CHECK(classes.longest_knot_age_cycles == knot_age);
}

TEST_CASE("timeouts: a knot is as old as its last wait, and is gone when its first heads recover") {
  DetourRig one(ring_of_five(1), 1);
  for (unsigned router = 0; router < 5; ++router)
    one.list.push_back(over_two(router, 1, router == 4 ? 14 : 10));
  one.build();
  const TimeoutClasses& classes = run(one);
  CHECK(classes.in_knot == 4);
  CHECK(classes.behind_knot == 0);
  CHECK(classes.false_ones == 1);
  CHECK(classes.knot_packets == 20);
  CHECK(classes.knot_age_cycles == 4 * (knot_age - 4));
  CHECK(classes.longest_knot_age_cycles == knot_age - 4);
}

TEST_CASE("timeouts: each head counts for its own knot") {
  // A row of five and a column of seven, whose messages share no link.
  DetourCase crossing = ring_of_five(2);
  crossing.radices = {5, 7};
  DetourRig one(crossing, 1);
  const auto node = [&](unsigned x, unsigned y, unsigned which) {
    return tsuji::test::at(one.rig.plan.topology, {x % 5, y % 7}) * 2 + which;
  };
  for (unsigned x = 0; x < 5; ++x) one.list.push_back({node(x, 1, 0), node(x + 2, 1, 0), 10, 40});
  for (unsigned y = 0; y < 7; ++y)
    one.list.push_back({node(0, y, 1), node(0, y + 2, 1), y == 3 ? 11U : 10U, 40});
  one.build();
  const TimeoutClasses& classes = run(one);
  CHECK(classes.in_knot == 5 + 6);
  CHECK(classes.false_ones == 1);
  CHECK(classes.knot_packets == 5 * 5 + 6 * 7);
  CHECK(classes.most_knot_packets == 7);
  CHECK(classes.knot_age_cycles == 5 * knot_age + 6 * (knot_age - 1));
  CHECK(classes.longest_knot_age_cycles == knot_age);
}

TEST_CASE("timeouts: nothing runs ahead of the observed cycle") {
  DetourCase one{{6, 6}, "torus", 16, 0, 0, router::Switching::wormhole, 100};
  DetourRig bare(one, 3, run_orders[4]);
  bare.burst(3, 3);
  bare.build();
  one.classify_timeouts = true;
  DetourRig looked_at(one, 3, run_orders[4]);
  looked_at.burst(3, 3);
  looked_at.build();
  CHECK(bare.rig.loaded->group_cycles() > 1);
  CHECK(looked_at.rig.loaded->group_cycles() == 1);
}

TEST_CASE("timeouts: on a line nothing deadlocks, and all detections are false") {
  DetourCase line{{6}, "mesh", 40};
  line.timeout_cycles = 10;
  line.classify_timeouts = true;
  DetourRig one(line, 1);
  for (NodeId source = 0; source < 5; ++source)
    for (unsigned m = 0; m < 4; ++m) one.list.push_back({source, 5, 10, 40});
  one.build();
  const TimeoutClasses& classes = run(one);
  CHECK(classes.false_ones > 5);
  CHECK(classes.false_ones == classes.heads());
  observe::Results results("timeout_classifier_test", "", 1);
  add_timeout_classes(results, *one.rig.loaded);
  const auto metric = [&](const char* name) { return results.value(name).number(); };
  CHECK(metric("timeouts_classified") == classes.heads());
  CHECK(metric("timeouts_false") == classes.heads());
  CHECK(metric("timeouts_false_share") == 1.0);
  CHECK(metric("timeouts_in_knots") == 0);
  CHECK(metric("timeouts_behind_knots") == 0);
  for (const char* name :
       {"knot_packets_mean", "knot_packets_max", "knot_age_cycles_mean", "knot_age_cycles_max"})
    CHECK(results.value(name).is_null());
}

TEST_CASE("timeouts: their metrics are sums, shares, means and maxima of the classes") {
  DetourRig one(ring_of_five(1), 1);
  for (unsigned router = 0; router < 5; ++router)
    one.list.push_back(over_two(router, 1, router == 4 ? 14 : 10));
  one.build();
  (void)run(one);
  observe::Results results("timeout_classifier_test", "", 1);
  add_timeout_classes(results, *one.rig.loaded);
  const auto metric = [&](const char* name) { return results.value(name).number(); };
  CHECK(metric("timeouts_classified") == 5);
  CHECK(metric("timeouts_in_knots") == 4);
  CHECK(metric("timeouts_behind_knots") == 0);
  CHECK(metric("timeouts_false") == 1);
  CHECK(metric("timeouts_false_share") == 0.2);
  CHECK(metric("knot_packets_mean") == 5.0);
  CHECK(metric("knot_packets_max") == 5);
  CHECK(metric("knot_age_cycles_mean") == static_cast<double>(knot_age - 4));
  CHECK(metric("knot_age_cycles_max") == knot_age - 4);
}

TEST_CASE("timeouts: without recovery the reported heads are classified") {
  NetworkConfig config;
  config.topology.kind = "torus";
  config.topology.of<graph::CubeConfig>().radices = {5};
  config.network.vcs = 1;
  config.network.buffer_flits = 8;
  config.network.router.block_timeout_cycles = timeout_cycles;
  config.routing.of<routing::DimensionOrderConfig>().dateline = routing::Dateline::none;
  config.classify_timeouts = true;
  VcRig knot(config);
  std::vector<VcRig::Send> list;
  for (unsigned router = 0; router < 5; ++router) list.push_back(over_two(router, 1, 10));
  knot.build(list);
  config.topology.kind = "mesh";
  config.network.router.block_timeout_cycles = 10;
  VcRig line(config);
  for (VcRig::Send& send : list) send.destination = 4;
  line.build(list);
  knot.loaded->run_to(500);
  const TimeoutClasses& classes = *knot.loaded->timeout_classes();
  CHECK(classes.in_knot == 5);
  CHECK(classes.heads() == knot.loaded->network().counters().timeouts);
  CHECK(classes.knot_age_cycles == 5 * knot_age);
  CHECK(classes.knot_packets == 25);
  line.loaded->run_to(2000);
  REQUIRE(line.delivered.size() == list.size());
  const TimeoutClasses& false_ones = *line.loaded->timeout_classes();
  CHECK(false_ones.heads() > 3);
  CHECK(false_ones.heads() == line.loaded->network().counters().timeouts);
  CHECK(false_ones.false_ones == false_ones.heads());
}

TEST_CASE(
    "timeouts: neither order of modules nor driver changes the classes, nor does classification change "
    "results") {
  DetourCase one{{6, 6}, "torus", 16, 1, 1, router::Switching::wormhole, 250};
  std::vector<std::unique_ptr<DetourRig>> rigs;
  const auto add = [&](const RunOrder& order, bool classify, bool full) {
    one.classify_timeouts = classify;
    rigs.push_back(std::make_unique<DetourRig>(one, 3, order));
    DetourRig& rig = *rigs.back();
    const router::VcRouterConfig& config = rig.rig.config.network.router;
    rig.rig.parts->custom.router_kind = rig.rig.config.network.make_router_kind();
    if (full) {
      rig.rig.parts->custom.router_kind.make =
          [&config](graph::RouterId id, const std::vector<router::RouterPort>& ports,
                    const router::RouterParts& parts) -> ArenaPtr<router::FlitRouter> {
        return make_in<router::FullVcRouter>(*parts.arena, config, id, ports, parts);
      };
    }
    rig.burst(60, 3);
    rig.build();
  };
  for (const RunOrder& order : run_orders) add(order, true, false);
  add({}, true, true);
  add({ProcessMode::one_for_all, 7, false}, true, true);
  const std::size_t classified = rigs.size();
  add({}, false, false);
  for (auto& rig : rigs) REQUIRE(rig->rig.run_until_idle(200'000));
  const auto first = rigs[0]->rig.by_packet();
  const TimeoutClasses& classes = *rigs[0]->rig.loaded->timeout_classes();
  CHECK(classes.in_knot > 5);
  CHECK(classes.behind_knot > 5);
  CHECK(classes.false_ones > 5);
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    CAPTURE(r);
    DetourRig& rig = *rigs[r];
    REQUIRE((rig.rig.loaded->timeout_classes() == nullptr) == (r >= classified));
    if (r < classified) CHECK(same(*rig.rig.loaded->timeout_classes(), classes));
    CHECK(rig.counters().recoveries == classes.heads());
    for (const auto& [id, packet] : rig.rig.by_packet()) {
      REQUIRE(packet.tail_cycle == first.at(id).tail_cycle);
      REQUIRE(packet.hops == first.at(id).hops);
    }
  }
}
