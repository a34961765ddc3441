// SPDX-License-Identifier: Apache-2.0
// Detour-UD: its tables against the paper's figures and against exhaustive searches, and the routes of its
// messages.

#include <functional>
#include <memory>

#include "graph/faulty_cubes.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/routing/detour/detour_ud.h"

using namespace tsuji;
using namespace tsuji::routing;
using namespace tsuji::test;
using Catch::Contains;
using graph::none;

namespace {

std::shared_ptr<const DetourGeneration> generation_of(const Topology& topology, const FaultSet& faults,
                                                      const DetourConfig& config = {}) {
  return std::make_shared<const DetourGeneration>(topology, faults, config);
}

/// The candidates' ports as a word.
PortWord ports_of(const RouteSet& candidates) {
  unsigned word = 0;
  for (const RouteCandidate& candidate : candidates) word |= 1U << candidate.port;
  return static_cast<PortWord>(word);
}

RouteQuery head(RouterId router, unsigned in_port, NodeId destination,
                PacketClass packet_class = PacketClass::normal) {
  RouteQuery query;
  query.router = router;
  query.in_port = in_port;
  query.destination = destination;
  query.packet_class = packet_class;
  return query;
}

/// The words that tables should hold, by exhaustive search: distances of all pairs over living links, and for
/// each destination a search over (router, has gone down).
class Reference {
 public:
  Reference(const Topology& topology, const FaultSet& faults, RouterId root)
      : topology_(topology), faults_(faults), hops_(all_distances(topology, faults)), root_(root) {}

  const std::vector<std::vector<unsigned>>& hops() const { return hops_; }
  bool lives(RouterId router) const { return hops_[root_][router] != no_path && !dead(router); }
  RouterId next(RouterId router, unsigned port) const {
    const Topology::Far& far = topology_.far(router, port);
    if (far.kind != Topology::Far::Kind::router || dead(router) || dead(far.at.router) ||
        std::count(faults_.links.begin(), faults_.links.end(), far.link) != 0)
      return none;
    return far.at.router;
  }
  bool up(RouterId from, RouterId to) const {
    const unsigned a = hops_[root_][from], b = hops_[root_][to];
    return a != b ? b < a : to < from;
  }
  unsigned network_ports() const {
    return 2 * static_cast<unsigned>(topology_.shape_as<graph::CubeShape>()->radices.size());
  }

  PortWord torus(RouterId here, RouterId to) const {
    return word([&](unsigned port) {
      return next(here, port) != none && hops_[next(here, port)][to] + 1 == hops_[here][to];
    });
  }

  /// Lengths of shortest paths to `to`: by down links alone, and by any number of up links, then down links.
  struct Lengths {
    std::vector<unsigned> down, legal;
  };
  Lengths lengths(RouterId to) const {
    Lengths result{std::vector<unsigned>(topology_.routers(), no_path), {}};
    result.down[to] = 0;
    relax(result.down, [this](RouterId from, RouterId next) { return !up(from, next); });
    result.legal = result.down;
    relax(result.legal, [this](RouterId from, RouterId next) { return up(from, next); });
    return result;
  }
  PortWord up_down(RouterId here, const Lengths& lengths) const {
    if (lengths.down[here] != no_path)
      return word([&](unsigned port) {
        const RouterId n = next(here, port);
        return n != none && !up(here, n) && lengths.down[n] + 1 == lengths.down[here];
      });
    return word([&](unsigned port) {
      const RouterId n = next(here, port);
      return n != none && up(here, n) && lengths.legal[n] + 1 == lengths.legal[here];
    });
  }

