// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/job_placement.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"

using namespace tsuji;
using namespace tsuji::machines;
using tsuji::test::thrown;

namespace {

using Nodes = std::vector<NodeId>;

JobPlacementConfig config_of(NodeChoice placement, unsigned ranks_per_node = 1) {
  JobPlacementConfig config;
  config.placement = placement;
  config.ranks_per_node = ranks_per_node;
  return config;
}

/// 3 groups of 2 routers with 2 nodes each.
graph::Topology dragonfly() {
  return graph::make_dragonfly({2, 2, 1, 3, graph::GlobalLinks::absolute}, 1, 1);
}

Nodes place(JobNodes& nodes, const std::string& job, std::size_t ranks, const JobPlacementConfig& config) {
  const traffic::RankPlaces places = nodes.place(job, ranks, config, "job.nodes");
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto& there = places.ranks_on[places.node_of[rank]];
    CHECK(std::count(there.begin(), there.end(), rank) == 1);
    CHECK(there.size() <= config.ranks_per_node);
  }
  return places.node_of;
}

}  // namespace

TEST_CASE("jobs take the lowest free nodes, or one of each group in turn") {
  const graph::Topology topology = dragonfly();
  JobNodes nodes(topology, false);
  CHECK(nodes.available() == 12);
  CHECK(place(nodes, "a", 3, config_of(NodeChoice::block)) == Nodes{0, 1, 2});
  CHECK(place(nodes, "b", 4, config_of(NodeChoice::round_robin)) == Nodes{4, 8, 5, 9});
  CHECK(place(nodes, "c", 2, config_of(NodeChoice::block, 2)) == Nodes{3, 3});
  CHECK(nodes.available() == 4);
  CHECK(place(nodes, "d", 4, config_of(NodeChoice::round_robin)) == Nodes{6, 10, 7, 11});
  CHECK(nodes.available() == 0);
}

TEST_CASE("jobs in groups take those that no other job is in") {
  const graph::Topology topology = dragonfly();
  JobNodes nodes(topology, false);
  CHECK(place(nodes, "a", 2, config_of(NodeChoice::group)) == Nodes{0, 1});
  CHECK(place(nodes, "b", 5, config_of(NodeChoice::group)) == Nodes{4, 5, 6, 7, 8});
  const auto error = thrown<ConfigError>([&] { place(nodes, "c", 1, config_of(NodeChoice::group)); });
  REQUIRE(error);
  CHECK(error->key() == "job.nodes");
  CHECK_THAT(error->what(), Catch::Contains("job c is larger") && Catch::Contains("0 nodes of free groups"));
  const graph::Topology mesh = graph::make_mesh({2, 2}, 2, 1);
  JobNodes by_router(mesh, false);
  CHECK(place(by_router, "a", 1, config_of(NodeChoice::group)) == Nodes{0});
  CHECK(place(by_router, "b", 1, config_of(NodeChoice::group)) == Nodes{2});
}

TEST_CASE("a node with several ports belongs to the group of its first port") {
  const graph::Topology mesh =
      graph::make_mesh({2, 2}, 2, 1);  // places 0 and 1, 2 and 3, ... of a router each
  using traffic::RailChoice;
  JobNodes adjacent(mesh, false, 1, traffic::Rails(2, 1, RailChoice::packet));
  CHECK(adjacent.available() == 4);
  CHECK(place(adjacent, "a", 1, config_of(NodeChoice::group)) == Nodes{0});
  CHECK(place(adjacent, "b", 1, config_of(NodeChoice::group)) == Nodes{1});
  JobNodes planes(mesh, false, 1, traffic::Rails(2, 4, RailChoice::packet));
  CHECK(place(planes, "a", 1, config_of(NodeChoice::group)) == Nodes{0});
  CHECK(place(planes, "b", 1, config_of(NodeChoice::group)) == Nodes{2});
  CHECK(planes.available() == 2);
  JobNodes in_turn(mesh, false, 1, traffic::Rails(2, 4, RailChoice::packet));
  CHECK(place(in_turn, "a", 4, config_of(NodeChoice::round_robin)) == Nodes{0, 2, 1, 3});
}

TEST_CASE("random jobs are drawn by their seed from all free nodes") {
  const graph::Topology topology = graph::make_mesh({10, 10}, 1, 1);
  JobPlacementConfig config = config_of(NodeChoice::random);
  std::set<Nodes> drawn;
  std::set<NodeId> first;
  for (config.seed = 1; config.seed <= 200; ++config.seed) {
    JobNodes nodes(topology, false);
    place(nodes, "a", 50, config_of(NodeChoice::block));
    const Nodes own = place(nodes, "b", 20, config);
    CHECK(std::set<NodeId>(own.begin(), own.end()).size() == 20);
    CHECK(*std::min_element(own.begin(), own.end()) >= 50);
    drawn.insert(own);
    first.insert(own[0]);
  }
  CHECK(drawn.size() == 200);
  CHECK(first.size() > 45);
  JobNodes other_run(topology, false, 2), run(topology, false, 1), again(topology, false, 1);
  config.seed = 1;
  const Nodes own = place(run, "a", 20, config);
  CHECK(place(again, "a", 20, config) == own);
  CHECK(place(other_run, "a", 20, config) != own);
}

TEST_CASE("shared nodes are free for every job") {
  const graph::Topology topology = graph::make_mesh({4}, 1, 1);
  JobNodes nodes(topology, true);
  CHECK(place(nodes, "a", 4, config_of(NodeChoice::block)) == Nodes{0, 1, 2, 3});
  CHECK(nodes.available() == 4);
  CHECK(place(nodes, "b", 4, config_of(NodeChoice::block)) == Nodes{0, 1, 2, 3});
}

TEST_CASE("a mapping gives a job its nodes, which no other job has") {
  const graph::Topology topology = graph::make_mesh({6}, 1, 1);
  const tsuji::test::TemporaryFolder folder;
  JobPlacementConfig config = config_of(NodeChoice::mapping, 2);
  config.mapping = folder.file("map.txt");
  std::ofstream(config.mapping) << "0 5\n1 4\n2 5\n";
  JobNodes nodes(topology, false);
  CHECK(place(nodes, "a", 3, config) == Nodes{5, 4, 5});
  CHECK(place(nodes, "b", 4, config_of(NodeChoice::block)) == Nodes{0, 1, 2, 3});
  const auto error = thrown<ConfigError>([&] { place(nodes, "c", 3, config); });
  REQUIRE(error);
  CHECK_THAT(error->what(), Catch::Contains("map.txt:1:3") && Catch::Contains("belongs to job a"));
}
