// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lookup/route_sets.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/lookup/compact_lookup.h"
#include "tsuji/routing/duato.h"

using namespace tsuji;
using namespace tsuji::lookup;
using tsuji::lookup::test::same;

namespace {

graph::Topology grid() {
  graph::RandomGridConfig config;
  config.nodes = 64;
  config.degree = 4;
  config.wire_length = 3;
  return graph::make_random_grid(config, 1);
}

routing::CompactRoutingConfig tables_of(unsigned entries,
                                        routing::CompactEscape escape = routing::CompactEscape::layers) {
  routing::CompactRoutingConfig config;
  config.entries = entries;
  config.escape = escape;
  return config;
}

/// One switch's hardware over a network of 64 routers, one node each.
struct Bench {
  explicit Bench(const LookupTiming& timing, routing::CompactEscape escape = routing::CompactEscape::layers)
      : topology(grid()),
        routing(topology, vcs, tables_of(20, escape)),
        keys(topology.nodes(), Identifiers::random, 3),
        shape({8, 2, "lru", false}) {
    keys.remember_sets(KeyHash("crc32c"), shape.sets());
    parts = std::make_unique<LookupParts>(LookupParts{routing, keys, &shape, timing, vcs, 1});
  }
  static constexpr unsigned vcs = 8;

  routing::RouteQuery query(graph::RouterId router, unsigned port, unsigned vc, NodeId destination) const {
    routing::RouteQuery query;
    query.router = router;
    query.in_port = port;
    query.in_vc = vc;
    query.destination = destination;
    return query;
  }
  graph::RouterId router_of(NodeId node) const { return topology.node(node).eject.router; }
  /// Cycles of a search without an early end: all entries at `width` a cycle, and one cycle to choose.
  Cycle whole_search(graph::RouterId router, unsigned width) const {
    Cycle cycles = 1;
    for (unsigned compared = 0; compared < routing.tables().entries(router).size(); compared += width)
      ++cycles;
    return cycles;
  }

  graph::Topology topology;
  routing::Compact routing;
  NodeKeys keys;
  CacheShape shape;
  std::unique_ptr<LookupParts> parts;
};

CompactSearchTiming search_of(unsigned width, bool ends_early = false, bool of_switch = false) {
  CompactSearchTiming search;
  search.entries_per_cycle = width;
  search.ends_early = ends_early;
  search.of_switch = of_switch;
  return search;
}

LookupTiming timing_of(const CompactSearchTiming& search) {
  LookupTiming timing;
  timing.search = search;
  return timing;
}

/// The first destination at another router for which `router` has no entry.
NodeId without_entry(const Bench& bench, graph::RouterId router) {
  const auto entries = bench.routing.tables().entries(router);
  for (NodeId node = 0; node < bench.topology.nodes(); ++node) {
    const graph::RouterId to = bench.router_of(node);
    const bool held = std::any_of(entries.begin(), entries.end(), [to](const routing::CompactEntry& entry) {
      return entry.destination == to;
    });
    if (to != router && !held) return node;
  }
  throw std::runtime_error("no such destination");
}

}  // namespace

TEST_CASE("a search compares all entries, or up to the destination's own, and chooses in one cycle",
          "[compact]") {
  const Bench bench(timing_of({}));
  for (const unsigned width : {1U, 3U, 8U, 100U}) {
    for (graph::RouterId router = 0; router < bench.topology.routers(); ++router) {
      const CompactSearches whole(bench.routing, search_of(width), router, 5);
      const CompactSearches early(bench.routing, search_of(width, true), router, 5);
      const auto entries = bench.routing.tables().entries(router);
      for (NodeId node = 0; node < bench.topology.nodes(); ++node) {
        CAPTURE(width, router, node);
        if (bench.router_of(node) == router) {
          for (const CompactSearches* searches : {&whole, &early}) {
            CHECK(searches->search(node).cycles == 1);
            CHECK(searches->search(node).entries == 0);
          }
          continue;
        }
        CHECK(whole.search(node).cycles == bench.whole_search(router, width));
        CHECK(whole.search(node).entries == entries.size());
        // Counts cycle by cycle until the destination is among the compared entries.
        unsigned compared = 0;
        Cycle cycles = 0;
        for (bool found = false; !found && compared < entries.size(); ++cycles) {
          for (unsigned i = 0; i < width && compared < entries.size(); ++i)
            found = entries[compared++].destination == bench.router_of(node) || found;
        }
        CHECK(early.search(node).cycles == cycles + 1);
        CHECK(early.search(node).entries == compared);
      }
    }
  }
}

