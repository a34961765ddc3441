// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/replay/rank_placement.h"

#include <algorithm>
#include <fstream>
#include <set>

#include "support/catch.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::machines;
using tsuji::test::thrown;

namespace {

PlacementConfig config_of(RankPlacement placement, unsigned ranks_per_node = 2) {
  PlacementConfig config;
  config.placement = placement;
  config.ranks_per_node = ranks_per_node;
  return config;
}

std::vector<NodeId> nodes_of(std::size_t ranks, unsigned nodes, const PlacementConfig& config) {
  const traffic::RankPlaces places = place_ranks(ranks, nodes, config);
  CHECK(places.ranks_on.size() == nodes);
  CHECK(places.node_of.size() == ranks);
  for (const auto& on_node : places.ranks_on) {
    CHECK(on_node.size() <= config.ranks_per_node);
    CHECK(std::is_sorted(on_node.begin(), on_node.end()));
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto& there = places.ranks_on[places.node_of[rank]];
    CHECK(std::count(there.begin(), there.end(), rank) == 1);
  }
  return places.node_of;
}

std::string refused(const std::string& text, std::size_t ranks = 3) {
  const tsuji::test::TemporaryFolder folder;
  PlacementConfig config = config_of(RankPlacement::mapping, 1);
  config.mapping = folder.file("ranks.txt");
  std::ofstream(config.mapping, std::ios::binary) << text;
  const auto error = thrown<ConfigError>([&] { place_ranks(ranks, 4, config); });
  return error ? error->what() : "";
}

}  // namespace

TEST_CASE("ranks are placed block by block or in turn, up to the number of places") {
  CHECK(nodes_of(6, 3, config_of(RankPlacement::block)) == std::vector<NodeId>{0, 0, 1, 1, 2, 2});
  CHECK(nodes_of(6, 3, config_of(RankPlacement::round_robin)) == std::vector<NodeId>{0, 1, 2, 0, 1, 2});
  CHECK(nodes_of(3, 3, config_of(RankPlacement::block)) == std::vector<NodeId>{0, 0, 1});
  for (const RankPlacement placement :
       {RankPlacement::block, RankPlacement::round_robin, RankPlacement::random, RankPlacement::mapping}) {
    const auto error = thrown<ConfigError>([&] { place_ranks(7, 3, config_of(placement), "workload.npb"); });
    REQUIRE(error);
    CHECK(error->key() == "workload.npb");
    CHECK(error->value() == "7 ranks");
    CHECK(error->accepted() == "up to 6 ranks on 3 nodes with workload.ranks_per_node 2");
  }
}

TEST_CASE("ranks are placed at random by the seed, every place with equal probability") {
  PlacementConfig config = config_of(RankPlacement::random);
  const std::vector<NodeId> first = nodes_of(20, 16, config);
  CHECK(nodes_of(20, 16, config) == first);
  std::set<std::vector<NodeId>> seen;
  std::vector<unsigned> rank_0(16), rank_19(16);
  constexpr unsigned seeds = 3200;
  for (config.seed = 1; config.seed <= seeds; ++config.seed) {
    const traffic::RankPlaces places = place_ranks(20, 16, config);
    seen.insert(places.node_of);
    ++rank_0[places.node_of[0]];
    ++rank_19[places.node_of[19]];
  }
  CHECK(seen.size() == seeds);
  // Mean 200, standard deviation 13.7: five of them.
  for (const unsigned count : rank_0) CHECK(std::max(count, 200U) - std::min(count, 200U) < 69);
  for (const unsigned count : rank_19) CHECK(std::max(count, 200U) - std::min(count, 200U) < 69);
}

TEST_CASE("ranks are placed as a file says") {
  const tsuji::test::TemporaryFolder folder;
  PlacementConfig config = config_of(RankPlacement::mapping);
  config.mapping = folder.file("ranks.txt");
  std::ofstream(config.mapping, std::ios::binary) << "# rank node\n2 3\n0 1  # the root\n\n1 3\n";
  CHECK(nodes_of(3, 4, config) == std::vector<NodeId>{1, 3, 3});
}

TEST_CASE("a mapping that does not give each rank a place is refused at its line") {
  const auto has = [](const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
  };
  CHECK(has(refused("0 1\n1 2\n0 3\n"),
            "ranks.txt:3:1: workload.mapping: the rank has a place already, on node 1"));
  CHECK(has(refused("0 1\n1 1\n2 3\n"), "ranks.txt:2:3: workload.mapping: the node has no further place"));
  CHECK(has(refused("0 1\n1 4\n2 3\n"), "ranks.txt:2:3"));
  CHECK(has(refused("3 1\n"), "ranks.txt:1:1"));
  CHECK(has(refused("0 1 2\n"), "ranks.txt:1"));
  CHECK(has(refused("0 1\n2 3\n"), "rank 1 has no place"));
  CHECK(has(refused(""), "rank 0 has no place"));
  const auto no_file = thrown<ConfigError>([] { place_ranks(3, 4, config_of(RankPlacement::mapping)); });
  REQUIRE(no_file);
  CHECK(no_file->key() == "workload.mapping");
}
