// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/crosspoint_use.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "support/network_bench.h"
#include "support/temporary_folder.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::instruments;
using tsuji::test::NetworkBench;
using tsuji::test::TemporaryFolder;

namespace {

traffic::Emission packet(Cycle created, NodeId destination) {
  traffic::Emission e;
  e.created = created;
  e.flits = 20;
  e.destination = destination;
  return e;
}

traffic::Emission multicast(Cycle created, std::uint64_t map) {
  traffic::Emission e = packet(created, 0);
  e.kind = PacketKind::multicast;
  e.map = map;
  e.flits = 13;
  return e;
}

/// The cells of each row, except that of the utilization.
std::vector<std::string> texts(const observe::ResultTable& table) {
  std::vector<std::string> all;
  for (const auto& row : table.rows()) {
    std::string text;
    for (std::size_t cell = 0; cell < row.size(); ++cell)
      if (table.columns()[cell].name != "utilization") text += (cell == 0 ? "" : " ") + row[cell].text();
    all.push_back(text);
  }
  return all;
}

}  // namespace

TEST_CASE(
    "the tables of crosspoint use: busiest first, equal ones by place, and the files in the order of "
    "places") {
  NetworkBench::Options options;
  options.network.topology.nodes = 4;
  options.network.topology.stages = 1;
  NetworkBench bench(options, tsuji::test::from({{0, {multicast(300, 0b101)}},
                                                 {1, {packet(10, 2), packet(100, 2)}},
                                                 {3, {packet(10, 0)}}}));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  CrosspointUseConfig with_files, few, links_alone;
  with_files.links.csv = true;
  few.links.rows = 2;
  links_alone.crosspoints = false;
  const CrosspointUse all(bench.network, with_files), short_tables(bench.network, few),
      bare(bench.network, links_alone);
  bench.run();
  REQUIRE(bench.conserved());
  const auto told = [](const CrosspointUse& use, const TemporaryFolder& folder) {
    observe::Results results("crosspoint_use_test", "", 1);
    use.report(1000, folder.file("."), results);
    return results;
  };

  const TemporaryFolder folder;
  const auto results = told(all, folder);
  CHECK(texts(results.rows_of("links")) ==
        std::vector<std::string>{"switch0_0:2 node 2 53 3 1 13", "node 1 switch0_0:1 40 2 0 0",
                                 "switch0_0:0 node 0 33 2 1 13", "node 3 switch0_0:3 20 1 0 0",
                                 "node 0 switch0_0:0 13 1 0 13", "node 2 switch0_0:2 0 0 0 0",
                                 "switch0_0:1 node 1 0 0 1 0", "switch0_0:3 node 3 0 0 1 0"});
  const auto fifos = results.rows_of("crosspoints").rows();
  REQUIRE(fifos.size() == 16);
  const auto fifo = [&](std::size_t row) {
    std::string text = fifos[row][0].text();
    for (const std::size_t cell : {1, 2, 3, 5, 6, 8}) text += " " + fifos[row][cell].text();
    return text;
  };
  CHECK(fifo(0) == "switch0_0 1 2 40 2 0 1");
  CHECK(fifo(1) == "switch0_0 3 0 20 1 0 1");
  CHECK(fifo(2) == "switch0_0 0 0 13 1 1 1");
  CHECK(fifo(3) == "switch0_0 0 2 13 1 1 1");
  CHECK(fifo(4) == "switch0_0 0 1 0 0 0 0");
  CHECK(fifo(15) == "switch0_0 3 3 0 0 0 0");
  CHECK(fifos[0][4].number() == 0.04);
  CHECK(folder.text("links.csv")
            .rfind("from,to,flits,utilization,packets,stage,multicast_flits\n"
                   "node 0,switch0_0:0,13,0.013,1,0,13\n"
                   "node 1,switch0_0:1,40,0.04,2,0,0\n",
                   0) == 0);
  CHECK(folder.text("crosspoints.csv").find("\nswitch0_0,0,1,0,") <
        folder.text("crosspoints.csv").find("\nswitch0_0,1,2,40,"));

  const TemporaryFolder other;
  const auto short_results = told(short_tables, other);
  CHECK(short_results.rows_of("links").rows().size() == 2);
  CHECK(short_results.rows_of("crosspoints").rows().size() == 2);
  CHECK_FALSE(other.has("links.csv"));
  CHECK_FALSE(other.has("crosspoints.csv"));

  const auto bare_results = told(bare, other);
  CHECK(bare_results.rows_of("links").rows()[0].back().is_null());
  CHECK_THROWS_AS(bare_results.rows_of("crosspoints"), ModelError);
}
