// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include "network/flit_check.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "support/pick.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/router/prediction/kinds.h"

// Networks whose routers predict.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::instruments;
using namespace tsuji::network::test;
using router::PredictionOutcome;
using tsuji::test::pick;

namespace {

std::uint64_t visits(const router::PredictionCounters& counters, PredictionOutcome outcome) {
  return counters.visits[static_cast<std::size_t>(outcome)];
}

std::uint64_t all_visits(const router::PredictionCounters& counters) {
  const auto& list = counters.visits;
  return std::accumulate(list.begin(), list.end(), std::uint64_t{0});
}

NetworkConfig draw(std::uint64_t seed) {
  CounterRandom random(seed, 8);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random.below(bound)); };
  const RoutedFabric fabric = pick<RoutedFabric>(random, {{"mesh", "dimension_order", 1},
                                                          {"torus", "dimension_order", 2},
                                                          {"torus", "duato", 3},
                                                          {"fat_tree", "least_common_ancestor", 1},
                                                          {"random_regular", "source_table", 4}});
  NetworkConfig config = network_on(fabric);
  config.topology.of<graph::CubeConfig>().radices = {4, 3};
  config.topology.of<graph::FatTreeConfig>().levels = 2;
  config.topology.of<graph::RandomGraphConfig>().nodes = 16;
  VcNetworkConfig& network = config.network;
  network.vcs = fabric.vcs + below(3);
  network.buffer_flits = 4 + below(5);
  network.flit_cycles = below(3) == 0 ? 2 + below(2) : 1;
  config.link_latency_cycles = 1 + below(3);
  router::VcRouterConfig& own = network.router;
  own.switching = pick(random, {router::Switching::wormhole, router::Switching::virtual_cut_through});
  own.atomic_vcs = std::string(fabric.routing) == "duato" || below(4) == 0;
  own.va_cycles = below(3);
  own.sa_cycles = 1 + below(3);
  own.st_cycles = 1 + below(2);
  network.rc_cycles = below(static_cast<unsigned>(own.st_cycles) + 1);
  if (below(4) == 0) own.sa_allocator = "matrix";
  if (below(4) == 0) config.link_faults = "1@100:160,5@130";
  std::vector<std::string> kinds = {"latest_port", "finite_context", "last_destination", "oracle"};
  if (config.topology.kind != std::string("random_regular")) kinds.emplace_back("straight");
  if (config.topology.kind == std::string("fat_tree")) kinds.emplace_back("up");
  own.prediction.kind = kinds[below(static_cast<unsigned>(kinds.size()))];
  own.des_cycles = below(2);
  own.ser_cycles = below(2);
  return config;
}

/// A drawn network with routes that are known too late to kill a wrong flit, and with words that pass.
NetworkConfig draw_late(std::uint64_t seed) {
  NetworkConfig config = draw(seed);
  CounterRandom random(seed, 9);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random.below(bound)); };
  VcNetworkConfig& network = config.network;
  router::VcRouterConfig& own = network.router;
  own.prediction.check = pick(random, {router::PredictionCheck::wait, router::PredictionCheck::leak});
  if (config.topology.kind == std::string("fat_tree") && below(3) != 0)
    own.prediction.check = router::PredictionCheck::hint;
  if (own.prediction.check == router::PredictionCheck::leak) config.link_faults.clear();
  network.rc_cycles = below(8);
  own.des_cycles = below(3);
  own.ser_cycles = below(3);
  network.whole_flit = below(2) == 0;
  if (config.topology.kind == std::string("mesh") && below(2) == 0) {
    config.lookup.kind = "cached";
    network.rc_cycles = VcNetworkConfig().rc_cycles;
  }
  own.prediction.serial = own.prediction.check != router::PredictionCheck::wait && below(3) != 0;
  if (own.prediction.serial && below(3) == 0) own.switching = router::Switching::store_and_forward;
  return config;
}

