// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"

// Facts that a network reports to its routing with each query: hops between routers and the packet's class.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

PacketClass class_of(NodeId source) {
  return static_cast<PacketClass>(source % 3);
}

/// Single packets from every node to every other.
std::unique_ptr<traffic::EmissionSource> packets_of(NodeId node, unsigned nodes) {
  std::vector<traffic::Emission> list;
  for (NodeId to = 0; to < nodes; ++to) {
    traffic::Emission emission;
    emission.created = 10 + 3 * Cycle{to};
    emission.destination = to;
    emission.flits = 1 + to % 4;
    emission.payload_bytes = 0;
    emission.packet_class = class_of(node);
    list.push_back(emission);
  }
  return std::make_unique<traffic::ListedEmissions>(std::move(list));
}

}  // namespace

TEST_CASE("every query has its packet's class, and the hops that the packet's record counts in the end") {
  struct Case {
    const char* faults;
    router::RouteAt at;
    Cycle block_timeout;  ///< runs the full driver
  };
  const Case cases[] = {{"", router::RouteAt::front, 0},
                        {"", router::RouteAt::front, 500},
                        {"", router::RouteAt::arrival, 0},
                        {"5@60:90", router::RouteAt::front, 0},
                        {"5@60:90", router::RouteAt::arrival, 0}};
  std::vector<std::unique_ptr<VcRig>> rigs;
  std::vector<std::unique_ptr<ScriptedRouting>> routings;
  std::vector<std::vector<routing::RouteQuery>> asked(std::size(cases));
  for (const Case& one : cases) {
    NetworkConfig config = torus(4);
    config.link_faults = one.faults;
    config.network.router.route_at = one.at;
    config.network.router.dead_route = router::DeadRoute::wait;
    config.network.router.block_timeout_cycles = one.block_timeout;
    rigs.push_back(std::make_unique<VcRig>(config));
    routings.push_back(std::make_unique<ScriptedRouting>(
        *rigs.back()->plan.routing,
        [&list = asked[routings.size()]](const auto& query, const auto&) { list.push_back(query); }));
    const unsigned nodes = rigs.back()->plan.topology.nodes();
    rigs.back()->route_by(*routings.back());
    rigs.back()->build([nodes](NodeId node) { return packets_of(node, nodes); });
  }
  for (std::size_t i = 0; i < rigs.size(); ++i) {
    CAPTURE(cases[i].faults, static_cast<int>(cases[i].at), cases[i].block_timeout);
    REQUIRE(rigs[i]->run_until_idle(20'000));
    std::map<PacketId, std::vector<graph::RouterId>> paths;
    bool same = true;
    for (const routing::RouteQuery& query : asked[i]) {
      std::vector<graph::RouterId>& path = paths[query.packet];
      if (path.empty() || path.back() != query.router) path.push_back(query.router);  // no repetition
      same = same && query.hops == path.size() - 1 && query.packet_class == class_of(query.source.node());
    }
    CHECK(same);
    CHECK(rigs[i]->delivered.size() > 200);
    unsigned longest = 0;
    for (const observe::DeliveredPacket& packet : rigs[i]->delivered) {
      same = same && paths.at(packet.id).size() == packet.hops;
      longest = std::max(longest, packet.hops);
    }
    CHECK(same);
    CHECK(longest == 5);
  }
}
