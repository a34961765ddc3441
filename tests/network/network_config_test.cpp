// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <map>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/routing_config.h"
#include "tsuji/network/config/topology_config.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/source_table.h"

using namespace tsuji;
using namespace tsuji::network;

namespace {

struct Network {
  TopologyConfig topology;
  RoutingConfig routing;
  std::unique_ptr<const routing::Routing> made;

  explicit Network(const std::string& yaml) {
    config::KeyTable keys;
    add_topology_keys(keys, topology);
    add_routing_keys(keys, routing, topology.kinds);
    config::read_yaml_text(keys, yaml, "net.yaml");
    keys.check([&] {
      topology.validate();
      routing.validate();
      routing.resolve(topology.kinds, topology.kind, false);
      const graph::Topology graph = make_topology(topology, 2);
      made = make_routing(routing, graph, 4);
    });
  }
};

}  // namespace

TEST_CASE("every topology is made by its name with its keys") {
  struct Case {
    const char* yaml;
    const char* name;
    unsigned routers, nodes;
  };
  const Case c =
      GENERATE(Case{"{radices: [4, 3], nodes_per_router: 2}", "mesh 4x3, 2 nodes a router", 12, 24},
               Case{"{kind: torus, radices: [4, 4, 4]}", "torus 4x4x4", 64, 64},
               Case{"{kind: cube, radices: [4, 5], wraps: [1, 0]}", "cube 4wx5", 20, 20},
               Case{"{kind: fat_tree, up_links: 2, down_links: 4, levels: 2}", "fat tree (2,4,2)", 6, 16},
               Case{"{kind: fly, radix: 2, stages: 3}", "2-ary 3-fly", 12, 8},
               Case{"{kind: random_grid, nodes: 36, degree: 4, wire_length: 3, seed: 5}",
                    "random grid 6x6, degree 4, wires of 3, seed 5", 36, 36},
               Case{"{kind: random_regular, nodes: 30, degree: 5, seed: 2}",
                    "random regular, 30 routers, degree 5, seed 2", 30, 30});
  TopologyConfig config;
  config::KeyTable keys;
  add_topology_keys(keys, config);
  config::read_yaml_text(keys, std::string("topology: ") + c.yaml + "\n", "net.yaml");
  const graph::Topology topology = make_topology(config, 3);
  CHECK(topology.name() == c.name);
  CHECK(topology.routers() == c.routers);
  CHECK(topology.nodes() == c.nodes);
  CHECK(topology.links()[0].latency_cycles == 3);
}

TEST_CASE("every key of a topology or routing is read by some kinds, and by no others") {
  TopologyConfig topology;
  RoutingConfig routing;
  config::KeyTable keys;
  add_topology_keys(keys, topology);
  add_routing_keys(keys, routing, topology.kinds);
  const auto read_by = [&](std::string& kind, const std::vector<std::string>& kinds, const std::string& key) {
    std::string readers;
    for (const std::string& each : kinds) {
      kind = each;
      // A key without effect is printed as a comment.
      if (keys.print("").find("# " + key + ":") == std::string::npos) readers += each + " ";
    }
    return readers;
  };
  const std::vector<std::string> topologies = {"mesh", "torus",       "cube",           "fat_tree",
                                               "fly",  "random_grid", "random_regular", "file"};
  const auto topology_key = [&](const std::string& key) {
    return read_by(topology.kind, topologies, "topology." + key);
  };
  for (const char* key : {"radices", "nodes_per_router"}) CHECK(topology_key(key) == "mesh torus cube ");
  CHECK(topology_key("wraps") == "cube ");
  for (const char* key : {"up_links", "down_links", "levels"}) CHECK(topology_key(key) == "fat_tree ");
  for (const char* key : {"radix", "stages"}) CHECK(topology_key(key) == "fly ");
  for (const char* key : {"nodes", "degree", "seed"})
    CHECK(topology_key(key) == "random_grid random_regular ");
  for (const char* key : {"wire_length", "cycles_per_length"}) CHECK(topology_key(key) == "random_grid ");
  CHECK(topology_key("file") == "file ");
  const std::vector<std::string> routings = {
      "dimension_order", "duato",   "negative_first",        "west_first",
      "north_last",      "up_down", "least_common_ancestor", "destination_digits",
      "source_table"};
  const auto routing_key = [&](const std::string& key) {
    return read_by(routing.kind, routings, "routing." + key);
  };
  CHECK(routing_key("ties") == "dimension_order source_table ");
  CHECK(routing_key("dateline") == "dimension_order ");
  CHECK(routing_key("up_port") == "least_common_ancestor ");
  for (const char* key : {"root", "paths"}) CHECK(routing_key(key) == "up_down ");
  CHECK(routing_key("seed") == "source_table ");
}

