// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/print.h"
#include "tsuji/graph/topology_file.h"

using namespace tsuji;
using namespace tsuji::graph;

TEST_CASE("a topology printed as JSON has its ports, links, coordinates and nodes") {
  const Topology topology = make_mesh({3, 2}, 1, 4);
  std::ostringstream out;
  print_json(topology, out);
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["name"] == "mesh 3x2");
  REQUIRE(json["routers"].size() == 6);
  CHECK(json["routers"][4]["coordinates"] == nlohmann::json({1, 1}));
  CHECK(json["routers"][0]["ports"][0]["router"] == 1);
  CHECK(json["routers"][0]["ports"][0]["port"] == 1);
  CHECK(json["routers"][0]["ports"][0]["latency_cycles"] == 4);
  CHECK(json["routers"][0]["ports"][1].is_null());
  CHECK(json["routers"][0]["ports"][4]["node"] == 0);
  REQUIRE(json["links"].size() == topology.links().size());
  CHECK(json["links"][0]["a"] == nlohmann::json({0, 0}));
  CHECK(json["links"][0]["b"] == nlohmann::json({1, 1}));
  CHECK(json["nodes"][5]["eject"] == nlohmann::json({5, 4}));
}

TEST_CASE("a topology printed as JSON is complete") {
  std::istringstream text(
      "router 0 at 7 3\nlink 0 1 latency 5\nlink 1 0 one-way\nrouter 1 ports 5\nnode 0 at 0\nnode 1 in 1 out "
      "0\n");
  std::ostringstream out;
  print_json(read_topology(text, "two", 2), out);
  CHECK(nlohmann::json::parse(out.str()) == nlohmann::json::parse(R"({
    "name": "two",
    "routers": [
      {"router": 0, "coordinates": [7, 3], "ports": [
        {"router": 1, "port": 0, "link": 0, "latency_cycles": 5},
        {"router": 1, "port": 1, "link": 1, "latency_cycles": 2, "sends": false},
        {"node": 0},
        {"node": 1, "receives": false}]},
      {"router": 1, "coordinates": [], "ports": [
        {"router": 0, "port": 0, "link": 0, "latency_cycles": 5},
        {"router": 0, "port": 1, "link": 1, "latency_cycles": 2, "receives": false},
        {"node": 1, "sends": false},
        null, null]}],
    "links": [
      {"link": 0, "a": [0, 0], "b": [1, 0], "latency_cycles": 5, "class": "link", "one_way": false},
      {"link": 1, "a": [1, 1], "b": [0, 1], "latency_cycles": 2, "class": "link", "one_way": true}],
    "nodes": [
      {"node": 0, "inject": [0, 2], "eject": [0, 2]},
      {"node": 1, "inject": [1, 2], "eject": [0, 3]}]})"));
}

TEST_CASE("one-way ports are printed with their direction, and any name is escaped") {
  std::ostringstream out;
  print_json(make_fly(2, 2, 1), out);
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["routers"][0]["ports"][0]["sends"] == false);
  CHECK(json["routers"][0]["ports"][2]["receives"] == false);
  CHECK(json["links"][0]["one_way"] == true);

  std::istringstream text("link 0 1\nnode 0 at 0\n");
  std::ostringstream odd;
  print_json(read_topology(text, "a \"name\"\\\n", 1), odd);
  CHECK(nlohmann::json::parse(odd.str())["name"] == "a \"name\"\\\n");

  std::istringstream again("link 0 1\nnode 0 at 0\n");
  std::ostringstream edges;
  print_json(read_topology(again, "a b\x1f!", 1), edges);
  CHECK_THAT(edges.str(), Catch::Contains("\"a b\\u001f!\""));
}

TEST_CASE("a topology printed as dot draws every link and node once") {
  std::istringstream text(
      "router 0 at 7\nlink 0 1 latency 5\nlink 1 0 one-way\nnode 0 at 0\nnode 1 in 1 out 0\n");
  std::ostringstream out;
  print_dot(read_topology(text, "two", 1), out);
  CHECK(out.str() ==
        "graph \"two\" {\n"
        "  node [shape=box];\n"
        "  r0 [label=\"0\\n(7)\"];\n"
        "  r1 [label=\"1\"];\n"
        "  r0 -- r1 [taillabel=\"0\", headlabel=\"0\", label=\"5\"];\n"
        "  r1 -- r0 [taillabel=\"1\", headlabel=\"1\", dir=forward];\n"
        "  n0 [shape=circle, label=\"0\"];\n"
        "  n0 -- r0 [headlabel=\"2\"];\n"
        "  n1 [shape=circle, label=\"1\"];\n"
        "  n1 -- r1 [headlabel=\"2\", dir=forward];\n"
        "  r0 -- n1 [taillabel=\"3\", dir=forward];\n"
        "}\n");
}

TEST_CASE("a node's latency is printed where it differs from the default") {
  std::istringstream text("link 0 1\nnode 0 at 0 latency 7\nnode 1 in 0 out 1 latency 9\nnode 2 at 1\n");
  const Topology topology = read_topology(text, "net", 1);
  std::ostringstream json, dot;
  print_json(topology, json);
  print_dot(topology, dot);
  CHECK_THAT(json.str(),
             Catch::Contains("{\"node\": 0, \"inject\": [0, 1], \"eject\": [0, 1], \"latency_cycles\": 7},"));
  CHECK_THAT(json.str(), Catch::Contains("{\"node\": 2, \"inject\": [1, 2], \"eject\": [1, 2]}\n"));
  CHECK_THAT(dot.str(), Catch::Contains("n0 -- r0 [headlabel=\"1\", label=\"7\"];"));
  CHECK_THAT(dot.str(), Catch::Contains("n1 -- r0 [headlabel=\"2\", label=\"9\", dir=forward];"));
  CHECK_THAT(dot.str(), Catch::Contains("r1 -- n1 [taillabel=\"1\", label=\"9\", dir=forward];"));
  CHECK_THAT(dot.str(), Catch::Contains("n2 -- r1 [headlabel=\"2\"];"));
}
