// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/dragonfly_plus.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/graph/print.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/slim_fly.h"
#include "tsuji/graph/topology_file.h"

using namespace tsuji;
using namespace tsuji::graph;
using Catch::Contains;

namespace {

using Counts = std::map<std::string, unsigned>;

Counts links_of_classes(const Topology& topology) {
  Counts counts;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link)
    ++counts[topology.link_class(link).name];
  return counts;
}

/// Latencies of the links of each class, as a text of the different ones.
std::map<std::string, std::string> latencies(const Topology& topology) {
  std::map<std::string, std::map<Cycle, bool>> of_class;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link)
    of_class[topology.link_class(link).name][topology.links()[link].latency_cycles] = true;
  std::map<std::string, std::string> texts;
  for (const auto& [name, cycles] : of_class)
    for (const auto& one : cycles)
      texts[name] += (texts[name].empty() ? "" : " ") + std::to_string(one.first);
  return texts;
}

LinkClass latency(const std::string& name, Cycle cycles) {
  LinkClass values{name};
  values.latency_cycles = cycles;
  return values;
}

std::string refusal(Topology topology, const LinkClass& values) {
  try {
    topology.set_class_values(values);
  } catch (const ConfigError& error) {
    return error.key() + ": " + error.value() + ": " + error.problem() + ": " + error.accepted();
  }
  return "";
}

}  // namespace

TEST_CASE("link classes: every topology counts its links by class") {
  // By hand: 9 groups of 4 routers with 2 global links each, every two groups connected once.
  CHECK(links_of_classes(make_dragonfly({}, 1, 1)) == Counts{{"local", 9 * 6}, {"global", 9 * 8 / 2}});
  // Groups of 2 leaves and 2 spines with 2 global links: 5 groups, 4 local links in each.
  CHECK(links_of_classes(make_dragonfly_plus({2, 2, 1, 2, 5, GlobalLinks::absolute}, 1, 1)) ==
        Counts{{"local", 5 * 4}, {"global", 5 * 4 / 2}});
  CHECK(links_of_classes(make_mesh({4, 3}, 1, 1)) == Counts{{"dimension0", 3 * 3}, {"dimension1", 2 * 4}});
  CHECK(links_of_classes(make_torus({4, 3}, 1, 1)) == Counts{{"dimension0", 12}, {"dimension1", 12}});
  CHECK(links_of_classes(make_hyperx({{3, 4, 2}, {1, 2, 3}, 1}, {1, 1, 1})) ==
        Counts{{"dimension0", 3 * 8}, {"dimension1", 2 * 6 * 6}, {"dimension2", 3 * 12}});
  CHECK(links_of_classes(make_express_mesh({{9}, 4, 1}, 1, 4)) == Counts{{"short", 8}, {"express", 2}});
  CHECK(links_of_classes(make_fat_tree(2, 3, 3, 1)) == Counts{{"level0", 9 * 2}, {"level1", 3 * 2 * 2}});
  CHECK(links_of_classes(make_fat_tree(2, 3, 1, 1)).empty());
  CHECK(links_of_classes(make_fly(2, 4, 1)) == Counts{{"stage0", 16}, {"stage1", 16}, {"stage2", 16}});
  // q = 5: each router has (q - 1) / 2 links in its subgroup and q links to the other half.
  CHECK(links_of_classes(make_slim_fly(5, 1, 1)) == Counts{{"local", 50 * 2 / 2}, {"global", 50 * 5 / 2}});
}

TEST_CASE("link classes: the latency of a class holds for its links and no others") {
  Topology dragonfly = make_dragonfly({}, 1, 1);
  dragonfly.set_class_values(latency("global", 40));
  dragonfly.set_class_values(latency("local", 4));
  CHECK(latencies(dragonfly) == std::map<std::string, std::string>{{"local", "4"}, {"global", "40"}});
  CHECK(dragonfly.node(0).latency_cycles == 0);
  dragonfly.set_class_values(latency("node", 7));
  for (NodeId node = 0; node < dragonfly.nodes(); ++node) CHECK(dragonfly.node(node).latency_cycles == 7);
  Topology hyperx = make_hyperx({{3, 3}, {1, 1}, 1}, {2, 2});
  hyperx.set_class_values(latency("dimension1", 9));
  CHECK(latencies(hyperx) == std::map<std::string, std::string>{{"dimension0", "2"}, {"dimension1", "9"}});
}

