// SPDX-License-Identifier: Apache-2.0
// Uses of virtual channels on a 3x3 mesh, counted by hand: 72 pairs, 36 of them in one row or column, which
// have one shortest path.

#include "tsuji/routing/checkers/vc_use.h"

#include <memory>
#include <sstream>

#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/routing/detour/detour_ud.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::Topology;

namespace {

std::string use_of(const Topology& topology, const Routing& routing, unsigned vcs) {
  std::ostringstream out;
  print_vc_use(vc_use(topology, graph::LivingNetwork(topology, {}), routing, vcs), out);
  return out.str();
}

const std::string names = "packets,vc,pairs,one_output,all_shortest\n";

}  // namespace

TEST_CASE("a channel of dimension order offers one output, an adaptive one every shortest port", "[vc_use]") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  CHECK(use_of(topology, DimensionOrder(topology, 2), 2) == names + "normal,0,72,72,36\nnormal,1,72,72,36\n");
  CHECK(use_of(topology, Duato(topology, 2), 2) == names + "normal,0,72,72,36\nnormal,1,72,36,72\n");
}

TEST_CASE(
    "a recovery channel is offered in recovery alone, at fewer outputs than the shortest where paths go up "
    "and down",
    "[vc_use]") {
  const Topology topology = graph::make_mesh({3, 3}, 1, 1);
  // The root is at (0, 0), so up is to lower coordinates: 18 pairs need one hop down and one hop up, which
  // comes first.
  const DetourUd routing(
      topology, 2, std::make_shared<const DetourGeneration>(topology, graph::FaultSet{}, DetourConfig{}));
  CHECK(use_of(topology, routing, 2) ==
        names + "normal,0,72,36,72\nnormal,1,0,0,0\nrecovery,0,0,0,0\nrecovery,1,72,54,54\n");
}
