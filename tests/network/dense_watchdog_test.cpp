// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "network/dense_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/core/error.h"

// The watchdog of networks of neighbourhoods.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using namespace tsuji::network::test::drawn_dense;

namespace {

/// Ever upwards around the rings of a torus, first in dimension 0: packets wait for each other in circles.
class Upwards final : public routing::Routing {
 public:
  explicit Upwards(const graph::Topology& topology) : topology_(topology) {}
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    const graph::PortRef& eject = topology_.node(query.destination.node()).eject;
    candidates.clear();
    candidates.add(query.router == eject.router ? eject.port : next(query.router, eject.router), 1);
  }
  routing::VcMask injection_vcs(End, End) const override { return 1; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  routing::RoutingPromises promises() const override {
    routing::RoutingPromises promises;
    promises.place_decides = promises.always_leads_on = true;
    return promises;
  }

 private:
  unsigned next(graph::RouterId here, graph::RouterId to) const {
    const graph::Coordinates begin = topology_.coordinates(here), end = topology_.coordinates(to);
    std::vector<unsigned> at(begin.begin(), begin.end());
    const std::size_t dimension = at[0] == end[0] ? 1 : 0;
    at[dimension] = (at[dimension] + 1) % 4;
    unsigned port = 0;
    while (topology_.far(here, port).kind != graph::Topology::Far::Kind::router ||
           topology_.coordinates(topology_.far(here, port).at.router) != at)
      ++port;
    return port;
  }
  const graph::Topology& topology_;
};

}  // namespace

TEST_CASE("dense: the watchdog says the same in the same cycle") {
  const auto failure = [](std::uint64_t seed, bool dense, bool whole_packets) {
    return tsuji::test::forked([=] {
      NetworkConfig config = torus(4);
      config.network.buffer_flits = (whole_packets ? 8 : 2) + static_cast<unsigned>(seed % 3);
      if (whole_packets) {
        config.network.router.switching = Switching::virtual_cut_through;
        config.network.router.switch_hold = router::SwitchHold::packet;
      }
      config.watchdog_cycles = 500 + seed;
      VcRig rig(config);
      const Upwards routing(rig.plan.topology);
      rig.route_by(routing);
      rig.parts->only_results = dense;
      rig.parts->flits_are_observed = !dense;
      rig.build(load(1, 8, never), seed);
      if (rig.loaded->network().is_dense() != dense) throw std::logic_error("another driver");
      try {
        rig.loaded->run_to(20'000);
      } catch (const ModelError& error) {
        return std::string(error.what());
      }
      return std::string("no deadlock");
    });
  };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const bool whole_packets = seed % 2 == 0;
    const std::string expected = failure(seed, false, whole_packets);
    CAPTURE(seed);
    CHECK(expected.find("wait for each other in a cycle") != std::string::npos);
    CHECK(first_difference(expected, failure(seed, true, whole_packets)) == "");
  }
}

TEST_CASE("dense: the watchdog waits for a memory that takes longer than it") {
  const std::string packets = tsuji::test::forked([] {
    NetworkConfig config = torus(4);
    config.lookup.kind = "cam";
    config.lookup.timing.cam_cycles = 3000;
    config.watchdog_cycles = 100;
    VcRig rig(config);
    rig.parts->only_results = true;
    rig.build(load(0.001, 1, 2000), 1);
    if (!rig.loaded->network().is_dense()) throw std::logic_error("another driver");
    if (!rig.run_until_idle(100'000)) throw std::logic_error("does not drain");
    return std::to_string(rig.by_packet().size());
  });
  CHECK(packets.find("exception") == std::string::npos);
  CHECK(packets != "0");
}