/// Returns every packet with the parts of its latency, and the accounts of the routers.
std::string play(const NetworkConfig& config, std::uint64_t seed, bool ahead, bool ledger_too) {
  VcRig rig(config);
  rig.run_ahead(ahead);
  TrafficConfig traffic = load(0.1 * static_cast<double>(1 + seed % 9), 1, 300);
  traffic.length = "range";
  traffic.lengths.of<workload::LengthRange>().largest_packet_flits = 4;
  rig.build(traffic, seed);
  std::unique_ptr<PacketLedger> ledger;
  if (ledger_too) ledger = std::make_unique<PacketLedger>(rig.loaded->network(), rig.loaded->pool());
  if (!rig.run_until_idle(60'000)) return "not idle";
  rig.loaded->check_conservation();
  std::ostringstream out;
  Cycle hops = 0;
  for (const auto& [id, p] : rig.by_packet()) {
    out << packet_name(id) << ' ' << p.injected << ' ' << p.head_cycle << ' ' << p.tail_cycle << '\n';
    hops += p.hops;
    if (!ledger) continue;
    const std::vector<Cycle> parts = ledger->take(p);
    if (std::accumulate(parts.begin(), parts.end(), Cycle{0}) != p.tail_cycle - p.created)
      return "parts of " + packet_name(id);
  }
  const router::PredictionCounters counters = rig.loaded->network().prediction_counters();
  for (const std::uint64_t count : counters.visits) out << count << ' ';
  if (config.network.router.prediction.on() && config.link_faults.empty() && all_visits(counters) != hops)
    return "visits";
  return out.str();
}

}  // namespace

TEST_CASE(
    "networks that predict have the same packets in any order of modules, ahead of others and observed") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    const NetworkConfig config = seed <= 40 ? draw(seed) : draw_late(seed);
    const auto run = [&](const RunOrder& order, bool ledger) {
      return tsuji::test::forked([&] { return play(in_order(config, order), seed, order.ahead, ledger); });
    };
    const std::string expected = run(run_orders[0], true);
    REQUIRE(expected.find("exception") == std::string::npos);
    for (const RunOrder& order : run_orders) CHECK(run(order, false) == expected);
  }
}

TEST_CASE(
    "a packet whose flits have left a buffer and are still in it counts once as in flight, until its "
    "delivery") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    CAPTURE(seed);
    const std::string said = tsuji::test::forked([&] {
      NetworkConfig config = network_on({"mesh", "dimension_order", 1});
      config.topology.of<graph::CubeConfig>().radices = {8};
      config.network.buffer_flits = 4;
      config.network.rc_cycles = 3 + seed;
      config.network.router.prediction.kind = "oracle";
      config.network.router.prediction.check = router::PredictionCheck::leak;
      VcRig rig(config);
      TrafficConfig traffic = load(0.3, 1, 200);
      traffic.length = "range";
      traffic.lengths.of<workload::LengthRange>().largest_packet_flits = 3;
      rig.build(traffic, seed);
      unsigned early = 0;  // delivered, and still in a buffer
      for (Cycle end = 20; end < 400; ++end) {
        rig.loaded->run_to(end);
        rig.loaded->check_conservation();
        const observe::PacketFates fates = rig.loaded->accounts().fates();
        if (fates.born != fates.delivered + rig.loaded->accounts().packets_under_way())
          return "born " + std::to_string(fates.born) + " in cycle " + std::to_string(end);
        early += rig.loaded->pool().in_use() > rig.loaded->accounts().packets_under_way() ? 1 : 0;
      }
      return std::string(early > 10 ? "good" : "nothing was held twice");
    });
    CHECK(said == "good");
  }
}

TEST_CASE(
    "a hit skips SA: groups of modules run ahead of each other only as far as a flit's time without SA "
    "allows") {
  NetworkConfig config = network_on({"mesh", "dimension_order", 1});
  config.topology.of<graph::CubeConfig>().radices = {6, 6};
  config.network.buffer_flits = 8;
  config.network.router.sa_cycles = 4;
  config.network.credit_process_cycles = 8;
  config.network.router.prediction.kind = "straight";
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const auto run = [&](bool ahead) {
      return tsuji::test::forked([&] { return play(config, seed, ahead, false); });
    };
    const std::string expected = run(false);
    REQUIRE(expected.find('\n') != std::string::npos);
    CHECK(run(true) == expected);
  }
}

