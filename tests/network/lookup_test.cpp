// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <map>

#include "network/lookup_accounts.h"
#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/up_down.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;

namespace {

NetworkConfig mesh(unsigned k) {
  NetworkConfig config;
  config.topology.of<graph::CubeConfig>().radices = {k, k};
  config.lookup.kind = "cached";
  return config;
}

void check_all_delivered(const VcRig& rig) {
  CHECK(rig.delivered.size() + rig.loaded->supervisor().packets_dropped() ==
        rig.loaded->accounts().packets_born());
  CHECK(rig.by_packet().size() == rig.delivered.size());
  rig.loaded->check_conservation();
  CHECK(rig.loaded->network().flits_in_flight() == 0);
  CHECK(rig.loaded->pool().in_use() == 0);
}

/// Look-up without a route to one node.
class OwnLookup final : public RouteLookup {
 public:
  OwnLookup(const routing::Routing& routing, Cycle cycles, NodeId unknown)
      : routing_(routing), cycles_(cycles), unknown_(unknown) {}
  void bind_client(RouteClient&) override {}
  Cycle request(Cycle now, const routing::RouteQuery& query, std::uint32_t,
                routing::RouteSet& candidates) override {
    candidates.clear();
    if (query.destination != unknown_) routing_.route(query, candidates);
    return now + cycles_;
  }
  void cancel(Cycle, std::uint32_t) override {}

 private:
  const routing::Routing& routing_;
  const Cycle cycles_;
  const NodeId unknown_;
};

struct Hardware {
  const char* name;
  std::function<void(NetworkConfig&, lookup::LookupConfig&)> set;
};

const std::vector<Hardware> hardware = {
    {"cam", [](NetworkConfig&, lookup::LookupConfig& c) { c.kind = "cam"; }},
    {"cam, one at a time",
     [](NetworkConfig&, lookup::LookupConfig& c) { c.kind = "cam", c.timing.cam_pipelined = false; }},
    {"cached", [](NetworkConfig&, lookup::LookupConfig& c) { c.cache.entries = 8; }},
    {"cached, one at a time",
     [](NetworkConfig& n, lookup::LookupConfig& c) {
       n.network.router.route_at = router::RouteAt::arrival;
       c.timing.cam_pipelined = false;
     }},
    {"blocking, one at a time",
     [](NetworkConfig&, lookup::LookupConfig& c) {
       c.timing.blocking = true, c.timing.cam_pipelined = false;
     }},
    {"blocking, random replacement",
     [](NetworkConfig& n, lookup::LookupConfig& c) {
       n.network.router.route_at = router::RouteAt::arrival;
       c.timing.blocking = true;
       c.cache = {6, 2, "random", true};
     }},
    {"cached, as modules",
     [](NetworkConfig&, lookup::LookupConfig& c) {
       c.cache.entries = 8, c.model = lookup::LookupModel::modules;
     }},
    {"ideal", [](NetworkConfig&, lookup::LookupConfig& c) { c.kind = "ideal"; }},
};

struct Fabric {
  const char* topology;
  const char* routing;
  routing::Dateline dateline;
};

const std::vector<Fabric> fabrics = {
    {"mesh", "dimension_order", routing::Dateline::crossing},
    {"torus", "dimension_order", routing::Dateline::crossing},
    {"torus", "dimension_order", routing::Dateline::switching},
    {"fat_tree", "least_common_ancestor", routing::Dateline::crossing},
    {"fly", "destination_digits", routing::Dateline::crossing},
    {"random_regular", "source_table", routing::Dateline::crossing},
    {"random_grid", "up_down", routing::Dateline::crossing},
};

NetworkConfig network_of(const Fabric& fabric) {
  NetworkConfig config;
  config.topology.kind = fabric.topology;
  config.topology.of<graph::CubeConfig>().radices = {4, 4};
  config.topology.of<graph::FatTreeConfig>().levels = 2;
  config.topology.of<graph::FlyConfig>().stages = 2;
  config.topology.of<graph::RandomGraphConfig>().nodes = 16;
  config.routing.kind = fabric.routing;
  config.routing.of<routing::DimensionOrderConfig>().ties = routing::Ties::up;
  config.routing.of<routing::SourceTableConfig>().random_ties = false;
  config.routing.of<routing::DimensionOrderConfig>().dateline = fabric.dateline;
  config.routing.of<routing::UpDownConfig>().all_paths = false;
  config.routing.of<routing::LeastCommonAncestorConfig>().up_port = routing::UpPort::one_to_one;
  config.lookup.kind = "cached";
  return config;
}

}  // namespace

