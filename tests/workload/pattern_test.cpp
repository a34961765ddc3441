// SPDX-License-Identifier: Apache-2.0
#include "tsuji/workload/pattern_kinds.h"

#include <cmath>
#include <map>
#include <set>

#include "support/catch.h"
#include "support/text_file.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/workload/traffic_matrix.h"

using namespace tsuji;
using namespace tsuji::workload;
using tsuji::test::refusal;
using tsuji::test::TextFile;

namespace {

PatternConfig nodes(unsigned count) {
  PatternConfig config;
  config.nodes = count;
  return config;
}

std::unique_ptr<Pattern> make_pattern(const std::string& name, const PatternConfig& config) {
  return pattern_kinds().make(name, config);
}

std::vector<NodeId> partners(const std::string& name, const PatternConfig& config) {
  const auto pattern = make_pattern(name, config);
  CounterRandom random(1, 1);
  std::vector<NodeId> result;
  for (NodeId node = 0; node < config.nodes; ++node) result.push_back(pattern->destination(node, random));
  return result;
}

bool is_permutation(const std::vector<NodeId>& list) {
  const std::set<NodeId> values(list.begin(), list.end());
  return values.size() == list.size() && *values.rbegin() == list.size() - 1;
}

/// Share of draws for each destination.
std::vector<double> shares(const Pattern& pattern, NodeId source, unsigned count, unsigned draws) {
  CounterRandom random(77, source);
  std::vector<double> result(count, 0.0);
  for (unsigned i = 0; i < draws; ++i) result.at(pattern.destination(source, random)) += 1.0 / draws;
  return result;
}

/// Five standard deviations of a share p among `draws`.
double bound(double p, unsigned draws) {
  return 5 * std::sqrt(p * (1 - p) / draws);
}

}  // namespace

TEST_CASE("bit patterns are the permutations of their definition, at every power of two") {
  for (unsigned bits = 1; bits <= 10; ++bits) {
    const unsigned count = 1U << bits;
    const auto complement = partners("bit_complement", nodes(count));
    const auto reverse = partners("bit_reverse", nodes(count));
    const auto rotation = partners("bit_rotation", nodes(count));
    const auto shuffle = partners("shuffle", nodes(count));
    for (const auto* list : {&complement, &reverse, &rotation, &shuffle}) REQUIRE(is_permutation(*list));
    for (NodeId node = 0; node < count; ++node) {
      REQUIRE(complement[node] + node == count - 1);
      REQUIRE(reverse[reverse[node]] == node);
      REQUIRE(shuffle[rotation[node]] == node);
      for (unsigned i = 0; i < bits; ++i) {
        REQUIRE((reverse[node] >> i & 1U) == (node >> (bits - 1 - i) & 1U));
        REQUIRE((rotation[node] >> i & 1U) == (node >> ((i + 1) % bits) & 1U));
      }
    }
  }
}

TEST_CASE("bit patterns refuse numbers that are no power of two") {
  for (const char* name : {"bit_complement", "bit_reverse", "bit_rotation", "shuffle"}) {
    for (const unsigned count : {1U, 3U, 6U, 100U}) {
      const std::string text = refusal([&] { make_pattern(name, nodes(count)); });
      CHECK_THAT(text, Catch::Contains("traffic.pattern") && Catch::Contains(name) &&
                           Catch::Contains("power of two"));
    }
  }
}

TEST_CASE("transpose exchanges rows and columns at every square size, and refuses others") {
  for (unsigned side = 1; side <= 17; ++side) {
    const auto list = partners("transpose", nodes(side * side));
    REQUIRE(is_permutation(list));
    for (unsigned i = 0; i < side; ++i) {
      for (unsigned j = 0; j < side; ++j) REQUIRE(list[i * side + j] == j * side + i);
    }
  }
  const std::string text = refusal([] { make_pattern("transpose", nodes(50)); });
  CHECK_THAT(text, Catch::Contains("50 nodes are not a square") && Catch::Contains("49 or 64"));
}

