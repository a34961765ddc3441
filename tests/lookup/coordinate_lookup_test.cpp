// SPDX-License-Identifier: Apache-2.0
#include "tsuji/lookup/coordinate_lookup.h"

#include <memory>
#include <vector>

#include "lookup/route_sets.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/lookup/cached_lookup.h"
#include "tsuji/routing/detour/detour_ud.h"

// Detour-UD's table words in a switch's memory. Heads outside fault regions never read it; the others get the
// entries of the router's own tables (Yoshinaga 2004, 2.3) in the cycles of Hirasawa 2020.

using namespace tsuji;
using namespace tsuji::lookup;
using tsuji::lookup::test::same;

namespace {

constexpr unsigned vc_count = 4;
constexpr Cycle decode = 3, hit = 2, miss = 27, cam = 25;

graph::Topology torus() {
  return graph::make_torus({5, 5}, 1, 1);
}

std::unique_ptr<const routing::DetourUd> detour(const graph::Topology& topology,
                                                const std::vector<graph::RouterId>& dead) {
  graph::FaultSet faults;
  faults.routers = dead;
  return std::make_unique<routing::DetourUd>(
      topology, vc_count,
      std::make_shared<const routing::DetourGeneration>(topology, faults, routing::DetourConfig{}));
}

struct Switch {
  Switch(const graph::Topology& topology, const routing::Routing& routing, graph::RouterId router,
         bool cached)
      : keys(topology.nodes(), Identifiers::random, 7), shape({64, 4, "lru", false}), parts{routing,  keys,
                                                                                            &shape,   {},
                                                                                            vc_count, 1} {
    keys.remember_sets(KeyHash("crc32c"), shape.sets());
    std::unique_ptr<SwitchLookup> made;
    if (cached)
      made = std::make_unique<CachedLookup>(parts, router, topology.ports(router));
    else
      made = std::make_unique<CamLookup>(parts, router, topology.ports(router));
    memory = made.get();
    lookup = std::make_unique<CoordinateLookup>(routing, decode, std::move(made));
  }
  Cycle ask(Cycle now, const routing::RouteQuery& query) {
    return lookup->request(now, query, 1, candidates);
  }

  NodeKeys keys;
  CacheShape shape;
  LookupParts parts;
  SwitchLookup* memory = nullptr;
  std::unique_ptr<CoordinateLookup> lookup;
  routing::RouteSet candidates;
};

routing::RouteQuery head(graph::RouterId router, unsigned in_port, NodeId destination, PacketClass kind) {
  routing::RouteQuery query;
  query.router = router;
  query.in_port = in_port;
  query.destination = destination;
  query.packet_class = kind;
  return query;
}

}  // namespace

TEST_CASE("table words in a memory give every head the candidates of the router's own tables") {
  const graph::Topology topology = torus();
  const auto routing = detour(topology, {12, 20});
  std::uint64_t by_coordinates = 0, by_table = 0, without_route = 0;
  for (graph::RouterId router = 0; router < topology.routers(); ++router) {
    Switch one(topology, *routing, router, false);
    for (unsigned port = 0; port < topology.ports(router); ++port) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        for (const PacketClass kind : {PacketClass::normal, PacketClass::recovery}) {
          const routing::RouteQuery query = head(router, port, to, kind);
          const bool reads = routing->reads_table(query);
          routing::RouteSet own;
          routing->route(query, own);
          CHECK(one.ask(100, query) == 100 + decode + (reads ? cam : 0));
          CHECK(same(one.candidates, own));
          ++(reads ? by_table : by_coordinates);
          without_route += own.size() == 0 ? 1 : 0;
        }
      }
    }
    CHECK(one.memory->counters().cam_accesses == one.memory->counters().cache.lookups);
  }
  CHECK(by_coordinates > 500);
  CHECK(by_table > 500);
  CHECK(without_route > 100);
}

TEST_CASE("one entry has both words: a head in recovery hits the entry that a normal head has filled") {
  const graph::Topology topology = torus();
  const auto routing = detour(topology, {12});
  const graph::RouterId router = 11;  // a neighbour of the dead one
  Switch one(topology, *routing, router, true);
  const routing::RouteQuery normal = head(router, 0, 14, PacketClass::normal);
  const routing::RouteQuery recovers = head(router, 0, 14, PacketClass::recovery);
  CHECK(one.ask(100, normal) == 100 + decode + miss);
  CHECK(one.ask(200, recovers) == 200 + decode + hit);
  CHECK(one.candidates.size() > 0);
  for (const routing::RouteCandidate& way : one.candidates) CHECK(way.vcs == routing->ud_vcs());
  CHECK(one.ask(300, normal) == 300 + decode + hit);
  for (const routing::RouteCandidate& way : one.candidates) CHECK(way.vcs == routing->fa_vcs());
  // Another port has a separate cache.
  CHECK(one.ask(400, head(router, 1, 14, PacketClass::normal)) == 400 + decode + miss);
  // At the destination the answer follows from coordinates.
  CHECK(one.ask(500, head(router, 0, 11, PacketClass::recovery)) == 500 + decode);
  CHECK(one.memory->counters().cache.lookups == 4);
}

TEST_CASE("new tables empty the caches, and their words are read from then on") {
  const graph::Topology topology = torus();
  const auto before = detour(topology, {12}), after = detour(topology, {17});
  const graph::RouterId router = 11;  // in the regions of both
  Switch one(topology, *before, router, true);
  routing::RouteQuery query = head(router, 4, 0, PacketClass::recovery);
  routing::RouteSet old, own;
  do {
    query.destination = query.destination.node() + 1;
    before->route(query, old);
    after->route(query, own);
  } while (same(old, own) || old.size() == 0 || own.size() == 0 || query.destination == router);
  CHECK(one.ask(100, query) == 100 + decode + miss);
  CHECK(same(one.candidates, old));
  CHECK(one.ask(200, query) == 200 + decode + hit);
  one.lookup->exchange_routing(*after, 300);
  CHECK(one.ask(301, query) == 301 + decode + miss);
  CHECK(same(one.candidates, own));
  CHECK(one.ask(400, query) == 400 + decode + hit);
  CHECK(same(one.candidates, own));
  const LookupCounters counters = one.memory->counters();
  CHECK(counters.cache.flushes == topology.ports(router));
  CHECK(counters.cache.flushed == 1);
  // Outside the regions of the new tables the answer follows from coordinates.
  const auto far = detour(topology, {3});
  one.lookup->exchange_routing(*far, 500);
  const routing::RouteQuery normal = head(router, 4, 14, PacketClass::normal);
  REQUIRE_FALSE(far->reads_table(normal));
  CHECK(one.ask(501, normal) == 501 + decode);
}

TEST_CASE("a single word cannot be changed: routes of single switches are refused for Detour-UD") {
  const graph::Topology topology = torus();
  const auto routing = detour(topology, {12});
  Switch one(topology, *routing, 11, true);
  CHECK_THROWS_WITH(one.memory->change_route(5, 14, {1, 1}), Catch::Contains("cannot be changed"));
}
