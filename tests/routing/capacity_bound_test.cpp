#include "tsuji/routing/capacity_bound.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

#include "tsuji/core/random.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/routing/compact.h"
#include "tsuji/routing/destination_digits.h"
#include "tsuji/routing/detour_ud.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/least_common_ancestor.h"
#include "tsuji/routing/random_outcomes.h"
#include "tsuji/routing/source_table.h"
#include "tsuji/routing/turn_model.h"
#include "tsuji/routing/up_down.h"

using namespace tsuji;
using namespace tsuji::routing;
using graph::CubeShape;
using graph::Topology;
using Kind = LoadedChannel::Kind;

namespace {

using Demand = std::function<double(NodeId, NodeId)>;

/// Every node to every node, itself among them.
Demand uniform(const Topology& topology) {
  return [nodes = topology.nodes()](NodeId, NodeId) { return 1.0 / nodes; };
}

template <class F>
Demand permutation(F partner) {
  return [partner](NodeId from, NodeId to) { return partner(from) == to ? 1.0 : 0.0; };
}

/// Demands of no symmetry, some of them 0.
Demand ragged() {
  return [](NodeId from, NodeId to) {
    const double value = CounterRandom(7, from).bits(to) % 1000 / 1000.0;
    return value < 0.3 ? 0.0 : value / 20;
  };
}

CapacityBound bound_of(const Topology& topology, const Routing& routing, const Demand& demand) {
  CapacityConfig config;
  config.demand = demand;
  return capacity_bound(topology, routing, config);
}

double exact(const Topology& topology, const Routing& routing, const Demand& demand) {
  const CapacityBound bound = bound_of(topology, routing, demand);
  CHECK(bound.kind == CapacityKind::exact);
  return bound.flits_per_node_cycle;
}

double at_most(const Topology& topology, const Routing& routing, const Demand& demand) {
  const CapacityBound bound = bound_of(topology, routing, demand);
  CHECK(bound.kind == CapacityKind::upper_bound);
  return bound.flits_per_node_cycle;
}

unsigned transposed(unsigned node, unsigned side) {
  return node % side * side + node / side;
}

unsigned shuffled(unsigned node) {
  return (node << 1 & 63U) | node >> 5;
}

unsigned reversed(unsigned node) {
  unsigned result = 0;
  for (unsigned i = 0; i < 6; ++i) result |= (node >> i & 1U) << (5 - i);
  return result;
}

struct Case {
  Topology topology;
  std::unique_ptr<const Routing> routing;
  unsigned vcs = 4;
};

template <class R, class... Parts>
Case make_case(const Topology& topology, unsigned vcs, Parts... parts) {
  return {topology, std::make_unique<const R>(topology, vcs, parts...), vcs};
}

/// Routings with one candidate a head.
std::vector<Case> oblivious() {
  std::vector<Case> list;
  for (const Topology& cube :
       {graph::make_torus({4, 6}, 1, 1), graph::make_torus({5, 2, 3}, 2, 1), graph::make_mesh({5, 4}, 1, 1),
        graph::make_cube({{4, 3}, {true, false}, 2}, 1)})
    for (const Dateline dateline : {Dateline::crossing, Dateline::balanced, Dateline::switching})
      for (const Ties ties : {Ties::random, Ties::up})
        list.push_back(make_case<DimensionOrder>(cube, 4, DimensionOrderConfig{ties, dateline}));
  for (const Topology& tree : {graph::make_fat_tree(4, 4, 3, 1), graph::make_fat_tree(3, 2, 3, 1)})
    for (const UpPort up : {UpPort::one_to_one, UpPort::random})
      list.push_back(make_case<LeastCommonAncestor>(tree, 2, up));
  list.push_back(make_case<DestinationDigits>(graph::make_fly(3, 3, 1), 2));
  const Topology graph = graph::make_random_regular(24, 4, 3, 1);
  list.push_back(make_case<SourceTable>(graph, 4));
  list.push_back(make_case<UpDown>(graph, 2, UpDownConfig{3, false}));
  return list;
}

using PortKey = std::tuple<Kind, std::uint32_t, std::uint32_t>;

PortKey key_of(const LoadedChannel& channel) {
  if (channel.kind == Kind::link) return {Kind::link, channel.from.router, channel.from.port};
  return {channel.kind, channel.node, 0};
}

struct Walker {
  const Case& of;
  CounterRandom random{11, 1};