 private:
  bool dead(RouterId router) const {
    return std::count(faults_.routers.begin(), faults_.routers.end(), router) != 0;
  }
  PortWord word(const std::function<bool(unsigned)>& has) const {
    unsigned bits = 0;
    for (unsigned port = 0; port < network_ports(); ++port) bits |= (has(port) ? 1U : 0U) << port;
    return static_cast<PortWord>(bits);
  }
  void relax(std::vector<unsigned>& length, const std::function<bool(RouterId, RouterId)>& may) const {
    for (bool more = true; more;) {
      more = false;
      for (RouterId r = 0; r < topology_.routers(); ++r) {
        for (unsigned port = 0; port < network_ports(); ++port) {
          const RouterId n = next(r, port);
          if (n == none || !may(r, n) || length[n] + 1 >= length[r]) continue;
          length[r] = length[n] + 1;
          more = true;
        }
      }
    }
  }

  const Topology& topology_;
  const FaultSet& faults_;
  std::vector<std::vector<unsigned>> hops_;
  RouterId root_;
};

/// Follows recovery to `to` from every router through every candidate, and REQUIREs that it uses living
/// links, never goes up after down, and arrives.
class RecoveryWalk {
 public:
  RecoveryWalk(const DetourUd& routing, const Reference& reference, const Topology& topology, NodeId to)
      : routing_(routing), reference_(reference), topology_(topology), to_(to) {}

  unsigned from(RouterId router, unsigned in_port, bool came_down, unsigned hop) {
    REQUIRE(hop <= 2 * topology_.routers());  // no cycle
    if (!done_.insert({router, came_down}).second) return 0;
    RouteQuery query = head(router, in_port, to_, PacketClass::recovery);
    query.in_vc = hop == 0 ? 0 : 3;
    RouteSet candidates;
    routing_.route(query, candidates);
    REQUIRE(candidates.size() > 0);
    REQUIRE(candidates.size() <= routing_.max_candidates());
    if (router == topology_.node(to_).eject.router) {
      REQUIRE(candidates.size() == 1);
      REQUIRE(candidates[0].port == topology_.node(to_).eject.port);
      REQUIRE_FALSE(routing_.reads_table(query));
      return 1;
    }
    REQUIRE(routing_.reads_table(query));
    for (const RouteCandidate& candidate : candidates) {
      REQUIRE(candidate.vcs == 0b1000);
      const RouterId next = reference_.next(router, candidate.port);
      REQUIRE(next != none);
      REQUIRE_FALSE((came_down && reference_.up(router, next)));
      REQUIRE_FALSE(routing_.turns_up_after_down(query, candidate.port));
      from(next, topology_.far(router, candidate.port).at.port, !reference_.up(router, next), hop + 1);
    }
    return 1;
  }

 private:
  const DetourUd& routing_;
  const Reference& reference_;
  const Topology& topology_;
  NodeId to_;
  std::set<std::pair<RouterId, bool>> done_;
};

/// Checks tables and messages of one set of faults.
void require_detours(const Topology& topology, const FaultSet& faults, unsigned distance) {
  DetourConfig config;
  config.region_distance = distance;
  const auto generation = generation_of(topology, faults, config);
  const DetourTables& tables = generation->tables();
  const Reference reference(topology, faults, generation->root());
  const DetourUd routing(topology, 4, generation);
  REQUIRE(generation->network().lives(generation->root()));
  for (RouterId to = 0; to < topology.routers(); ++to) {
    const bool to_lives = reference.lives(to);
    REQUIRE(generation->network().lives(to) == to_lives);
    const Reference::Lengths lengths = reference.lengths(to);
    for (RouterId here = 0; here < topology.routers(); ++here) {
      if (!reference.lives(here)) continue;
      RouteSet candidates;
      if (!to_lives) {
        REQUIRE(tables.up_down(here, to) == 0);
        routing.route(head(here, 4, to), candidates);
        REQUIRE(candidates.size() == 0);
        continue;
      }
      REQUIRE(tables.up_down(here, to) == reference.up_down(here, lengths));
      if (tables.has_torus(here)) REQUIRE(tables.torus(here, to) == reference.torus(here, to));
      RecoveryWalk(routing, reference, topology, to).from(here, 0, false, 0);
      // On FA channels, from each input port: never a dead link, no unnecessary u-turn, never without a
      // candidate.
      for (unsigned in_port = 0; in_port <= reference.network_ports() && here != to; ++in_port) {
        routing.route(head(here, in_port, to), candidates);
        REQUIRE(candidates.size() > 0);
        for (const RouteCandidate& candidate : candidates) {
          REQUIRE(candidate.vcs == 0b0111);
          REQUIRE(reference.next(here, candidate.port) != none);
          REQUIRE((candidate.port != in_port || candidates.size() == 1));
        }
      }
    }
  }
}

/// A word as fig. 3 prints it: N, E, W, S, where W and N point to lower coordinates of dimensions 0 and 1.
std::string word_text(PortWord word) {
  std::string text;
  for (const unsigned port : {3U, 0U, 1U, 2U}) text += (word >> port & 1) != 0 ? '1' : '0';
  return text;
}

}  // namespace

