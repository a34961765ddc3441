// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/compact/compact_tables.h"

#include <algorithm>

#include "routing/compact_cases.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/graph/topology_file.h"
#include "tsuji/routing/compact/compact_builder.h"
#include "tsuji/routing/compact/nearest_entry.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::LivingNetwork;
using graph::Topology;
using tsuji::test::CompactCase;

namespace {

/// Reference that follows the paper's sentences one after another, without the order and index of the fast
/// construction: whole paths, whole lists, distances by the definition.
class SlowTables {
 public:
  SlowTables(const CompactCase& example, const CompactConfig& config)
      : topology_(example.topology), network_(topology_, example.faults), config_(config) {
    lists_.resize(topology_.routers());
    for (RouterId router = 0; router < topology_.routers(); ++router) hops_.push_back(hops_from(router));
  }

  void add_beside() {
    for (RouterId i = 0; i < lists_.size(); ++i)
      for (RouterId j = 0; j < lists_.size(); ++j)
        if (both_live(i, j) && i != j && test::grid_distance(topology_, i, j, steps()) == 1) add(path(i, j));
  }
  void complete() {
    for (RouterId i = 0; i < lists_.size(); ++i)
      for (RouterId j = 0; j < lists_.size(); ++j) {
        if (i == j || !both_live(i, j)) continue;
        const bool nearer = std::any_of(lists_[i].begin(), lists_[i].end(), [&](const CompactEntry& entry) {
          return distance(j, entry.destination) < distance(j, i);
        });
        if (!nearer) add(path(i, j));
      }
  }
  void fill(unsigned capacity) {
    for (const auto& pair : pairs_in_order()) {
      const std::vector<RouterId> way = path(std::get<1>(pair), std::get<2>(pair));
      bool room = true;
      for (std::size_t k = 0; k + 1 < way.size(); ++k) {
        const bool needs_none = config_.room == CompactRoom::needed && holds(way[k], way.back());
        if (lists_[way[k]].size() >= capacity && !needs_none) room = false;
      }
      if (room) add(way);
    }
  }
  void sort() {
    for (auto& list : lists_)
      std::stable_sort(list.begin(), list.end(),
                       [](const auto& a, const auto& b) { return a.hops < b.hops; });
  }
  const std::vector<std::vector<CompactEntry>>& lists() const { return lists_; }
  unsigned most() const {
    std::size_t most = 0;
    for (const auto& list : lists_) most = std::max(most, list.size());
    return static_cast<unsigned>(most);
  }
  std::uint64_t distance(RouterId a, RouterId b) const {
    return test::grid_distance(topology_, a, b, config_.distance);
  }
  const LivingNetwork& network() const { return network_; }

 private:
  CoordinateDistance steps() const {
    return config_.distance == CoordinateDistance::wrapped ? CoordinateDistance::wrapped
                                                           : CoordinateDistance::manhattan;
  }
  bool both_live(RouterId i, RouterId j) const { return network_.lives(i) && network_.lives(j); }
  std::vector<unsigned> hops_from(RouterId router) const {
    graph::BreadthFirst search;
    if (!network_.lives(router)) return std::vector<unsigned>(topology_.routers(), ~0U);
    const auto& hops = network_.hops_to(router, search);
    return std::vector<unsigned>(hops.begin(), hops.end());
  }
  /// A shortest path, with the lowest neighbour at each router.
  std::vector<RouterId> path(RouterId from, RouterId to) const {
    std::vector<RouterId> way{from};
    while (way.back() != to) {
      RouterId next = graph::none;
      network_.visit_neighbours(way.back(), [&](RouterId neighbour) {
        if (hops_[to][neighbour] + 1 == hops_[to][way.back()]) next = std::min(next, neighbour);
      });
      way.push_back(next);
    }
    return way;
  }
  std::vector<std::tuple<unsigned, RouterId, RouterId>> pairs_in_order() const {
    std::vector<std::tuple<unsigned, RouterId, RouterId>> pairs;
    for (RouterId i = 0; i < lists_.size(); ++i)
      for (RouterId j = 0; j < lists_.size(); ++j)
        if (i != j && both_live(i, j)) pairs.emplace_back(hops_[j][i], i, j);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }
  bool holds(RouterId router, RouterId destination) const {
    return std::any_of(lists_[router].begin(), lists_[router].end(),
                       [&](const CompactEntry& entry) { return entry.destination == destination; });
  }
  void add(const std::vector<RouterId>& way) {
    for (std::size_t k = 0; k + 1 < way.size(); ++k) {
      if (holds(way[k], way.back())) continue;
      unsigned port = 0;
      while (!network_.lives_at(way[k], port) || network_.neighbour(way[k], port) != way[k + 1]) ++port;
      lists_[way[k]].push_back({way.back(), static_cast<std::uint16_t>(port),
                                static_cast<std::uint16_t>(hops_[way.back()][way[k]])});
    }
  }

