// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <sstream>

#include "support/catch.h"
#include "support/failing_read.h"
#include "support/text_file.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/topology_file.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

Topology read(const std::string& text) {
  std::istringstream stream(text);
  return read_topology(stream, "net.txt", 2);
}

}  // namespace

TEST_CASE("a topology is read from a file") {
  const Topology topology = read(
      "# three routers, the links between them of different kinds\n"
      "router 0 at 0 0\n"
      "router 2 ports 6 at 5 1\n"
      "\n"
      "link 0 1               # ports as they come\n"
      "link 1.3 2.0 latency 7\r\n"
      "\tlink 2 0 one-way\n"
      "node 1 in 2 out 0\n"
      "node 0 at 1.1\n"
      "link 0 1 latency 3 one-way\n");
  REQUIRE(topology.routers() == 3);
  REQUIRE(topology.nodes() == 2);
  CHECK(topology.name() == "net.txt");
  CHECK(topology.coordinates(0) == std::vector<unsigned>{0, 0});
  CHECK(topology.coordinates(1).empty());
  CHECK(topology.coordinates(2) == std::vector<unsigned>{5, 1});
  // Explicit ports first, then the lowest free ones in the order of the file.
  CHECK(topology.links()[0].a == PortRef{0, 0});
  CHECK(topology.links()[0].b == PortRef{1, 0});
  CHECK(topology.links()[0].latency_cycles == 2);
  CHECK(topology.links()[1].a == PortRef{1, 3});
  CHECK(topology.links()[1].latency_cycles == 7);
  CHECK(topology.links()[2].a == PortRef{2, 1});
  CHECK(topology.links()[2].b == PortRef{0, 1});
  CHECK(topology.links()[2].one_way);
  CHECK(topology.links()[3].a == PortRef{0, 2});
  CHECK(topology.links()[3].b == PortRef{1, 2});
  CHECK(topology.node(0).inject == PortRef{1, 1});
  CHECK(topology.node(1).inject == PortRef{2, 2});
  CHECK(topology.node(1).eject == PortRef{0, 3});
  CHECK(topology.ports(2) == 6);
  CHECK(topology.far(2, 5).kind == Topology::Far::Kind::nothing);
}

TEST_CASE("words are separated by blanks, tabs and carriage returns, and end at a comment") {
  const Topology topology =
      read("#\n \t\r\n link\t0 \r1#comment\nnode 0 at 0#node 0 at 1\n\tnode 1 at 1 # x\n#");
  CHECK(topology.routers() == 2);
  CHECK(topology.nodes() == 2);
}

TEST_CASE("numbers at the ends of their ranges") {
  const Topology topology = read(
      "router 0 ports 1024 at 1048576 0\nlink 0.1023 1.0 latency 1000000\nnode 0 at 1\n"
      "link 0.0 1 latency 000000000000000001\n");
  CHECK(topology.ports(0) == 1024);
  CHECK(topology.coordinates(0) == std::vector<unsigned>{1048576, 0});
  CHECK(topology.links()[0].latency_cycles == 1'000'000);
  CHECK(topology.links()[1].latency_cycles == 1);
  // The highest router's number is accepted, and those below it are missing.
  CHECK_THROWS_WITH(read("link 0 1048575\nnode 0 at 0\n"), Catch::Contains("router 1 is missing"));
  CHECK_THROWS_WITH(read("link 0 1\nnode 1048575 at 0\n"), Catch::Contains("node 0 is missing"));
  for (const char* text : {"link 0 1048576\n", "node 1048576 at 0\n", "router 1048576\n",
                           "router 0 at 1048577\n", "link 0 1 latency 0000000000000000001\n"})
    CHECK_THROWS_AS(read(text), ConfigError);
}

