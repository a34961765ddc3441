// SPDX-License-Identifier: Apache-2.0
// Random routing tables against the deadlock checker: a reported cycle really blocks, and a network without
// one drains. A table with one port and one virtual channel per destination, and a node at every router, has
// a cyclic dependency if and only if it can deadlock (Dally and Seitz).

#include <algorithm>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "network/vc_rig.h"
#include "support/catch.h"
#include "support/scripted_routing.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/paths.h"
#include "tsuji/network/config/deadlock_config.h"
#include "tsuji/network/deadlock_scan.h"
#include "tsuji/network/network_supervisor.h"
#include "tsuji/routing/dimension_order.h"

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using tsuji::test::ScriptedRouting;

namespace {

/// For every destination a random tree, of shortest routes or of any routes, and a random virtual channel at
/// every router.
class RandomTable {
 public:
  RandomTable(const graph::Topology& topology, unsigned vcs, bool shortest, std::uint64_t seed)
      : routing(routing::vc_range(0, vcs),
                [this](const routing::RouteQuery& query, routing::RouteSet& candidates) {
                  const Entry& entry =
                      entries_[query.destination.node() * topology_.routers() + query.router];
                  candidates.add(entry.port, entry.vcs);
                }),
        topology_(topology),
        random_(seed, 0) {
    for (NodeId to = 0; to < topology.nodes(); ++to) add_tree(to, vcs, shortest);
  }
  const ScriptedRouting routing;

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
    entries_[first + eject.router] = {eject.port, routing::vc_range(0, vcs)};
    std::vector<bool> inside(topology_.routers(), false);
    inside[eject.router] = true;
    while (true) {
      std::vector<graph::PortRef> outside;  // ports whose links enter the tree
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
  config.routing.kind = "up_down";  // accepts any topology; not used
  config.watchdog_cycles = 1'000'000'000;
  return config;
}

/// The cycle that the checker reports, as packets that fill its buffers again and again.
std::vector<VcRig::Send> circle_packets(const routing::DeadlockReport& report, unsigned buffer_flits) {
  std::vector<VcRig::Send> list;
  constexpr unsigned rounds = 200;
  for (unsigned round = 0; round < rounds; ++round)
    for (const routing::CycleWitness& packet : report.witnesses)
      list.push_back({packet.source, packet.destination, 0, buffer_flits});
  return list;
}

}  // namespace

TEST_CASE("random tables: reported cycles block, and networks without one drain") {
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
    const graph::Topology& topology = trial.rig->plan.topology;
    const unsigned vcs = trial.rig->config.network.vcs, flits = trial.rig->config.network.buffer_flits;
    trial.table = std::make_unique<RandomTable>(topology, vcs, seed % 7 != 0, seed);
    trial.report = routing::check_deadlock(topology, trial.table->routing,
                                           deadlock_config(trial.rig->config, topology, true));
    REQUIRE(trial.report.delivers);
    REQUIRE(trial.report.finite);
    trial.rig->route_by(trial.table->routing);
    if (trial.report.deadlock_free) {
      TrafficConfig load;
      auto& open_loop = load.of<traffic::OpenLoopConfig>();
      open_loop.load_flits_per_node_cycle = 1.0;
      open_loop.last_cycle = 400;
      load.lengths.of<workload::LengthRange>().packet_flits = flits;
      const TrafficSources made(load, TrafficNodes::of(topology), seed);
      trial.rig->build([&made](NodeId node) { return made.source(node); });
    } else {
      ++circles;
      trial.rig->build(circle_packets(trial.report, flits));
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
    INFO("seed " << trial.seed << "\n" << trial.report.text(trial.rig->plan.topology));
    CHECK(network.network().counters().flits == moved[i]);
    CHECK((network.accounts().packets_delivered() == network.accounts().packets_born()) ==
          trial.report.deadlock_free);
    if (trial.report.deadlock_free) continue;
    CHECK_THAT(wait_report(network.network(), network.pool(), network.now(), 5),
               Catch::Contains("in a cycle"));
  }
}

namespace {

/// A line of a wait report.
struct WaitLine {
  unsigned router = 0, port = 0, vc = 0;
  std::string packet, destination;
  bool has_channel = false;         ///< waits for credits; otherwise for a virtual channel
  std::vector<unsigned> out_ports;  ///< that it waits for
  unsigned out_vc = 0;
  Cycle since = 0, cycles = 0;
};

WaitLine parsed(const std::string& text) {
  static const std::regex line(
      "  router (\\d+), port (\\d+), virtual channel (\\d+): packet (\\S+) for node (\\d+) waits for "
      "(?:credits of port (\\d+), virtual channel (\\d+)|a virtual channel of port((?: \\d+)+)), "
      "since cycle (\\d+) \\((\\d+) cycles\\)");
  std::smatch part;
  WaitLine result;
  INFO(text);
  REQUIRE(std::regex_match(text, part, line));
  const auto number = [&part](unsigned group) { return static_cast<unsigned>(std::stoul(part[group])); };
  result.router = number(1);
  result.port = number(2);
  result.vc = number(3);
  result.packet = part[4];
  result.destination = part[5];
  result.has_channel = part[6].matched;
  if (result.has_channel) {
    result.out_ports = {number(6)};
    result.out_vc = number(7);
  } else {
    std::istringstream ports(part[8]);
    for (unsigned port = 0; ports >> port;) result.out_ports.push_back(port);
  }
  result.since = number(9);
  result.cycles = number(10);
  return result;
}

/// Lines of a wait report: of the cycle, and of waiting packets.
struct WaitText {
  explicit WaitText(const std::string& report) {
    std::istringstream text(report);
    std::vector<WaitLine>* into = nullptr;
    for (std::string line; std::getline(text, line);) {
      if (line == "they wait for each other in a cycle:") {
        into = &circle;
      } else if (line.find(" virtual channels hold flits that cannot move:") != std::string::npos) {
        into = &waiting;
        count = std::stoul(line);
      } else if (line.find("deadlock: ") == 0 || line == "...") {
        knots.push_back(line);
      } else if (line == "  ...") {
        cut = true;
      } else {
        into->push_back(parsed(line));
      }
    }
  }
  std::vector<std::string> knots;
  std::vector<WaitLine> circle, waiting;
  std::size_t count = 0;
  bool cut = false;
};

void check_wait_report(unsigned buffer_flits) {
  NetworkConfig config = torus(8);
  config.network.vcs = 1;
  config.network.buffer_flits = buffer_flits;
  config.routing.of<routing::DimensionOrderConfig>().dateline = routing::Dateline::none;
  config.watchdog_cycles = 1'000'000'000;
  VcRig rig(config);
  rig.build(load(1.0, 16, 300));
  rig.loaded->run_to(20'000);
  const VcNetwork& network = rig.loaded->network();
  REQUIRE(rig.loaded->accounts().packets_under_way() > 0);
  std::vector<std::tuple<unsigned, unsigned, unsigned>> holding;
  for (graph::RouterId id = 0; id < network.routers(); ++id) {
    for (unsigned port = 0; port < network.router(id).ports(); ++port) {
      for (unsigned vc = 0; vc < network.router(id).vcs(port); ++vc)
        if (network.router(id).view(port, vc).has_flit) holding.emplace_back(id, port, vc);
    }
  }
  const WaitText report(wait_report(network, rig.loaded->pool(), rig.loaded->now(), 10'000));
  CAPTURE(buffer_flits);
  CHECK(report.count == holding.size());
  CHECK_FALSE(report.cut);
  REQUIRE(report.waiting.size() == holding.size());
  for (std::size_t i = 0; i < holding.size(); ++i) {
    const WaitLine& line = report.waiting[i];
    CHECK(std::make_tuple(line.router, line.port, line.vc) == holding[i]);
    const router::VcView view = network.router(line.router).view(line.port, line.vc);
    const Packet& packet = rig.loaded->pool().at(view.packet);
    CHECK(line.packet == packet_name(packet.id));
    CHECK(line.destination == std::to_string(packet.destination.node()));
    CHECK(line.has_channel == (view.state == router::VcState::active));
    CHECK(line.since == view.blocked_since);
    CHECK(line.since + line.cycles == rig.loaded->now());
  }
  CHECK(report.circle.size() >= 2);
  for (std::size_t i = 0; i < report.circle.size(); ++i) {
    const WaitLine& own = report.circle[i];
    const WaitLine& next = report.circle[(i + 1) % report.circle.size()];
    bool waits = false;
    for (const unsigned port : own.out_ports) {
      const graph::Topology::Far& far = network.far(own.router, port);
      const bool there = far.kind == graph::Topology::Far::Kind::router && far.at.router == next.router &&
                         far.at.port == next.port;
      if (own.has_channel) {
        waits = waits || (there && next.vc == own.out_vc);
      } else {
        // Another packet has the virtual channel, or its buffer is full.
        const bool holds = next.router == own.router && next.has_channel && next.out_ports.front() == port;
        waits = waits || holds || there;
      }
    }
    CHECK(waits);
  }
  // Each head waits for one virtual channel, so the cycle is a knot.
  const DeadlockScan scan(network, rig.loaded->pool());
  std::set<std::string> packets;
  Cycle since = 0;
  for (const WaitLine& line : report.circle) {
    packets.insert(line.packet);
    since = std::max(since, line.since);
  }
  const WaitLine& first = report.circle.front();
  const auto own_knot =
      std::find_if(scan.knots().begin(), scan.knots().end(), [&](const DeadlockScan::Knot& knot) {
        return std::any_of(knot.places.begin(), knot.places.end(), [&](const VcNetwork::InputPlace& place) {
          return place.port.router == first.router && place.port.port == first.port && place.vc == first.vc;
        });
      });
  REQUIRE(own_knot != scan.knots().end());
  CHECK(own_knot->places.size() == report.circle.size());
  CHECK(own_knot->packets == packets.size());
  CHECK(own_knot->since == since);
  REQUIRE(report.knots.size() == std::min<std::size_t>(scan.knots().size(), 4));
  for (std::size_t k = 0; k < report.knots.size(); ++k) {
    const DeadlockScan::Knot& knot = scan.knots()[k];
    CHECK(report.knots[k] ==
          (k == 3 ? std::string("...")
                  : "deadlock: " + std::to_string(knot.packets) +
                        " packets wait only for each other, since cycle " + std::to_string(knot.since)));
  }
  const WaitText few(wait_report(network, rig.loaded->pool(), rig.loaded->now(), 3));
  CHECK(few.count == holding.size());
  CHECK(few.waiting.size() == 3);
  CHECK(few.cut);
  CHECK(few.circle.size() == report.circle.size());
  const auto exact = static_cast<unsigned>(holding.size());
  CHECK_FALSE(WaitText(wait_report(network, rig.loaded->pool(), rig.loaded->now(), exact)).cut);
}

}  // namespace

TEST_CASE("a wait report: each packet of a cycle waits for the next, and all that hold flits are listed") {
  check_wait_report(4);
}
TEST_CASE("a wait report, where a packet spans many small buffers") {
  check_wait_report(2);
}
