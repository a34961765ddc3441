// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "network/dense_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/instruments/packet_ledger.h"

// Networks of neighbourhoods: every packet, every count in any cycle and every report is that of routers,
// links and nodes in modules of their own.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using namespace tsuji::network::test::drawn_dense;

namespace {

/// Detour-UD as if its words were read without a table.
class WithoutTables final : public routing::Routing {
 public:
  explicit WithoutTables(const routing::Routing& behind) : behind_(behind) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    behind_.route(query, candidates);
  }
  routing::VcMask injection_vcs(End source, End destination) const override {
    return behind_.injection_vcs(source, destination);
  }
  unsigned vcs_needed() const override { return behind_.vcs_needed(); }
  unsigned max_candidates() const override { return behind_.max_candidates(); }
  routing::RoutingPromises promises() const override { return behind_.promises(); }
  const routing::DeadlockRecovery* recovery() const override { return behind_.recovery(); }

 private:
  const routing::Routing& behind_;
};

/// Counts after some cycles that are drawn, the state of all routers, and "PACKET injected head tail hops; "
/// for each packet.
std::string deliveries(std::uint64_t seed, const How& how) {
  return tsuji::test::forked([=] {
    NetworkConfig config = network_of(seed);
    if (!how.pauses) config.network.router.vc_change_cycles = 0;
    VcRig rig(config);
    const WithoutTables without_tables(*rig.plan.routing);
    const bool recovers = rig.plan.routing->recovery() != nullptr;
    if (recovers && seed % 3 == 0) rig.route_by(without_tables);
    const bool dense = how.dense && !((recovers || config.lookup.in_switch()) && how.waits);
    rig.run_ahead(how.ahead);
    rig.parts->only_results = how.dense;
    rig.parts->threads = how.threads;
    rig.parts->heads_are_observed = how.records;
    rig.parts->counts_waits = how.waits;
    rig.parts->retry = retry_of(seed);
    rig.build(traffic_of(seed), seed);
    if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
    if (rig.loaded->domain().lanes() > how.threads) throw std::logic_error("too many lanes");
    std::unique_ptr<instruments::PacketLedger> ledger;
    std::unique_ptr<instruments::PortWaits> port_waits;
    if (how.records)
      ledger =
          std::make_unique<instruments::PacketLedger>(rig.loaded->network(), rig.loaded->pool_of_heads());
    if (how.waits) port_waits = std::make_unique<instruments::PortWaits>(rig.loaded->network());
    std::string text;
    CounterRandom random(seed, 15);
    bool windowed = false;
    for (Cycle stop = 50 + random.below(100); stop < 800; stop += 1 + random.below(200)) {
      rig.loaded->run_to(stop);
      rig.loaded->check_conservation();
      text += std::to_string(rig.loaded->now()) + ": " + counts(rig) + states(rig) + repeats(rig);
      if (port_waits) text += waits(*port_waits, rig.loaded->now());
      if (!windowed) rig.loaded->accounts().set_window(stop + seed % 3, 400 + seed % 300);
      windowed = true;
      if (how.ends && ledger) {
        ledger->detach();
        ledger.reset();
      }
    }
    if (seed % 5 != 0) {
      // The last of many waits for an acknowledgement are long.
      if (!rig.run_until_idle(rig.loaded->retry() == nullptr ? 400'000 : 4'000'000))
        throw std::logic_error("does not drain");
      if (rig.loaded->pool().in_use() != 0) throw std::logic_error("packets are left in the pool");
    }
    rig.loaded->check_conservation();
    for (const auto& [id, packet] : rig.by_packet()) {
      text += packet_name(id) + " " + std::to_string(packet.injected) + " " +
              std::to_string(packet.head_cycle) + " " + std::to_string(packet.tail_cycle) + " " +
              std::to_string(packet.hops) + "; ";
      if (!ledger) continue;
      for (const Cycle part : ledger->take(packet)) text += " " + std::to_string(part);
    }
    // Without the cycle: a credit on a wire is an event of the kernel in a dense network only.
    return text + counts(rig) + repeats(rig);
  });
}

void compare_dense(std::uint64_t first, std::uint64_t last) {
  unsigned on_threads = 0, with_pauses = 0;
  std::uint64_t timeouts = 0, far = 0, late = 0, lost = 0, reads = 0, read_waits = 0;
  std::uint64_t repeated = 0, duplicates = 0, given_up = 0, messages_lost = 0;
  std::uint64_t hits = 0, misses = 0, memory_waits = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const std::string expected = deliveries(seed, {false});
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 3000);
    timeouts += last_count(expected, "timeouts=");
    far += last_count(expected, "far=");
    late += last_count(expected, "late=");
    lost += last_count(expected, "lost=");
    reads += last_count(expected, " reads=");
    read_waits += last_count(expected, "read waits=");
    repeated += last_count(expected, "packets_repeated=");
    duplicates += last_count(expected, "duplicates=");
    given_up += last_count(expected, "given_up=");
    hits += last_count(expected, "hits=");
    misses += last_count(expected, "misses=");
    memory_waits += last_count(expected, "memory waits=");
    messages_lost += last_count(expected, "packets_lost=");
    if (seed % 4 == 0 && deliveries(seed, {true, true, 1, false, false, false, false}) != expected)
      ++with_pauses;
    CHECK(first_difference(expected, deliveries(seed, {true})) == "");
    if (seed % 8 == 0) CHECK(first_difference(expected, deliveries(seed, {true, false})) == "");
    if (const bool records = seed % 3 != 1, waits = seed % 3 != 2; seed % 2 == 0) {
      const std::string watched = deliveries(seed, {false, true, 1, records, waits});
      CHECK(first_difference(watched, deliveries(seed, {true, true, 1, records, waits})) == "");
    }
    if (seed % 6 != 1) continue;  // threads take turns on a busy machine, and then take long
    const std::string threads = deliveries(seed, {true, true, 2 + static_cast<unsigned>(seed / 6 % 2)});
    if (threads.rfind("exception: --threads", 0) == 0) continue;  // no windows
    CHECK(first_difference(expected, threads) == "");
    ++on_threads;
    const bool waits = !recovers_from_deadlock(seed) && !looks_up(seed);
    const How watched{true, true, 3, true, waits};
    CHECK(first_difference(deliveries(seed, {false, true, 1, true, waits}), deliveries(seed, watched)) == "");
  }
  CHECK(on_threads > (last - first) / 20);
  // What is compared happens.
  CHECK(with_pauses > (last - first) / 16);
  CHECK(timeouts > 10 * (last - first));
  CHECK(far > last - first);
  CHECK(late > last - first);
  CHECK(lost > last - first);
  CHECK(reads > 10 * (last - first));
  CHECK(read_waits > last - first);
  CHECK(repeated > 10 * (last - first));
  CHECK(duplicates > 10 * (last - first));
  CHECK(given_up > last - first);
  CHECK(hits > 10 * (last - first));
  CHECK(misses > 10 * (last - first));
  CHECK(memory_waits > 10 * (last - first));
  CHECK(messages_lost > 0);
}

