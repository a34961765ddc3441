// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "network/lookup_accounts.h"
#include "network/reconfiguring_cube.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/instruments/mechanism_ledger.h"

// Detour-UD with its table words in look-up hardware: the cost of a read, and that nothing else changes.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;

namespace {

using Setting = std::function<void(lookup::LookupConfig&)>;

struct Memory {
  const char* name;
  Setting set;
};

const std::vector<Memory> memories = {
    {"cam", [](lookup::LookupConfig& c) { c.kind = "cam"; }},
    {"cam, one at a time", [](lookup::LookupConfig& c) { c.kind = "cam", c.timing.cam_pipelined = false; }},
    {"cached", [](lookup::LookupConfig& c) { c.kind = "cached", c.cache.entries = 8; }},
    {"cached, one at a time",
     [](lookup::LookupConfig& c) { c.kind = "cached", c.cache.entries = 8, c.timing.cam_pipelined = false; }},
    {"cached, as modules",
     [](lookup::LookupConfig& c) {
       c.kind = "cached", c.cache.entries = 8, c.model = lookup::LookupModel::modules,
       c.timing.cam_of_switch = true;
     }},
    {"blocking", [](lookup::LookupConfig& c) { c.kind = "cached", c.timing.blocking = true; }},
    {"ideal", [](lookup::LookupConfig& c) { c.kind = "ideal"; }},
};

/// Packets among the nodes of living routers, one from each every `apart` cycles.
std::vector<VcRig::Send> exchange(const VcRig& rig, Cycle apart, Cycle until, unsigned flits) {
  const std::vector<unsigned>& dead = rig.config.dead.routers;
  const auto lives = [&](NodeId node) { return std::find(dead.begin(), dead.end(), node) == dead.end(); };
  CounterRandom random(5, 1);
  std::vector<VcRig::Send> list;
  for (Cycle born = 10; born < until; born += apart) {
    for (NodeId from = 0; from < rig.plan.topology.nodes(); ++from) {
      const auto to = static_cast<NodeId>(random.below(rig.plan.topology.nodes()));
      if (from != to && lives(from) && lives(to)) list.push_back({from, to, born, flits});
    }
  }
  return list;
}

/// A ring of 8 without router 4, whose neighbours and theirs are the region: 2, 3, 5 and 6.
NetworkConfig broken_ring() {
  NetworkConfig config = cube({8}, "");
  config.dead.routers = {4};
  return config;
}

}  // namespace