  VcMask one(VcMask vcs) {
    std::vector<VcMask> each;
    for (unsigned vc = 0; vc < of.vcs; ++vc)
      if ((vcs >> vc & 1) != 0) each.push_back(vc_range(vc, 1));
    return each.at(random.below(each.size()));
  }

  /// The links of a packet's path, which takes any candidate by any virtual channel.
  std::vector<graph::PortRef> walk(RouteQuery query) {
    std::vector<graph::PortRef> way;
    graph::PortRef at = of.topology.node(query.source).inject;
    query.in_vc =
        static_cast<unsigned>(__builtin_ctz(one(of.routing->injection_vcs(query.source, query.destination))));
    for (RouteSet candidates;; ++query.hops) {
      REQUIRE(way.size() < 200);
      query.router = at.router;
      query.in_port = at.port;
      if (of.routing->recovery_vcs() != 0 && random.below(8) == 0) query.packet_class = PacketClass::recovery;
      of.routing->route(query, candidates);
      REQUIRE(candidates.size() > 0);
      const RouteCandidate taken = candidates[static_cast<unsigned>(random.below(candidates.size()))];
      const Topology::Far& far = of.topology.far(at.router, taken.port);
      if (far.kind == Topology::Far::Kind::node) {
        REQUIRE(far.node == query.destination);
        return way;
      }
      way.push_back({at.router, taken.port});
      query.in_vc = static_cast<unsigned>(__builtin_ctz(one(taken.vcs)));
      at = far.at;
    }
  }
};

/// Every channel's flits by following each pair and outcome.
std::map<PortKey, double> walked(const Case& of, const Demand& demand) {
  std::map<PortKey, double> flits;
  bool all = false;
  const std::vector<PacketId> packets = packets_of_all_outcomes(*of.routing, 4096, all);
  REQUIRE(all);
  Walker walker{of};
  for (NodeId from = 0; from < of.topology.nodes(); ++from) {
    for (NodeId to = 0; to < of.topology.nodes(); ++to) {
      if (demand(from, to) == 0) continue;
      flits[{Kind::injection, from, 0}] += demand(from, to);
      flits[{Kind::ejection, to, 0}] += demand(from, to);
      for (const PacketId packet : packets) {
        RouteQuery query;
        query.source = from;
        query.destination = to;
        query.packet = packet;
        const double part = demand(from, to) * of.routing->outcome_share(of.routing->random_outcome(query));
        for (const graph::PortRef& port : walker.walk(query))
          flits[{Kind::link, port.router, port.port}] += part;
      }
    }
  }
  return flits;
}

/// The same routes without shares: each pair and outcome is followed.
class Untold final : public Routing {
 public:
  explicit Untold(const Routing& base) : base_(base) {}
  void route(const RouteQuery& query, RouteSet& candidates) const override { base_.route(query, candidates); }
  VcMask injection_vcs(NodeId s, NodeId d) const override { return base_.injection_vcs(s, d); }
  unsigned vcs_needed() const override { return base_.vcs_needed(); }
  unsigned max_candidates() const override { return 1; }
  bool port_shares(const RouteQuery&, PortShares&) const override { return false; }
  std::uint64_t random_outcomes() const override { return base_.random_outcomes(); }
  std::uint64_t random_outcome(const RouteQuery& query) const override { return base_.random_outcome(query); }

