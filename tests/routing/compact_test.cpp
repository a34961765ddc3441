// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact.h"
#include "support/thrown.h"

#include <sstream>

#include "routing/compact_cases.h"
#include "routing/walk.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/routing/checkers/deadlock.h"
#include "tsuji/routing/compact/table_bits.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::LivingNetwork;
using graph::Topology;
using tsuji::test::CompactCase;
using tsuji::test::ScriptedRouting;

namespace {

CompactRoutingConfig config_of(const CompactCase& example, unsigned number, CompactEscape escape) {
  CompactRoutingConfig config;
  config.distance = test::distance_of(example, number);
  config.escape = escape;
  return config;
}

std::vector<bool> silent_nodes(const Topology& topology, const LivingNetwork& network) {
  std::vector<bool> silent(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node)
    silent[node] = !network.lives(topology.node(node).eject.router);
  return silent;
}

Topology from_text(const std::string& text) {
  std::istringstream stream(text);
  return graph::read_topology(stream, "text", 1);
}

std::string refusal(const Topology& topology, unsigned vcs, const CompactRoutingConfig& config) {
  return tsuji::test::text_of<ConfigError>([&] { const Compact routing(topology, vcs, config); }, "accepted");
}

CompactRoutingConfig with(std::optional<std::uint64_t> entries,
                          CoordinateDistance distance = CoordinateDistance::euclid,
                          CompactEscape escape = CompactEscape::layers) {
  CompactRoutingConfig config;
  config.entries = entries;
  config.distance = distance;
  config.escape = escape;
  return config;
}

void require_tables_ways(unsigned first, unsigned last) {
  for (unsigned number = first; number < last; ++number) {
    const CompactCase example = test::compact_case(number);
    const Topology& topology = example.topology;
    CAPTURE(topology.name());
    const LivingNetwork network(topology, example.faults);
    const Compact routing(topology, 12, config_of(example, number, CompactEscape::layers), example.faults);
    const LayerVcs vcs("compact", 12, routing.layers()->hops());
    for (NodeId from = 0; from < topology.nodes(); ++from)
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        if (!network.lives(topology.node(from).inject.router) ||
            !network.lives(topology.node(to).eject.router))
          continue;
        RouteQuery packet;
        packet.source = from;
        packet.destination = to;
        test::follow(topology, routing, 12, packet, topology.routers(), [&](const test::Step& step) {
          const RouterId here = step.query.router;
          const unsigned chosen = routing.tables().choose(here, topology.node(to).eject.router);
          REQUIRE(step.port == routing.tables().entries(here)[chosen].port);
          if (step.hop == 0) REQUIRE(vcs.layer(step.vc) == 0);
          if (step.hop == 0) return;
          const unsigned before = vcs.layer(step.query.in_vc), after = vcs.layer(step.vc);
          const bool stays = routing.layers()->has(before, here, step.query.in_port, step.port);
          REQUIRE(after == (stays ? before : before + 1));
        });
      }
  }
}

}  // namespace

TEST_CASE("packets follow compact tables in layers that only rise by one") {
  require_tables_ways(0, 15);
}

TEST_CASE("so they do on 45 graphs more", "[.][long]") {
  require_tables_ways(15, 60);
}

TEST_CASE("a head on the escape channel stays on the tree, others may follow the tables") {
  for (unsigned number = 0; number < 60; ++number) {
    const CompactCase example = test::compact_case(number);
    const Topology& topology = example.topology;
    CAPTURE(topology.name());
    const LivingNetwork network(topology, example.faults);
    const Compact routing(topology, 3, config_of(example, number, CompactEscape::tree), example.faults);
    CHECK(routing.vcs_needed() == 2);
    CHECK(routing.table_image() == nullptr);
    CHECK(routing.promises().needs_atomic_vcs);
    CHECK(routing.promises().turns_back);
    RouteSet candidates;
    for (RouterId here = 0; here < topology.routers(); ++here)
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        const RouterId end = topology.node(to).eject.router;
        if (!network.lives(here) || !network.lives(end) || here == end) continue;
        for (unsigned port = 0; port < topology.ports(here); ++port)
          for (unsigned vc = 0; vc < 3; ++vc) {
            RouteQuery query;
            query.router = here;
            query.in_port = port;
            query.in_vc = vc;
            query.destination = to;
            routing.route(query, candidates);
            const bool node = topology.far(here, port).kind == Topology::Far::Kind::node;
            const bool escaped = vc == 0 && !node;
            REQUIRE(candidates.size() == (escaped ? 1 : 2));
            const RouteCandidate& last = candidates[candidates.size() - 1];
            REQUIRE(last.rank == 1);
            REQUIRE(last.vcs == 1);
            REQUIRE(last.port == routing.tree()->port(here, end));
            if (escaped) continue;
            REQUIRE(candidates[0].rank == 0);
            REQUIRE(candidates[0].vcs == 0b110);
            REQUIRE(candidates[0].port ==
                    routing.tables().entries(here)[routing.tables().choose(here, end)].port);
          }
      }
  }
}

