// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/link_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/topology_file.h"

using namespace tsuji;
using namespace tsuji::observe;
using Json = nlohmann::ordered_json;

namespace {

struct Report {
  Report(const LinkReportConfig& config, const graph::Topology& topology, const std::vector<LinkLoad>& loads)
      : results("test", "0", 1, Json::object()) {
    add_link_report(
        config, topology, 100, [&](const auto& visit) { std::for_each(loads.begin(), loads.end(), visit); },
        folder.file("links.csv"), results);
  }
  Json rows() const { return results.to_json()["tables"]["links"]["rows"]; }
  tsuji::test::TemporaryFolder folder;
  Results results;
};

LinkLoad load(std::uint32_t link, graph::PortRef from, graph::PortRef to, std::uint64_t flits) {
  LinkLoad load;
  load.link = link;
  load.from = from;
  load.to = to;
  load.flits = flits;
  return load;
}

/// Every direction of a mesh's links, in a network's order.
std::vector<LinkLoad> loads_of(const graph::Topology& topology, unsigned most, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<LinkLoad> loads;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link) {
    const graph::RouterLink& at = topology.links()[link];
    loads.push_back(load(link, at.a, at.b, random() % most));
    loads.push_back(load(link, at.b, at.a, random() % most));
  }
  return loads;
}

}  // namespace

TEST_CASE("the table of links: the busiest first, with their routers' coordinates") {
  const graph::Topology mesh = graph::make_mesh({3, 2}, 1, 1);
  const std::vector<LinkLoad> loads = {load(0, {0, 0}, {1, 1}, 25), load(0, {1, 1}, {0, 0}, 0),
                                       load(1, {0, 2}, {3, 3}, 50)};
  const Report report({}, mesh, loads);
  CHECK(report.rows() == Json::parse(R"([["0:2", "3:3", 50, 0.5, 1, "0 0", "0 1"],
                                         ["0:0", "1:1", 25, 0.25, 0, "0 0", "1 0"],
                                         ["1:1", "0:0", 0, 0.0, 0, "1 0", "0 0"]])"));
  CHECK_FALSE(report.folder.has("links.csv"));
  CHECK(report.results.summary("out").find("busiest links") != std::string::npos);
}

TEST_CASE("a short table has the first rows of all links sorted, with ties by link, then router") {
  const graph::Topology mesh = graph::make_mesh({6, 5}, 1, 1);
  for (unsigned seed = 0; seed < 50; ++seed) {
    const std::vector<LinkLoad> loads = loads_of(mesh, 1 + seed % 7, seed);
    std::vector<LinkLoad> sorted = loads;
    std::sort(sorted.begin(), sorted.end(), [](const LinkLoad& a, const LinkLoad& b) {
      if (a.flits != b.flits) return a.flits > b.flits;
      if (a.link != b.link) return a.link < b.link;
      return a.from.router < b.from.router;
    });
    for (const std::size_t rows :
         {std::size_t{0}, std::size_t{1}, std::size_t{10}, loads.size() - 1, loads.size() + 1}) {
      LinkReportConfig config;
      config.rows = rows;
      const Json table = Report(config, mesh, loads).rows();
      REQUIRE(table.size() == std::min(rows, loads.size()));
      for (std::size_t r = 0; r < table.size(); ++r) {
        CHECK(table[r][2] == sorted[r].flits);
        CHECK(table[r][4] == sorted[r].link);
        CHECK(table[r][0] ==
              std::to_string(sorted[r].from.router) + ":" + std::to_string(sorted[r].from.port));
      }
    }
  }
}

TEST_CASE("a table of links has 256 rows by default, ten of them on the terminal") {
  const graph::Topology mesh = graph::make_mesh({12, 12}, 1, 1);
  const Report report({}, mesh, loads_of(mesh, 50, 1));
  CHECK(report.rows().size() == 256);
  const std::string shown = report.results.summary("out");
  const std::string table = shown.substr(shown.find("busiest links"));
  CHECK(std::count(table.begin(), table.end(), '\n') == 1 + 2 + 10);  // title, headings with units
}

TEST_CASE("the file of links has all of them in their order") {
  const tsuji::test::TextFile file("link 0 1\nnode 0 at 0\nnode 1 at 1\n");
  const graph::Topology topology = graph::read_topology_file(file.path(), 1);
  LinkReportConfig config;
  config.rows = 1;
  config.csv = true;
  const Report report(config, topology, {{0, {0, 0}, {1, 0}, 1}, {0, {1, 0}, {0, 0}, 30}});
  CHECK(report.folder.text("links.csv") ==
        "from,to,flits,utilization,link,from_at,to_at\n0:0,1:0,1,0.01,0,,\n1:0,0:0,30,0.3,0,,\n");
  CHECK(report.rows() == Json::parse(R"([["1:0", "0:0", 30, 0.3, 0, "", ""]])"));
}

TEST_CASE("a file of links that cannot be written ends the run") {
  Results results("test", "0", 1, Json::object());
  const graph::Topology mesh = graph::make_mesh({2}, 1, 1);
  LinkReportConfig config;
  config.csv = true;
  CHECK_THROWS_WITH(add_link_report(
                        config, mesh, 1, [](const auto&) {}, "/dev/full", results),
                    Catch::Contains("/dev/full: cannot be written: No space left on device"));
}

TEST_CASE("a file of links without a link gives a warning") {
  std::istringstream alone("node 0 at 0\nnode 1 at 0\n"), two("link 0 1\nnode 0 at 0\n");
  LinkReportConfig config;
  config.csv = true;
  const Report report(config, graph::read_topology(alone, "alone", 1), {});
  CHECK(report.results.to_json()["warnings"].dump() ==
        R"(["links.csv is empty: the topology has no link between routers"])");
  CHECK_FALSE(Report(config, graph::read_topology(two, "two", 1), {}).results.to_json().contains("warnings"));
  config.csv = false;
  std::istringstream again("node 0 at 0\n");
  CHECK_FALSE(
      Report(config, graph::read_topology(again, "alone", 1), {}).results.to_json().contains("warnings"));
}
