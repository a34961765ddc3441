// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact_check.h"

#include <algorithm>

#include "routing/compact_cases.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/random_graphs.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::LivingNetwork;
using graph::Topology;
using tsuji::test::CompactCase;

namespace {

using Lists = std::vector<std::vector<CompactEntry>>;

Lists lists_of(const CompactTables& tables) {
  Lists lists;
  for (RouterId router = 0; router < tables.routers(); ++router)
    lists.emplace_back(tables.entries(router).begin(), tables.entries(router).end());
  return lists;
}

/// A random grid whose tables may be changed.
struct Spoilt {
  Spoilt()
      : topology(graph::make_random_grid({64, 4, 3, 5, 0}, 1)),
        network(topology, graph::FaultSet()),
        hops(network),
        tables(topology, network, hops, CompactConfig()),
        lists(lists_of(tables)) {}

  CompactReport check() const {
    return check_compact(network, hops,
                         CompactTables(CoordinateSpace(topology, CoordinateDistance::euclid), lists));
  }

  Topology topology;
  LivingNetwork network;
  graph::AllHops hops;
  CompactTables tables;
  Lists lists;
};

/// Links from router to router, by single steps of choose().
unsigned steps(const LivingNetwork& network, const CompactTables& tables, RouterId from, RouterId to) {
  unsigned links = 0;
  for (; from != to; ++links) {
    REQUIRE(links < tables.routers());
    from = network.neighbour(from, tables.entries(from)[tables.choose(from, to)].port);
  }
  return links;
}

}  // namespace

TEST_CASE(
    "compact tables route every packet to its router on graphs of all kinds, and each hop brings it nearer") {
  for (unsigned number = 0; number < 200; ++number) {
    const CompactCase example = test::compact_case(number);
    CAPTURE(example.topology.name());
    const LivingNetwork network(example.topology, example.faults);
    const graph::AllHops hops(network);
    CompactConfig config;
    config.distance = test::distance_of(example, number);
    config.room = number % 2 == 0 ? CompactRoom::free : CompactRoom::needed;
    const CompactTables tables(example.topology, network, hops, config);
    const CompactReport report = check_compact(network, hops, tables);
    CHECK(report.good());
    CHECK(report.problems.empty());
    CHECK(report.pairs == network.living() * (network.living() - 1ULL));
    std::uint64_t sum = 0, shortest = 0;
    unsigned longest = 0;
    double stretch = 1;
    for (RouterId from = 0; from < tables.routers(); ++from)
      for (RouterId to = 0; to < tables.routers(); ++to) {
        if (from == to || !network.lives(from) || !network.lives(to)) continue;
        const unsigned links = steps(network, tables, from, to);
        sum += links;
        shortest += hops(from, to);
        longest = std::max(longest, links);
        stretch = std::max(stretch, static_cast<double>(links) / hops(from, to));
      }
    CHECK(report.hops == sum);
    CHECK(report.shortest_hops == shortest);
    CHECK(report.longest == longest);
    CHECK(report.stretch == stretch);
  }
}

TEST_CASE("with as many entries as routers compact tables have shortest paths") {
  const Topology grid = graph::make_random_grid({64, 4, 4, 3, 0}, 1);
  const LivingNetwork network(grid, {});
  const graph::AllHops hops(network);
  for (const CompactRoom room : {CompactRoom::free, CompactRoom::needed}) {
    const CompactTables tables(grid, network, hops, {64, room, CoordinateDistance::euclid});
    CHECK(tables.all_entries() == 64 * 63);
    CHECK(check_compact(network, hops, tables).stretch == 1);
  }
}

TEST_CASE("on a torus, distances round the rings make shortest paths of the required entries") {
  const Topology torus = graph::make_torus({6, 5}, 1, 1);
  const LivingNetwork network(torus, {});
  const graph::AllHops hops(network);
  const CompactTables tables(torus, network, hops, {4, CompactRoom::free, CoordinateDistance::wrapped});
  CHECK(tables.all_entries() == 4 * 30);
  const CompactReport report = check_compact(network, hops, tables);
  CHECK(report.good());
  CHECK(report.hops == report.shortest_hops);
}