TEST_CASE("a topology file is named by its key, and its errors keep their place") {
  const std::string path = "network_config_test.topology";
  std::ofstream(path) << "link 0 1\nnode 0 at 0\nnode 1 at 1\n";
  TopologyConfig config;
  config.kind = "file";
  config.of<graph::TopologyFileConfig>().file = path;
  CHECK(make_topology(config, 4).links()[0].latency_cycles == 4);
  std::ofstream(path) << "link 0 1\nnode 0 ot 0\n";
  CHECK_THROWS_WITH(Network("topology: {kind: file, file: " + path + "}\nrouting: {kind: up_down}\n"),
                    Catch::StartsWith(path + ":2:8: topology.file"));
  std::remove(path.c_str());
}

TEST_CASE("every routing is made by its name") {
  CHECK_NOTHROW(Network("topology: {kind: torus}\nrouting: {ties: fixed, dateline: balanced}\n"));
  CHECK_NOTHROW(Network("topology: {kind: torus}\nrouting: {kind: duato}\n"));
  CHECK_NOTHROW(Network("routing: {kind: negative_first}\n"));
  CHECK_NOTHROW(Network("routing: {kind: west_first}\n"));
  CHECK_NOTHROW(Network("routing: {kind: north_last}\n"));
  CHECK_NOTHROW(
      Network("topology: {kind: random_regular}\nrouting: {kind: up_down, root: 63, paths: one}\n"));
  CHECK_NOTHROW(
      Network("topology: {kind: fat_tree}\nrouting: {kind: least_common_ancestor, up_port: random}\n"));
  CHECK_NOTHROW(Network("topology: {kind: fly}\nrouting: {kind: destination_digits}\n"));
  CHECK_NOTHROW(Network("topology: {kind: random_grid}\nrouting: {kind: source_table, seed: 3}\n"));
}

TEST_CASE("auto selects the routing of the topology's kind, which accepts the topology") {
  const std::string path = "network_config_test_auto.topology";
  std::ofstream(path) << "link 0 1\nlink 1 2\nlink 2 0\nnode 0 at 0\nnode 1 at 1\nnode 2 at 2\n";
  const std::map<std::string, std::string> fitting = {
      {"mesh", "dimension_order"},   {"torus", "dimension_order"},
      {"cube", "dimension_order"},   {"fat_tree", "least_common_ancestor"},
      {"fly", "destination_digits"}, {"random_grid", "up_down"},
      {"random_regular", "up_down"}, {"file", "up_down"}};
  for (const auto& [kind, routing] : fitting) {
    CAPTURE(kind);
    NetworkConfig config;
    config.topology.kind = kind;
    config.topology.of<graph::TopologyFileConfig>().file = path;
    const graph::Topology topology = make_topology(config.topology, 1);
    CHECK_THROWS_AS(make_routing(config.routing, topology, 4), ModelError);
    config.resolve();
    CHECK(config.routing.kind == routing);
    CHECK_NOTHROW(make_routing(config.routing, topology, 4));
    config.routing.kind = "duato";
    config.resolve();
    CHECK(config.routing.kind == "duato");
  }
  std::remove(path.c_str());
}

TEST_CASE("unset ties are random, but those of dimension order are fixed with look-up hardware") {
  const auto resolved = [](const char* kind, const char* lookup, std::optional<routing::Ties> set = {}) {
    NetworkConfig config;
    config.topology.kind = "torus";
    config.routing.kind = kind;
    config.lookup.kind = lookup;
    config.routing.of<routing::DimensionOrderConfig>().ties = set;
    config.resolve();
    const auto& order = config.routing.of<routing::DimensionOrderConfig>();
    // The key belongs to two routings.
    const bool random = config.routing.of<routing::SourceTableConfig>().random_ties.value();
    if (!set) CHECK(random == (order.ties == routing::Ties::random));
    return order.ties.value();
  };
  using routing::Ties;
  CHECK(resolved("dimension_order", "local") == Ties::random);
  for (const char* const lookup : {"cam", "cached", "ideal"}) {
    CHECK(resolved("dimension_order", lookup) == Ties::up);
    CHECK(resolved("auto", lookup) == Ties::up);
    CHECK(resolved("source_table", lookup) == Ties::random);
    CHECK(resolved("dimension_order", lookup, Ties::random) == Ties::random);
  }
  CHECK(resolved("dimension_order", "local", Ties::up) == Ties::up);
}