TEST_CASE("the example in the handbook is a topology file") {
  std::ifstream page(TSUJI_SOURCE_DIR "/scripts/handbook.d/rooms/graph.md");
  std::string line, example;
  bool in_section = false, in_fence = false;
  while (std::getline(page, line)) {
    if (line.rfind("## ", 0) == 0) in_section = line == "## Topology files";
    if (line.rfind("```", 0) == 0)
      in_fence = !in_fence;
    else if (in_section && in_fence)
      example += line + "\n";
  }
  const Topology topology = read(example);
  CHECK(topology.routers() == 3);
  CHECK(topology.nodes() == 3);
  CHECK(topology.ports(0) == 6);
  CHECK(topology.links().size() == 4);
  CHECK(topology.links()[1].latency_cycles == 5);
  CHECK(topology.link_class(2).name == "optical");
  CHECK(topology.links()[3].one_way);
  CHECK(topology.node(1).eject == PortRef{2, 2});
  CHECK(topology.node(2).latency_cycles == 5);
}

TEST_CASE("a node's wires have their own latency, or that of all nodes") {
  const Topology topology =
      read("link 0 1\nnode 0 at 0 latency 7\nnode 1 in 0 out 1 latency 1000000\nnode 2 at 1\n");
  CHECK(topology.node(0).latency_cycles == 7);
  CHECK(topology.node(0).latency_or(3) == 7);
  CHECK(topology.node(1).latency_cycles == 1'000'000);
  CHECK(topology.node(2).latency_or(3) == 3);
  CHECK(topology.links()[0].latency_cycles == 2);
}

TEST_CASE("errors in a topology file are reported with line and column") {
  struct Case {
    const char* text;
    const char* place;
    const char* problem;
  };
  const Case c = GENERATE(
      Case{"nodes 4\n", "net.txt:1:1", "router, link, node"},
      Case{"link 0 1\n  link 0\n", "net.txt:2:9", "the line has too few fields"},
      Case{"link 0 x1\nnode 0 at 0\n", "net.txt:1:8", "not a number"},
      Case{"", "net.txt", "accepted: node N at R"},
      Case{"router 0 1\n", "net.txt:1:10", "accepted: router R [ports P] [at X Y ...]"},
      Case{"router 0 at 1 ports 2\n", "net.txt:1:15", "an integer 0..1048576"},
      Case{"router 0 ports\n", "net.txt:1:15", "accepted: a number of ports"},
      Case{"router 0 at\n", "net.txt:1:12", "accepted: a coordinate"},
      Case{"router\n", "net.txt:1:7", "accepted: a router"},
      Case{"node # 3\n", "net.txt:1:6", "accepted: a node"},
      Case{"node 0 in 1 at 2\n", "net.txt:1:13", "accepted: out"},
      Case{"node 0 at 1 2\n", "net.txt:1:13",
           "accepted: node N at R[.PORT] [latency CYCLES], or node N in R[.PORT] out R[.PORT] [latency "
           "CYCLES]"},
      Case{"node 0 in 1 out 2 3\n", "net.txt:1:19", "unexpected word"},
      Case{"link 0 1\nlink 0 1 latency 3 one-way 4\n", "net.txt:2:28", "accepted: link A[.PORT] B[.PORT]"},
      Case{"node 0 in 0.0 out 0.0\n", "net.txt:1:19", "this port is used already"},
      Case{"link 0 1 latency 0\n", "net.txt:1:18", "1..1000000"},
      Case{"node 0 at 1 latency 0\n", "net.txt:1:21", "1..1000000"},
      Case{"node 0 at 1 latency\n", "net.txt:1:20", "accepted: cycles"},
      Case{"node 0 at 1 latency 1000001\n", "net.txt:1:21", "1..1000000"},
      Case{"node 0 at 1 latency 2 3\n", "net.txt:1:23", "out R[.PORT] [latency CYCLES]"},
      Case{"node 0 in 0 out 1 latency x\n", "net.txt:1:27", "not a number"},
      Case{"link 0 1 latency\n", "net.txt:1:17", "cycles"},
      Case{"link 0 1 both-ways\n", "net.txt:1:10", "unexpected word"},
      Case{"link 0 1.-1\n", "net.txt:1:8", "not a number"},
      Case{"link 0 1.\n", "net.txt:1:8", "not a number"},
      Case{"link 0 1 one-way latency 3\n", "net.txt:1:18", "unexpected word"},
      Case{"link 0.1 1.0\nlink 1.1 0.1\nnode 0 at 0.0\n", "net.txt:2:10", "this port is used already"},
      Case{"link 0 1\nnode 0 at 0.3\n", "net.txt:2:11",
           "lower ports of the router have neither a link nor a node"},
      Case{"router 0 ports 1\nlink 0 1\nnode 0 at 0\n", "net.txt:3:11", "more than the 1 ports of router 0"},
      Case{"link 0 2\nnode 0 at 0\n", "net.txt:1:8", "router 1 is missing"},
      Case{"link 0 1\nnode 1 at 0\n", "net.txt:2:6", "node 0 is missing"},
      Case{"link 0 1\nnode 0 at 0\nnode 0 at 1\n", "net.txt:3:6", "a node is described twice"},
      Case{"router 0 at 1\nrouter 0 at 2\n", "net.txt:2:8", "described twice"},
      Case{"router 1 ports 3\nlink 0 0\nnode 0 at 0\n", "net.txt:1:8", "nothing is attached"},
      Case{"link 0 1\n", "net.txt", "no node in this file"}, Case{"", "net.txt", "no node in this file"},
      Case{"link 0 1\nnode 0 on 0\n", "net.txt:2:8", "unexpected word"},
      Case{"link 0.1024 1\n", "net.txt:1:6", "0..1023"},
      Case{"link 0.1023 1\nnode 0 at 0\n", "net.txt:1:6",
           "lower ports of the router have neither a link nor a node"},
      Case{"router 0 ports 1025\n", "net.txt:1:16", "1..1024"},
      Case{"router 0 ports 0\n", "net.txt:1:16", "1..1024"},
      Case{"link 0 1 latency 1000001\n", "net.txt:1:18", "1..1000000"},
      Case{"link 0 99999999999999999999\n", "net.txt:1:8", "not a number"});
  CAPTURE(c.text);
  CHECK_THROWS_WITH(read(c.text), Catch::StartsWith(std::string(c.place) + ": topology.file:") &&
                                      Catch::Contains(c.problem));
}

