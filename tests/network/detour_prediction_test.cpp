// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <numeric>
#include <sstream>
#include <string>

#include "network/flit_check.h"
#include "network/reconfiguring_cube.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/pick.h"
#include "tsuji/instruments/packet_ledger.h"

// Detour-UD with prediction: random networks with dead links and routers, and with routers that change their
// tables.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using router::PredictionCheck;
using router::PredictionOutcome;
using tsuji::test::pick;

namespace {

std::uint64_t visits(const router::PredictionCounters& counters, PredictionOutcome outcome) {
  return counters.visits[static_cast<std::size_t>(outcome)];
}

enum class Faults : std::uint8_t { none, dead, events };

/// A torus or mesh with small buffers, in which heads recover often.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, 11) {}

  NetworkConfig config() {
    NetworkConfig config = cube({4, 4}, "");
    config.topology.of<graph::CubeConfig>().radices = radices();
    config.topology.kind = below(5) == 0 ? "mesh" : "torus";
    config.network.vcs = 2 + below(3);
    config.network.buffer_flits = 4 + below(4);
    config.network.router.block_timeout_cycles = 8 + below(60);
    if (below(4) == 0) config.network.router.hop_limit = 2 + below(6);
    config.link_latency_cycles = 1 + below(3);
    config.network.table_ports = 1 + below(3);
    config.network.table_pipelined = below(2) == 0;
    router(config.network.router);
    config.lookup.kind = pick(random_, {"local", "local", "cam", "cached", "ideal"});
    faults(config);
    return config;
  }
  double load() { return pick(random_, {0.1, 0.3, 0.6, 0.9, 1.0}); }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_.below(bound)); }
  std::vector<unsigned> radices() {
    return pick<std::vector<unsigned>>(random_, {{4, 4}, {5, 4}, {3, 3, 2}, {3, 5}, {4, 3}});
  }
  void router(router::VcRouterConfig& own) {
    own.switching = pick(random_, {router::Switching::wormhole, router::Switching::virtual_cut_through});
    own.va_cycles = below(3);
    own.sa_cycles = 1 + below(2);
    own.st_cycles = 1 + below(2);
    own.des_cycles = below(2);
    if (below(4) == 0) own.sa_allocator = "matrix";
    own.prediction.kind = pick<std::string>(
        random_, {"straight", "latest_port", "finite_context", "last_destination", "oracle", "always_miss"});
    own.prediction.check = pick(random_, {PredictionCheck::kill, PredictionCheck::kill, PredictionCheck::wait,
                                          PredictionCheck::leak});
    own.prediction.serial = own.prediction.check == PredictionCheck::leak && below(2) == 0;
  }
  void faults(NetworkConfig& config) {
    const bool leaks = config.network.router.prediction.leaks();
    switch (pick(random_, {Faults::none, Faults::dead, leaks ? Faults::dead : Faults::events})) {
      case Faults::dead:
        config.dead.random_links = 1 + below(2);
        config.dead.random_routers = below(2);
        config.dead.seed = 1 + below(1000);
        return;
      case Faults::events:
        config.dead.events = pick<std::string>(
            random_,
            {"link 3@90:260", "router 2@120:300", "link 1@0:150, router 4@60", "link 2@100, link 5@110"});
        return lose(pick(random_, {Losses::recovering, Losses::everything, Losses::nothing}), config);
      case Faults::none:
        break;
    }
  }
  CounterRandom random_;
};

struct Sums {
  std::uint64_t packets = 0, hits = 0, recoveries = 0, by_hops = 0, dropped = 0, leaked = 0;
};

/// A channel has one probe.
enum class Watch : std::uint8_t { nothing, latencies, flits };

