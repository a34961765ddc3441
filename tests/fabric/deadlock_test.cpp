// Random routing tables against the deadlock checker: a circle stands, and where there is none the network
// drains. A table that gives one port and one virtual channel for a destination, with a node at every router,
// has a circle if and only if it can deadlock (Dally and Seitz).

#include <catch2/catch.hpp>
#include <memory>

#include "fabric/vc_rig.h"
#include "tsuji/core/random.h"
#include "tsuji/fabric/config/deadlock_config.h"
#include "tsuji/fabric/flit_network/network_supervisor.h"
#include "tsuji/graph/paths.h"

using namespace tsuji;
using namespace tsuji::fabric;
using namespace tsuji::fabric::test;

namespace {

/// For every destination a random tree, of shortest routes or of any, and a random virtual channel at every
/// router.
class RandomTable final : public routing::Routing {
 public:
  RandomTable(const graph::Topology& topology, unsigned vcs, bool shortest, std::uint64_t seed)
      : topology_(topology), all_(routing::vc_range(0, vcs)), random_(seed, 0) {
    for (NodeId to = 0; to < topology.nodes(); ++to) add_tree(to, vcs, shortest);
  }
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override {
    candidates.clear();
    const Entry& entry = entries_[query.destination * topology_.routers() + query.router];
    candidates.add(entry.port, entry.vcs);
  }
  routing::VcMask injection_vcs(NodeId, NodeId) const override { return all_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }

 private:
  struct Entry {
    unsigned port = 0;
    routing::VcMask vcs = 0;
  };
  unsigned draw(std::size_t below) { return static_cast<unsigned>(random_.bits(draws_++) % below); }

  /// Routers join the tree one by one, in random order or by their distance.
  void add_tree(NodeId to, unsigned vcs, bool shortest) {
    const graph::PortRef eject = topology_.node(to).eject;
    const auto hops = graph::hops_to(topology_, eject.router);
    const std::size_t first = entries_.size();
    entries_.resize(first + topology_.routers());
    entries_[first + eject.router] = {eject.port, all_};
    std::vector<bool> inside(topology_.routers(), false);
    inside[eject.router] = true;
    while (true) {
      std::vector<graph::PortRef> outside;  // ports that lead into the tree
      unsigned nearest = graph::unreachable;
      for (graph::RouterId router = 0; router < topology_.routers(); ++router) {
        if (inside[router] || (shortest && hops[router] > nearest)) continue;
        for (unsigned port = 0; port < topology_.ports(router); ++port) {
          const graph::Topology::Far& far = topology_.far(router, port);
          if (far.kind != graph::Topology::Far::Kind::router || !inside[far.at.router]) continue;
          if (shortest && hops[far.at.router] + 1 != hops[router]) continue;
          if (shortest && hops[router] < nearest) outside.clear();
          nearest = hops[router];
          outside.push_back({router, port});
        }
      }
      if (outside.empty()) return;
      const graph::PortRef chosen = outside[draw(outside.size())];
      inside[chosen.router] = true;
      entries_[first + chosen.router] = {chosen.port, static_cast<routing::VcMask>(1U << draw(vcs))};
    }
  }

  const graph::Topology& topology_;
  routing::VcMask all_;
  CounterRandom random_;
  std::uint64_t draws_ = 0;
  std::vector<Entry> entries_;
};

NetworkConfig small_network(std::uint64_t seed) {
  NetworkConfig config;
  const std::vector<std::vector<unsigned>> radices = {{3, 2}, {3, 3}, {4, 2}, {2, 2, 2}, {4}, {5}};
  config.topology.kind = seed % 3 == 0 ? "random_regular" : seed % 3 == 1 ? "mesh" : "torus";
  config.topology.of<graph::CubeConfig>().radices = radices[seed / 3 % radices.size()];
  config.topology.of<graph::RandomGraphConfig>().nodes = 6 + 2 * (seed / 3 % 3);
  config.topology.of<graph::RandomGraphConfig>().degree = 3;
  config.topology.of<graph::RandomGraphConfig>().seed = seed;
  config.network.vcs = 1 + seed % 4;
  config.network.buffer_flits = 1 + seed / 2 % 3;
  config.network.router.switching = static_cast<router::Switching>(seed % 3);
  config.network.router.atomic_vcs = seed % 5 == 0;
  config.routing.kind = "up_down";  // takes all of them; not used
  config.watchdog_cycles = 1'000'000'000;
  return config;
}

/// The circle that the checker names, as packets that fill a buffer, over and over.
std::vector<VcRig::Send> circle_packets(const routing::DeadlockReport& report, unsigned buffer_flits) {
  std::vector<VcRig::Send> list;
  constexpr unsigned rounds = 200;
  for (unsigned round = 0; round < rounds; ++round)
    for (const routing::CycleWitness& packet : report.witnesses)
      list.push_back({packet.source, packet.destination, 0, buffer_flits});
  return list;
}

}  // namespace

TEST_CASE("random tables: circles stand, and networks without one drain") {
  struct Trial {
    std::unique_ptr<VcRig> rig;
    std::unique_ptr<RandomTable> table;
    routing::DeadlockReport report;
    std::uint64_t seed = 0;
  };
  std::vector<Trial> trials;
  unsigned circles = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Trial trial;
    trial.seed = seed;
    trial.rig = std::make_unique<VcRig>(small_network(seed));
    const graph::Topology& topology = trial.rig->topology;
    const unsigned vcs = trial.rig->config.network.vcs, flits = trial.rig->config.network.buffer_flits;
    trial.table = std::make_unique<RandomTable>(topology, vcs, seed % 7 != 0, seed);
    trial.report = routing::check_deadlock(topology, *trial.table, deadlock_config(trial.rig->config, true));
    REQUIRE(trial.report.delivers);
    REQUIRE(trial.report.finite);
    LoadedNetwork::MakeSource sources;
    if (trial.report.deadlock_free) {
      TrafficConfig load;
      load.load_flits_per_node_cycle = 1.0;
      load.packet_flits = flits;
      load.last_cycle = 400;
      const TrafficSources made(load, TrafficNodes::of(topology), seed);
      trial.rig->build([&made](NodeId node) { return made.source(node); }, nullptr, trial.table.get());
    } else {
      ++circles;
      trial.rig->build(circle_packets(trial.report, flits), trial.table.get());
    }
    trials.push_back(std::move(trial));
  }
  CHECK(circles > 20);
  CHECK(trials.size() - circles > 20);
  std::vector<std::uint64_t> moved;
  for (const Cycle end : {40'000, 42'000}) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      LoadedNetwork& network = *trials[i].rig->loaded;
      network.run_to(end);
      if (i == moved.size()) moved.push_back(network.network().counters().flits);
    }
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Trial& trial = trials[i];
    const LoadedNetwork& network = *trial.rig->loaded;
    INFO("seed " << trial.seed << "\n" << trial.report.text(trial.rig->topology));
    CHECK(network.network().counters().flits == moved[i]);
    CHECK((network.packets_delivered() == network.packets_born()) == trial.report.deadlock_free);
    if (trial.report.deadlock_free) continue;
    CHECK_THAT(wait_report(network.network(), network.pool(), network.now(), 5),
               Catch::Contains("in a circle"));
  }
}