TEST_CASE("a routing's keys reach it") {
  const std::string torus = "topology: {kind: torus}\n", tree = "topology: {kind: fat_tree}\n";
  CHECK(outcomes_of(*Network(torus).made) == 4);
  CHECK(outcomes_of(*Network(torus + "routing: {ties: fixed}\n").made) == 1);
  CHECK(outcomes_of(*Network(torus + "routing: {dateline: balanced}\n").made) == 16);
  CHECK(Network(torus + "routing: {dateline: switching}\n").made->vcs_needed() == 2);
  CHECK(Network(torus + "routing: {dateline: none}\n").made->vcs_needed() == 1);
  CHECK(Network(torus + "routing: {kind: duato}\n").made->promises().needs_atomic_vcs);
  const std::string ancestor = tree + "routing: {kind: least_common_ancestor";
  CHECK(Network(ancestor + "}\n").made->max_candidates() == 4);
  CHECK(Network(ancestor + ", up_port: one_to_one}\n").made->max_candidates() == 1);
  CHECK(outcomes_of(*Network(ancestor + ", up_port: random}\n").made) == 16);
  CHECK(Network(torus + "routing: {kind: up_down}\n").made->max_candidates() > 1);
  CHECK(Network(torus + "routing: {kind: up_down, paths: one}\n").made->max_candidates() == 1);
  CHECK_THROWS_WITH(Network(torus + "routing: {kind: up_down, root: 64}\n"), Catch::Contains("routing.root"));
}

TEST_CASE("the key of a routing names the default of each topology") {
  const TopologyConfig topology;
  RoutingConfig routing;
  config::KeyTable keys;
  add_routing_keys(keys, routing, topology.kinds);
  CHECK_THAT(
      keys.list_keys(),
      Catch::Contains(
          "auto: dimension_order on a mesh, torus or cube, least_common_ancestor on a "
          "fat_tree, destination_digits on a fly, minimal on a hyperx, "
          "express_mesh, dragonfly, dragonfly_plus, slim_fly or polar_fly, up_down on other graphs\n"));
}

TEST_CASE("incompatible keys are refused at their place") {
  CHECK_THROWS_WITH(
      Network("topology:\n  kind: tours\n"),
      Catch::StartsWith("net.yaml:2:9: topology.kind: unknown word") &&
          Catch::Contains("one of mesh, torus, cube, fat_tree, fly, random_grid, random_regular, "));
  CHECK_THROWS_WITH(Network("routing:\n  kind: xy\n"),
                    Catch::StartsWith("net.yaml:2:9: routing.kind: unknown word") &&
                        Catch::Contains("dimension_order, duato, negative_first"));
  CHECK_THROWS_WITH(Network("topology: {kind: fat_tree}\nrouting: {kind: duato}\n"),
                    Catch::StartsWith("net.yaml:2:17: routing.kind") && Catch::Contains("fat tree (4,4,3)"));
  CHECK_THROWS_WITH(Network("topology: {kind: cube, radices: [4, 4, 4]}\n"),
                    Catch::Contains("topology.wraps"));
  CHECK_THROWS_WITH(Network("topology: {kind: random_grid, nodes: 60}\n"),
                    Catch::StartsWith("net.yaml:1:38: topology.nodes") && Catch::Contains("49 or 64"));
  CHECK_THROWS_WITH(Network("topology: {kind: file}\n"), Catch::Contains("topology.file"));
  CHECK_THROWS_WITH(Network("topology: {kind: torus, radices: [4, 1]}\n"),
                    Catch::Contains("topology.radices"));
}

TEST_CASE("the deadlock checker gets the links that fail while no table changes") {
  NetworkConfig machine;
  machine.routing.kind = "compact";
  const graph::Topology topology = make_topology(machine.topology, 1);
  machine.dead.events = "link 0@0:9, link 5@703:900, link 0@20:30, link 5@950, link 0@40";
  const routing::DeadlockConfig told = deadlock_config(machine, topology, true);
  std::vector<std::tuple<std::uint32_t, Cycle, Cycle>> outages;
  for (const routing::LinkOutage& one : told.outages) outages.emplace_back(one.link, one.down, one.up);
  CHECK(outages == decltype(outages){{0, 20, 30}, {0, 40, never}, {5, 703, 900}, {5, 950, never}});
}