TEST_CASE("fig. 2: words of the detours round the dead link A-B") {
  const Figure2 figure;
  const auto generation = generation_of(figure.torus, figure.dead);
  const auto torus = [&](char here, char to) {
    return word_text(generation->tables().torus(figure.router.at(here), figure.router.at(to)));
  };
  CHECK(torus('D', 'G') == "0111");
  CHECK(torus('A', 'G') == "0110");
  CHECK(torus('C', 'B') == "0001");
}

TEST_CASE("fig. 3: both columns of node E's tables") {
  const Figure2 figure;
  const auto generation = generation_of(figure.torus, figure.dead);
  CHECK(generation->root() == figure.router.at('C'));
  const std::map<char, std::pair<std::string, std::string>> rows{
      {'A', {"0010", "0010"}}, {'B', {"0001", "0010"}}, {'C', {"0010", "0010"}}, {'D', {"1010", "0010"}},
      {'E', {"0000", "0000"}}, {'F', {"0011", "0010"}}, {'G', {"0001", "0010"}}, {'H', {"0001", "0001"}}};
  for (const auto& [letter, words] : rows) {
    const RouterId to = figure.router.at(letter);
    CHECK(word_text(generation->tables().torus(figure.router.at('E'), to)) == words.first);
    CHECK(word_text(generation->tables().up_down(figure.router.at('E'), to)) == words.second);
  }
}

TEST_CASE("fig. 4: in recovery E reaches B by A, C and F") {
  const Figure2 figure;
  const DetourUd routing(figure.torus, 4, generation_of(figure.torus, figure.dead));
  std::string path;
  RouterId here = figure.router.at('E');
  unsigned in_port = 4;
  while (here != figure.router.at('B')) {
    RouteSet candidates;
    routing.route(head(here, in_port, figure.router.at('B'), PacketClass::recovery), candidates);
    REQUIRE(candidates.size() == 1);
    const graph::PortRef next = figure.torus.far(here, candidates[0].port).at;
    here = next.router;
    in_port = next.port;
    for (const auto& [letter, router] : figure.router)
      if (router == here) path += letter;
    REQUIRE(path.size() < 10);
  }
  CHECK(path == "ACFB");
}

TEST_CASE("packed words are stored for every word length") {
  for (unsigned bits = 1; bits <= 16; ++bits) {
    PackedWords words(100, bits);
    CounterRandom random(bits, 0);
    std::vector<PortWord> expected;
    for (std::size_t i = 0; i < 100; ++i) {
      expected.push_back(static_cast<PortWord>(random.below(1U << bits)));
      words.set(i, expected.back());
    }
    for (std::size_t i = 0; i < 100; ++i) REQUIRE(words[i] == expected[i]);
    CHECK(words.bytes() <= (bits <= 4 ? 50U : bits <= 8 ? 100U : 200U));
  }
}

TEST_CASE("tables of a 2-D torus take at most one byte a destination and router, both columns together") {
  const Topology torus = graph::make_torus({10, 10}, 1, 1);
  DetourConfig everywhere;
  everywhere.region_distance = 20;
  CHECK(generation_of(torus, {{}, {7, 70}}, everywhere)->tables().bytes() <= 100 * 100);
  CHECK(generation_of(torus, {})->tables().bytes() <= 100 * 100 / 2);
}