TEST_CASE("link classes: width and length are properties of the class") {
  Topology mesh = make_mesh({3, 3}, 1, 1);
  CHECK(mesh.is_equally_wide());
  CHECK(mesh.carries_flit_a_cycle(1));
  CHECK_FALSE(mesh.carries_flit_a_cycle(2));
  LinkClass narrow{"dimension1"};
  narrow.flit_cycles = 4;
  narrow.length_mm = 2.5;
  mesh.set_class_values(narrow);
  CHECK_FALSE(mesh.is_equally_wide());
  CHECK_FALSE(mesh.carries_flit_a_cycle(1));
  CHECK(mesh.link_classes()[0].flit_cycles_or(3) == 3);
  CHECK(mesh.link_classes()[1].flit_cycles_or(3) == 4);
  CHECK(mesh.link_classes()[1].length_mm.value() == 2.5);
  CHECK_FALSE(mesh.link_classes()[0].length_mm);
  CHECK(latencies(mesh) == std::map<std::string, std::string>{{"dimension0", "1"}, {"dimension1", "1"}});
  Topology nodes = make_mesh({3, 3}, 1, 1);
  LinkClass of_nodes{"node"};
  of_nodes.flit_cycles = 2;
  nodes.set_class_values(of_nodes);
  CHECK_FALSE(nodes.is_equally_wide());
  CHECK_FALSE(nodes.carries_flit_a_cycle(1));
}

TEST_CASE("link classes: a class that a topology lacks is refused with those that it has") {
  CHECK(
      refusal(make_mesh({3, 3}, 1, 1), latency("global", 4)) ==
      "link.classes: global: mesh 3x3 has no links of this class: its classes: dimension0, dimension1, node");
  CHECK(refusal(make_random_regular(16, 3, 1, 1), latency("local", 4)) != "");
  CHECK(refusal(make_random_regular(16, 3, 1, 1), latency("link", 4)) == "");
}

TEST_CASE("link classes: latencies that keys of the topology set are kept, and a class cannot replace them") {
  DragonflyConfig dragonfly;
  dragonfly.global_latency_cycles = 9;
  CHECK_THAT(refusal(dragonfly.make(1), latency("global", 4)), Contains("has a separate latency"));
  CHECK(refusal(dragonfly.make(1), latency("local", 4)) == "");
  LinkClass width{"global"};
  width.flit_cycles = 2;
  CHECK(refusal(dragonfly.make(1), width) == "");
  dragonfly.global_latency_cycles = 0;
  CHECK(refusal(dragonfly.make(1), latency("global", 4)) == "");
  ExpressMeshConfig express;
  CHECK(refusal(express.make(1), latency("express", 4)) == "");
  express.express_latency_cycles = 3;
  CHECK_THAT(refusal(express.make(1), latency("express", 4)), Contains("has a separate latency"));
  HyperXConfig hyperx;
  hyperx.dimension_latency_cycles = {0, 3};
  CHECK(refusal(hyperx.make(1), latency("dimension0", 4)) == "");
  CHECK_THAT(refusal(hyperx.make(1), latency("dimension1", 4)), Contains("has a separate latency"));
  hyperx.dimension_latency_cycles = {0};
  hyperx.step_latency_cycles = {2, 0};
  CHECK_THAT(refusal(hyperx.make(1), latency("dimension0", 4)), Contains("has a separate latency"));
  CHECK(refusal(hyperx.make(1), latency("dimension1", 4)) == "");
}

TEST_CASE("link classes: a graph file names the class of an edge, and its own latencies hold") {
  const auto read = [](const std::string& links) {
    std::istringstream text(links + "node 0 at 0\nnode 1 at 1 latency 3\n");
    return read_topology(text, "graph.txt", 2);
  };
  Topology graph = read(
      "link 0 1 class optical\nlink 1 2 latency 5 class optical\nlink 0 2\nlink 2 0 class copper one-way\n");
  CHECK(links_of_classes(graph) == Counts{{"optical", 2}, {"link", 1}, {"copper", 1}});
  CHECK(graph.links()[3].one_way);
  graph.set_class_values(latency("optical", 30));
  graph.set_class_values(latency("node", 8));
  CHECK(latencies(graph) ==
        std::map<std::string, std::string>{{"optical", "5 30"}, {"link", "2"}, {"copper", "2"}});
  CHECK(graph.node(0).latency_cycles == 8);
  CHECK(graph.node(1).latency_cycles == 3);
  std::ostringstream json;
  print_json(graph, json);
  CHECK_THAT(json.str(), Contains("\"class\": \"copper\""));
  for (const char* wrong : {"link 0 1 class\n", "link 0 1 class node\n", "link 0 1 class Far\n"})
    CHECK_THROWS_AS(read(wrong), ConfigError);
  std::string many;
  for (unsigned i = 0; i < 64; ++i) many += "link 0 1 class c" + std::to_string(i) + "\n";
  CHECK_THROWS_WITH(read(many), Contains("too many classes") && Contains("graph.txt:64:16"));
}
