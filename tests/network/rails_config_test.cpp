// SPDX-License-Identifier: Apache-2.0
#include "tsuji/network/config/rails_config.h"

#include <sstream>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/topology_file.h"

using namespace tsuji;
using network::RailPlacement;
using network::RailsConfig;

namespace {

/// A ring of routers with `places[router]` nodes each, numbered router by router.
graph::Topology ring(const std::vector<unsigned>& places) {
  std::ostringstream text;
  for (std::size_t r = 0; r < places.size(); ++r)
    text << "link " << r << ' ' << (r + 1) % places.size() << '\n';
  unsigned node = 0;
  for (std::size_t r = 0; r < places.size(); ++r)
    for (unsigned p = 0; p < places[r]; ++p) text << "node " << node++ << " at " << r << '\n';
  std::istringstream in(text.str());
  return graph::read_topology(in, "ring", 1);
}

traffic::Rails rails(unsigned count, RailPlacement placement, const std::vector<unsigned>& places) {
  RailsConfig config;
  config.count = count;
  config.placement = placement;
  config.choice = traffic::RailChoice::destination;
  return config.on(ring(places));
}

}  // namespace

TEST_CASE("the ports of a node have adjacent places, are at consecutive routers or in equal parts") {
  const std::vector<unsigned> places = {3, 3, 3, 3};
  struct Case {
    RailPlacement placement;
    NodeId second, fourth;  ///< places of the second port of nodes 0 and 4
  };
  const auto one = GENERATE(Case{RailPlacement::adjacent, 1, 9}, Case{RailPlacement::routers, 3, 10},
                            Case{RailPlacement::planes, 6, 10});
  const traffic::Rails made = rails(2, one.placement, places);
  CHECK(made.count() == 2);
  CHECK(made.choice() == traffic::RailChoice::destination);
  CHECK(made.place(0, 1) == one.second);
  CHECK(made.place(4, 1) == one.fourth);
  CHECK(rails(1, one.placement, {1, 2, 3}).count() == 1);
}

TEST_CASE("ports that do not make whole nodes are refused") {
  CHECK_THROWS_WITH(rails(5, RailPlacement::adjacent, {3, 3, 3, 3}),
                    Catch::StartsWith("rails.count: the topology has places for 12 ports"));
  CHECK_THROWS_WITH(rails(2, RailPlacement::routers, {2, 2, 2}),
                    Catch::Contains("3 routers have places for ports"));
  CHECK_THROWS_WITH(rails(2, RailPlacement::routers, {2, 2, 1, 3}),
                    Catch::StartsWith("rails.placement: the routers have different numbers of places"));
  CHECK_THROWS_WITH(rails(2, RailPlacement::routers, {2, 2, 2, 4}),
                    Catch::StartsWith("rails.placement: the routers have different numbers of places"));
  CHECK(rails(2, RailPlacement::planes, {2, 2, 1, 3}).stride() == 4);
  CHECK(rails(2, RailPlacement::routers, {2, 0, 2}).stride() == 2);  // of the routers with places
}