TEST_CASE("a predictor that is always wrong changes nothing for any packet") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const auto packets = [&](const char* kind) {
      NetworkConfig config = seed <= 30 ? draw(seed) : draw_late(seed);
      // Dead flits use the cycles of live ones.
      if (config.network.router.prediction.check == router::PredictionCheck::leak)
        config.network.router.prediction.check = router::PredictionCheck::wait;
      config.network.router.prediction.serial = false;
      config.network.router.prediction.kind = kind;
      const std::string text = tsuji::test::forked([&] { return play(config, seed, true, false); });
      return text.substr(0, text.rfind('\n'));
    };
    const std::string expected = packets("none");
    REQUIRE(expected.find("exception") == std::string::npos);
    REQUIRE(expected.find('\n') != std::string::npos);
    CHECK(packets("always_miss") == expected);
  }
}

namespace {

/// Sends packets of all pairs of nodes of a (4,4,r) fat tree one after another, and derives their hits from
/// the wiring.
struct Pairs {
  Pairs(unsigned levels, bool straight) {
    const NodeId nodes = 1U << (2 * levels);
    for (NodeId from = 0; from < nodes; ++from) {
      for (NodeId to = 0; to < nodes; ++to) {
        list.push_back({from, to, 100 + 60 * Cycle{list.size()}, 2});
        // Up to the level on which source and destination have a common switch; every up port is right.
        unsigned top = 0;
        while (from / (4U << (2 * top)) != to / (4U << (2 * top))) ++top;
        routers += 2 * top + 1;
        hits += top;
        if (!straight) continue;
        // The packet went up by the ports opposite its input ports: digit l of the source on level l.
        const auto digit = [](NodeId node, unsigned place) { return node >> (2 * place) & 3U; };
        if (top == levels - 1 && (digit(from, top) + 1) % 4 == digit(to, top)) ++hits;
        for (unsigned level = 0; level < top; ++level) hits += digit(from, level) == digit(to, level) ? 1 : 0;
      }
    }
  }
  std::vector<VcRig::Send> list;
  std::uint64_t hits = 0, routers = 0;
};

}  // namespace

TEST_CASE(
    "one packet at a time in fat trees: hits of Up Priority and Static Straight are those of the wiring") {
  std::vector<std::pair<std::unique_ptr<VcRig>, Pairs>> cases;
  for (const unsigned levels : {2U, 3U}) {
    for (const char* kind : {"up", "straight"}) {
      NetworkConfig config = network_on({"fat_tree", "least_common_ancestor", 1});
      graph::FatTreeConfig& tree = config.topology.of<graph::FatTreeConfig>();
      tree.up_links = tree.down_links = 4;
      tree.levels = levels;
      config.network.router.prediction.kind = kind;
      cases.emplace_back(std::make_unique<VcRig>(config), Pairs(levels, kind == std::string("straight")));
      cases.back().first->build(cases.back().second.list);
    }
  }
  for (const auto& [rig, pairs] : cases) {
    CAPTURE(rig->plan.topology.name(), rig->config.network.router.prediction.kind);
    REQUIRE(rig->run_until_idle(1'000'000));
    const router::PredictionCounters counters = rig->loaded->network().prediction_counters();
    CHECK(visits(counters, PredictionOutcome::hit) == pairs.hits);
    CHECK(all_visits(counters) == pairs.routers);
    CHECK(visits(counters, PredictionOutcome::lost) == 0);
  }
}