TEST_CASE("a node that would send to itself does, or is silent") {
  PatternConfig config = nodes(100);
  const auto with = make_pattern("transpose", config);
  config.to_self = false;
  const auto without = make_pattern("transpose", config);
  for (NodeId node = 0; node < 100; ++node) {
    CHECK(with->share(node) == 1.0);
    CHECK(without->share(node) == (node / 10 == node % 10 ? 0.0 : 1.0));
  }
}

TEST_CASE("tornado and neighbour move in every dimension of the cube") {
  PatternConfig config = nodes(8 * 5 * 2 * 3);
  config.radices = {8, 5, 2};
  config.nodes_per_router = 3;
  const auto tornado = partners("tornado", config);
  const auto neighbour = partners("neighbour", config);
  CHECK(is_permutation(tornado));
  CHECK(is_permutation(neighbour));
  for (unsigned z = 0; z < 2; ++z) {
    for (unsigned y = 0; y < 5; ++y) {
      for (unsigned x = 0; x < 8; ++x) {
        for (unsigned local = 0; local < 3; ++local) {
          const auto node = [&](unsigned to_x, unsigned to_y, unsigned to_z) {
            return ((to_z * 5 + to_y) * 8 + to_x) * 3 + local;
          };
          // Dally and Towles: ceil(k / 2) - 1, which is 3, 2 and 0 here.
          REQUIRE(tornado[node(x, y, z)] == node((x + 3) % 8, (y + 2) % 5, z));
          REQUIRE(neighbour[node(x, y, z)] == node((x + 1) % 8, (y + 1) % 5, 1 - z));
        }
      }
    }
  }
}

TEST_CASE("patterns of a cube refuse networks without coordinates") {
  PatternConfig config = nodes(64);
  CHECK_THAT(refusal([&] { make_pattern("tornado", config); }), Catch::Contains("no coordinates"));
  config.radices = {8, 9};
  CHECK_THAT(refusal([&] { make_pattern("neighbour", config); }), Catch::Contains("no coordinates"));
}

TEST_CASE("uniform reaches all nodes equally, with and without self") {
  constexpr unsigned draws = 200000;
  for (const bool to_self : {true, false}) {
    PatternConfig config = nodes(7);
    config.to_self = to_self;
    const auto pattern = make_pattern("uniform", config);
    for (const NodeId source : {0U, 3U, 6U}) {
      const auto found = shares(*pattern, source, 7, draws);
      for (NodeId node = 0; node < 7; ++node) {
        const double p = to_self ? 1.0 / 7 : (node == source ? 0.0 : 1.0 / 6);
        CHECK(std::abs(found[node] - p) <= bound(p, draws));
      }
    }
  }
  PatternConfig alone = nodes(1);
  alone.to_self = false;
  CHECK_THAT(refusal([&] { make_pattern("uniform", alone); }), Catch::Contains("traffic.to_self"));
}