TEST_CASE("a topology file that does not exist is refused with its path") {
  CHECK_THROWS_WITH(read_topology_file("/no/such/file", 1),
                    Catch::Contains("topology.file") && Catch::Contains("/no/such/file"));
}

TEST_CASE("a topology file with a read error is refused, not taken as shorter") {
  CHECK_THROWS_WITH(read_topology_file("/tmp", 1),
                    "topology.file: cannot be read: Is a directory (got '/tmp'); accepted: a readable file");
  CHECK_THROWS_WITH(
      read_topology_file("/proc/self/mem", 1),
      Catch::StartsWith("topology.file: cannot be read: Input/output error (got '/proc/self/mem')"));
  std::string text = "link 0 1\nnode 0 at 0\n";
  for (int i = 0; i < 20'000; ++i) text += "# all of the network stands above\n";
  const test::TextFile file(text);
  CHECK(read_topology_file(file.path(), 1).routers() == 2);
  const test::FailingRead failing(400'000);
  const std::string problem = test::refusal([&] { read_topology_file(file.path(), 1); });
  CHECK(problem.find(file.path() + ":") == 0);
  CHECK(problem.find(": topology.file: cannot be read: Input/output error (got") != std::string::npos);
}

TEST_CASE("a router with too many ports is refused before its ports are counted") {
  std::string text = "node 0 at 1\n";
  for (int i = 0; i < 1100; ++i) text += "link 0 1\n";
  CHECK_THROWS_WITH(read(text),
                    Catch::StartsWith("net.txt:1026:6: topology.file: the router has no free port") &&
                        Catch::Contains("at most 1024 ports"));
}