 private:
  const Routing& base_;
};

std::map<PortKey, double> loads_of(const CapacityBound& bound) {
  std::map<PortKey, double> flits;
  for (const LoadedChannel& channel : bound.channels) flits[key_of(channel)] = channel.flits_per_cycle;
  return flits;
}

void require_equal(const std::map<PortKey, double>& a, const std::map<PortKey, double>& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [key, flits] : a) {
    REQUIRE(b.count(key) == 1);
    REQUIRE(b.at(key) == Approx(flits).epsilon(1e-9));
  }
}

}  // namespace

TEST_CASE("dimension order under uniform traffic is full where the textbook says") {
  for (unsigned k = 2; k <= 9; ++k) {
    CAPTURE(k);
    const double odd = (k * k - 1.0) / k;
    const Topology mesh = graph::make_mesh({k, k}, 1, 1);
    CHECK(exact(mesh, DimensionOrder(mesh, 2), uniform(mesh)) ==
          Approx(std::min(1.0, 4 / (k % 2 == 0 ? k : odd))));
    const Topology torus = graph::make_torus({k, k, k}, 1, 1);
    CHECK(exact(torus, DimensionOrder(torus, 2), uniform(torus)) ==
          Approx(std::min(1.0, 8 / (k % 2 == 0 ? k : odd))));
  }
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  CHECK(exact(mesh, DimensionOrder(mesh, 1), uniform(mesh)) == Approx(0.5));
  // Ties upwards: k / 2 hops on one side, k / 2 - 1 on the other.
  const Topology torus = graph::make_torus({12}, 1, 1);
  CHECK(exact(torus, DimensionOrder(torus, 2, {Ties::up, Dateline::crossing}), uniform(torus)) ==
        Approx(12 / (6 * 7 / 2.0)));
}

TEST_CASE("permutations are full where their paths meet") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1), torus = graph::make_torus({8, 8}, 1, 1);
  const DimensionOrder xy(mesh, 1), round(torus, 2);
  const auto transpose = permutation([](NodeId node) { return transposed(node, 8); });
  const CapacityBound bound = bound_of(mesh, xy, transpose);
  CHECK(bound.flits_per_node_cycle == Approx(1.0 / 7));
  CHECK(bound.full.size() == 4);
  CHECK(full_text(bound, mesh) == "link 0->8 (0,0)->(0,1) and 3 others");
  const auto complement = permutation([](NodeId node) { return 63 - node; });
  CHECK(exact(mesh, xy, complement) == Approx(1.0 / 4));
  CHECK(exact(torus, round, complement) == Approx(1.0 / 2));
  const auto tornado = permutation([](NodeId node) { return node / 8 * 8 + (node + 3) % 8; });
  CHECK(exact(torus, round, tornado) == Approx(1.0 / 3));
  const auto own = permutation([](NodeId node) { return node; });
  const CapacityBound alone = bound_of(torus, round, own);
  CHECK(alone.flits_per_node_cycle == Approx(1.0));
  CHECK(full_text(alone, torus) == "ejection port of node 0 and 127 others");
}

TEST_CASE("a fat tree with random ways up is full at its nodes, or where it is thin") {
  for (const auto& [up, down] : {std::pair{4U, 4U}, {2U, 4U}, {1U, 3U}}) {
    const Topology tree = graph::make_fat_tree(up, down, 3, 1);
    const LeastCommonAncestor random(tree, 1, UpPort::random), adaptive(tree, 1, UpPort::adaptive);
    // All packets go over the top. Below it a switch of level l has down^(l + 1) nodes and up^(l + 1) links.
    const unsigned nodes = tree.nodes();
    const auto far = permutation([nodes](NodeId node) { return (node + nodes / 2) % nodes; });
    const double thin = 1.0 * up * up / down / down;
    if (down % 2 == 0) CHECK(exact(tree, random, far) == Approx(thin));
    if (down % 2 == 0) CHECK(at_most(tree, adaptive, far) == Approx(thin));
    const double over_top = 1 - 1.0 / down, over_second = 1 - 1.0 / down / down;
    CHECK(exact(tree, random, uniform(tree)) ==
          Approx(std::min({1.0, thin / over_top, 1.0 * up / down / over_second})));
  }
}