/// Returns every packet with the parts of its latency and the sums of its routers, or the error.
class Play {
 public:
  Play(const NetworkConfig& config, std::uint64_t seed, bool ahead) : rig_(config) {
    rig_.run_ahead(ahead);
    TrafficConfig traffic = load(Draw(seed + 1'000'000).load(), 1, 300);
    traffic.length = "range";
    traffic.lengths.of<workload::LengthRange>().largest_packet_flits = 4;
    const TrafficSources sources(
        traffic, TrafficNodes::of(rig_.plan.topology, config.dead.on(rig_.plan.topology)), seed);
    rig_.build([&](NodeId node) { return sources.source(node); });
  }
  std::string run(Watch watch) {
    std::unique_ptr<PacketLedger> ledger;
    std::unique_ptr<FlitCheck> check;
    if (watch == Watch::latencies)
      ledger = std::make_unique<PacketLedger>(rig_.loaded->network(), rig_.loaded->pool(),
                                              rig_.config.dead.change());
    // The check knows the routes of the beginning only.
    if (watch == Watch::flits && !rig_.config.dead.change()) check = std::make_unique<FlitCheck>(rig_);
    for (Cycle end = 37; watch != Watch::nothing && end < 800; end += 37) {
      rig_.loaded->run_to(end);
      rig_.loaded->check_conservation();
    }
    if (!rig_.run_until_idle(60'000)) return "not idle";
    rig_.loaded->check_conservation();
    if (check && !check->wrong().empty()) return check->wrong();
    return packets(ledger.get());
  }

 private:
  std::string packets(PacketLedger* ledger) {
    std::ostringstream out;
    Cycle hops = 0;
    for (const auto& [id, p] : rig_.by_packet()) {
      out << packet_name(id) << ' ' << p.injected << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
      hops += p.hops;
      if (ledger == nullptr) continue;
      const std::vector<Cycle> parts = ledger->take(p);
      if (std::accumulate(parts.begin(), parts.end(), Cycle{0}) != p.tail_cycle - p.created)
        return "parts of " + packet_name(id);
    }
    if (rig_.by_packet().size() != rig_.delivered.size()) return "a packet came twice";
    const std::string wrong = accounts(hops);
    if (!wrong.empty()) return wrong;
    const router::PredictionCounters predicted = rig_.loaded->network().prediction_counters();
    const router::RouterCounters counters = rig_.loaded->network().counters();
    out << "sums " << rig_.delivered.size() << ' ' << visits(predicted, PredictionOutcome::hit) << ' '
        << counters.recoveries << ' ' << counters.recoveries_by_hops << ' ' << dropped() << ' '
        << predicted.leaked_flits;
    for (const std::uint64_t count : predicted.visits) out << ' ' << count;
    out << ' ' << predicted.kept_flits << ' ' << predicted.saved_cycles << ' ' << counters.flits;
    return out.str();
  }
  std::uint64_t dropped() const {
    std::uint64_t all = 0;
    for (const auto& [cause, packets] : rig_.loaded->accounts().fates().dropped) all += packets;
    return all;
  }
  /// Checks the accounts of packets and of heads' visits.
  std::string accounts(Cycle hops) const {
    const observe::PacketFates fates = rig_.loaded->accounts().fates();
    if (fates.under_way != 0 || rig_.loaded->pool().in_use() != 0) return "packets under way";
    if (fates.born + fates.born_at_routers != fates.delivered + fates.ended_at_routers + dropped())
      return "born " + std::to_string(fates.born);
    if (rig_.config.dead.change()) return "";
    if (dropped() != 0) return "a packet is lost";
    if (!rig_.config.network.router.prediction.on()) return "";
    const router::PredictionCounters predicted = rig_.loaded->network().prediction_counters();
    const auto all = std::accumulate(predicted.visits.begin(), predicted.visits.end(), std::uint64_t{0});
    // A head that begins recovery at a router begins another visit there; with `wait` the second visit may be
    // the first that counts.
    const std::uint64_t again = rig_.loaded->network().counters().recoveries;
    const bool waits = rig_.config.network.router.prediction.check == PredictionCheck::wait;
    if (all > hops + again || all < hops + (waits ? 0 : again))
      return "visits " + std::to_string(all) + " of " + std::to_string(hops + again);
    // Outside fault regions an oracle is always right where its prediction goes into a fully adaptive
    // channel.
    const bool sure = rig_.config.network.router.prediction.kind == "oracle" && rig_.config.dead.empty();
    if (sure && visits(predicted, PredictionOutcome::wrong) != 0) return "the oracle is wrong";
    return "";
  }

  VcRig rig_;
};

void add(const std::string& text, Sums& sums) {
  std::istringstream line(text.substr(text.rfind("sums ")));
  std::string word;
  Sums one;
  line >> word >> one.packets >> one.hits >> one.recoveries >> one.by_hops >> one.dropped >> one.leaked;
  sums.packets += one.packets;
  sums.hits += one.hits;
  sums.recoveries += one.recoveries;
  sums.by_hops += one.by_hops;
  sums.dropped += one.dropped;
  sums.leaked += one.leaked;
}

std::string described(const NetworkConfig& config) {
  const router::PredictionConfig& prediction = config.network.router.prediction;
  return prediction.kind + " " + std::to_string(static_cast<int>(PredictionCheck(prediction.check))) +
         (prediction.serial ? " serial, look-up " : ", look-up ") + config.lookup.kind + ", " +
         std::to_string(config.dead.random_links) + " dead, events " + config.dead.events;
}

}  // namespace

namespace {

/// Checks that results are equal in any order of modules, and nothing is lost.
void check_random_networks(std::uint64_t cases) {
  Sums sums;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const NetworkConfig config = Draw(seed).config();
    CAPTURE(seed, described(config));
    const auto run = [&](const RunOrder& order, Watch watch) {
      return tsuji::test::forked([&] { return Play(in_order(config, order), seed, order.ahead).run(watch); });
    };
    const std::string expected = run(run_orders[0], Watch::latencies);
    CAPTURE(expected.substr(0, 300));
    REQUIRE(expected.find("sums ") != std::string::npos);
    add(expected, sums);
    CHECK(run(run_orders[0], Watch::flits) == expected);
    for (const RunOrder& order : run_orders) CHECK(run(order, Watch::nothing) == expected);
  }
  CHECK(sums.packets > 100 * cases);
  CHECK(sums.hits > 20 * cases);
  CHECK(sums.recoveries > 10 * cases);
  CHECK(sums.by_hops > cases);
  CHECK(sums.dropped > cases / 10);
  CHECK(sums.leaked > cases);
}

}  // namespace