TEST_CASE("after every single fault each pair is delivered, and tables equal the exhaustive search") {
  const Topology topology = GENERATE(graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 5}, 1, 1),
                                     graph::make_torus({3, 3, 3}, 1, 1), graph::make_mesh({4, 4}, 1, 1));
  require_detours(topology, {}, 2);
  for (const FaultSet& faults : single_faults(topology))
    for (unsigned distance = 1; distance <= 2; ++distance) require_detours(topology, faults, distance);
}

TEST_CASE("after hundreds of random sets of faults each connected pair is still delivered") {
  const Topology topology = GENERATE(
      graph::make_torus({4, 4}, 1, 1), graph::make_torus({5, 5}, 1, 1), graph::make_torus({2, 5}, 1, 1),
      graph::make_torus({3, 3, 3}, 1, 1), graph::make_mesh({4, 5}, 1, 1), graph::make_torus({9}, 1, 1),
      graph::make_cube({{3, 4}, {true, false}, 1}, 1), graph::make_torus({2, 2, 2, 2}, 1, 1));
  for (const FaultSet& faults : random_faults(topology, 100, topology.routers())) {
    require_detours(topology, faults, 1);
    require_detours(topology, faults, 3);
  }
}

TEST_CASE("outside the fault regions all minimal ports by coordinates are candidates, and no table is read") {
  const Topology torus = graph::make_torus({8, 8}, 1, 1);
  const FaultSet faults{{}, {at(torus, {4, 4})}};
  const auto generation = generation_of(torus, faults);
  const DetourUd routing(torus, 3, generation, 2);
  const auto hops = all_distances(torus, {});
  for (RouterId here = 0; here < 64; ++here) {
    for (NodeId to = 0; to < 64; ++to) {
      if (here == to || here == faults.routers[0] || to == faults.routers[0]) continue;
      const RouteQuery query = head(here, 4, to);
      CHECK(routing.reads_table(query) == generation->regions().in_region(here));
      if (generation->regions().in_region(here)) continue;
      RouteSet candidates;
      routing.route(query, candidates);
      for (unsigned port = 0; port < 4; ++port)
        REQUIRE((ports_of(candidates) >> port & 1) ==
                (hops[torus.far(here, port).at.router][to] + 1 == hops[here][to] ? 1 : 0));
      for (const RouteCandidate& candidate : candidates) REQUIRE(candidate.vcs == 0b001);
    }
  }
}

TEST_CASE("a candidate back to the previous router is offered only where there is no other") {
  // Columns 2 and 4 of a mesh end in a dead row between them: a packet that enters has to leave again.
  const Topology mesh = graph::make_mesh({5, 5}, 1, 1);
  const FaultSet faults{{}, {at(mesh, {2, 1}), at(mesh, {3, 2}), at(mesh, {2, 3})}};
  const DetourUd routing(mesh, 2, generation_of(mesh, faults));
  RouteSet candidates;
  // (2, 2) has (1, 2) as its only neighbour.
  routing.route(head(at(mesh, {2, 2}), graph::CubeShape::down_port(0), at(mesh, {4, 2})), candidates);
  CHECK(ports_of(candidates) == 1U << graph::CubeShape::down_port(0));
  // From (1, 2) to (4, 2) both paths round the wall are equal; from above only the lower one continues.
  const RouterId before = at(mesh, {1, 2});
  routing.route(head(before, 4, at(mesh, {4, 2})), candidates);
  CHECK(ports_of(candidates) == (1U << graph::CubeShape::up_port(1) | 1U << graph::CubeShape::down_port(1)));
  routing.route(head(before, graph::CubeShape::down_port(1), at(mesh, {4, 2})), candidates);
  CHECK(ports_of(candidates) == 1U << graph::CubeShape::up_port(1));
}