TEST_CASE("one packet at a time with an oracle: ST alone at each router") {
  NetworkConfig config = torus(5);
  config.topology.kind = "mesh";  // a mesh has one class of virtual channels
  config.network.router.prediction.kind = "oracle";
  config.network.router.st_cycles = 2;
  config.network.buffer_flits = 12;
  config.link_latency_cycles = 3;
  VcRig rig(config);
  std::vector<VcRig::Send> list;
  for (NodeId from = 0; from < 25; ++from)
    for (NodeId to = 0; to < 25; ++to) list.push_back({from, to, 100 + 100 * Cycle{list.size()}, 3});
  rig.build(list);
  REQUIRE(rig.run_until_idle(200'000));
  CHECK(rig.delivered.size() == list.size());
  // The latency formula of rooms/router.md with ST alone instead of a router's stages.
  for (const auto& [id, p] : rig.by_packet())
    CHECK(p.tail_cycle - p.created == p.hops * 2 + (p.hops - 1) * 3 + 1 + 1 + 3);
}

TEST_CASE("a packet on a torus hits with the virtual channels that its predecessor was given") {
  NetworkConfig config = torus(5);
  config.network.router.prediction.kind = "oracle";
  VcRig rig(config);
  std::vector<VcRig::Send> list;
  for (NodeId from = 0; from < 25; ++from)
    for (NodeId to = 0; to < 25; ++to)
      for (unsigned time = 0; time < 2; ++time) list.push_back({from, to, 100 + 100 * Cycle{list.size()}, 1});
  rig.build(list);
  REQUIRE(rig.run_until_idle(400'000));
  std::map<std::pair<NodeId, NodeId>, Cycle> last;
  unsigned slower = 0;
  for (const auto& p : rig.delivered) {
    Cycle& cycle = last[{p.source.node(), p.destination.node()}];
    const Cycle latency = p.tail_cycle - p.created, by_hits = p.hops + (p.hops - 1) + 1 + 1 + 1;
    if (cycle != 0) CHECK(latency == by_hits);
    if (latency != by_hits) ++slower;
    cycle = latency;
  }
  CHECK(slower > 0);  // a dateline's class is not known in advance
}

TEST_CASE("predictions that a network does not support are refused by their key") {
  const auto refusal = [](NetworkConfig config) {
    config.resolve();
    return tsuji::test::text_of<ConfigError>(
        [&] {
          config.validate();
          const graph::Topology topology = make_topology(config.topology, 1);
          const auto routing = make_routing(config.routing, topology, config.network.vcs);
          config.network.validate_with(topology, *routing);
        },
        "accepted");
  };
  const auto with = [](const char* kind, const char* topology = "mesh") {
    NetworkConfig config;
    config.topology.kind = topology;
    config.network.router.prediction.kind = kind;
    return config;
  };
  using Catch::Contains;
  CHECK(refusal(with("straight")) == "accepted");
  CHECK(refusal(with("up", "fat_tree")) == "accepted");
  CHECK_THAT(refusal(with("up")), Contains("prediction.kind") && Contains("has no levels"));
  CHECK_THAT(refusal(with("straight", "fly")), Contains("prediction.kind") && Contains("no opposite ports"));
  NetworkConfig uneven = with("straight", "fat_tree");
  uneven.topology.of<graph::FatTreeConfig>().up_links = 2;
  CHECK_THAT(refusal(uneven), Contains("prediction.kind") && Contains("as many links up as down"));
  NetworkConfig slow = with("straight");
  slow.network.rc_cycles = 2;
  CHECK(refusal(slow) == "accepted");  // auto waits
  slow.network.router.prediction.check = router::PredictionCheck::kill;
  CHECK_THAT(refusal(slow), Contains("router.rc_cycles") && Contains("too late to kill the flit"));
  slow.network.router.st_cycles = 2;
  CHECK(refusal(slow) == "accepted");
  slow.network.rc_cycles = 27;
  const auto checked = [&](router::PredictionCheck check, NetworkConfig config) {
    config.network.router.prediction.check = check;
    return refusal(config);
  };
  CHECK(checked(router::PredictionCheck::wait, slow) == "accepted");
  CHECK(checked(router::PredictionCheck::leak, slow) == "accepted");
  CHECK_THAT(checked(router::PredictionCheck::hint, slow),
             Contains("prediction.check") && Contains("no hint bits"));
  CHECK(checked(router::PredictionCheck::hint, with("up", "fat_tree")) == "accepted");
  NetworkConfig cached = with("straight");
  cached.lookup.kind = "cached";
  CHECK(refusal(cached) == "accepted");
  CHECK_THAT(checked(router::PredictionCheck::kill, cached),
             Contains("prediction.check") && Contains("lookup.kind local"));
  CHECK(checked(router::PredictionCheck::wait, cached) == "accepted");
  NetworkConfig changing = with("straight", "torus");
  changing.routing.kind = "detour_ud";
  CHECK(refusal(changing) == "accepted");
  changing.dead.events = "link 3@100";
  CHECK(checked(router::PredictionCheck::wait, changing) == "accepted");
  CHECK_THAT(checked(router::PredictionCheck::leak, changing),
             Contains("prediction.check") && Contains("kill or wait"));
  NetworkConfig wide = with("straight");
  wide.network.flit_cycles = 64;
  CHECK_THAT(refusal(wide), Contains("link.flit_cycles"));
  NetworkConfig deep = with("finite_context");
  deep.network.router.prediction.kinds.of<router::FiniteContextConfig>().context_heads = 16;
  CHECK_THAT(refusal(deep), Contains("prediction.context_heads"));
}

namespace {

struct Mode {
  const char* name;
  router::PredictionCheck check;
};
constexpr Mode modes[] = {{"kill", router::PredictionCheck::kill},
                          {"hint", router::PredictionCheck::hint},
                          {"wait", router::PredictionCheck::wait},
                          {"leak", router::PredictionCheck::leak}};

NetworkConfig draw_mode(std::uint64_t seed, const Mode& mode) {
  NetworkConfig config = mode.check == router::PredictionCheck::kill ? draw(seed) : draw_late(seed);
  config.link_faults.clear();
  router::VcRouterConfig& own = config.network.router;
  own.prediction.check = mode.check;
  if (mode.check == router::PredictionCheck::wait && own.prediction.serial) {
    own.prediction.serial = false;
    own.switching = router::Switching::wormhole;
  }
  return config;
}

/// Returns "PACKETS HITS", or the error.
std::string play_checked(const NetworkConfig& config, std::uint64_t seed) {
  VcRig rig(config);
  TrafficConfig traffic = load(0.05 * static_cast<double>(1 + seed % 9), 1, 4000);
  traffic.length = "range";
  traffic.lengths.of<workload::LengthRange>().largest_packet_flits = 4;
  rig.build(traffic, seed);
  const FlitCheck check(rig);
  if (!rig.run_until_idle(100'000)) return "not idle";
  rig.loaded->check_conservation();
  if (!check.wrong().empty()) return check.wrong();
  if (rig.by_packet().size() != rig.delivered.size()) return "a packet came twice";
  if (rig.delivered.size() != rig.loaded->accounts().packets_born()) return "a packet is lost";
  const router::PredictionCounters counters = rig.loaded->network().prediction_counters();
  return std::to_string(rig.delivered.size()) + " " +
         std::to_string(visits(counters, PredictionOutcome::hit));
}

}  // namespace

TEST_CASE("random packets in networks that predict: no flit is lost, doubled, early, or off its route") {
  for (const Mode& mode : modes) {
    std::uint64_t packets = 0, hits = 0;
    for (std::uint64_t seed = 100; packets < 100'000; ++seed) {
      const NetworkConfig config = draw_mode(seed, mode);
      const bool hints = config.topology.kind == std::string("fat_tree");
      if (mode.check == router::PredictionCheck::hint && !hints) continue;
      const std::string told = tsuji::test::forked([&] { return play_checked(config, seed); });
      std::istringstream text(told);
      std::uint64_t came = 0, hit = 0;
      CAPTURE(mode.name, seed, told);
      REQUIRE(text >> came >> hit);
      packets += came;
      hits += hit;
    }
    CHECK(hits > packets / 10);
  }
}