TEST_CASE("an escape tree routes every router to every other one, up and then down") {
  for (unsigned number = 0; number < 100; ++number) {
    const CompactCase example = test::compact_case(number);
    CAPTURE(example.topology.name());
    const LivingNetwork network(example.topology, example.faults);
    const EscapeTree tree(example.topology, network);
    std::vector<RouterId> parent(network.routers(), graph::none);
    unsigned used = 0;
    for (RouterId router = 0; router < network.routers(); ++router) {
      if (!network.lives(router) || router == tree.root()) continue;
      parent[router] = network.neighbour(router, tree.port(router, tree.root()));
      ++used;
    }
    CHECK(used == network.living() - 1);
    for (RouterId from = 0; from < network.routers(); ++from)
      for (RouterId to = 0; to < network.routers(); ++to) {
        if (!network.lives(from) || !network.lives(to)) continue;
        bool down = false;
        unsigned links = 0;
        for (RouterId at = from; at != to; ++links) {
          REQUIRE(links < network.living());
          const RouterId next = network.neighbour(at, tree.port(at, to));
          const bool leads_up = parent[at] == next;
          REQUIRE((leads_up || parent[next] == at));
          REQUIRE_FALSE((down && leads_up));
          down = !leads_up;
          at = next;
        }
      }
  }
}

TEST_CASE("compact tables are free of deadlock by layers and by a tree, on graphs of all kinds") {
  for (unsigned number = 0; number < 40; ++number) {
    const CompactCase example = test::compact_case(number);
    CAPTURE(example.topology.name());
    const LivingNetwork network(example.topology, example.faults);
    for (const CompactEscape escape : {CompactEscape::layers, CompactEscape::tree}) {
      const unsigned vcs = escape == CompactEscape::tree ? 2 : 8;
      const Compact routing(example.topology, vcs, config_of(example, number, escape), example.faults);
      DeadlockConfig config;
      config.vcs = vcs;
      config.uturn_network = routing.promises().turns_back;
      config.silent_nodes = silent_nodes(example.topology, network);
      const DeadlockReport report = check_deadlock(example.topology, routing, config);
      CHECK(report.good());
      CHECK(report.problems.empty());
    }
  }
}

TEST_CASE("with all layers merged compact tables may deadlock, and the checker reports a cycle") {
  const Topology grid = graph::make_random_grid({64, 4, 4, 1, 0}, 1);
  const Compact routing(grid, 8, with(16));
  REQUIRE(routing.vcs_needed() > 1);
  ScriptedRouting merged(routing, [](const RouteQuery&, RouteSet& candidates) {
    const unsigned port = candidates[0].port;
    candidates.clear();
    candidates.add(port, vc_range(0, 8));
  });
  merged.injection = ScriptedRouting::always(vc_range(0, 8));
  merged.promised.place_decides = true;
  const DeadlockReport report = check_deadlock(grid, merged, 8);
  CHECK_FALSE(report.deadlock_free);
  CHECK(report.cycle.size() >= 3);
}

TEST_CASE("nodes of dead routers have no route and no table entry") {
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  const Compact routing(mesh, 8, {}, {{}, {5}});
  RouteQuery query;
  query.router = 0;
  query.in_port = 4;
  query.destination = 5;
  RouteSet candidates;
  routing.route(query, candidates);
  CHECK(candidates.size() == 0);
  CHECK(routing.table_entry(0, 4, 5).vcs == 0);
  // The dead router's table has no entry, either.
  CHECK(routing.table_entry(5, 4, 0).vcs == 0);
}

