// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_kinds.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

/// A table of all topologies' keys, fresh for every use.
struct Setup {
  TopologyKinds kinds = topology_kinds();
  std::string kind = "mesh";
  config::KeyTable keys;
  Setup() {
    keys.add_choice("topology.kind", kind, kinds.words(), "topology");
    kinds.add_keys(keys);
  }
  bool takes(const std::string& key, const std::string& value) {
    return !tsuji::test::thrown<ConfigError>([&] { keys.set_from_command_line(key + "=" + value); });
  }
};

}  // namespace

TEST_CASE("the keys of topologies accept what the topologies accept") {
  struct Range {
    const char* key;
    std::uint64_t low, high;
  };
  for (const Range& range : std::vector<Range>{{"nodes_per_router", 1, 256},
                                               {"up_links", 1, 256},
                                               {"down_links", 2, 256},
                                               {"levels", 1, 16},
                                               {"radix", 2, 128},
                                               {"stages", 1, 20},
                                               {"nodes", 3, 65536},
                                               {"degree", 2, 128},
                                               {"wire_length", 1, 8192},
                                               {"cycles_per_length", 0, 1000},
                                               {"global_links", 1, 256},
                                               {"groups", 0, 65536},
                                               {"group_routers", 1, 256},
                                               {"global_latency_cycles", 0, 1'000'000},
                                               {"leaves", 1, 256},
                                               {"spines", 1, 256},
                                               {"field", 2, 128},
                                               {"trunks", 1, 64},
                                               {"dimension_latency_cycles", 0, 1'000'000},
                                               {"step_latency_cycles", 0, 10'000},
                                               {"interval", 2, 32'767},
                                               {"express_latency_cycles", 0, 1'000'000}}) {
    const std::string key = std::string("topology.") + range.key;
    CAPTURE(key);
    CHECK(Setup().takes(key, std::to_string(range.low)));
    CHECK(Setup().takes(key, std::to_string(range.high)));
    if (range.low > 0) CHECK_FALSE(Setup().takes(key, std::to_string(range.low - 1)));
    CHECK_FALSE(Setup().takes(key, std::to_string(range.high + 1)));
  }
  CHECK(Setup().takes("topology.radices", "[2,32768]"));
  CHECK(Setup().takes("topology.radices", "[2,2,2,2,2,2,2,2]"));
  for (const char* value : {"[]", "[1,4]", "[32769]", "[2,2,2,2,2,2,2,2,2]"})
    CHECK_FALSE(Setup().takes("topology.radices", value));
  CHECK(Setup().takes("topology.wraps", "[0,1]"));
  CHECK(Setup().takes("topology.wraps", "[1,1,1,1,1,1,1,1]"));
  for (const char* value : {"[]", "[2]", "[1,1,1,1,1,1,1,1,1]"})
    CHECK_FALSE(Setup().takes("topology.wraps", value));
  CHECK(Setup().takes("topology.seed", "18446744073709551615"));
}

TEST_CASE("every kind of topology but a file can be made with its defaults, and has its routing") {
  struct Kind {
    const char* name;
    unsigned routers, nodes;
    const char* routing;
  };
  const TopologyKinds kinds = topology_kinds();
  // Squares of 8x8, the fat tree (4,4,3) of Tateshita 2009, 64 lines through three stages of 4x4 switches,
  // random graphs of 64 routers, and small networks of groups.
  for (const Kind& kind : std::vector<Kind>{{"mesh", 64, 64, "dimension_order"},
                                            {"torus", 64, 64, "dimension_order"},
                                            {"cube", 64, 64, "dimension_order"},
                                            {"fat_tree", 48, 64, "least_common_ancestor"},
                                            {"fly", 48, 64, "destination_digits"},
                                            {"random_grid", 64, 64, "up_down"},
                                            {"random_regular", 64, 64, "up_down"},
                                            {"express_mesh", 64, 64, "minimal"},
                                            {"hyperx", 64, 64, "minimal"},
                                            {"dragonfly", 36, 36, "minimal"},
                                            {"dragonfly_plus", 72, 36, "minimal"},
                                            {"slim_fly", 50, 50, "minimal"},
                                            {"polar_fly", 31, 31, "minimal"}}) {
    CAPTURE(kind.name);
    const Topology topology = kinds.make(kind.name, 3);
    CHECK(topology.routers() == kind.routers);
    CHECK(topology.nodes() == kind.nodes);
    for (const RouterLink& link : topology.links())  // of one step, or an express link of four
      REQUIRE((link.latency_cycles == 3 ||
               (kind.name == std::string("express_mesh") && link.latency_cycles == 12)));
    CHECK(kinds.traits(kind.name).routing == kind.routing);
  }
  CHECK_THROWS_WITH(kinds.make("file", 1), Catch::Contains("topology.file") && Catch::Contains("no file"));
  CHECK_THROWS_WITH(kinds.validate("file"), Catch::Contains("topology.file") && Catch::Contains("no file"));
}

TEST_CASE("a kind's defaults are those of its page") {
  const TopologyKinds kinds = topology_kinds();
  const auto same = [&](const char* kind, const Topology& other) {
    const Topology topology = kinds.make(kind, 1);
    const auto equal = [](const RouterLink& a, const RouterLink& b) { return a.a == b.a && a.b == b.b; };
    return topology.name() == other.name() && topology.ports(0) == other.ports(0) &&
           std::equal(topology.links().begin(), topology.links().end(), other.links().begin(),
                      other.links().end(), equal);
  };
  CHECK(same("mesh", make_mesh({8, 8}, 1, 1)));
  CHECK(same("torus", make_torus({8, 8}, 1, 1)));
  CHECK(same("cube", make_cube({{8, 8}, {true, false}, 1}, 1)));
  CHECK(same("fat_tree", make_fat_tree(4, 4, 3, 1)));
  CHECK(same("fly", make_fly(4, 3, 1)));
  CHECK(same("random_grid", make_random_grid({64, 4, 3, 1, 0}, 1)));
  CHECK(same("random_grid", make_random_grid({}, 1)));
  CHECK(same("random_regular", make_random_regular(64, 4, 1, 1)));
}