TEST_CASE("the loads of all channels are those of following every packet, by any virtual channel") {
  unsigned number = 0;
  for (const Case& c : oblivious()) {
    CAPTURE(number++, c.topology.name());
    const CapacityBound bound = bound_of(c.topology, *c.routing, ragged());
    REQUIRE(bound.kind == CapacityKind::exact);
    const std::map<PortKey, double> flits = loads_of(bound);
    require_equal(walked(c, ragged()), flits);
    require_equal(loads_of(bound_of(c.topology, Untold(*c.routing), ragged())), flits);
    double most = 0;
    for (const auto& [key, value] : flits) most = std::max(most, value);
    REQUIRE(bound.flits_per_node_cycle == Approx(1 / most));
    for (const LoadedChannel& channel : bound.full) REQUIRE(channel.flits_per_cycle >= 0.99 * most);
  }
}

TEST_CASE("outcomes of random choices come as often as the routing says") {
  for (const Case& c : oblivious()) {
    const std::uint64_t outcomes = c.routing->random_outcomes();
    if (outcomes == 1) continue;
    CAPTURE(c.topology.name(), outcomes);
    constexpr unsigned draws = 20'000;
    std::vector<double> counts(outcomes, 0);
    for (PacketId packet = 0; packet < draws; ++packet) {
      RouteQuery query;
      query.seed = 5;
      query.packet = packet;
      counts.at(c.routing->random_outcome(query)) += 1;
    }
    double chi_square = 0;
    for (std::uint64_t outcome = 0; outcome < outcomes; ++outcome) {
      const double expected = draws * c.routing->outcome_share(outcome);
      chi_square += (counts[outcome] - expected) * (counts[outcome] - expected) / expected;
    }
    const double freedom = static_cast<double>(outcomes) - 1;
    CHECK(chi_square < freedom + 4 * std::sqrt(2 * freedom) + 4);
  }
}

// Optima of the linear program over all splits, by scipy's HiGHS.
TEST_CASE("adaptive routings are bounded by their best split") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1), torus = graph::make_torus({8, 8}, 1, 1);
  const Duato duato(mesh, 4), round(torus, 4);
  const TurnModel negative_first(mesh, 1, Turns::negative_first);
  const auto transpose = permutation([](NodeId node) { return transposed(node, 8); });
  const auto shuffle = permutation(shuffled);
  const auto complement = permutation([](NodeId node) { return 63 - node; });
  struct Row {
    double found, best;
  };
  const Topology mesh4 = graph::make_mesh({4, 4}, 1, 1), mesh5 = graph::make_mesh({5, 5}, 1, 1);
  for (const Row& row : {
           Row{at_most(mesh, duato, uniform(mesh)), 0.5},
           Row{at_most(mesh, duato, transpose), 0.454545},
           Row{at_most(mesh, duato, permutation(reversed)), 0.476190},
           Row{at_most(mesh, duato, shuffle), 0.5},
           Row{at_most(mesh, negative_first, transpose), 0.142857},
           Row{at_most(mesh, negative_first, shuffle), 0.25},
           Row{at_most(mesh, negative_first, complement), 0.166667},
           Row{at_most(torus, round, transpose), 0.666667},
           Row{at_most(torus, round, shuffle), 0.5},
           Row{at_most(mesh4, TurnModel(mesh4, 1, Turns::negative_first), uniform(mesh4)), 0.8},
           Row{at_most(mesh5, TurnModel(mesh5, 1, Turns::negative_first), uniform(mesh5)), 0.641026},
           Row{at_most(mesh5, Duato(mesh5, 2), uniform(mesh5)), 0.833333},
       }) {
    CHECK(row.found >= row.best - 1e-6);
    CHECK(row.found <= 1.006 * row.best);
  }
}