/// Runs until nothing is left to do. "PACKET tail; " for each packet.
std::string drained(VcRig& rig, bool dense) {
  if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
  if (!rig.run_until_idle(100'000)) throw std::logic_error("does not drain");
  std::string text;
  for (const auto& [id, cycle] : tails(rig)) text += packet_name(id) + " " + std::to_string(cycle) + "; ";
  return text;
}

/// Of the first 12 networks for which wanted(config, seed) is true.
template <class Wanted>
void compare_predictions(const Wanted& wanted) {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; compared < 12; ++seed) {
    if (!wanted(network_of(seed), seed)) continue;
    ++compared;
    CAPTURE(seed);
    const std::string expected = deliveries(seed, {false});
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    CHECK(first_difference(expected, deliveries(seed, {true})) == "");
  }
}

}  // namespace

TEST_CASE("dense: packets and counts and reports are those of modules") {
  compare_dense(1, 60);
}

TEST_CASE("dense: packets and counts and reports are those of modules in thousands of networks",
          "[.][long]") {
  compare_dense(60, 3000);
}

TEST_CASE("dense: predictions of one output by several inputs are those of modules") {
  compare_predictions([](const NetworkConfig& config, std::uint64_t) {
    return config.topology.kind == "fat_tree" && config.network.router.prediction.kind == "up";
  });
}