TEST_CASE("detour look-up: in the region a read takes a hit's or a miss's cycles, outside nothing changes") {
  // 3 to 6 goes by 2, 1, 0 and 7: the table is read in 3 and 2. 0 to 7 is outside.
  const std::vector<VcRig::Send> list = {{3, 6, 100, 4}, {3, 6, 400, 4}, {0, 7, 700, 4}};
  constexpr Cycle own_table = 5, decode = 2;
  std::vector<std::unique_ptr<VcRig>> rigs;
  const auto build = [&](const Setting& set) {
    NetworkConfig config = broken_ring();
    config.network.rc_cycles = decode;
    if (set) set(config.lookup);
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(list);
  };
  build({});
  for (const Memory& memory : memories) build(memory.set);
  const auto latency = [&](std::size_t rig, std::size_t packet) {
    return rigs[rig]->delivered[packet].tail_cycle - list[packet].created;
  };
  const Cycle cam = 25, hit = 2, miss = 27;
  const std::pair<Cycle, Cycle> reads[] = {{own_table, own_table},
                                           {cam, cam},
                                           {cam, cam},
                                           {miss, hit},
                                           {miss, hit},
                                           {miss, hit},
                                           {miss, hit},
                                           {hit, hit}};
  for (std::size_t rig = 0; rig < rigs.size(); ++rig) {
    INFO((rig == 0 ? "own tables" : memories[rig - 1].name));
    REQUIRE(rigs[rig]->run_until_idle(60'000));
    REQUIRE(rigs[rig]->delivered.size() == 3);
    CHECK(rigs[rig]->delivered[0].hops == rigs[0]->delivered[0].hops);
    CHECK(latency(rig, 0) + 2 * own_table == latency(0, 0) + 2 * reads[rig].first);
    CHECK(latency(rig, 1) + 2 * own_table == latency(0, 1) + 2 * reads[rig].second);
    CHECK(latency(rig, 2) == latency(0, 2));
    if (rig != 0) CHECK(rigs[rig]->loaded->lookup()->counters().cache.lookups == 4);
  }
  using Lines = std::vector<std::tuple<std::string, std::string, int, int>>;
  const Lines recovery = {{"recovery", "timeout", 0, 0}, {"recovery", "hop limit", 0, 0}};
  const Lines lookups[] = {{{"routing tables", "read", 4, 4 * 5}},
                           {{"look-up", "access of the CAM", 4, 4 * 25}},
                           {{"look-up", "access of the CAM", 4, 4 * 25}},
                           {{"look-up", "hit", 2, 2 * 2}, {"look-up", "miss", 2, 2 * 27}},
                           {{"look-up", "hit", 2, 2 * 2}, {"look-up", "miss", 2, 2 * 27}},
                           {{"look-up", "hit", 2, 2 * 2}, {"look-up", "miss", 2, 2 * 27}},
                           {{"look-up", "hit", 2, 2 * 2}, {"look-up", "miss", 2, 2 * 27}},
                           {{"look-up", "hit", 4, 4 * 2}, {"look-up", "miss", 0, 0}}};
  for (std::size_t rig = 0; rig < rigs.size(); ++rig) {
    observe::Results results("test", "0", 1);
    add_mechanisms(results, *rigs[rig]->loaded, rigs[rig]->config);
    Lines found, wanted = lookups[rig];
    for (const auto& row : results.rows_of("mechanisms").rows())
      found.emplace_back(row[0].text(), row[1].text(), row[2].number(), row[3].number());
    wanted.insert(wanted.end(), recovery.begin(), recovery.end());
    CHECK(found == wanted);
  }
}

TEST_CASE(
    "detour look-up: heads routed by coordinates hit as without a memory, those that look up never hit") {
  // 3 to 6 by 2, 1, 0 and 7: the first packet teaches the predictors, the second one hits where it goes by
  // coordinates.
  const std::vector<VcRig::Send> list = {{3, 6, 100, 1}, {3, 6, 400, 1}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const char* const predictor : {"none", "latest_port"}) {
    for (const Memory& memory : memories) {
      NetworkConfig config = broken_ring();
      config.network.router.prediction.kind = predictor;
      memory.set(config.lookup);
      rigs.push_back(std::make_unique<VcRig>(config));
      rigs.back()->build(list);
    }
  }
  const auto latency = [&](std::size_t rig, std::size_t packet) {
    return rigs[rig]->delivered[packet].tail_cycle - list[packet].created;
  };
  const Cycle skipped = 3;  // RC, VA and SA
  for (std::size_t m = 0; m < memories.size(); ++m) {
    INFO(memories[m].name);
    const std::size_t plain = m, predicts = memories.size() + m;
    for (const std::size_t rig : {plain, predicts}) {
      REQUIRE(rigs[rig]->run_until_idle(60'000));
      REQUIRE(rigs[rig]->delivered.size() == 2);
    }
    CHECK(rigs[predicts]->config.network.router.prediction.check == router::PredictionCheck::kill);
    CHECK(latency(predicts, 0) == latency(plain, 0));
    CHECK(latency(predicts, 1) + 4 * skipped == latency(plain, 1));
    const router::PredictionCounters counters = rigs[predicts]->loaded->network().prediction_counters();
    const auto visits = [&](router::PredictionOutcome outcome) {
      return counters.visits[static_cast<std::size_t>(outcome)];
    };
    CHECK(visits(router::PredictionOutcome::hit) == 4);
    CHECK(visits(router::PredictionOutcome::wrong) == 2);
    CHECK(counters.saved_cycles == 4 * skipped);
  }
}

TEST_CASE("detour look-up: an answer within ST confirms a prediction, if its time is known at the request") {
  // 3 to 6 as above: heads are looked up in 3 and 2. The first packet teaches predictors and caches.
  const std::vector<VcRig::Send> list = {{3, 6, 100, 1}, {3, 6, 400, 1}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Memory& memory : memories) {
    NetworkConfig config = broken_ring();
    config.network.router.prediction.kind = "latest_port";
    config.network.router.st_cycles = 4;  // a cycle more than address decode and a hit
    memory.set(config.lookup);
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(list);
  }
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const std::string name = memories[m].name;
    INFO(name);
    REQUIRE(rigs[m]->run_until_idle(60'000));
    REQUIRE(rigs[m]->delivered.size() == 2);
    CHECK(rigs[m]->config.network.router.prediction.check == router::PredictionCheck::kill);
    const router::PredictionCounters counters = rigs[m]->loaded->network().prediction_counters();
    const bool in_time = name == "cached" || name == "blocking" || name == "ideal";
    CHECK(counters.visits[static_cast<std::size_t>(router::PredictionOutcome::hit)] == (in_time ? 6 : 4));
    CHECK(counters.visits[static_cast<std::size_t>(router::PredictionOutcome::wrong)] == (in_time ? 0 : 2));
  }
}

TEST_CASE("detour look-up: any memory delivers every packet of a crowded torus, in any order of modules") {
  struct Run {
    const Memory* memory;
    std::unique_ptr<VcRig> rig;
  };
  std::vector<Run> runs;
  for (const Memory& memory : memories) {
    for (const RunOrder& order : run_orders) {
      NetworkConfig config = in_order(cube({5, 5}, ""), order);
      config.dead.routers = {6, 18};
      config.network.router.prediction.kind =
          runs.size() / std::size(run_orders) % 2 == 0 ? "latest_port" : "none";
      memory.set(config.lookup);
      runs.push_back({&memory, std::make_unique<VcRig>(config)});
      runs.back().rig->run_ahead(order.ahead);
      runs.back().rig->build(exchange(*runs.back().rig, 9, 900, 6));
    }
  }
  std::map<PacketId, Cycle> first;
  const Memory* of = nullptr;
  for (const Run& run : runs) {
    CAPTURE(run.memory->name);
    REQUIRE(run.rig->run_until_idle(200'000));
    run.rig->loaded->check_conservation();
    CHECK(run.rig->by_packet().size() == run.rig->loaded->accounts().packets_born());
    CHECK(run.rig->loaded->network().counters().recoveries > 20);
    const lookup::LookupCounters counters = run.rig->loaded->lookup()->counters();
    CHECK(counters.cache.lookups > 1000);
    if (run.rig->config.lookup.kind == "cached") check_accounts(counters);
    if (run.memory != of) first = tails(*run.rig);
    of = run.memory;
    CHECK(tails(*run.rig) == first);
  }
}

TEST_CASE("detour look-up: routers that take new tables empty their caches, under load") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Memory& memory : memories) {
    for (const Losses losses : {Losses::recovering, Losses::everything}) {
      NetworkConfig config = cube({5, 5}, "link 7@600:2200, router 12@1000:3000");
      lose(losses, config);
      config.network.router.prediction.kind = "straight";
      memory.set(config.lookup);
      rigs.push_back(std::make_unique<VcRig>(config));
      rigs.back()->build(load(0.2, 4, 4000));
    }
  }
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    VcRig& rig = *rigs[r];
    INFO(memories[r / 2].name);
    REQUIRE(rig.run_until_idle(200'000));
    rig.loaded->check_conservation();
    const observe::PacketFates fates = rig.loaded->accounts().fates();
    std::uint64_t dropped = 0;
    for (const auto& [cause, packets] : fates.dropped) dropped += packets;
    CHECK(fates.under_way == 0);
    CHECK(fates.born + fates.born_at_routers == fates.delivered + fates.ended_at_routers + dropped);
    CHECK(rig.loaded->supervisor().dropped(NetworkDropCause::no_route) == 0);
    REQUIRE(rig.reconfiguration->episodes().size() >= 2);
    const lookup::LookupCounters counters = rig.loaded->lookup()->counters();
    CHECK(counters.cache.lookups > 100);
    if (rig.config.lookup.kind != "cached") continue;
    check_accounts(counters);
    // Each event changes the tables of every living router, and each of a router's ports has a cache.
    CHECK(counters.cache.flushes >= 2 * 24 * 5);
    CHECK(counters.cache.flushed > 0);
  }
}

TEST_CASE("detour look-up: warm caches hold what normal heads will request") {
  NetworkConfig config = cube({5, 5}, "");
  config.dead.routers = {12};
  config.lookup.kind = "cached";
  config.lookup.warm = lookup::WarmCaches::all;
  VcRig rig(config);
  rig.build(exchange(rig, 40, 3000, 2));
  REQUIRE(rig.run_until_idle(60'000));
  const lookup::LookupCounters counters = rig.loaded->lookup()->counters();
  REQUIRE(rig.loaded->network().counters().recoveries == 0);
  CHECK(counters.cache.lookups > 500);
  CHECK(counters.cache.misses == 0);
  const auto lists = rig.loaded->lookup()->destinations_of_ports();
  std::size_t listed = 0;
  for (const auto& router : lists)
    for (const auto& port : router) listed += port.size();
  CHECK(counters.cache.warmed == listed);
  // Router 0 is outside the region: none of its ports ever looks up.
  for (const auto& port : lists[0]) CHECK(port.empty());
}

TEST_CASE("detour look-up: incompatible keys are refused with the accepted values") {
  const auto refused = [](const std::function<void(NetworkConfig&)>& set, const char* accepted) {
    NetworkConfig config = cube({5, 5}, "link 3@100");
    config.lookup.kind = "cached";
    set(config);
    config.resolve();
    CHECK_THROWS_WITH(config.validate(), Catch::Contains(accepted));
  };
  refused([](NetworkConfig& c) { lose(Losses::nothing, c); },
          "recovering or everything, or lookup.kind local");
  NetworkConfig decode = cube({5, 5}, "");
  decode.lookup.kind = "cached";
  decode.network.rc_cycles = 3;
  decode.resolve();
  CHECK_NOTHROW(decode.validate());
  decode.routing.kind = "dimension_order";
  CHECK_THROWS_WITH(decode.validate(), Catch::Contains("router.rc_cycles"));
}
