// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "network/lookup_accounts.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/up_down.h"

// Look-up hardware as modules with pins against the fast form, in whole networks.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

/// A network with caches, drawn from one case's random numbers.
class Draw {
 public:
  explicit Draw(std::uint64_t number) : random_(number, 5) {
    config_.lookup.kind = "cached";
    fabric();
    memory();
    router();
  }
  NetworkConfig config(lookup::LookupModel model) const {
    NetworkConfig config = config_;
    config.lookup.model = model;
    return config;
  }
  TrafficConfig traffic(Cycle cycles) const { return load(load_, packet_flits_, cycles); }

 private:
  unsigned below(unsigned count) { return static_cast<unsigned>(random_.below(count)); }
  bool one_in(unsigned count) { return below(count) == 0; }

  void fabric() {
    constexpr RoutedFabric fabrics[] = {{"mesh", "dimension_order", 2},
                                        {"torus", "dimension_order", 2},
                                        {"fat_tree", "least_common_ancestor", 1},
                                        {"random_regular", "source_table", 4},
                                        {"random_grid", "up_down", 1},
                                        {"torus", "detour_ud", 3},
                                        {"mesh", "detour_ud", 3}};
    const RoutedFabric& fabric = fabrics[below(std::size(fabrics))];
    config_.topology.kind = fabric.topology;
    config_.routing.kind = fabric.routing;
    config_.network.vcs = fabric.vcs + below(3);
    config_.topology.of<graph::CubeConfig>().radices = {4, 2 + below(3)};
    config_.topology.of<graph::CubeConfig>().nodes_per_router = 1 + below(3);
    config_.topology.of<graph::FatTreeConfig>().levels = 2;
    config_.topology.of<graph::RandomGraphConfig>().nodes = 16;
    config_.routing.of<routing::DimensionOrderConfig>().ties = routing::Ties::up;
    config_.routing.of<routing::DimensionOrderConfig>().dateline =
        one_in(2) ? routing::Dateline::crossing : routing::Dateline::switching;
    config_.routing.of<routing::SourceTableConfig>().random_ties = false;
    config_.routing.of<routing::UpDownConfig>().all_paths = false;
    config_.routing.of<routing::LeastCommonAncestorConfig>().up_port = routing::UpPort::one_to_one;
    if (config_.routing.kind != "detour_ud") return;
    if (one_in(2))
      config_.dead.links = {1};
    else
      config_.dead.events = "link 2@80:200, router 3@120:260";
  }
  /// Returns true if ports may share a memory, that is if their routes are equal.
  bool may_share() const {
    return config_.routing.kind == "detour_ud" || config_.topology.kind == "mesh" ||
           (config_.topology.kind == "torus" &&
            config_.routing.of<routing::DimensionOrderConfig>().dateline == routing::Dateline::switching);
  }
  void memory() {
    lookup::LookupTiming& timing = config_.lookup.timing;
    timing.hash_cycles = 1 + below(3);
    timing.cache_cycles = 1 + below(3);
    timing.cam_cycles = 7 + below(20);
    config_.lookup.cam_chip_cycles = 1 + below(4);
    if (may_share()) {
      timing.cam_of_switch = one_in(2);
      if (one_in(3)) timing.cam_pipelined = false;
    }
    timing.blocking = one_in(3);
    config_.lookup.cache = {1U << below(4), 1, one_in(2) ? "lru" : "random", one_in(4)};
    if (one_in(2)) config_.lookup.cache.ways = config_.lookup.cache.entries;
  }
  void router() {
    if (one_in(3)) config_.network.router.route_at = router::RouteAt::arrival;
    if (one_in(3)) config_.link_faults = "1@60:90,2@100,1@150:220";
    if (config_.routing.kind == "detour_ud") {
      config_.link_faults.clear();
      config_.network.router.block_timeout_cycles = 20 + below(60);
      if (one_in(2)) config_.network.router.prediction.kind = "latest_port";
      config_.network.router.prediction.check = router::PredictionCheck::wait;
    }
    packet_flits_ = 1 + below(5);
    config_.network.buffer_flits = packet_flits_ + below(4);
    load_ = 0.05 * (1 + below(8));
  }

  CounterRandom random_;
  NetworkConfig config_;
  unsigned packet_flits_ = 1;
  double load_ = 0;
};

/// Checks that every packet has equal cycles, and look-ups, hits and waits are equal. Returns the number of
/// packets.
std::size_t check_equal(const VcRig& fast, const VcRig& modules) {
  const auto one = fast.by_packet(), other = modules.by_packet();
  REQUIRE(one.size() == other.size());
  for (const auto& [id, packet] : one) {
    const auto& same = other.at(id);
    REQUIRE(packet.injected == same.injected);
    REQUIRE(packet.head_cycle == same.head_cycle);
    REQUIRE(packet.tail_cycle == same.tail_cycle);
    REQUIRE(packet.hops == same.hops);
  }
  const lookup::LookupCounters a = fast.loaded->lookup()->counters(),
                               b = modules.loaded->lookup()->counters();
  CHECK(a.cache.lookups == b.cache.lookups);
  CHECK(a.cache.hits == b.cache.hits);
  CHECK(a.cache.flushes == b.cache.flushes);
  CHECK(a.cam_accesses == b.cam_accesses);
  CHECK(a.cam_writes == b.cam_writes);
  CHECK(a.cam_wait_sum == b.cam_wait_sum);
  CHECK(a.cam_wait_most == b.cam_wait_most);
  CHECK(a.cam_busy_cycles == b.cam_busy_cycles);
  CHECK(a.cache.conflict == b.cache.conflict);
  check_accounts(b);
  modules.loaded->check_conservation();
  return one.size();
}