TEST_CASE("compact tables refuse unsupported topologies") {
  const CompactRoutingConfig usual;
  const auto refused = [&](const Topology& topology, const std::string& problem) {
    const std::string text = refusal(topology, 8, usual);
    CAPTURE(text);
    CHECK(text.find("routing.kind") != std::string::npos);
    CHECK(text.find(problem) != std::string::npos);
  };
  refused(graph::make_random_regular(20, 3, 1, 1),
          "router 0 of random regular, 20 routers, degree 3, seed 1 has no coordinates");
  refused(from_text("router 0 at 0 0\nrouter 1 at 1 0\nrouter 2 at 0 0\nlink 0 1\nlink 1 2\nnode 0 at "
                    "0\nnode 1 at 2\n"),
          "routers 0 and 2 of text have the same coordinates");
  refused(from_text("router 0 at 0 0\nrouter 1 at 1\nlink 0 1\nnode 0 at 0\nnode 1 at 1\n"),
          "another number of coordinates");
  refused(from_text("router 0 at 0 0\nrouter 1 at 70000 0\nlink 0 1\nnode 0 at 0\nnode 1 at 1\n"),
          "more than 65535 apart");
  refused(from_text("router 0 at 0 0\nrouter 1 at 1 0\nrouter 2 at 2 0\nlink 0 1\nnode 0 at 0\nnode 1 at "
                    "1\nnode 2 at 2\n"),
          "router 2 is not connected");
  refused(graph::make_fly(2, 2, 1), "without one-way links");
  refused(graph::make_mesh({130, 130}, 1, 1), "computes the distances of all pairs of 16900 routers");
}

TEST_CASE("compact tables refuse unsupported entries, distances and virtual channels") {
  const Topology grid = graph::make_random_grid({256, 4, 8, 1, 0}, 1);
  const Compact routing(grid, 16, {});
  const RouterId router = routing.tables().most_mandatory();
  const unsigned needed = routing.tables().mandatory(router).all();
  CHECK(refusal(grid, 16, with(needed)) == "accepted");
  CHECK(routing.tables().capacity() >= 2 * needed);
  const std::string few = refusal(grid, 16, with(needed - 1));
  CHECK(few.find("routing.entries") != std::string::npos);
  CHECK(few.find("router " + std::to_string(router) + " needs " + std::to_string(needed)) !=
        std::string::npos);
  CHECK(refusal(grid, 16, with({}, CoordinateDistance::wrapped)).find("has no rings") != std::string::npos);
  const unsigned layers = routing.vcs_needed();
  CHECK(refusal(grid, layers, with({})) == "accepted");
  const std::string vcs = refusal(grid, layers - 1, with({}));
  CHECK(vcs.find("router.vcs") != std::string::npos);
  CHECK(vcs.find(std::to_string(layers) + "..16") != std::string::npos);
  CHECK(refusal(grid, 2, with({}, CoordinateDistance::euclid, CompactEscape::tree)) == "accepted");
  CHECK(refusal(grid, 1, with({}, CoordinateDistance::euclid, CompactEscape::tree)).find("2..16") !=
        std::string::npos);
}

TEST_CASE("bits of tables equal the paper's, and parts that it leaves out are counted") {
  const Topology grid = graph::make_random_grid({256, 4, 2, 1, 0}, 1);
  const CoordinateSpace space(grid, CoordinateDistance::euclid);
  const TableBitsOf bits(space, 4);
  // Section 4: 25 x (8 + 2) = 250 bits, 51 % less than 512.
  CHECK(bits.compact_entry() == 10);
  CHECK(bits.compact_with_layers(25, 3).table == 250);
  CHECK(bits.full().table == 512);
  CHECK(bits.compact_with_layers(25, 3).state == 3 * 4 * 3);
  CHECK(bits.compact_with_tree(25).state == 4 * 2 * 8 + 2);
  CHECK(bits.compact_with_tree(25).header == 16);
  CHECK(bits.compact_with_layers(25, 3).comparators == 25 * 9);  // distances up to 450
  CHECK(bits.source_table(3).all() == 512 + 256 * 3 + 3 * 12);
  CHECK(bits.up_down().all() == 1024 + 4);
  CHECK(bits.lash(5).all() == 512 + 256 * 3);
  // Where a number does not determine the coordinates, they are stored, too: 3 x 4 places, 5 routers.
  const Topology file = from_text(
      "router 0 at 0 0\nrouter 1 at 2 0\nrouter 2 at 0 3\nrouter 3 at 1 3\nrouter 4 at 2 2\nlink 0 1\nlink 0 "
      "2\n"
      "link 2 3\nlink 3 4\nnode 0 at 0\nnode 1 at 4\n");
  const TableBitsOf sparse(CoordinateSpace(file, CoordinateDistance::euclid), 2);
  CHECK(sparse.compact_entry() == 3 + 2 + 2 + 1);
  for (const auto& [count, wanted] : {std::pair{1U, 0U}, {2U, 1U}, {3U, 2U}, {256U, 8U}, {257U, 9U}})
    CHECK(bits_below(count) == wanted);
}