TEST_CASE("the deadlock checker gets the routers' configuration") {
  NetworkConfig machine;
  machine.network.vcs = 3;
  const graph::Topology topology = make_topology(machine.topology, 1);
  const routing::DeadlockConfig defaults = deadlock_config(machine, topology, true);
  CHECK(defaults.vcs == 3);
  CHECK(defaults.node_vcs == 0);
  CHECK_FALSE(defaults.uturn_network);
  CHECK(defaults.uturn_node);
  CHECK(defaults.to_self);
  CHECK_FALSE(defaults.whole_packets);
  CHECK_FALSE(defaults.atomic_vcs);
  CHECK_FALSE(defaults.dead_route_waits);
  CHECK(defaults.outages.empty());
  machine.network.node_vcs = 5;
  machine.network.router.uturn_network = true;
  machine.network.router.uturn_node = false;
  machine.network.router.switching =
      GENERATE(router::Switching::virtual_cut_through, router::Switching::store_and_forward);
  machine.network.router.atomic_vcs = true;
  machine.network.router.dead_route = router::DeadRoute::wait;
  machine.link_faults = "7@20:30,9@40";
  const routing::DeadlockConfig other = deadlock_config(machine, topology, false);
  CHECK(other.node_vcs == 5);
  CHECK(other.uturn_network);
  CHECK_FALSE(other.uturn_node);
  CHECK_FALSE(other.to_self);
  CHECK(other.whole_packets);
  CHECK(other.atomic_vcs);
  CHECK(other.dead_route_waits);
  REQUIRE(other.outages.size() == 2);
  CHECK(other.outages[0].link == 7);
  CHECK(other.outages[0].down == 20);
  CHECK(other.outages[0].up == 30);
  CHECK(other.outages[1].link == 9);
  CHECK(other.outages[1].up == never);
}

TEST_CASE("a link is down while any of its intervals says so") {
  NetworkConfig machine;
  const auto faults = [&machine](const std::string& text) {
    machine.link_faults = text;
    std::string list;
    for (const LinkFault& fault : machine.faults())
      list += std::to_string(fault.link) + "@" + std::to_string(fault.down) +
              (fault.up == never ? "" : ":" + std::to_string(fault.up)) + " ";
    return list;
  };
  CHECK(faults("5@100:400") == "5@100:400 ");
  CHECK(faults("5@100:400,5@150:200") == "5@100:400 ");
  CHECK(faults("5@100:400,5@100:400") == "5@100:400 ");
  CHECK(faults("5@300:500,5@100:400,4@350:360") == "4@350:360 5@100:500 ");
  CHECK(faults("5@100:400,5@400:500") == "5@100:500 ");
  CHECK(faults("5@100:400,5@401:500") == "5@100:400 5@401:500 ");
  CHECK(faults("5@100:400,5@200") == "5@100 ");
  CHECK(faults("5@200,5@300:400,5@100:150") == "5@100:150 5@200 ");
  for (const char* text : {"5@100,", ",5@100", "5@100,,6@100", ","})
    CHECK_THROWS_WITH(faults(text), Catch::Contains("not a list of link faults"));
}

TEST_CASE("link faults beyond the range of links and of time are refused") {
  NetworkConfig machine;
  const auto refusal = [&machine](const std::string& text) -> std::string {
    machine.link_faults = text;
    return tsuji::test::text_of<ConfigError>([&] { machine.validate(); });
  };
  CHECK(refusal("0@140737488355328").empty());  // 2^47
  for (const char* text : {"0@140737488355329", "0@18446744073709600", "0@18446744073709551615",
                           "0@5:18446744073709551615", "0@5:140737488355329"})
    CHECK_THAT(refusal(text), Catch::Contains("later than a run may last") &&
                                  Catch::Contains("up to cycle 140737488355328"));
  CHECK_THAT(refusal("4294967296@100"), Catch::Contains("there is no link 4294967296"));
  for (const char* text : {"18446744073709551616@1", "0@18446744073709551616", "0@0", "0@7:7"})
    CHECK_THAT(refusal(text), Catch::Contains("accepted: "));
  machine.clock_period_ps = 1'000'000'000;
  CHECK(refusal("0@4611686018").empty());
  CHECK_THAT(refusal("0@4611686019"), Catch::Contains("clock_period_ps 1000000000"));
}
