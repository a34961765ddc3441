// SPDX-License-Identifier: Apache-2.0

#include "own_kinds.h"
#include "support/catch.h"
#include "tsuji/graph/topology_kinds.h"

using namespace tsuji;
using namespace tsuji::graph;

namespace {

/// The topologies of the library and the example, with their keys.
struct Topologies {
  TopologyKinds kinds = topology_kinds();
  std::string kind = "full_mesh";
  config::KeyTable keys;

  explicit Topologies(const std::vector<std::string>& assignments = {}) {
    example::add_full_mesh(kinds);
    keys.add_choice("topology.kind", kind, kinds.words(), "which network");
    kinds.add_keys(keys);
    for (const std::string& assignment : assignments) keys.set_from_command_line(assignment);
    keys.refuse_idle();
  }
  Topology make() const { return kinds.make(kind, 3); }
};

}  // namespace

TEST_CASE("full mesh: one link connects every router to every other one, followed by nodes") {
  const Topology topology = Topologies({"topology.routers=5", "topology.nodes_per_router=2"}).make();
  CHECK(topology.routers() == 5);
  REQUIRE(topology.nodes() == 10);
  REQUIRE(topology.links().size() == 10);
  for (RouterId here = 0; here < 5; ++here) {
    REQUIRE(topology.ports(here) == 6);
    for (unsigned port = 0; port < 4; ++port) {
      const Topology::Far& far = topology.far(here, port);
      CHECK(far.at.router == (port < here ? port : port + 1));
      CHECK(topology.far(far.at.router, far.at.port).at == PortRef{here, port});
      CHECK(topology.links()[far.link].latency_cycles == 3);
    }
    CHECK(topology.far(here, 5).node == 2 * here + 1);
  }
}

TEST_CASE("full mesh: its keys are read by it, and by other kinds only if they declare it") {
  CHECK(Topologies().make().routers() == 8);
  CHECK_THROWS_WITH(Topologies({"topology.routers=1"}), Catch::Contains("an integer 2..256"));
  CHECK_THROWS_WITH(Topologies({"topology.kind=mesh", "topology.routers=9"}),
                    Catch::Contains("has no effect with topology.kind mesh"));
  CHECK_THROWS_WITH(Topologies({"topology.radices=[2,2]"}),
                    Catch::Contains("accepted: topology.kind mesh, torus, cube, hyperx, express_mesh, or"));
  CHECK(Topologies({"topology.kind=mesh", "topology.nodes_per_router=2"}).make().nodes() == 128);
  CHECK_THROWS_WITH(Topologies({"topology.routers=256", "topology.nodes_per_router=17"}).make(),
                    Catch::Contains("topology.nodes_per_router: too many nodes") && Catch::Contains("1..16"));
}
