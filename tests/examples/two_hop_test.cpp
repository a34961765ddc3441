// SPDX-License-Identifier: Apache-2.0

#include "own_kinds.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/topology_kinds.h"
#include "tsuji/routing/capacity/capacity_bound.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/routing_kinds.h"

using namespace tsuji;
using namespace tsuji::routing;

namespace {

graph::Topology full_mesh() {
  graph::TopologyKinds kinds;
  example::add_full_mesh(kinds);
  return kinds.make("full_mesh", 1);
}

std::unique_ptr<const Routing> two_hop(const std::string& detour_percent, const graph::Topology& topology,
                                       unsigned vcs) {
  RoutingKinds kinds = routing_kinds();
  example::add_two_hop(kinds);
  std::string kind = "two_hop";
  config::KeyTable keys;
  keys.add_choice("routing.kind", kind, kinds.words(), "routing algorithm");
  kinds.add_keys(keys);
  keys.set_from_command_line("routing.detour_percent=" + detour_percent);
  return kinds.make(kind, {topology, vcs});
}

DeadlockReport check(const graph::Topology& topology, const Routing& routing, unsigned vcs) {
  DeadlockConfig config;
  config.vcs = vcs;
  return check_deadlock(topology, routing, config);
}

}  // namespace

TEST_CASE("two hops: every packet arrives over at most two links, and dependencies are acyclic") {
  const graph::Topology topology = full_mesh();
  for (const unsigned vcs : {2U, 3U}) {
    const auto routing = two_hop("60", topology, vcs);
    unsigned detours = 0, packets = 0;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        for (unsigned draw = 0; draw < 20 && from != to; ++draw, ++packets) {
          RouteQuery query;
          query.source = query.router = from;
          query.in_port = topology.node(from).inject.port;
          query.destination = to;
          query.packet = packets;
          if (test::follow(topology, *routing, vcs, query, 2) == 2) ++detours;
        }
      }
    }
    // A quarter of the third routers drawn are source or destination; 1,120 packets.
    CHECK(packets == 1120);
    CHECK(std::abs(detours / double(packets) - 0.6 * 0.75) < 0.06);
    CHECK(check(topology, *routing, vcs).good());
  }
}

TEST_CASE("two hops: without detours every route is direct, and one virtual channel is enough") {
  const graph::Topology topology = full_mesh();
  const auto direct = two_hop("0", topology, 1);
  test::require_minimal_delivery(topology, *direct, 1);
  CHECK(direct->table_image()->table_form() == TableForm::port_and_vcs);
  CHECK(check(topology, *direct, 1).good());
  CHECK_THROWS_WITH(two_hop("1", topology, 1), Catch::Contains("router.vcs") && Catch::Contains("2..16"));
  CHECK_THROWS_WITH(two_hop("0", graph::make_mesh({3, 3}, 1, 1), 2),
                    Catch::StartsWith("routing.kind: does not fit the topology mesh 3x3"));
}

TEST_CASE("detours spread a permutation over all links, and their outcomes are as frequent as declared") {
  const graph::Topology topology = full_mesh();
  const unsigned nodes = topology.nodes();
  CapacityConfig config;
  config.demand = [nodes](NodeId from, NodeId to) { return to == (from + 1) % nodes ? 1.0 : 0.0; };
  for (const unsigned percent : {0U, 1U, 30U, 100U}) {
    CAPTURE(percent);
    const auto routing = two_hop(std::to_string(percent), topology, 2);
    // A direct link also carries detours from and to its own ends.
    const double detours = percent / 100.0;
    const double direct = 1 - detours + detours * 2 / nodes;
    double most = direct, sum = 0;
    config.flit_cycles = 1;
    const CapacityBound bound = capacity_bound(topology, *routing, config);
    REQUIRE(bound.kind == CapacityKind::exact);
    for (const LoadedChannel& channel : bound.channels) {
      if (channel.kind != LoadedChannel::Kind::link) continue;
      sum += channel.flits_per_cycle;
      most = std::max(most, channel.flits_per_cycle);
    }
    // A detour by another router takes two links.
    CHECK(sum == Approx(nodes * (1 + detours * (nodes - 2) / nodes)));
    CHECK(bound.flits_per_node_cycle == Approx(1 / std::max(1.0, most)));
    const RandomChoices* const choices = routing->random_choices();
    REQUIRE((choices == nullptr) == (detours == 0));
    if (choices == nullptr) continue;
    double shares = 0;
    for (std::uint64_t outcome = 0; outcome < choices->random_outcomes(); ++outcome)
      shares += choices->outcome_share(outcome);
    CHECK(shares == Approx(1.0));
    unsigned drawn = 0;
    for (PacketId packet = 0; packet < 10'000; ++packet) {
      RouteQuery query;
      query.packet = packet;
      drawn += choices->random_outcome(query) == 0 ? 1 : 0;
    }
    CHECK(drawn == Approx(10'000 * choices->outcome_share(0)).margin(250));
  }
}