TEST_CASE("dense: predictions long after the last request of their output are those of modules") {
  compare_predictions([](const NetworkConfig& config, std::uint64_t seed) {
    const std::string& kind = config.network.router.prediction.kind;
    return (kind == "straight" || kind == "up") && seed % 10 < 2;  // little load
  });
}

TEST_CASE("dense: hits of a cache that overtake misses are those of modules") {
  const auto looked_up = [](bool dense) {
    return tsuji::test::forked([=] {
      NetworkConfig config = torus(4);
      config.network.rc_cycles = 1;
      config.lookup.kind = "cached";
      config.lookup.timing.hash_cycles = 40;  // a hit, too, takes longer than any stage
      config.lookup.timing.cam_cycles = 200;
      config.lookup.cache.entries = config.lookup.cache.ways = 4;
      VcRig rig(config);
      rig.parts->only_results = dense;
      rig.build(load(0.02, 1, 3000));
      const std::string packets = drained(rig, dense);
      return packets + counts(rig);
    });
  };
  const std::string expected = looked_up(false);
  REQUIRE(last_count(expected, "hits=") > 100);
  REQUIRE(last_count(expected, "misses=") > 100);
  CHECK(first_difference(expected, looked_up(true)) == "");
}

TEST_CASE("dense: flits that cross by prediction wake neighbourhoods that sleep") {
  const auto crossings = [](bool dense) {
    return tsuji::test::forked([=] {
      NetworkConfig config;
      config.topology.kind = "mesh";
      config.topology.of<graph::CubeConfig>().radices = {16, 8};
      config.network.router.prediction.kind = "straight";
      config.network.router.prediction.check = router::PredictionCheck::kill;
      VcRig rig(config);
      rig.parts->only_results = dense;
      std::vector<VcRig::Send> one_at_a_time;
      for (NodeId node = 0; node < 128; node += 9)
        one_at_a_time.push_back({node, 127 - node, 10 + Cycle{200} * node, 3});
      rig.build(one_at_a_time);
      const std::string packets = drained(rig, dense);
      return packets + predictions(rig);
    });
  };
  const std::string expected = crossings(false);
  REQUIRE(expected.rfind("exception: ", 0) != 0);
  CHECK(first_difference(expected, crossings(true)) == "");
}

TEST_CASE("dense: heads in recovery leave the queues of other threads") {
  for (const std::uint64_t seed : {151, 319}) {
    CAPTURE(seed);
    const std::string expected = deliveries(seed, {false});
    REQUIRE(last_count(expected, "late=") > 0);
    CHECK(first_difference(expected, deliveries(seed, {true, true, 2})) == "");
    CHECK(first_difference(expected, deliveries(seed, {true, true, 3})) == "");
  }
}

TEST_CASE("dense: records that end while heads are under way change nothing") {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    CAPTURE(seed);
    const How ends{true, true, 1, true, false, true};
    CHECK(first_difference(deliveries(seed, {false}), deliveries(seed, ends)) == "");
  }
}

TEST_CASE("dense: a source continues in the cycle after its message is lost at another node") {
  const auto run = [](std::uint64_t seed, bool dense) {
    return tsuji::test::forked([=] {
      NetworkConfig config = torus(4);
      config.routing.kind = "duato";
      config.network.vcs = 5;
      config.network.router.atomic_vcs = true;
      VcRig rig(config);
      rig.parts->only_results = dense;
      rig.parts->retry.timeout_cycles = 1;
      rig.parts->retry.most_tries = 1;
      TrafficConfig traffic = lengths(0.6, never);
      traffic.kind = "closed_loop";
      rig.build(traffic, seed);
      if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
      std::string text;
      for (Cycle stop = 1; stop < 2000; stop += 7) {
        rig.loaded->run_to(stop);
        text += repeats(rig) + counts(rig);
      }
      return text;
    });
  };
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const std::string expected = run(seed, false);
    lost += last_count(expected, "packets_lost=");
    CHECK(first_difference(expected, run(seed, true)) == "");
  }
  CHECK(lost > 3);
}