TEST_CASE("searches of a unit follow each other, and those of other ports' units do not wait", "[compact]") {
  const Bench bench(timing_of({}));
  const graph::RouterId router = 27;
  const NodeId node = without_entry(bench, router);
  const Cycle cycles = bench.whole_search(router, 4);
  const unsigned entries = bench.routing.tables().entries(router).size();
  REQUIRE(cycles == 6);  // 17 to 20 entries
  CompactSearches of_ports(bench.routing, search_of(4), router, 5);
  CHECK(of_ports.start(0, node, 100) == 106);
  CHECK(of_ports.start(0, node, 101) == 112);
  CHECK(of_ports.start(1, node, 101) == 107);
  CHECK(of_ports.start(0, node, 112) == 118);
  LookupCounters counters;
  of_ports.add_to(counters);
  CHECK(counters.searches == 4);
  CHECK(counters.entries_compared == 4 * entries);
  CHECK(counters.search_busy_cycles == 24);
  CHECK(counters.search_wait_sum == 5);
  CHECK(counters.search_wait_most == 5);
  CompactSearches of_switch(bench.routing, search_of(4, false, true), router, 5);
  CHECK(of_switch.start(0, node, 100) == 106);
  CHECK(of_switch.start(1, node, 100) == 112);
  of_switch.add_to(counters);
  CHECK(counters.searches == 6);
  CHECK(counters.search_wait_sum == 11);
  CHECK(counters.search_wait_most == 6);
  LookupCounters sum = counters;
  sum += counters;
  CHECK(sum.searches == 12);
  CHECK(sum.entries_compared == 12 * entries);
  CHECK(sum.search_busy_cycles == 72);
  CHECK(sum.search_wait_sum == 22);
  CHECK(sum.search_wait_most == 6);
}

TEST_CASE("searches give the routing's candidates to heads on every channel", "[compact]") {
  for (const auto escape : {routing::CompactEscape::layers, routing::CompactEscape::tree}) {
    const Bench bench(timing_of(search_of(8)), escape);
    const graph::RouterId router = 12;
    const unsigned ports = bench.topology.ports(router);
    CompactLookup lookup(*bench.parts, router, ports);
    Cycle now = 0;
    for (unsigned port = 0; port < ports; ++port) {
      for (unsigned vc = 0; vc < Bench::vcs; ++vc) {
        for (NodeId node = 0; node < bench.topology.nodes(); ++node) {
          const routing::RouteQuery query = bench.query(router, port, vc, node);
          routing::RouteSet expected, found;
          bench.routing.route(query, expected);
          now += 1000;
          const Cycle answer = lookup.request(now, query, 1, found);
          // A head that no routing has sent here has no virtual channel on which it could continue.
          if (expected[0].vcs == 0)
            CHECK(found.size() == 0);
          else
            CHECK(same(found, expected));
          const bool from_node = bench.topology.far(router, port).kind == graph::Topology::Far::Kind::node;
          const bool by_labels = bench.router_of(node) == router ||
                                 (escape == routing::CompactEscape::tree && vc == 0 && !from_node);
          CHECK(answer == now + (by_labels ? 1 : bench.whole_search(router, 8)));
        }
      }
    }
    CHECK(lookup.counters().cache.lookups == lookup.counters().searches);
    CHECK(lookup.counters().searches != 0);
  }
}

TEST_CASE("a cache of decisions is looked up before a search", "[compact]") {
  LookupTiming timing = timing_of(search_of(4));
  timing.hash_cycles = 2;
  timing.cache_cycles = 3;
  const Bench bench(timing);
  const graph::RouterId router = 27;
  const unsigned ports = bench.topology.ports(router);
  CachedLookup lookup(*bench.parts, router, ports,
                      std::make_unique<CompactMemory>(*bench.parts, router, ports));
  const NodeId node = without_entry(bench, router);
  routing::RouteSet found, expected;
  const routing::RouteQuery query = bench.query(router, 0, 1, node);
  bench.routing.route(query, expected);
  CHECK(lookup.request(100, query, 1, found) == 100 + 2 + 3 + 6);
  CHECK(same(found, expected));
  CHECK(lookup.request(200, query, 1, found) == 200 + 2 + 3);
  CHECK(same(found, expected));
  // Another port has a separate cache and unit.
  CHECK(lookup.request(200, bench.query(router, 1, 1, node), 1, found) == 200 + 2 + 3 + 6);
  CHECK(lookup.counters().cache.hits == 1);
  CHECK(lookup.counters().cache.misses == 2);
  CHECK(lookup.counters().searches == 2);
  CHECK(lookup.counters().cam_accesses == 0);
  // Misses of a port wait for each other.
  const NodeId other = node == 0 ? 1 : node - 1;
  lookup.flush(300);
  REQUIRE(bench.router_of(other) != router);
  CHECK(lookup.request(400, query, 1, found) == 411);
  CHECK(lookup.request(401, bench.query(router, 0, 2, other), 1, found) == 417);
}

TEST_CASE("compact look-up hardware refuses another routing, and changed entries beside escape channels",
          "[compact]") {
  Bench bench(timing_of({}), routing::CompactEscape::tree);
  CompactLookup lookup(*bench.parts, 0, bench.topology.ports(0));
  CHECK_THROWS_AS(lookup.change_route(5, 3, {1, 1}), ModelError);
  const graph::Topology torus = graph::make_torus({4, 4}, 1, 1);
  const routing::Duato duato(torus, 3);
  const LookupParts parts{duato, bench.keys, &bench.shape, {}, 3, 1};
  CHECK_THROWS_AS(CompactLookup(parts, 0, 5), ModelError);
  CHECK_THROWS_AS(CompactMemory(parts, 0, 5), ModelError);
}