TEST_CASE(
    "Detour-UD that predicts: random networks are the same in any order of modules, and nothing is lost") {
  check_random_networks(80);
}

TEST_CASE("Detour-UD that predicts: hundreds of random networks", "[.][long]") {
  check_random_networks(800);
}

TEST_CASE(
    "Detour-UD with a predictor that is always wrong: every packet takes the cycles of a network without "
    "it") {
  unsigned compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    NetworkConfig config = Draw(seed).config();
    // Dead flits use the cycles of live ones.
    if (config.network.router.prediction.leaks()) continue;
    ++compared;
    CAPTURE(seed, described(config));
    const auto packets = [&](const char* kind) {
      config.network.router.prediction.kind = kind;
      const std::string text =
          tsuji::test::forked([&] { return Play(config, seed, true).run(Watch::nothing); });
      return text.substr(0, text.rfind("sums "));
    };
    const std::string expected = packets("none");
    REQUIRE(expected.find('\n') != std::string::npos);
    CHECK(packets("always_miss") == expected);
  }
  CHECK(compared > 30);
}

namespace {

/// Messages from each living node to each other, one at a time.
std::vector<VcRig::Send> one_at_a_time(const VcRig& rig) {
  const auto& detour = dynamic_cast<const routing::DetourUd&>(*rig.plan.routing);
  std::vector<NodeId> living;
  for (NodeId node = 0; node < rig.plan.topology.nodes(); ++node)
    if (detour.generation().network().lives(rig.plan.topology.node(node).inject.router))
      living.push_back(node);
  std::vector<VcRig::Send> list;
  for (const NodeId from : living)
    for (const NodeId to : living) list.push_back({from, to, 100 + 150 * Cycle{list.size()}, 3});
  return list;
}

NetworkConfig alone(PredictionCheck check, unsigned dead_links) {
  NetworkConfig config = cube({5, 4}, "");
  config.network.vcs = 4;
  config.network.router.prediction.kind = "oracle";
  config.network.router.prediction.check = check;
  config.dead.random_links = dead_links;
  config.routing.of<routing::DetourUdConfig>().tables.region_distance = 9;  // all routers
  return config;
}

}  // namespace