TEST_CASE("adversarial traffic goes to random nodes of the group at its offset") {
  const graph::Topology dragonfly = graph::make_dragonfly({4, 2, 2, 9, graph::GlobalLinks::absolute}, 1, 1);
  PatternConfig config = nodes(72);
  config.topology = &dragonfly;
  for (const unsigned offset : {1U, 3U, 8U}) {
    PatternKinds kinds = pattern_kinds();
    std::string word = "adversarial";
    config::KeyTable keys;
    keys.add_choice("traffic.pattern", word, kinds.words(), "pattern");
    kinds.add_keys(keys);
    keys.set_from_command_line("traffic.group_offset=" + std::to_string(offset));
    const auto pattern = kinds.make(word, config);
    for (const NodeId source : {0U, 13U, 71U}) {
      const auto found = shares(*pattern, source, 72, 20'000);
      const unsigned group = (source / 8 + offset) % 9;
      for (NodeId node = 0; node < 72; ++node) {
        CHECK(pattern->probability(source, node) == (node / 8 == group ? 1.0 / 8 : 0.0));
        CHECK(found[node] == Approx(node / 8 == group ? 0.125 : 0.0).margin(bound(0.125, 20'000)));
      }
    }
  }
  const graph::Topology mesh = graph::make_mesh({3, 2}, 2, 1);
  config = nodes(12);
  config.topology = &mesh;
  CHECK(make_pattern("adversarial", config)->probability(3, 5) == 0.5);
  config.states.assign(12, NodeState::living);
  for (const NodeId node : {2U, 3U, 5U, 6U, 7U}) config.states[node] = NodeState::dead;
  config.states[7] = NodeState::cut_off;
  const auto pattern = make_pattern("adversarial", config);
  CHECK(pattern->share(0) == 0.0);  // nodes 2 and 3 are dead
  CHECK(pattern->share(2) == 0.0);
  CHECK(pattern->share(4) == 1.0);
  CHECK_FALSE(pattern->reaches(4));  // of nodes 6 and 7 one is dead, one cut off
  CHECK(pattern->probability(4, 7) == 1.0);
  CHECK(pattern->reaches(8));
  CHECK(pattern->share(7) == 1.0);
  config.states.assign(12, NodeState::living);
  config.topology = nullptr;
  CHECK_THAT(refusal([&] { make_pattern("adversarial", config); }),
             Catch::Contains("traffic.pattern") && Catch::Contains("no groups"));
  const graph::Topology pair = graph::make_mesh({2}, 1, 1);
  config = nodes(2);
  config.topology = &pair;
  CHECK_NOTHROW(make_pattern("adversarial", config));
  PatternKinds kinds = pattern_kinds();
  std::string word = "adversarial";
  config::KeyTable keys;
  keys.add_choice("traffic.pattern", word, kinds.words(), "pattern");
  kinds.add_keys(keys);
  keys.set_from_command_line("traffic.group_offset=2");
  CHECK_THAT(refusal([&] { kinds.make(word, config); }),
             Catch::Contains("traffic.group_offset") && Catch::Contains("1..1 with 2 groups"));
}

TEST_CASE("hotspots get their share in addition to the rest") {
  constexpr unsigned draws = 200000;
  PatternConfig config = nodes(10);
  HotspotConfig hotspot{{8, 2}, 0.3};
  for (const bool to_self : {true, false}) {
    config.to_self = to_self;
    const auto pattern = hotspot.make(config);
    for (const NodeId source : {2U, 5U}) {
      const auto found = shares(*pattern, source, 10, draws);
      const bool hot_source = source == 2 && !to_self;  // its hot packets go to the other hotspot
      for (NodeId node = 0; node < 10; ++node) {
        const bool self = node == source && !to_self;
        double p = self ? 0.0 : 0.7 / (to_self ? 10 : 9);
        if (node == 8) p += hot_source ? 0.3 : 0.15;
        if (node == 2 && !hot_source) p += 0.15;
        CHECK(std::abs(found[node] - p) <= bound(p, draws));
      }
    }
  }
  // The only hotspot has no hotspot to send to.
  hotspot.hotspots = {2};
  const auto found = shares(*hotspot.make(config), 2, 10, draws);
  CHECK(found[2] == 0.0);
  CHECK(std::abs(found[7] - 1.0 / 9) <= bound(1.0 / 9, draws));
}

TEST_CASE("nonexistent hotspots are refused") {
  PatternConfig config = nodes(10);
  CHECK_THAT(refusal([&] { make_pattern("hotspot", config); }), Catch::Contains("traffic.hotspots"));
  CHECK_THAT(refusal([&] {
               HotspotConfig{{3, 10}}.make(config);
             }),
             Catch::Contains("'10'") && Catch::Contains("0..9"));
  CHECK_THAT(refusal([&] { HotspotConfig{{3, 4, 3}}.make(config); }), Catch::Contains("twice"));
  for (const double share : {std::nan(""), -0.1, 1.5})
    CHECK_THAT(refusal([&] {
                 HotspotConfig{{3}, share}.validate();
               }),
               Catch::Contains("traffic.hotspot_share") && Catch::Contains("0..1"));
}

TEST_CASE("a random permutation is a permutation, follows the seed, and all are equally probable") {
  PatternConfig config = nodes(50);
  const auto one = partners("permutation", config);
  CHECK(is_permutation(one));
  CHECK(one == partners("permutation", config));
  config.seed = 2;
  CHECK(one != partners("permutation", config));

  std::map<std::vector<NodeId>, unsigned> with, without;
  constexpr unsigned draws = 12000;
  PatternConfig small = nodes(4);
  for (small.seed = 0; small.seed < draws; ++small.seed) {
    small.to_self = true;
    ++with[partners("permutation", small)];
    small.to_self = false;
    ++without[partners("permutation", small)];
  }
  CHECK(with.size() == 24);
  CHECK(without.size() == 9);  // derangements of four
  for (const auto& entry : with) {
    CHECK(std::abs(entry.second / double(draws) - 1.0 / 24) <= bound(1.0 / 24, draws));
  }
  for (const auto& entry : without) {
    for (NodeId node = 0; node < 4; ++node) CHECK(entry.first[node] != node);
    CHECK(std::abs(entry.second / double(draws) - 1.0 / 9) <= bound(1.0 / 9, draws));
  }
}

TEST_CASE("a single node sends to itself, or has no pattern") {
  HotspotConfig hotspot{{0}, 0.5};
  for (const char* name : {"uniform", "permutation"}) {
    PatternConfig alone = nodes(1);
    CHECK(partners(name, alone) == std::vector<NodeId>{0});
    alone.to_self = false;
    CHECK_THAT(refusal([&] { make_pattern(name, alone); }),
               Catch::Contains("traffic.to_self") && Catch::Contains("one node alone has no partner"));
    CHECK_THAT(refusal([&] { hotspot.make(alone); }), Catch::Contains("traffic.to_self"));
    PatternConfig two = nodes(2);
    two.to_self = false;
    CHECK(partners(name, two) == std::vector<NodeId>{1, 0});
  }
}

TEST_CASE("a matrix gives destinations and shares in its proportions") {
  const TextFile file(
      "# source destination rate\n"
      "1 0 3\n\n"
      "0 1 1e-1  # comment\n"
      "0 3 0.3\n"
      "1\t2 0\r\n"
      "0 0 0.6\n");
  PatternConfig config = nodes(4);
  const auto pattern = MatrixConfig{file.path()}.make(config);
  // Sums 1, 3, 0, 0: the mean over the four nodes is 1.
  CHECK(pattern->share(0) == Approx(1.0));
  CHECK(pattern->share(1) == Approx(3.0));
  CHECK(pattern->share(2) == 0.0);
  CHECK(pattern->share(3) == 0.0);
  constexpr unsigned draws = 200000;
  const auto found = shares(*pattern, 0, 4, draws);
  CHECK(std::abs(found[0] - 0.6) <= bound(0.6, draws));
  CHECK(std::abs(found[1] - 0.1) <= bound(0.1, draws));
  CHECK(found[2] == 0.0);
  CHECK(std::abs(found[3] - 0.3) <= bound(0.3, draws));
  CHECK(shares(*pattern, 1, 4, 1000)[0] == Approx(1.0));
}

TEST_CASE("every part of the unit interval has its destination, also beside sources without traffic") {
  const TextFile file("4 4 1\n1 2 1\n1 0 2\n1 3 0\n1 4 1\n");
  TrafficMatrixRules rules;
  rules.nodes = 6;
  const TrafficMatrix matrix(file.path(), rules);
  const auto destination = [&](double unit) { return matrix.destination(1, unit); };
  CHECK(destination(0) == 0);
  CHECK(destination(0.4999) == 0);
  CHECK(destination(0.5) == 2);
  CHECK(destination(0.7499) == 2);
  CHECK(destination(0.75) == 4);
  CHECK(destination(std::nextafter(1.0, 0.0)) == 4);
  CHECK(matrix.destination(4, 0.999) == 4);
  // A mean of 5 / 6 over all nodes.
  CHECK(matrix.share(1) == Approx(4.0 * 6 / 5));
  CHECK(matrix.share(4) == Approx(1.0 * 6 / 5));
  for (const NodeId silent : {0U, 2U, 3U, 5U}) CHECK(matrix.share(silent) == 0.0);
  const TextFile huge("0 1 1e308\n1 0 1e308\n");
  CHECK_THAT(refusal([&] { TrafficMatrix(huge.path(), rules); }), Catch::Contains("rates too large"));
}

TEST_CASE("a wrong matrix is refused with its place") {
  const auto read = [](const std::string& text, bool to_self = true, bool receivers_send = false) {
    PatternConfig config = nodes(4);
    config.to_self = to_self;
    config.receivers_send = receivers_send;
    return tsuji::test::refusal_of_file(text,
                                        [&](const std::string& path) { MatrixConfig{path}.make(config); });
  };
  CHECK_THAT(read("0 1 1\n0 4 1\n"), Catch::StartsWith("FILE:2:3: traffic.matrix: not a node (got '4')"));
  CHECK_THAT(read("0 -1 1\n"), Catch::StartsWith("FILE:1:3: traffic.matrix: not a node (got '-1')"));
  CHECK_THAT(read("0 1 -0.5\n"), Catch::StartsWith("FILE:1:5: traffic.matrix: not a rate (got '-0.5')"));
  CHECK_THAT(read("0 1 nan\n"), Catch::StartsWith("FILE:1:5: traffic.matrix: not a rate (got 'nan')"));
  CHECK_THAT(read("0 1 inf\n"), Catch::StartsWith("FILE:1:5: traffic.matrix: not a rate"));
  CHECK_THAT(read("0 1 0.5x\n"), Catch::StartsWith("FILE:1:5: traffic.matrix: not a rate"));
  CHECK_THAT(read("#\n 0 1\n"), Catch::StartsWith("FILE:2:4: traffic.matrix: the line has too few fields, "
                                                  "this is the last (got '1'); accepted: SOURCE"));
  CHECK_THAT(read("0 1 1 1\n"), Catch::StartsWith("FILE:1:7: traffic.matrix: the line has too many fields"));
  CHECK_THAT(read("0 1 1\n2 3 1\n0 1 0\n"),
             Catch::StartsWith("FILE:3: traffic.matrix: a pair that line 1 has already (got '0 1')"));
  CHECK_THAT(read("0 1 0\n"), Catch::Contains("no pair has any traffic"));
  CHECK_THAT(read("0 1 1\n2 2 1\n", false),
             Catch::StartsWith("FILE:2:3: traffic.matrix: a node that sends to itself"));
  CHECK(read("0 1 1\n2 2 0\n", false).empty());
  CHECK_THAT(read("0 1 1\n1 2 1\n", true, true),
             Catch::StartsWith("FILE:2: traffic.matrix: this node receives and never"));
  CHECK(read("0 1 1\n1 0 1\n", true, true).empty());
  PatternConfig config = nodes(4);
  CHECK_THAT(refusal([&] { make_pattern("matrix", config); }), Catch::Contains("traffic.matrix"));
  CHECK_THAT(refusal([&] { MatrixConfig{"/nowhere/matrix"}.make(config); }),
             Catch::Contains("/nowhere/matrix"));
}

TEST_CASE("keys of a pattern set its parameters, and have no effect with another one") {
  PatternKinds kinds = pattern_kinds();
  std::string pattern = "hotspot";
  config::KeyTable keys;
  keys.add_choice("traffic.pattern", pattern, kinds.words(), "the pattern");
  kinds.add_keys(keys);
  keys.set_from_command_line("traffic.hotspots=3,1000000");
  keys.set_from_command_line("traffic.hotspot_share=0.25");
  CHECK(kinds.of<HotspotConfig>().hotspots == std::vector<unsigned>{3, 1'000'000});
  CHECK(kinds.of<HotspotConfig>().hotspot_share == 0.25);
  CHECK_NOTHROW(keys.refuse_idle());
  for (const char* share : {"0", "1"})
    CHECK_NOTHROW(keys.set_from_command_line("traffic.hotspot_share=" + std::string(share)));
  for (const char* bad :
       {"traffic.hotspots=1000001", "traffic.hotspot_share=1.01", "traffic.hotspot_share=-0.01"})
    CHECK_THAT(refusal([&] { keys.set_from_command_line(bad); }), Catch::Contains("accepted: "));
  keys.set_from_command_line("traffic.matrix=a/file");
  CHECK(kinds.of<MatrixConfig>().matrix == "a/file");
  CHECK_THAT(refusal([&] { keys.refuse_idle(); }),
             Catch::Contains("traffic.matrix") && Catch::Contains("accepted: traffic.pattern matrix"));
}

TEST_CASE("an unknown pattern is refused with all names") {
  const std::string text = refusal([] { make_pattern("tornato", nodes(4)); });
  for (const std::string& name : pattern_kinds().names()) CHECK_THAT(text, Catch::Contains(name));
}

namespace {

/// Checks a source's draws against the pattern's probabilities: no destination of probability 0 occurs, and
/// chi-square of the others is within its spread.
void require_as_drawn(const Pattern& pattern, const PatternConfig& config, NodeId source) {
  constexpr unsigned draws = 100'000;
  CounterRandom random(77, source);
  std::vector<unsigned> counts(config.nodes, 0);
  for (unsigned i = 0; i < draws; ++i) ++counts.at(pattern.destination(source, random));
  double sum = 0, chi_square = 0, freedom = -1;
  for (NodeId node = 0; node < config.nodes; ++node) {
    const double probability = pattern.probability(source, node);
    CAPTURE(source, node, probability, counts[node]);
    sum += probability;
    if (probability == 0) {
      REQUIRE(counts[node] == 0);
      continue;
    }
    const double expected = draws * probability;
    REQUIRE(expected > 50);
    chi_square += (counts[node] - expected) * (counts[node] - expected) / expected;
    ++freedom;
  }
  CAPTURE(source, chi_square, freedom);
  REQUIRE(sum == Approx(1.0));
  REQUIRE(chi_square <= freedom + 5 * std::sqrt(2 * freedom) + 10);
}

/// Every kind of pattern on 16 nodes of a 4x4 cube.
void require_all_as_drawn(const PatternConfig& config) {
  // Node 3 sends to itself alone where that is allowed; node 5 is silent.
  const TextFile file("0 1 1\n0 2 3\n0 9 4\n1 0 2\n3 " + std::string(config.to_self ? "3" : "4") +
                      " 1\n7 15 5\n7 0 5\n7 8 10\n7 12 2\n");
  std::vector<std::pair<std::string, std::vector<std::string>>> list;
  for (const auto& [word, name] : pattern_kinds().words()) {
    if (name == "matrix") {
      list.push_back({name, {"traffic.matrix=" + file.path()}});
    } else if (name == "hotspot") {
      for (const char* hot : {"[3]", "[2,3,9]"})
        list.push_back({name, {"traffic.hotspot_share=0.3", "traffic.hotspots=" + std::string(hot)}});
    } else {
      list.push_back({name, {}});
    }
  }
  for (const auto& [name, settings] : list) {
    PatternKinds kinds = pattern_kinds();
    std::string kind = name;
    config::KeyTable keys;
    keys.add_choice("traffic.pattern", kind, kinds.words(), "pattern");
    kinds.add_keys(keys);
    for (const std::string& setting : settings) keys.set_from_command_line(setting);
    const auto pattern = kinds.make(name, config);
    unsigned asked = 0;
    CAPTURE(name, settings, config.to_self, config.states.size());
    for (NodeId source = 0; source < config.nodes; ++source) {
      if (pattern->share(source) == 0) continue;
      require_as_drawn(*pattern, config, source);
      ++asked;
    }
    REQUIRE(asked > 2);
  }
}

}  // namespace

TEST_CASE("every pattern draws its destinations with its stated probabilities") {
  PatternConfig config = nodes(16);
  config.radices = {4, 4};
  const graph::Topology topology = graph::make_mesh({4, 2}, 2, 1);
  config.topology = &topology;
  for (const bool to_self : {true, false}) {
    config.to_self = to_self;
    config.states.clear();
    require_all_as_drawn(config);
    config.states.assign(16, NodeState::living);
    config.states[2] = NodeState::dead;
    config.states[12] = NodeState::cut_off;
    require_all_as_drawn(config);
  }
}