TEST_CASE("no split of an adaptive routing carries more than its bound") {
  const Topology mesh = graph::make_mesh({4, 3}, 2, 1), torus = graph::make_torus({4, 4}, 2, 1),
                 regular = graph::make_random_regular(16, 3, 5, 1), tree = graph::make_fat_tree(2, 3, 3, 1);
  std::vector<Case> list;
  list.push_back(make_case<Duato>(mesh, 4));
  list.push_back(make_case<Duato>(torus, 4));
  for (const Turns turns : {Turns::negative_first, Turns::west_first, Turns::north_last})
    list.push_back(make_case<TurnModel>(mesh, 2, turns));
  list.push_back(make_case<UpDown>(regular, 2, UpDownConfig{}));
  list.push_back(make_case<LeastCommonAncestor>(tree, 2, UpPort::adaptive));
  list.push_back({torus, DetourUdConfig{}.make({torus, 4}), 4});
  for (const Case& c : list) {
    CAPTURE(c.topology.name());
    // Links are full before ports.
    const auto demand = [base = ragged()](NodeId from, NodeId to) {
      return from % 2 == 0 && to > from + 4 ? base(from, to) : 0.1 * base(from, to);
    };
    const CapacityBound bound = bound_of(c.topology, *c.routing, demand);
    REQUIRE(bound.kind == CapacityKind::upper_bound);
    UNSCOPED_INFO(full_text(bound, c.topology));
    // Each pair's packets take the least loaded of six paths; packets in recovery are among them.
    std::map<graph::RouterId, std::map<std::uint32_t, double>> flits;
    double most = 0;  // of ports of nodes, which have no choice, then of links, too
    for (const LoadedChannel& channel : bound.channels)
      if (channel.kind != Kind::link) most = std::max(most, channel.flits_per_cycle);
    Walker walker{c};
    for (NodeId from = 0; from < c.topology.nodes(); ++from) {
      for (NodeId to = 0; to < c.topology.nodes(); ++to) {
        RouteQuery query;
        query.source = from;
        query.destination = to;
        std::vector<graph::PortRef> best;
        double least = 1e9;
        for (unsigned i = 0; i < 6; ++i) {
          std::vector<graph::PortRef> way = walker.walk(query);
          double load = 0;
          for (const graph::PortRef& port : way) load = std::max(load, flits[port.router][port.port]);
          if (load < least) {
            least = load;
            best = std::move(way);
          }
        }
        for (const graph::PortRef& port : best) {
          flits[port.router][port.port] += demand(from, to);
          most = std::max(most, flits[port.router][port.port]);
        }
      }
    }
    CHECK(1 / most <= bound.flits_per_node_cycle * (1 + 1e-9));
    // The split that was found is a split, too, and nearly the best one.
    double even = 0;
    for (const LoadedChannel& channel : bound.channels) even = std::max(even, channel.flits_per_cycle);
    CHECK(1 / even <= bound.flits_per_node_cycle * (1 + 1e-9));
    CHECK(1 / even >= bound.flits_per_node_cycle / 1.02);
  }
}

TEST_CASE("packets from one router have all its links, or one") {
  const Topology mesh = graph::make_mesh({2, 2}, 4, 1);
  const auto across = [](NodeId from, NodeId to) { return from < 4 && to == from + 12 ? 1.0 : 0.0; };
  CHECK(exact(mesh, DimensionOrder(mesh, 1), across) == Approx(0.25));
  const CapacityBound bound = bound_of(mesh, Duato(mesh, 2), across);
  CHECK(bound.flits_per_node_cycle == Approx(0.5));
  for (const LoadedChannel& channel : bound.full) CHECK(channel.kind == Kind::link);
}