TEST_CASE(
    "Detour-UD with an oracle, one message at a time: cycles of a hit, inside and outside fault regions") {
  struct Hop {
    PredictionCheck check;
    Cycle outside, inside;  // of a router; 4 and 9 without prediction
  };
  constexpr Hop hops[] = {
      {PredictionCheck::kill, 1, 9}, {PredictionCheck::wait, 2, 7}, {PredictionCheck::leak, 1, 1}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Hop& hop : hops) {
    for (const unsigned dead_links : {0U, 1U}) {
      rigs.push_back(std::make_unique<VcRig>(alone(hop.check, dead_links)));
      rigs.back()->build(one_at_a_time(*rigs.back()));
    }
  }
  for (std::size_t r = 0; r < rigs.size(); ++r) {
    VcRig& rig = *rigs[r];
    const Hop& hop = hops[r / 2];
    const bool inside = r % 2 != 0;
    CAPTURE(static_cast<int>(hop.check), inside);
    REQUIRE(rig.run_until_idle(200'000));
    CHECK(rig.delivered.size() == 400);
    for (const observe::DeliveredPacket& p : rig.delivered) {
      // H - 1 routers, the destination's router, which reads no table, H + 1 links, and the flits after the
      // head.
      const Cycle routers = (p.hops - 1) * (inside ? hop.inside : hop.outside) + hop.outside;
      CHECK(p.tail_cycle - p.created == routers + (p.hops - 1) + 2 + p.flits);
    }
    rig.loaded->check_conservation();
  }
}

TEST_CASE(
    "Detour-UD that predicts: no prediction uses a channel on which another generation of tables recovers") {
  NetworkConfig config = cube({4, 4}, "link 3@5000");
  lose(Losses::nothing, config);
  config.network.router.prediction.kind = "oracle";
  VcRig rig(config);
  rig.build(load(0.9, 4, 3000));
  rig.loaded->run_to(3000);
  const router::PredictionCounters counters = rig.loaded->network().prediction_counters();
  CHECK(visits(counters, PredictionOutcome::hit) > 100);
  CHECK(visits(counters, PredictionOutcome::no_room) > 100);
  CHECK(visits(counters, PredictionOutcome::wrong) == 0);
}

TEST_CASE("Detour-UD that predicts: no prediction uses a dead link, from the beginning or from an event on") {
  for (const bool by_event : {false, true}) {
    // The link straight on is dead, and is never predicted.
    const std::string told = tsuji::test::forked([&] {
      NetworkConfig config = cube({6}, by_event ? "link 2@500" : "");
      if (!by_event) config.dead.links = {2};
      config.network.router.prediction.kind = "straight";
      if (!by_event) config.network.router.prediction.check = PredictionCheck::leak;
      VcRig rig(config);
      std::vector<VcRig::Send> list;
      const graph::RouterLink link = rig.plan.topology.links()[2];
      const NodeId before = (link.a.router + 5) % 6;  // precedes link.a on the ring; link.b follows it
      for (Cycle cycle = 2000; cycle < 4000; cycle += 100) list.push_back({before, link.a.router, cycle, 2});
      rig.build(list);
      if (!rig.run_until_idle(100'000)) return std::string("not idle");
      std::ostringstream out;
      const graph::PortRef in = rig.plan.topology.far(before, link.a.port).at;
      const router::PredictionCounters at =
          rig.loaded->network().router(link.a.router).predicting()->prediction_counters_at(in.port);
      out << visits(at, PredictionOutcome::no_room) << " of 20, wrong "
          << visits(at, PredictionOutcome::wrong) << ", leaked " << at.leaked_flits << ", came "
          << rig.loaded->accounts().fates().delivered;
      return out.str();
    });
    CAPTURE(by_event);
    CHECK(told == "20 of 20, wrong 0, leaked 0, came 20");
  }
}