TEST_CASE("a planted entry out of order is found") {
  Spoilt spoilt;
  CHECK(spoilt.check().good());
  std::vector<CompactEntry>& list = spoilt.lists[20];
  std::swap(list.front(), list.back());
  const CompactReport report = spoilt.check();
  CHECK(report.wrong_entries >= 1);
  REQUIRE_FALSE(report.problems.empty());
  CHECK(report.problems[0].find("router 20") == 0);
}

TEST_CASE("a tie that another router breaks differently is found") {
  // An entry with a port to another router of equal hops, which does not hold the destination.
  Spoilt spoilt;
  const auto holds = [&](RouterId router, RouterId to) {
    return std::any_of(spoilt.lists[router].begin(), spoilt.lists[router].end(),
                       [to](const CompactEntry& entry) { return entry.destination == to; });
  };
  bool planted = false;
  for (RouterId router = 0; router < 64 && !planted; ++router)
    for (CompactEntry& entry : spoilt.lists[router])
      for (unsigned port = 0; port < 4 && !planted; ++port) {
        const RouterId other = spoilt.network.neighbour(router, port);
        if (port == entry.port || other == entry.destination || holds(other, entry.destination)) continue;
        if (spoilt.hops(other, entry.destination) + 1 != entry.hops) continue;
        entry.port = static_cast<std::uint16_t>(port);
        planted = true;
      }
  REQUIRE(planted);
  CHECK(spoilt.check().wrong_entries == 1);
}

TEST_CASE("a missing entry for a neighbouring router is found") {
  for (RouterId router = 0; router < 64; ++router) {
    Spoilt spoilt;
    std::vector<CompactEntry>& list = spoilt.lists[router];
    const RouterId beside = router % 8 == 7 ? router - 1 : router + 1;
    list.erase(std::find_if(list.begin(), list.end(),
                            [&](const CompactEntry& entry) { return entry.destination == beside; }));
    const CompactReport report = spoilt.check();
    CHECK(report.no_nearer_entry >= 1);
    CHECK_FALSE(report.good());
  }
}

TEST_CASE("cyclic routes and u-turns are found") {
  Spoilt spoilt;
  // Routers 0 and 1 each send all packets to the other one.
  const unsigned there = [&] {
    unsigned port = 0;
    while (spoilt.network.neighbour(0, port) == graph::none) ++port;
    return port;
  }();
  const RouterId other = spoilt.network.neighbour(0, there);
  unsigned back = 0;
  while (spoilt.network.neighbour(other, back) != 0) ++back;
  for (CompactEntry& entry : spoilt.lists[0]) entry.port = static_cast<std::uint16_t>(there);
  for (CompactEntry& entry : spoilt.lists[other]) entry.port = static_cast<std::uint16_t>(back);
  const CompactReport report = spoilt.check();
  CHECK(report.turns_back >= 62);
  CHECK(report.no_fall >= 62);
  CHECK(report.not_arriving >= 62);
  CHECK(report.wrong_entries > 0);
}

TEST_CASE("an entry with a wrong port is found") {
  Spoilt spoilt;
  spoilt.lists[7][0].port = 4;  // the node's port
  CHECK(spoilt.check().wrong_entries >= 1);
  Spoilt other;
  other.lists[9][3].hops += 1;
  CHECK(other.check().wrong_entries >= 1);
}

TEST_CASE("chosen destinations are measured alone") {
  const Spoilt graph;
  CompactCheckConfig config;
  config.destinations = {3, 60};
  double last = 0;
  config.progress = [&](double share) {
    CHECK(share > last);
    last = share;
  };
  const CompactReport two = check_compact(graph.network, graph.hops, graph.tables, config);
  CHECK(last == 1);
  CHECK(two.pairs == 2 * 63);
  std::uint64_t sum = 0;
  for (RouterId from = 0; from < 64; ++from)
    for (RouterId to : config.destinations) sum += steps(graph.network, graph.tables, from, to);
  CHECK(two.hops == sum);
}