namespace {

/// The candidates of a base, and more.
class Wandering final : public Routing {
 public:
  enum class More : std::uint8_t {
    everywhere,      ///< every link of every router
    at_destination,  ///< those of the destination's router
    by_channel_1     ///< those of a router that a packet has entered by virtual channel 1
  };
  Wandering(const Topology& topology, const Routing& base, More more)
      : topology_(topology), base_(base), more_(more) {}
  void route(const RouteQuery& query, RouteSet& candidates) const override {
    base_.route(query, candidates);
    const bool arrived = topology_.node(query.destination).eject.router == query.router;
    if (more_ == More::by_channel_1 ? arrived || query.in_vc != 1 : arrived == (more_ == More::everywhere))
      return;
    for (unsigned port = 0; port < topology_.ports(query.router); ++port)
      if (topology_.far(query.router, port).kind == Topology::Far::Kind::router) candidates.add(port, 1);
  }
  VcMask injection_vcs(NodeId, NodeId) const override { return 1; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 16; }
  bool place_decides() const override { return true; }

 private:
  const Topology& topology_;
  const Routing& base_;
  More more_;
};

}  // namespace

TEST_CASE("packets that may wander have every link of a cut, and shortest paths across it") {
  using More = Wandering::More;
  const Topology torus = graph::make_torus({6, 6}, 1, 1), mesh = graph::make_mesh({6, 6}, 1, 1);
  const Duato minimal(mesh, 2), round(torus, 3);
  const auto opposite = [](NodeId from, NodeId to) { return to == (from + 21) % 36 ? 1.0 : 0.0; };
  // Half of the packets cross six links, and no packet has to cross them twice.
  CHECK(at_most(mesh, Wandering(mesh, minimal, More::everywhere), uniform(mesh)) ==
        Approx(4.0 / 6).epsilon(0.006));
  for (const auto& demand : {Demand(opposite), Demand(ragged())}) {
    CHECK(at_most(torus, Wandering(torus, round, More::everywhere), demand) >=
          at_most(torus, round, demand) * 0.995);
    CHECK(at_most(torus, Wandering(torus, round, More::at_destination), demand) ==
          Approx(at_most(torus, round, demand)));
  }
  // One router's packets: a straight link, or all four.
  const Topology crowd = graph::make_torus({5, 5}, 4, 1);
  const DimensionOrder straight(crowd, 2);
  const auto along = [](NodeId from, NodeId to) { return from < 4 && to == from + 4 ? 1.0 : 0.0; };
  const Wandering anywhere(crowd, straight, More::everywhere);
  const Wandering choosy(crowd, straight, More::by_channel_1);
  CHECK(at_most(crowd, anywhere, along) == Approx(1.0).epsilon(0.006));
  CHECK(at_most(crowd, choosy, along) == Approx(0.25));
}

TEST_CASE("sources inject by the virtual channels of their links") {
  const Topology crowd = graph::make_torus({5, 5}, 4, 1);
  const DimensionOrder straight(crowd, 2);
  const Wandering choosy(crowd, straight, Wandering::More::by_channel_1);
  CapacityConfig config;
  config.demand = [](NodeId from, NodeId to) { return from < 4 && to == from + 4 ? 1.0 : 0.0; };
  CHECK(capacity_bound(crowd, choosy, config).flits_per_node_cycle == Approx(0.25));
  config.own_node_vcs = 2;
  CHECK(capacity_bound(crowd, choosy, config).flits_per_node_cycle > 0.26);
}

namespace {

/// Even sources go first by dimension 0, odd ones by dimension 1.
class ByParity final : public Routing {
 public:
  explicit ByParity(const Routing& adaptive) : adaptive_(adaptive) {}
  void route(const RouteQuery& query, RouteSet& candidates) const override {
    RouteSet both;
    adaptive_.route(query, both);
    candidates.clear();
    const RouteCandidate chosen = both[both.size() > 1 ? query.source % 2 : 0];
    candidates.add(chosen.port, chosen.vcs);
  }
  VcMask injection_vcs(NodeId, NodeId) const override { return 1; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 2; }