TEST_CASE("one path: each up/down word has one of the candidates, not always the same") {
  const Topology torus = graph::make_torus({6, 6}, 1, 1);
  DetourConfig config;
  const auto all = generation_of(torus, {{3}, {8}}, config);
  config.all_paths = false;
  const auto one = generation_of(torus, {{3}, {8}}, config);
  unsigned first = 0, others = 0;
  for (RouterId here = 0; here < 36; ++here) {
    for (RouterId to = 0; to < 36; ++to) {
      const PortWord words[] = {all->tables().up_down(here, to), one->tables().up_down(here, to)};
      REQUIRE((words[0] & words[1]) == words[1]);
      REQUIRE(__builtin_popcount(words[1]) == (words[0] != 0 ? 1 : 0));
      if (__builtin_popcount(words[0]) > 1) ++(words[1] == (words[0] & -words[0]) ? first : others);
    }
  }
  CHECK(first > 0);
  CHECK(others > 0);
}

TEST_CASE("a hop up after one down is reported, on UD channels only") {
  const Figure2 figure;
  const DetourUd routing(figure.torus, 4, generation_of(figure.torus, figure.dead));
  using graph::CubeShape;
  // E to H to B is down, then up (fig. 4).
  RouteQuery query =
      head(figure.router.at('H'), CubeShape::down_port(1), figure.router.at('B'), PacketClass::recovery);
  query.in_vc = 3;
  CHECK(routing.turns_up_after_down(query, CubeShape::down_port(0)));
  CHECK_FALSE(routing.turns_up_after_down(query, CubeShape::up_port(1)));
  query.in_vc = 2;
  CHECK_FALSE(routing.turns_up_after_down(query, CubeShape::down_port(0)));
  query.in_vc = 3;
  query.in_port = 4;  // from the node
  CHECK_FALSE(routing.turns_up_after_down(query, CubeShape::down_port(0)));
}

TEST_CASE("several nodes of a router share its words, and a dead router's nodes are unreachable") {
  const Topology torus = graph::make_torus({4, 4}, 3, 1);
  const DetourUd routing(torus, 2, generation_of(torus, {{}, {5}}));
  RouteSet candidates;
  routing.route(head(9, 4, 9 * 3 + 2), candidates);
  REQUIRE(candidates.size() == 1);
  CHECK(candidates[0].port == 6);
  for (NodeId node = 15; node < 18; ++node) {
    routing.route(head(9, 4, node), candidates);
    CHECK(candidates.size() == 0);
    CHECK_FALSE(routing.reads_table(head(9, 4, node)));
  }
}

TEST_CASE("Detour-UD needs an FA and a UD channel, a cube, tables of its topology, and a distance") {
  const Topology torus = graph::make_torus({4, 4}, 1, 1);
  const auto generation = generation_of(torus, {{1}, {}});
  CHECK(DetourUd(torus, 2, generation).vcs_needed() == 2);
  CHECK_THROWS_WITH(DetourUd(torus, 1, generation), Contains("router.vcs"));
  CHECK_THROWS_WITH(DetourUd(torus, 2, generation, 2), Contains("router.vcs"));
  CHECK_THROWS_WITH(DetourUd(torus, 2, generation, 0), Contains("routing.ud_vcs"));
  CHECK_THROWS_WITH(DetourUd(graph::make_torus({5, 4}, 1, 1), 2, generation), Contains("routing.kind"));
  DetourConfig config;
  config.region_distance = 0;
  CHECK_THROWS_WITH(generation_of(torus, {{1}, {}}, config), Contains("routing.region_distance"));
  CHECK(generation_of(torus, {}, config)->regions().regions() == 0);
  config.region_distance = 2;
  config.root_priority = {3};
  CHECK_THROWS_WITH(generation_of(torus, {{}, {3}}, config), Contains("routing.root_priority"));
  CHECK(generation_of(torus, {{1}, {}}, config)->root() == 3);
}