/// Draws `count` networks from `first` on. Each runs in both forms, the modules in one of the orders, with
/// packets born in the first `cycles` cycles. Returns the number of packets.
std::size_t compare_forms(std::uint64_t first, unsigned count, Cycle cycles = 400) {
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::size_t packets = 0;
  std::uint64_t misses = 0, waits = 0, writes = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Draw draw(first + i);
    for (const auto model : {lookup::LookupModel::fast, lookup::LookupModel::modules}) {
      NetworkConfig config = draw.config(model);
      if (model == lookup::LookupModel::modules)
        config = in_order(config, run_orders[(first + i) % std::size(run_orders)]);
      rigs.push_back(std::make_unique<VcRig>(config));
      rigs.back()->build(draw.traffic(cycles), first + i);
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    INFO("network " << first + i);
    for (unsigned form : {0U, 1U}) REQUIRE(rigs[2 * i + form]->run_until_idle(60'000 + 20 * cycles));
    packets += check_equal(*rigs[2 * i], *rigs[2 * i + 1]);
    const lookup::LookupCounters counters = rigs[2 * i]->loaded->lookup()->counters();
    misses += counters.cache.misses;
    waits += counters.cam_wait_sum;
    writes += counters.cam_writes;
  }
  CHECK(misses > 100 * count);
  CHECK((count < 10 || (waits > 20 * count && writes > 10)));
  while (!rigs.empty()) rigs.pop_back();  // in reverse order, as the kernel expects
  return packets;
}

}  // namespace

TEST_CASE("look-up hardware as modules takes the cycles of the fast form in random networks") {
  compare_forms(1, 24);
}

TEST_CASE("look-up hardware as modules takes the cycles of the fast form: hundreds of networks",
          "[.][long]") {
  compare_forms(1000, 200);
}

TEST_CASE("look-up hardware as modules takes the cycles of the fast form: a million packets", "[.][long]") {
  CHECK(compare_forms(2000, 22, 40'000) > 1'000'000);
}

TEST_CASE("a head without a route may be predicted until its answer is known, in both forms") {
  const Draw draw(2018);
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const auto model : {lookup::LookupModel::fast, lookup::LookupModel::modules}) {
    rigs.push_back(std::make_unique<VcRig>(draw.config(model)));
    rigs.back()->build(draw.traffic(2500), 2018);
  }
  for (const auto& rig : rigs) REQUIRE(rig->run_until_idle(60'000));
  CHECK(check_equal(*rigs[0], *rigs[1]) > 500);
}

TEST_CASE(
    "heads that are not at the front repeat requests one cycle after routes change, in any module order") {
  compare_forms(1183, 2);
}

TEST_CASE("routes that change between two calls of run_to() are written in the same cycles in both forms") {
  // Router 5 is (1,1): to the east by dimension order, to the north while changed.
  const auto east = static_cast<std::uint16_t>(graph::CubeShape::up_port(0)),
             north = static_cast<std::uint16_t>(graph::CubeShape::up_port(1));
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const bool pipelined : {true, false}) {
    for (const auto model : {lookup::LookupModel::fast, lookup::LookupModel::modules}) {
      NetworkConfig config;
      config.topology.of<graph::CubeConfig>().radices = {4, 4};
      config.lookup.kind = "cached";
      config.lookup.model = model;
      config.lookup.timing.cam_of_switch = true;
      config.lookup.timing.cam_pipelined = pipelined;
      config.lookup.timing.cam_cycles = 10;
      rigs.push_back(std::make_unique<VcRig>(config));
      rigs.back()->build(load(0.25, 3, 2000));
    }
  }
  for (Cycle at = 301; at < 2000; at += 50) {
    for (const auto& rig : rigs) {
      rig->loaded->run_to(at);
      for (const NodeId destination : {10U, 11U, 14U, 15U})
        rig->loaded->changes().change_route(5, destination, {at % 100 == 1 ? north : east, 0xf});
    }
  }
  for (const auto& rig : rigs) REQUIRE(rig->run_until_idle(60'000));
  for (std::size_t pair = 0; pair < rigs.size(); pair += 2) {
    check_equal(*rigs[pair], *rigs[pair + 1]);
    CHECK(rigs[pair]->loaded->lookup()->counters().cam_writes > 100);
  }
}

TEST_CASE("ports that share a memory as a module have equal routes to a destination") {
  NetworkConfig config = torus(4);
  config.routing.of<routing::DimensionOrderConfig>().ties = routing::Ties::up;
  config.routing.of<routing::DimensionOrderConfig>().dateline = routing::Dateline::crossing;
  config.lookup.kind = "cached";
  config.lookup.model = lookup::LookupModel::modules;
  config.lookup.timing.cam_of_switch = true;
  VcRig rig(config);
  try {
    rig.build(std::vector<VcRig::Send>{{0, 1, 10, 1}});
    FAIL("not refused");
  } catch (const ConfigError& error) {
    CHECK(error.key() == "lookup.model");
    CHECK(std::string(error.what()).find("switch 0 have different routes to node") != std::string::npos);
  }
}

TEST_CASE("only look-ups with modules run as modules, with a route to the memory's chip") {
  lookup::LookupConfig config;
  config.model = lookup::LookupModel::modules;
  for (const char* kind : {"local", "cam", "ideal", "compact", "compact_cached"}) {
    config.kind = kind;
    CHECK_THROWS_AS(config.validate(), ConfigError);
  }
  config.kind = "cached";
  CHECK_NOTHROW(config.validate());
  config.timing.cam_cycles = 7;
  CHECK_NOTHROW(config.validate());
  config.timing.cam_cycles = 6;
  CHECK_THROWS_AS(config.validate(), ConfigError);
}