 private:
  const Routing& adaptive_;
};

}  // namespace

TEST_CASE("candidates that depend on the source are found for each source") {
  const Topology mesh = graph::make_mesh({2, 2}, 4, 1);
  const TurnModel adaptive(mesh, 1, Turns::negative_first);
  const auto across = [](NodeId from, NodeId to) { return from < 4 && to >= 12 ? 0.25 : 0.0; };
  CHECK(at_most(mesh, ByParity(adaptive), across) == Approx(0.5));
}

TEST_CASE("packets in recovery have routes of their own") {
  // A ring of five, its root at 0: from 4 to 2 messages go by 3, those in recovery by 0 and 1.
  const Topology ring = graph::make_torus({5}, 2, 1);
  const auto routing = DetourUdConfig{}.make({ring, 4});
  const auto across = [](NodeId from, NodeId to) { return from >= 8 && to == from - 4 ? 1.0 : 0.0; };
  CHECK(at_most(ring, *routing, across) == Approx(1.0).epsilon(0.006));
}

TEST_CASE("a cut is found without much search") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  CapacityConfig config;
  config.demand = uniform(mesh);
  config.most_search_steps = 1;
  const CapacityBound bound = capacity_bound(mesh, Duato(mesh, 4), config);
  CHECK(bound.flits_per_node_cycle == Approx(0.5));
  CHECK(bound.full.size() == 8);
}

TEST_CASE("ports of nodes are full where they carry most") {
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  const DimensionOrder xy(mesh, 1);
  const auto hot = [](NodeId, NodeId to) { return to == 5 ? 1.0 : 0.0; };
  const CapacityBound ejection = bound_of(mesh, xy, hot);
  CHECK(ejection.flits_per_node_cycle == Approx(1.0 / 16));
  CHECK(full_text(ejection, mesh) == "ejection port of node 5");
  const auto busy = [](NodeId from, NodeId) { return from == 5 ? 3.0 / 16 : 0.1 / 16; };
  const CapacityBound injection = bound_of(mesh, xy, busy);
  CHECK(injection.flits_per_node_cycle == Approx(1.0 / 3));
  CHECK(full_text(injection, mesh) == "injection port of node 5");
}

TEST_CASE("slow links, and routers that refuse packets of a node to itself, count") {
  const Topology mesh = graph::make_mesh({4, 4}, 1, 1);
  const DimensionOrder xy(mesh, 1);
  CapacityConfig config;
  config.demand = uniform(mesh);
  config.flit_cycles = 5;
  CHECK(capacity_bound(mesh, xy, config).flits_per_node_cycle == Approx(1.0 / 5));
  config.flit_cycles = 1;
  config.demand = permutation([](NodeId node) { return node; });
  config.uturn_node = false;
  const CapacityBound bound = capacity_bound(mesh, xy, config);
  CHECK(bound.channels.size() == 16);
  for (const LoadedChannel& channel : bound.channels) CHECK(channel.kind == Kind::injection);
}

