// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/config/key_table.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/reconfiguration/reconfiguration.h"

using namespace tsuji;
using namespace tsuji::network;

namespace {

NetworkConfig resolved(const std::string& yaml) {
  NetworkConfig config;
  config::KeyTable keys;
  add_network_keys(keys, config);
  add_network_fault_keys(keys, config);
  config::read_yaml_text(keys, yaml, "net.yaml");
  keys.check([&] { config.resolve(); });
  keys.refuse_idle();
  keys.check([&] { config.validate(); });
  keys.check([&] {
    const NetworkPlan plan(config);
    (void)make_reconfiguration(config, plan.topology, *plan.routing);
  });
  return config;
}

std::string refusal_of(const std::string& yaml) {
  return tsuji::test::text_of<ConfigError>([&] { (void)resolved(yaml); }, "accepted");
}

const std::string torus = "topology: {kind: torus, radices: [6, 5]}\n";
const std::string ud = torus + "routing.kind: detour_ud\n";

}  // namespace

TEST_CASE("a routing that recovers gets a timeout, a hop limit and u-turns") {
  const NetworkConfig none = resolved(torus);
  CHECK(none.network.router.block_timeout_cycles == 0);
  CHECK(none.network.router.hop_limit == 0);
  CHECK_FALSE(none.network.router.uturn_network);
  const NetworkConfig own = resolved(ud);
  CHECK(own.network.router.block_timeout_cycles == 128);
  CHECK(own.network.router.hop_limit == 4 * (3 + 2));
  CHECK(own.network.router.uturn_network);
  const NetworkConfig mesh = resolved("topology.radices: [6, 5]\nrouting.kind: detour_ud\n");
  CHECK(mesh.network.router.hop_limit == 4 * (5 + 4));
  const NetworkConfig set =
      resolved(ud + "router: {block_timeout_cycles: 64, hop_limit: 0, uturn_network: true}\n");
  CHECK(set.network.router.block_timeout_cycles == 64);
  CHECK(set.network.router.hop_limit == 0);
  const NetworkConfig nf = resolved(torus + "routing.kind: detour_nf\nrouter.atomic_vcs: true\n");
  CHECK(nf.network.router.uturn_network);
  CHECK(nf.network.router.block_timeout_cycles == 0);
  CHECK(nf.network.router.hop_limit == 0);
  NetworkConfig direct;
  direct.routing.kind = "detour_ud";
  direct.network.router.block_timeout_cycles = 32;
  direct.resolve();
  CHECK(direct.network.router.block_timeout_cycles == 32);
}

TEST_CASE("values that disable the recovery of a recovering routing are refused") {
  CHECK(refusal_of(ud + "router.block_timeout_cycles: 0\n") ==
        "net.yaml:3:30: router.block_timeout_cycles: deadlocked packets would never enter recovery (got "
        "'0'); accepted: 1..65535, or auto: 128");
  CHECK(refusal_of(ud + "router.uturn_network: false\n") ==
        "net.yaml:3:23: router.uturn_network: with this routing, the port through which a packet arrived may "
        "be its only candidate (got 'false'); accepted: true or auto");
  CHECK(refusal_of(ud + "router.vcs: 1\n") ==
        "net.yaml:3:13: router.vcs: too few virtual channels for routing detour_ud (got '1'); accepted: "
        "2..16");
  CHECK(refusal_of(ud + "router.vcs: 3\nrouting.ud_vcs: 3\n") ==
        "net.yaml:3:13: router.vcs: too few virtual channels for routing detour_ud (got '3'); accepted: "
        "4..16");
  CHECK(refusal_of(ud + "routing.ud_vcs: 0\n") ==
        "net.yaml:3:17: routing.ud_vcs: out of range (got '0'); accepted: an integer 1..15");
}

TEST_CASE("impossible dead links and routers are refused with their position") {
  struct Case {
    std::string yaml, refusal;
  };
  const Case one = GENERATE(
      Case{"faults.links: [3, 60]\n",
           "net.yaml:3:15: faults.links: value 2 of the list names no link (got "
           "'60'); accepted: 0..59"},
      Case{"faults.routers: [3, 3]\n",
           "net.yaml:3:17: faults.routers: value 2 of the list names a router that value 1 also names (got "
           "'3'); accepted: each router once"},
      Case{"faults: {random_links: 2, routers: [1]}\n",
           "net.yaml:3:24: faults.random_links: random faults cannot be combined with named ones (got '2'); "
           "accepted: 0, or faults.links and faults.routers []"},
      Case{"faults.random_routers: 30\n",
           "net.yaml:3:24: faults.random_routers: leaves no router alive (got '30'); accepted: 0..29"},
      Case{"faults.routers: [4]\nlink.faults: 0@5\n",
           "net.yaml:4:14: link.faults: links that fail during a run cannot be combined with dead links and "
           "routers (got '0@5'); accepted: none, or no faults.*"},
      Case{"faults.routers: [4]\nrouting.region_distance: 0\n",
           "net.yaml:4:26: routing.region_distance: with faults, heads would be routed over dead links (got "
           "'0'); accepted: 1 or more"},
      Case{"faults.routers: [4]\nrouting.root_priority: [4]\n",
           "net.yaml:4:24: routing.root_priority: no router of the list lives (got '4'); accepted: a list "
           "with a living router, or none"});
  CHECK(refusal_of(ud + one.yaml) == one.refusal);
}