TEST_CASE("a packet through one switch takes the times of Hirasawa 2020's table 1") {
  struct Row {
    const char* kind;
    Cycle cam, va, sa, st, first, second;
  };
  // 75 ns and 40 ns besides the look-up, at 1 GHz.
  const std::vector<Row> rows = {{"cam", 25, 25, 25, 25, 100, 100},
                                 {"cached", 25, 25, 25, 25, 102, 77},
                                 {"ideal", 25, 1, 1, 73, 77, 77},
                                 {"cam", 20, 13, 13, 14, 60, 60},
                                 {"cached", 20, 13, 13, 14, 62, 42}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Row& row : rows) {
    NetworkConfig config = mesh(2);
    config.topology.of<graph::CubeConfig>().nodes_per_router = 2;
    config.lookup.kind = row.kind;
    config.lookup.timing.cam_cycles = row.cam;
    config.network.router.va_cycles = row.va;
    config.network.router.sa_cycles = row.sa;
    config.network.router.st_cycles = row.st;
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build({{0, 1, 100, 1}, {0, 1, 500, 1}});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rigs[i]->run_until_idle(60'000));
    REQUIRE(rigs[i]->delivered.size() == 2);
    // H R + (H-1) L + L_inj + L_ej + P with one switch and one flit.
    const Cycle around = 1 + 1 + 1;
    CHECK(rigs[i]->delivered[0].tail_cycle - 100 == rows[i].first + around);
    CHECK(rigs[i]->delivered[1].tail_cycle - 500 == rows[i].second + around);
  }
}

TEST_CASE("any look-up hardware delivers every packet over the routing's hops, in any order of modules") {
  struct RunMode {
    ProcessMode processes;
    std::uint64_t shuffle;
  };
  const std::vector<RunMode> modes = {
      {ProcessMode::one_for_all, 0}, {ProcessMode::process_each, 0}, {ProcessMode::one_for_all, 99}};
  struct Run {
    const Fabric* fabric;
    const Hardware* hardware;  ///< null: the routers' own tables
    std::unique_ptr<VcRig> rig;
  };
  std::vector<Run> runs;
  const auto add = [&runs](const Fabric& fabric, const Hardware* one, const RunMode& mode) {
    NetworkConfig config = network_of(fabric);
    if (one == nullptr)
      config.lookup.kind = "local";
    else
      one->set(config, config.lookup);
    config.process_mode = mode.processes;
    config.shuffle_seed = mode.shuffle;
    runs.push_back({&fabric, one, std::make_unique<VcRig>(config)});
    runs.back().rig->build(load(0.06, 3, 1000));
  };
  for (const Fabric& fabric : fabrics) {
    add(fabric, nullptr, modes[0]);
    for (const Hardware& one : hardware)
      for (const RunMode& mode : modes) add(fabric, &one, mode);
  }
  std::map<PacketId, observe::DeliveredPacket> own_tables, first;
  std::uint64_t hops = 0;
  for (const Run& run : runs) {
    run.rig->loaded->run_to(40'000);
    check_all_delivered(*run.rig);
    const auto found = run.rig->by_packet();
    if (run.hardware == nullptr) {
      own_tables = found;
      hops = 0;
      for (const auto& [id, packet] : own_tables) hops += packet.hops;
      continue;
    }
    CAPTURE(run.fabric->topology, run.fabric->routing, run.hardware->name);
    REQUIRE(found.size() == own_tables.size());
    for (const auto& [id, packet] : own_tables) CHECK(found.at(id).hops == packet.hops);
    const lookup::LookupCounters counters = run.rig->loaded->lookup()->counters();
    CHECK(counters.cache.lookups == hops);
    if (run.rig->config.lookup.kind == "cached") check_accounts(counters);
    if (run.rig->config.process_mode == ProcessMode::one_for_all && run.rig->config.shuffle_seed == 0)
      first = found;
    for (const auto& [id, packet] : found) CHECK(packet.tail_cycle == first.at(id).tail_cycle);
  }
}

TEST_CASE("a route that changes under traffic: flush, refill, every packet arrives once") {
  // Router 5 is (1,1), router 15 (3,3): to the east by dimension order, to the north while changed.
  const graph::RouterId router = 5;
  const auto east = static_cast<std::uint16_t>(graph::CubeShape::up_port(0)),
             north = static_cast<std::uint16_t>(graph::CubeShape::up_port(1));
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const bool pipelined : {true, false}) {
    NetworkConfig config = mesh(4);
    config.lookup.timing.cam_pipelined = pipelined;
    // Each change is an access, too; without pipelining, accesses must leave time for look-ups.
    config.lookup.timing.cam_cycles = pipelined ? 40 : 10;
    rigs.push_back(std::make_unique<VcRig>(config));
    rigs.back()->build(load(0.15, 3, 3000));
  }
  std::uint64_t flushes = 0;
  for (Cycle at = 600; at < 2600; at += 100) {
    for (const auto& rig : rigs) {
      rig->loaded->run_to(at);
      for (const NodeId destination : {10U, 11U, 14U, 15U})
        rig->loaded->changes().change_route(router, destination, {at / 100 % 2 == 0 ? north : east, 0xf});
    }
    flushes += 4;
  }
  for (const auto& rig : rigs) {
    rig->loaded->run_to(40'000);
    check_all_delivered(*rig);
    CHECK(rig->delivered.size() > 1000);
    const lookup::LookupCounters one = rig->loaded->lookup()->at(router).counters();
    check_accounts(one);
    CHECK(one.cache.flushes == flushes * rig->plan.topology.ports(router));
    CHECK(one.cam_writes == flushes);
    CHECK(one.stale_answers > 0);
    CHECK(one.cache.flushed > 0);
    // In all other routers nothing was emptied: an entry is filled once at most.
    const lookup::LookupCounters other = rig->loaded->lookup()->at(6).counters();
    CHECK(other.cache.flushes == 0);
    CHECK(other.cache.fills <= 5 * 16);
    CHECK(one.cache.fills > 5 * 16);
  }
}

TEST_CASE("a changed route uses another port, and a removed one drops packets with their cause") {
  VcRig rig(mesh(4));
  rig.build({{0, 15, 100, 2}, {0, 15, 300, 2}, {0, 15, 500, 2}, {0, 14, 500, 2}});
  const auto flits_over = [&](graph::RouterId router, unsigned port) {
    return rig.loaded->network().router(router).port(port).out->flits_sent();
  };
  rig.loaded->run_to(250);
  CHECK(flits_over(0, graph::CubeShape::up_port(0)) == 2);
  rig.loaded->changes().change_route(0, 15, {graph::CubeShape::up_port(1), 0xf});
  rig.loaded->run_to(450);
  CHECK(flits_over(0, graph::CubeShape::up_port(0)) == 2);
  CHECK(flits_over(0, graph::CubeShape::up_port(1)) == 2);
  rig.loaded->changes().change_route(0, 15, {0, 0});
  CHECK(rig.run_until_idle(60'000));
  CHECK(rig.delivered.size() == 3);
  CHECK(rig.loaded->supervisor().dropped(NetworkDropCause::no_route) == 1);
  check_all_delivered(rig);
}

TEST_CASE("a custom look-up takes its cycles, and drops packets for which it has no route") {
  NetworkConfig config = mesh(4);
  config.lookup.kind = "local";
  VcRig plain(config), own(config);
  own.parts->custom.make_lookup = [&own](graph::RouterId id) {
    const Cycle cycles = own.config.network.rc_cycles + (id == 1 ? 8 : 0);
    return std::make_unique<OwnLookup>(*own.plan.routing, cycles, 12);
  };
  for (VcRig* const rig : {&plain, &own}) {
    rig->run_ahead();
    rig->build({{0, 15, 100, 2}, {0, 3, 300, 2}, {5, 6, 500, 2}, {0, 12, 700, 2}});
  }
  CHECK(plain.loaded->group_cycles() > 1);
  CHECK(own.loaded->group_cycles() == 1);
  CHECK(own.loaded->lookup() == nullptr);
  CHECK(plain.run_until_idle(60'000));
  CHECK(own.run_until_idle(60'000));
  REQUIRE(plain.delivered.size() == 4);
  REQUIRE(own.delivered.size() == 3);
  for (std::size_t packet = 0; packet < 3; ++packet) {
    const Cycle later = plain.delivered[packet].source == 0 ? 8 : 0;
    CHECK(own.delivered[packet].tail_cycle == plain.delivered[packet].tail_cycle + later);
  }
  CHECK(own.loaded->supervisor().dropped(NetworkDropCause::no_route) == 1);
  check_all_delivered(own);
}

TEST_CASE("a custom look-up has no hardware in which a switch could be replaced") {
  VcRig rig(mesh(4));
  rig.parts->custom.make_lookup = [](graph::RouterId) { return nullptr; };
  rig.parts->custom.make_switch = [](auto&&...) { return nullptr; };
  CHECK_THROWS_WITH(rig.build(std::vector<VcRig::Send>{}), Catch::Contains("no look-up hardware"));
}

TEST_CASE("a link that fails or returns empties the caches") {
  NetworkConfig config = mesh(4);
  config.link_faults = "3@700:900";
  VcRig rig(config);
  rig.build(load(0.1, 3, 2000));
  rig.loaded->run_to(30'000);
  check_all_delivered(rig);
  CHECK(rig.loaded->supervisor().packets_dropped() > 0);
  const lookup::LookupCounters counters = rig.loaded->lookup()->counters();
  check_accounts(counters);
  CHECK(counters.cache.flushes == 2 * 16 * 5);
}

TEST_CASE("warm caches miss nothing, and hold the destinations that pass their ports") {
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const Fabric& fabric : fabrics) {
    rigs.push_back(std::make_unique<VcRig>(network_of(fabric)));
    rigs.back()->config.lookup.warm = lookup::WarmCaches::all;
    TrafficConfig traffic = load(0.1, 3, 1500);
    traffic.to_self = false;
    rigs.back()->build(traffic);
  }
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    CAPTURE(fabrics[i].topology, fabrics[i].routing);
    rigs[i]->loaded->run_to(60'000);
    check_all_delivered(*rigs[i]);
    const lookup::LookupCounters counters = rigs[i]->loaded->lookup()->counters();
    CHECK(counters.cache.lookups > 1000);
    CHECK(counters.cache.misses == 0);
    std::size_t listed = 0;
    for (const auto& router : rigs[i]->loaded->lookup()->destinations_of_ports())
      for (const auto& port : router) listed += port.size();
    CHECK(counters.cache.warmed == listed);
  }
}

TEST_CASE("ports of a 5-ary 2-cube see the destinations of Hirasawa 2020's figure 10") {
  NetworkConfig config = mesh(5);
  config.topology.kind = "torus";
  VcRig rig(config);
  rig.build(std::vector<VcRig::Send>{});
  const auto lists = rig.loaded->lookup()->destinations_of_ports();
  for (const auto& router : lists) {
    for (unsigned port = 0; port < 2; ++port) CHECK(router[port].size() == 10);
    for (unsigned port = 2; port < 4; ++port) CHECK(router[port].size() == 2);
    CHECK(router[4].size() == 24);
  }
  // Only as many destinations as fit stay.
  NetworkConfig small = config;
  small.lookup.cache.entries = small.lookup.cache.ways = 4;
  small.lookup.warm = lookup::WarmCaches::all;
  VcRig full(small);
  full.build(std::vector<VcRig::Send>{});
  CHECK(full.loaded->lookup()->counters().cache.warmed == 25 * (4 + 4 + 2 + 2 + 4));
}

TEST_CASE("one port's cache is warmed with given destinations") {
  NetworkConfig config = mesh(4);
  VcRig rig(config);
  rig.build({{0, 3, 100, 1}, {0, 2, 200, 1}});
  const graph::PortRef inject = rig.plan.topology.node(0).inject;
  rig.loaded->lookup()->warm(inject, {3});
  rig.loaded->run_to(1000);
  const lookup::LookupCounters first = rig.loaded->lookup()->at(0).counters();
  CHECK(first.cache.warmed == 1);
  CHECK(first.cache.hits == 1);
  CHECK(first.cache.misses == 1);
}

TEST_CASE("energy is accesses times constants, and power at rest") {
  // Hirasawa 2020, section 7.1: 7 ports of 13 mW and 36 mW at rest; 36 mW without caches.
  NetworkConfig config = mesh(4);
  config.topology.kind = "torus";
  config.topology.of<graph::CubeConfig>().radices = {5, 5, 5};
  std::vector<std::unique_ptr<VcRig>> rigs;
  for (const auto kind : {"cached", "cam"}) {
    config.lookup.kind = kind;
    for (const Cycle born : {100U, 100'000U}) {
      rigs.push_back(std::make_unique<VcRig>(config));
      rigs.back()->build({{0, 1, born, 1}, {0, 1, born + 100, 1}});
    }
  }
  const auto metrics = [](VcRig& rig) {
    observe::Results results("test", "0", 1);
    rig.loaded->run_to(1000);
    rig.loaded->lookup()->add_to(results, 1000, ClockPeriod(1000));
    return [results](const char* name) { return results.value(name).number(); };
  };
  // Two packets over two switches: two misses, two hits.
  const auto cached = metrics(*rigs[0]), cached_idle = metrics(*rigs[1]), cam = metrics(*rigs[2]),
             cam_idle = metrics(*rigs[3]);
  CHECK(cached("lookup_dynamic_energy_nj") == Approx(4 * 0.039 + 2 * 42));
  CHECK(cam("lookup_dynamic_energy_nj") == Approx(4 * 42));
  CHECK(cached_idle("lookup_power_mw_per_switch") == Approx(127));
  CHECK(cam_idle("lookup_power_mw_per_switch") == Approx(36));
  CHECK(cached("lookup_energy_nj") == Approx(4 * 0.039 + 2 * 42 + 125 * 127e-3 * 1000));
  CHECK(cached("lookup_hit_rate") == 0.5);
}

TEST_CASE("the metrics of look-up hardware are its counters") {
  NetworkConfig config = mesh(4);
  config.lookup.cache = {4, 2, "lru", true};
  config.lookup.warm = lookup::WarmCaches::all;
  VcRig rig(config);
  rig.build(load(0.3, 3, 2000));
  rig.loaded->run_to(1000);
  rig.loaded->lookup()->flush_all(1000);
  rig.loaded->run_to(60'000);
  check_all_delivered(rig);
  observe::Results results("test", "0", 1);
  rig.loaded->lookup()->add_to(results, 60'000, ClockPeriod(1000));
  const lookup::LookupCounters all = rig.loaded->lookup()->counters();
  const std::map<std::string, std::uint64_t> counted = {{"lookups", all.cache.lookups},
                                                        {"lookup_hits", all.cache.hits},
                                                        {"lookup_misses", all.cache.misses},
                                                        {"lookup_misses_compulsory", all.cache.compulsory},
                                                        {"lookup_misses_conflict", all.cache.conflict},
                                                        {"lookup_misses_capacity", all.cache.capacity},
                                                        {"lookup_entries_warmed", all.cache.warmed},
                                                        {"lookup_fills", all.cache.fills},
                                                        {"lookup_refills", all.cache.refills},
                                                        {"lookup_evictions", all.cache.evictions},
                                                        {"lookup_flushes", all.cache.flushes},
                                                        {"lookup_stale_answers", all.stale_answers},
                                                        {"cam_accesses", all.cam_accesses},
                                                        {"cam_wait_cycles_max", all.cam_wait_most}};
  for (const auto& [name, count] : counted) {
    CAPTURE(name);
    CHECK(results.value(name).number() == static_cast<double>(count));
  }
  CHECK(all.cache.fills > all.cache.evictions);
  CHECK(all.cache.evictions > 0);
  CHECK(all.cache.flushes > 0);
}

TEST_CASE("a routing with decisions is refused for look-up hardware, whose tables hold none") {
  NetworkConfig config = mesh(4);
  config.lookup.kind = "cam";
  config.resolve();
  const graph::Topology topology = make_topology(config.topology, 1);
  const auto order = make_routing(config.routing, topology, 4);
  tsuji::test::ScriptedRouting routing(*order);
  routing.image = order->table_image();
  REQUIRE(routing.image != nullptr);
  config.lookup.validate_with(topology, routing, "own");
  const tsuji::test::ScriptedDecisions decisions(nullptr);
  routing.decider = &decisions;
  CHECK_THROWS_WITH(config.lookup.validate_with(topology, routing, "own"),
                    Catch::Contains("routing.kind") && Catch::Contains("lookup.kind local"));
}

TEST_CASE("hardware that does not fit the network is refused with the accepted values") {
  const auto refused = [](const std::function<void(NetworkConfig&)>& change, const char* key,
                          const char* accepted) {
    NetworkConfig config = mesh(4);
    change(config);
    config.resolve();
    try {
      config.validate();
      const graph::Topology topology = make_topology(config.topology, 1);
      const auto routing = make_routing(config.routing, topology, 4);
      config.lookup.validate_with(topology, *routing, config.routing.kind);
      FAIL("accepted");
    } catch (const ConfigError& error) {
      CHECK(error.key() == key);
      CHECK_THAT(error.accepted(), Catch::Contains(accepted));
    }
  };
  refused([](NetworkConfig& c) { c.routing.kind = "duato"; }, "routing.kind", "source_table");
  refused([](NetworkConfig& c) { c.routing.kind = "ugal"; }, "routing.kind", "lookup.kind local");
  refused(
      [](NetworkConfig& c) {
        c.topology.kind = "torus";
        c.routing.of<routing::DimensionOrderConfig>().ties = routing::Ties::random;
      },
      "routing.kind", "routing.ties auto or fixed");
  refused([](NetworkConfig& c) { c.routing.kind = "up_down"; }, "routing.kind", "routing.paths one");
  refused([](NetworkConfig& c) { c.lookup.cam_entries = 15; }, "lookup.cam_entries", "at least 16");
  refused([](NetworkConfig& c) { c.lookup.cam_key_bits = 32; }, "lookup.cam_key_bits", "at least 64");
  refused(
      [](NetworkConfig& c) {
        c.lookup.identifiers = lookup::Identifiers::dense;
        c.lookup.cam_key_bits = 3;
      },
      "lookup.cam_key_bits", "at least 4");
  refused([](NetworkConfig& c) { c.lookup.cache.ways = 0; }, "lookup.ways", "1..2048");
  refused([](NetworkConfig& c) { c.lookup.cache.entries = 2046; }, "lookup.entries", "2048");
  refused([](NetworkConfig& c) { c.lookup.cache.replacement = "bogus"; }, "lookup.replacement", "lru");
  refused([](NetworkConfig& c) { c.lookup.hash = "md5"; }, "lookup.hash", "crc32c");
  refused([](NetworkConfig& c) { c.network.rc_cycles = 3; }, "router.rc_cycles", "lookup.kind local");
}