namespace {

/// Routes with a fault each.
class Faulty final : public Routing {
 public:
  enum class Fault : std::uint8_t { credits, circle, nothing, outcomes };
  Faulty(const Routing& base, Fault fault, unsigned candidates)
      : base_(base), fault_(fault), candidates_(candidates) {}
  void route(const RouteQuery& query, RouteSet& candidates) const override {
    base_.route(query, candidates);
    const bool is_circle = fault_ == Fault::circle;
    if (query.router != (is_circle ? 1 : 0) || query.destination != 2) return;
    candidates.clear();
    if (is_circle) candidates.add(CubeShape::down_port(0), 1);
  }
  VcMask injection_vcs(NodeId, NodeId) const override { return 1; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return candidates_; }
  bool place_decides() const override { return true; }
  bool reads_credits() const override { return fault_ == Fault::credits; }
  std::uint64_t random_outcomes() const override { return fault_ == Fault::outcomes ? 100'000 : 1; }

 private:
  const Routing& base_;
  Fault fault_;
  unsigned candidates_;
};

}  // namespace

TEST_CASE("there is no bound where routes or traffic give none, and a reason") {
  const Topology mesh = graph::make_mesh({3, 3}, 1, 1);
  const DimensionOrder xy(mesh, 1);
  const auto reason = [&](const Topology& topology, const Routing& routing, const Demand& demand) {
    const CapacityBound bound = bound_of(topology, routing, demand);
    CHECK(bound.kind == CapacityKind::none);
    CHECK(full_text(bound, topology) == bound.reason);
    return bound.reason;
  };
  const auto nothing = [](NodeId, NodeId) { return 0.0; };
  const auto to_last = [](NodeId from, NodeId to) { return from == 0 && to == 2 ? 1.0 : 0.0; };
  CHECK(reason(mesh, xy, nothing) == "no packet");
  CHECK(reason(mesh, Duato(mesh, 2), nothing) == "no packet");
  for (const unsigned candidates : {1U, 2U}) {
    CAPTURE(candidates);
    using Fault = Faulty::Fault;
    CHECK(reason(mesh, Faulty(xy, Fault::credits, candidates), uniform(mesh)) ==
          "routes that depend on credits");
    CHECK_THAT(reason(mesh, Faulty(xy, Fault::nothing, candidates), uniform(mesh)),
               Catch::StartsWith("no route from router 0 to"));
    CHECK(reason(mesh, Faulty(xy, Fault::outcomes, candidates), uniform(mesh)) == too_many_outcomes);
  }
  // Up from router 0 to 1, and from there down again.
  const Faulty around(xy, Faulty::Fault::circle, 1), around_too(xy, Faulty::Fault::circle, 2);
  CHECK(reason(mesh, around, to_last) == "routes that go round");
  CHECK(reason(mesh, Untold(around), to_last) == "routes that go round");
  CHECK(reason(mesh, around_too, to_last) == "routes that do not arrive");
  CapacityConfig config;
  config.demand = uniform(mesh);
  for (const std::uint64_t most : {10U, 15U}) {
    config.most_questions = most;
    CHECK(capacity_bound(mesh, xy, config).reason == too_large);
    CHECK(capacity_bound(mesh, Duato(mesh, 2), config).reason == too_large);
  }
}

TEST_CASE("the bound is printed with what is full and the fullest channels") {
  const Topology mesh = graph::make_mesh({8, 8}, 1, 1);
  const auto print = [&](const CapacityBound& bound) {
    std::ostringstream out;
    print_capacity(bound, mesh, 2, out);
    return out.str();
  };
  const auto transpose = permutation([](NodeId node) { return transposed(node, 8); });
  CHECK(print(bound_of(mesh, DimensionOrder(mesh, 1), transpose)) ==
        "mesh 8x8: capacity is 0.1429 flits/node/cycle (exact)\n"
        "full: link 0->8 (0,0)->(0,1) and 3 others\n"
        "flits/cycle at a load of 1:\n"
        "  7.0000  link 0->8 (0,0)->(0,1)\n"
        "  7.0000  link 1->0 (1,0)->(0,0)\n");
  const std::string adaptive = print(bound_of(mesh, Duato(mesh, 2), transpose));
  CHECK_THAT(adaptive,
             Catch::StartsWith("mesh 8x8: capacity is at most 0.4545 flits/node/cycle (upper_bound)\n"));
  CHECK_THAT(adaptive, Catch::Contains("links under the most even split found:\n"));
  CHECK(print(bound_of(mesh, DimensionOrder(mesh, 1), [](NodeId, NodeId) { return 0.0; })) ==
        "no bound on capacity: no packet\n");
}
