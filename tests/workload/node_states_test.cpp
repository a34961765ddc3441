// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <map>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/workload/packet_list.h"
#include "tsuji/workload/pattern_kinds.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::TextFile;

// Dead and cut-off nodes in patterns, matrices and lists.

namespace {

/// Six nodes: 1 is dead, 4 is cut off.
PatternConfig six(bool to_self = true) {
  PatternConfig config;
  config.nodes = 6;
  config.to_self = to_self;
  config.states.assign(6, NodeState::living);
  config.states[1] = NodeState::dead;
  config.states[4] = NodeState::cut_off;
  return config;
}

std::map<NodeId, unsigned> destinations(const Pattern& pattern, NodeId source, unsigned packets) {
  CounterRandom random(5, source);
  std::map<NodeId, unsigned> counts;
  for (unsigned i = 0; i < packets; ++i) ++counts[pattern.destination(source, random)];
  return counts;
}

}  // namespace

TEST_CASE("uniform traffic goes to every living node alike, and to no other") {
  const bool to_self = GENERATE(true, false);
  const auto pattern = pattern_kinds().make("uniform", six(to_self));
  CHECK(pattern->share(1) == 0.0);
  for (const NodeId source : {0U, 2U, 3U, 4U, 5U}) {
    CAPTURE(to_self, source);
    CHECK(pattern->share(source) == 1.0);
    CHECK(pattern->reaches(source));
    const std::map<NodeId, unsigned> counts = destinations(*pattern, source, 12'000);
    // The cut-off node is not a destination, so no choice is left out for itself.
    const unsigned choices = to_self || source == 4 ? 4 : 3;
    CHECK(counts.size() == choices);
    for (const auto& [node, count] : counts) {
      CHECK((node != 1 && node != 4 && (to_self || node != source)));
      CHECK(std::abs(count - 12'000.0 / choices) < 300);
    }
  }
}

TEST_CASE("a living node without another one has no uniform traffic without itself") {
  PatternConfig config = six(false);
  for (const NodeId node : {0U, 2U, 3U}) config.states[node] = NodeState::dead;
  CHECK_THROWS_WITH(pattern_kinds().make("uniform", config), Catch::Contains("traffic.to_self"));
  config.to_self = true;
  CHECK(destinations(*pattern_kinds().make("uniform", config), 5, 100) ==
        std::map<NodeId, unsigned>{{5, 100}});
}

TEST_CASE("hot nodes that are not living get no traffic") {
  PatternKinds kinds = pattern_kinds();
  auto& hotspot = kinds.of<HotspotConfig>();
  hotspot.hotspots = {1, 3, 4, 5};
  hotspot.hotspot_share = 1.0;
  const auto pattern = kinds.make("hotspot", six());
  CHECK(pattern->share(1) == 0.0);
  const std::map<NodeId, unsigned> counts = destinations(*pattern, 0, 4'000);
  CHECK(counts.size() == 2);
  CHECK(std::abs(counts.at(3) - 2'000.0) < 200);
  hotspot.hotspots = {1, 4};
  CHECK_THROWS_WITH(kinds.make("hotspot", six()),
                    Catch::Contains("traffic.hotspots: no hot node lives (got '1')"));
}

TEST_CASE("a node whose partner is dead is silent, and one whose partner is cut off has no destination") {
  PatternConfig config;
  config.nodes = 9;  // rows of 3: 1 and 3, 2 and 6, 5 and 7 exchange
  config.states.assign(9, NodeState::living);
  config.states[1] = NodeState::dead;
  config.states[6] = NodeState::cut_off;
  const auto pattern = pattern_kinds().make("transpose", config);
  const std::vector<double> shares = {1, 0, 1, 0, 1, 1, 1, 1, 1};
  const std::vector<bool> reaches = {true, true, false, false, true, true, true, true, true};
  for (NodeId node = 0; node < 9; ++node) {
    CAPTURE(node);
    CHECK(pattern->share(node) == shares[node]);
    if (shares[node] != 0) CHECK(pattern->reaches(node) == reaches[node]);
  }
}

TEST_CASE("rates of a matrix with a dead end are removed, and the load is the mean of the living nodes") {
  const TextFile file("0 1 9\n0 2 1\n2 0 2\n3 4 3\n4 3 5\n5 4 1\n5 3 1\n");
  PatternKinds kinds = pattern_kinds();
  kinds.of<MatrixConfig>().matrix = file.path();
  const auto pattern = kinds.make("matrix", six());
  // Living rows: 0 has 1, 2 has 2, 3 has 3, 5 has 2; four nodes live.
  CHECK(pattern->share(0) == Approx(1 / 2.0));
  CHECK(pattern->share(2) == Approx(1.0));
  CHECK(pattern->share(3) == Approx(1.5));
  CHECK(pattern->share(4) == Approx(2.5));
  CHECK(pattern->share(1) == 0.0);
  CHECK(destinations(*pattern, 0, 50) == std::map<NodeId, unsigned>{{2, 50}});
  CHECK(pattern->reaches(5));
  CHECK_FALSE(pattern->reaches(3));
  PatternConfig loop = six();
  loop.receivers_send = true;
  CHECK_THROWS_WITH(kinds.make("matrix", loop), Catch::Contains(":4: ") && Catch::Contains("cut off"));
}

TEST_CASE("a list with a packet from or for a dead node is refused with its place") {
  PacketListLimits limits;
  limits.states = six().states;
  const auto refused = [&](const std::string& text) {
    const TextFile file(text);
    return test::refusal([&] { (void)read_packet_list(file.path(), 6, limits); });
  };
  CHECK(refused("1 0 2 4\n2 1 0 4\n").find(":2:3: traffic.list: a dead node (got '1')") != std::string::npos);
  CHECK(refused("1 0 2 4\n2 0 1 4\n").find(":2:5: traffic.list: a dead node (got '1')") != std::string::npos);
  const TextFile file("1 0 4 4\n2 4 0 4\n");
  CHECK(read_packet_list(file.path(), 6, limits)[4].size() == 1);
}