  const Topology& topology_;
  LivingNetwork network_;
  CompactConfig config_;
  std::vector<std::vector<unsigned>> hops_;
  std::vector<std::vector<CompactEntry>> lists_;
};

void require_equal(const CompactCase& example, CompactConfig config) {
  CAPTURE(example.topology.name(), static_cast<int>(config.distance), static_cast<int>(config.room));
  SlowTables slow(example, config);
  slow.add_beside();
  slow.complete();
  const unsigned mandatory = slow.most();
  config.entries = mandatory + example.spare_entries;
  slow.fill(static_cast<unsigned>(*config.entries));
  slow.sort();
  const CompactTables tables(example.topology, slow.network(), config);
  REQUIRE(tables.mandatory(tables.most_mandatory()).all() == mandatory);
  for (RouterId router = 0; router < tables.routers(); ++router) {
    const CompactTables::Entries entries = tables.entries(router);
    REQUIRE(std::vector<CompactEntry>(entries.begin(), entries.end()) == slow.lists()[router]);
  }
}

}  // namespace

TEST_CASE("compact tables of 1,000 graphs equal the paper's construction, entry by entry") {
  for (unsigned number = 0; number < 1000; ++number) {
    const CompactCase example = test::compact_case(number);
    CompactConfig config;
    config.room = number % 2 == 0 ? CompactRoom::free : CompactRoom::needed;
    config.distance = test::distance_of(example, number / 2);
    require_equal(example, config);
  }
}

TEST_CASE("a router chooses the entry nearest to the destination, then nearest to the router") {
  for (unsigned number = 0; number < 200; ++number) {
    const CompactCase example = test::compact_case(number);
    CAPTURE(example.topology.name());
    const LivingNetwork network(example.topology, example.faults);
    CompactConfig config;
    config.distance = test::distance_of(example, number);
    const CompactTables tables(example.topology, network, config);
    CompactChoice all(tables);
    for (const CoordinateSpace::Run& run : tables.space().runs())
      for (RouterId router = 0; router < tables.routers(); ++router) {
        if (!all.has_entries(router)) continue;
        const std::vector<std::uint32_t> chosen = all.choose(run, router);
        for (unsigned k = 0; k < run.length; ++k) {
          const RouterId to = run.first + k;
          if (to == router || !network.lives(to)) continue;
          // Reference: a search over all entries, from the last to the first.
          unsigned best = tables.entries(router).size() - 1;
          for (unsigned i = best; i-- > 0;) {
            const auto key = [&](unsigned index) {
              const CompactEntry& entry = tables.entries(router)[index];
              return std::make_pair(
                  test::grid_distance(example.topology, to, entry.destination, config.distance), entry.hops);
            };
            if (key(i) <= key(best)) best = i;
          }
          REQUIRE(chosen[k] == best);
          REQUIRE(all.choose({to, 1}, router)[0] == best);
          REQUIRE(tables.choose(router, to) == best);
        }
      }
  }
}

TEST_CASE("routers that fill a box need no completion of tables") {
  for (unsigned number = 0; number < 200; ++number) {
    const CompactCase example = test::compact_case(number);
    if (!example.faults.empty()) continue;
    CAPTURE(example.topology.name());
    const LivingNetwork network(example.topology, {});
    const CoordinateSpace space(example.topology, test::distance_of(example, number));
    const graph::AllHops hops(network);
    CompactBuilder skips(example.topology, network, hops, space),
        looks(example.topology, network, hops, space);
    for (CompactBuilder* builder : {&skips, &looks}) builder->add_paths_beside();
    skips.complete();
    looks.complete(true);
    CHECK(skips.entries() == looks.entries());
    CHECK(space.fill_box(network.living()) == (number % 5 < 2));
  }
}

TEST_CASE("the worked example of the handbook equals the tables") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1);
  CompactConfig config;
  config.entries = 4;
  const CompactTables tables(mesh, LivingNetwork(mesh, {}), config);
  std::vector<RouterId> destinations;
  for (const CompactEntry& entry : tables.entries(0)) destinations.push_back(entry.destination);
  CHECK(destinations == std::vector<RouterId>{1, 3, 2, 4});
  const CompactEntry& chosen = tables.entries(0)[tables.choose(0, 8)];
  CHECK(chosen.destination == 4);
  CHECK(mesh.far(0, chosen.port).at.router == 1);
}