TEST_CASE("impossible transient faults are refused with their position") {
  struct Case {
    std::string yaml, refusal;
  };
  const Case one = GENERATE(
      Case{"faults.events: \"link 3@5, link 3@7\"\n",
           "net.yaml:3:16: faults.events: is already dead (got 'link 3 dies in cycle 7'); accepted: deaths "
           "and returns of one link or router in turn"},
      Case{"faults.events: \"link 3@9:5\"\n",
           "net.yaml:3:16: faults.events: the return is not later than the failure (got 'link 3@9:5'); "
           "accepted: RETURNS above DIES"},
      Case{"faults: {links: [3], events: \"link 3@9\"}\n",
           "net.yaml:3:30: faults.events: is already dead (got 'link 3 dies in cycle 9'); accepted: deaths "
           "and returns of one link or router in turn"},
      Case{"faults.events: router 30@9\n",
           "net.yaml:3:16: faults.events: does not exist (got 'router 30 dies in cycle 9'); accepted: 0..29"},
      Case{"faults: {events: link 3@9, campaign: {deaths: 4, link_mean_cycles: 100}}\n",
           "net.yaml:3:18: faults.events: a failure campaign (faults.campaign.deaths) cannot be combined "
           "with given events (got 'link 3@9'); accepted: none, or faults.campaign.deaths 0"},
      Case{"faults.campaign.deaths: 4\n",
           "net.yaml:3:25: faults.campaign.deaths: neither links nor routers have a mean lifetime (got '4'); "
           "accepted: 0, or faults.campaign.link_mean_cycles or .router_mean_cycles of at least 1"},
      Case{"faults.campaign: {deaths: 4, link_mean_cycles: 0.5}\n",
           "net.yaml:3:48: faults.campaign.link_mean_cycles: not a mean time to failure (got '0.500000'); "
           "accepted: 0, or a number of at least 1"},
      Case{"faults.campaign: {deaths: 4, link_mean_cycles: -2}\n",
           "net.yaml:3:48: faults.campaign.link_mean_cycles: out of range (got '-2'); accepted: a number "
           "0..1e+15"},
      Case{"faults.events: link 3@9\nlink.faults: 0@5\n",
           "net.yaml:4:14: link.faults: links that fail during a run cannot be combined with dead links and "
           "routers (got '0@5'); accepted: none, or no faults.*"},
      Case{"faults.events: link 3@9\nrouter.dead_route: wait\n",
           "net.yaml:4:18: router.dead_route: a head in recovery that waits for a dead link would block "
           "control "
           "messages on its channel (got 'wait'); accepted: drop, or no faults.events and no campaign"},
      Case{"faults: {events: link 3@9, losses: nothing}\n",
           "default: routing.ud_vcs: two generations of tables cannot have half each (got '1'); "
           "accepted: "
           "an even number with faults.losses nothing"},
      Case{"faults.events: router 4@9\nrouting.root_priority: [4]\n",
           "net.yaml:4:24: routing.root_priority: no router of the list is alive after cycle 9, when router "
           "4 dies (got '4'); accepted: a list with a living router at all times, or none"});
  CHECK(refusal_of(ud + one.yaml) == one.refusal);
}

TEST_CASE("routers die during a run only if the others change their tables") {
  CHECK(refusal_of(ud + "faults.events: router 3@50:70\n") == "accepted");
  CHECK(refusal_of(torus + "faults.events: link 3@50:70\n") == "accepted");
  CHECK(
      refusal_of(torus + "faults.events: router 3@50:70\n") ==
      "net.yaml:2:16: faults.events: routers die during a run only where the others change their tables (got "
      "'router 3 dies in cycle 50'); accepted: links, or routing.kind detour_ud");
  CHECK(refusal_of(torus + "faults.losses: everything\n") ==
        "net.yaml:2:16: faults.losses: has no effect with routing.kind dimension_order (got 'everything'); "
        "accepted: routing.kind detour_ud, or the key left out");
}

TEST_CASE("faults are refused for routings that do not tolerate them") {
  CHECK(refusal_of(ud + "faults.routers: [4]\n") == "accepted");
  CHECK(refusal_of(torus + "routing.kind: detour_nf\nrouter.atomic_vcs: true\nfaults.routers: [4]\n") ==
        "accepted");
  CHECK(refusal_of(torus + "faults.routers: [4]\n") ==
        "net.yaml:2:17: faults.routers: has no effect with routing.kind dimension_order (got '[4]'); "
        "accepted: routing.kind detour_ud, detour_nf, compact, or the key left out");
  CHECK(refusal_of(torus + "router.table_ports: 1\n") ==
        "net.yaml:2:21: router.table_ports: has no effect with routing.kind dimension_order (got '1'); "
        "accepted: routing.kind detour_ud, or the key left out");
  NetworkConfig config;
  config.topology.kind = "torus";
  config.routing.kind = "duato";
  const graph::Topology topology = make_topology(config.topology, 1);
  CHECK_THROWS_WITH(make_routing(config.routing, topology, 4, {{}, {3}}),
                    Catch::Contains("routing.kind") &&
                        Catch::Contains("accepted: detour_ud, detour_nf or compact, or no faults.*"));
}

TEST_CASE("a random set of dead links and routers follows from its seed and leaves the others connected") {
  const auto drawn = [](unsigned seed) {
    FaultsConfig config;
    config.random_links = 3;
    config.random_routers = 2;
    config.seed = seed;
    return config.on(graph::make_torus({6, 6}, 1, 1));
  };
  const graph::FaultSet first = drawn(1);
  CHECK(first.links.size() == 3);
  CHECK(first.routers.size() == 2);
  CHECK((drawn(1).links == first.links && drawn(1).routers == first.routers));
  CHECK((drawn(2).links != first.links || drawn(2).routers != first.routers));
}
