// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_units.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/random_graphs.h"
#include "tsuji/network/config/network_plan.h"
#include "tsuji/network/loaded_network.h"
#include "tsuji/traffic/open_loop.h"

// Tree units in a network loaded by single casts, with drivers instead of network interfaces. Every multicast
// arrives once at each of its members and nowhere else, in the order of its source, and no barrier is
// released early.

using namespace tsuji;
using namespace tsuji::machines;
using namespace tsuji::network;
using tsuji::test::forked;
using Json = nlohmann::ordered_json;

namespace {

constexpr Cycle most_cycles = 400'000'000;

struct Setting {
  std::string topology = "torus", routing = "dimension_order";
  std::vector<unsigned> radices = {4, 4};
  unsigned levels = 3;  ///< of a fat tree
  unsigned vcs = 3, buffer_flits = 8;
  double load = 0.1;
  std::uint64_t seed = 1;
  unsigned multicasts = 60, rounds = 40;  ///< of each node, of each barrier
  unsigned fifo_packets = 2;
  Cycle link_cycles = 1;
  std::vector<std::uint32_t> dead_links = {};
  std::string faults = {};  ///< link.faults; if set, the tree changes
  Cycle change_cycles = 100;
  std::optional<std::uint64_t> root = {};
  unsigned kept_packets = 16;
  std::string lookup = "local";
  bool modules = false, predicts = false;
  ProcessMode processes = ProcessMode::one_for_all;
  std::uint64_t shuffle_seed = 0;
};

NetworkConfig network_of(const Setting& setting) {
  NetworkConfig config;
  config.topology.kind = setting.topology;
  if (setting.topology == "fat_tree")
    config.topology.of<graph::FatTreeConfig>().levels = setting.levels;
  else if (setting.topology == "random_regular")
    config.topology.of<graph::RandomGraphConfig>().nodes = setting.radices[0];
  else
    config.topology.of<graph::CubeConfig>().radices = setting.radices;
  config.link_faults = setting.faults;
  config.routing.kind = setting.routing;
  config.network.vcs = setting.vcs;
  config.network.own_vcs = TreeConfig::vcs;
  config.network.buffer_flits = setting.buffer_flits;
  config.link_latency_cycles = setting.link_cycles;
  config.dead.links = setting.dead_links;
  config.lookup.kind = setting.lookup;
  if (setting.modules) config.lookup.model = lookup::LookupModel::modules;
  if (setting.predicts) config.network.router.prediction.kind = "latest_port";
  config.process_mode = setting.processes;
  config.shuffle_seed = setting.shuffle_seed;
  config.resolve();
  config.validate();
  return config;
}

/// A barrier of some nodes, with each node's arrivals and releases.
struct Barrier {
  std::uint64_t map = 0;
  std::map<NodeId, unsigned> come, released;
  unsigned least_come() const {
    return std::min_element(come.begin(), come.end(), [](auto& a, auto& b) { return a.second < b.second; })
        ->second;
  }
};

/// Actions and observations of all drivers of a network.
struct Board {
  unsigned nodes = 0, rounds = 0;
  std::vector<Barrier> barriers;                           ///< by sid
  std::map<std::pair<NodeId, NodeId>, unsigned> due, got;  ///< multicasts from, to
  std::map<std::pair<NodeId, NodeId>, PacketId> last;
  std::uint64_t digest = 0;  ///< hash of all arrivals with place and cycle, independent of order
  std::uint64_t unsent = 0;  ///< multicasts
  std::string wrong;
  bool done() const {
    if (unsent != 0) return false;
    for (const Barrier& barrier : barriers)
      for (const auto& [node, times] : barrier.released)
        if (times != rounds) return false;
    return due == got;
  }
};

/// A node that sends multicasts, takes part in barriers, and takes packets after a delay.
class Driver final : public sc_core::sc_module, public Clocked {
 public:
  struct Parts {
    ClockDomain& domain;
    PacketPool& pool;
    traffic::BridgeUnit channels;
    NodeId node;
    std::uint64_t seed;
    unsigned multicasts;
    Board& board;
  };
  Driver(sc_core::sc_module_name name, const Parts& parts)
      : sc_module(name),
        Clocked(parts.domain),
        parts_(parts),
        random_(parts.seed, parts.node),
        left_(parts.multicasts) {
    parts_.board.unsent += left_;
    parts_.channels.to->bind_sender(*this);
    parts_.channels.from->bind_receiver(*this, 1, 1, 0);
  }
  void end_of_elaboration() override { wake_at(1); }
  void step(Cycle now) override {
    take(now);
    give(now);
  }

 private:
  PacketRef packet(PacketKind kind, std::uint64_t map, unsigned flits) {
    PacketRef made = parts_.pool.make_bare();
    Packet& packet = made.edit();
    packet.id = packet_id(parts_.node, serial_++);
    packet.kind = kind;
    packet.source = parts_.node;
    packet.map = map;
    packet.flits = static_cast<std::uint16_t>(flits);
    return made;
  }
  PacketRef next_multicast() {
    PacketRef made = packet(PacketKind::multicast, 0, 3 + static_cast<unsigned>(random_.below(6)));
    Packet& packet = made.edit();
    const std::uint64_t groups = (parts_.board.nodes + 63) / 64;
    packet.group = static_cast<std::uint32_t>(random_.below(groups));
    const std::uint64_t there = std::min<std::uint64_t>(parts_.board.nodes - 64 * packet.group, 64);
    const std::uint64_t all = there == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << there) - 1;
    while (packet.map == 0) packet.map = random_.next() & random_.next() & all;
    if (random_.below(4) == 0) packet.map = all;
    for (std::uint64_t left = packet.map; left != 0; left &= left - 1)
      ++parts_.board.due[{parts_.node, 64 * packet.group + static_cast<unsigned>(__builtin_ctzll(left))}];
    --left_;
    --parts_.board.unsent;
    return made;
  }
  void take(Cycle now) {
    PacketTransfer transfer;
    Cycle head = 0;
    while (parts_.channels.from->receive(now, transfer, head)) {
      const Packet& packet = *transfer.packet;
      note(packet, now);
      parts_.channels.from->release(0, now + packet.flits + random_.below(12));
      if (packet.kind == PacketKind::multicast) {
        multicast_came(packet);
      } else {
        released(packet);
      }
    }
  }
  void note(const Packet& packet, Cycle now) {
    parts_.board.digest += CounterRandom(now, parts_.node).bits(packet.id) ^ packet.map;
  }
  void multicast_came(const Packet& packet) {
    const std::pair<NodeId, NodeId> way{packet.source.node(), parts_.node};
    if (packet.group != parts_.node / 64 || (packet.map >> parts_.node % 64 & 1U) == 0)
      parts_.board.wrong = "not for node " + std::to_string(parts_.node);
    PacketId& last = parts_.board.last[way];
    if (parts_.board.got[way]++ != 0 && packet.id <= last) parts_.board.wrong = "out of order";
    last = packet.id;
  }
  void released(const Packet& packet) {
    Barrier& barrier = parts_.board.barriers[packet.sid];
    if (++barrier.released[parts_.node] > barrier.least_come()) parts_.board.wrong = "released early";
  }
  /// Sends to a barrier that released this node last time, or one more multicast.
  void give(Cycle now) {
    if (now < free_at_) return;
    if ((parts_.channels.to->room(now) & 1U) == 0) {
      const Cycle at = parts_.channels.to->room_at(0);
      if (at != never) wake_at(at);
      return parts_.channels.to->watch_room(1);
    }
    parts_.channels.to->watch_room(0);
    PacketRef next = next_barrier();
    if (!next && left_ != 0) next = next_multicast();
    if (!next) return;
    free_at_ = now + next->flits + (random_.below(3) == 0 ? random_.below(40) : 0);
    wake_at(free_at_);
    parts_.channels.to->send(now, {std::move(next), 1, 0});
  }
  PacketRef next_barrier() {
    for (unsigned sid = 0; sid < parts_.board.barriers.size(); ++sid) {
      Barrier& barrier = parts_.board.barriers[sid];
      const auto own = barrier.come.find(parts_.node);
      if (own == barrier.come.end() || own->second != barrier.released[parts_.node] ||
          own->second == parts_.board.rounds || (left_ != 0 && random_.below(2) == 0))
        continue;
      ++own->second;
      PacketRef made = packet(PacketKind::synchronization, barrier.map, 3);
      made.edit().sid = static_cast<std::uint8_t>(sid);
      return made;
    }
    return {};
  }

  const Parts parts_;
  CounterRandom random_;
  unsigned left_;
  std::uint32_t serial_ = 0;
  Cycle free_at_ = 0;
};

Board board_of(const Setting& setting, unsigned nodes) {
  Board board;
  board.nodes = nodes;
  board.rounds = setting.rounds;
  CounterRandom random(setting.seed, 0xBA44);
  const std::uint64_t all = nodes >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes) - 1;
  for (unsigned sid = 0; sid < 5; ++sid) {
    Barrier barrier;
    while (__builtin_popcountll(barrier.map) < 2) barrier.map = sid == 0 ? all : random.next() & all;
    for (std::uint64_t left = barrier.map; left != 0; left &= left - 1)
      barrier.come[static_cast<unsigned>(__builtin_ctzll(left))] = 0;
    barrier.released = barrier.come;
    board.barriers.push_back(std::move(barrier));
  }
  return board;
}

Json run(const Setting& setting) {
  const NetworkConfig config = network_of(setting);
  const NetworkPlan plan(config);
  const graph::Topology& topology = plan.topology;
  TreeConfig tree;
  tree.fifo_packets = setting.fifo_packets;
  tree.change_cycles = setting.change_cycles;
  tree.root = setting.root;
  tree.kept_packets = setting.kept_packets;
  const bool changes = !setting.faults.empty();
  TreeUnits units({tree, topology, plan.faults, *plan.routing, config.network.vcs_of_routing(), changes});
  Board board = board_of(setting, topology.nodes());

  TrafficConfig traffic;
  auto& open_loop = traffic.of<traffic::OpenLoopConfig>();
  open_loop.load_flits_per_node_cycle = setting.load;
  open_loop.last_cycle = 4000;
  const TrafficSources sources(traffic, plan.nodes, setting.seed);
  LoadedNetwork::Parts parts{config, topology, units.routing()};
  parts.make_source = [&](NodeId node) { return sources.source(node); };
  parts.sources_have_channels = true;
  parts.make_control = [&](graph::RouterId router) { return units.make_port(router); };
  if (changes) parts.fault_observer = &units;
  auto loaded = std::make_unique<LoadedNetwork>(parts);
  std::vector<std::unique_ptr<Driver>> drivers;
  for (NodeId node = 0; node < topology.nodes(); ++node)
    drivers.push_back(
        std::make_unique<Driver>(("driver" + std::to_string(node)).c_str(),
                                 Driver::Parts{loaded->domain(), loaded->pool(), units.channels_of(node),
                                               node, setting.seed, setting.multicasts, board}));
  Cycle end = 0;
  while (end < most_cycles && !(board.done() && loaded->idle() && units.flits_held() == 0)) {
    loaded->run_to(end += 1000);
    if (!board.wrong.empty()) break;
  }
  loaded->check_conservation();
  const TreeCounters counters = units.counters();
  Json facts{{"wrong", board.wrong},
             {"done", board.done()},
             {"held", units.flits_held()},
             {"left over", units.held_report(4)},
             {"in flight", loaded->network().flits_in_flight()},
             {"end", end},
             {"digest", board.digest},
             {"multicasts", counters.multicasts},
             {"balance", counters.from_nodes + counters.from_units + counters.copied + counters.released +
                                 counters.sent_again ==
                             counters.to_nodes + counters.to_units + counters.merged + counters.swallowed +
                                 counters.discarded},
             {"given", counters.given == counters.due},
             {"changes", counters.changes},
             {"discarded", counters.discarded},
             {"sent again", counters.sent_again},
             {"swallowed", counters.swallowed},
             {"late", counters.late}};
  std::uint64_t due = 0;
  for (const auto& [way, times] : board.due) due += times;
  facts["due"] = due;
  while (!drivers.empty()) drivers.pop_back();
  units.drop_channels();
  loaded.reset();
  return facts;
}

Json outcome(const Setting& setting) {
  const std::string text = forked([&] { return run(setting).dump(); });
  if (text.empty() || text[0] != '{') throw std::runtime_error(text);
  return Json::parse(text);
}

void check(const Json& facts) {
  CAPTURE(facts.dump());
  CHECK(facts["wrong"] == "");
  CHECK(facts["done"] == true);
  CHECK(facts["held"] == 0);
  CHECK(facts["left over"] == "");
  CHECK(facts["in flight"] == 0);
  CHECK(facts["balance"] == true);
  CHECK(facts["given"] == true);
}

Setting drawn(std::uint64_t seed) {
  CounterRandom random(seed, 0x7EE);
  const auto one_of = [&random](auto first, auto second) { return random.below(2) == 0 ? first : second; };
  Setting setting;
  setting.seed = seed;
  switch (random.below(4)) {
    case 0:
      setting.radices = {2 + static_cast<unsigned>(random.below(4)), 4};
      break;
    case 1:
      setting.topology = "mesh";
      setting.radices = {3, 2 + static_cast<unsigned>(random.below(4))};
      break;
    case 2:
      setting.topology = "fat_tree";
      setting.routing = "auto";
      break;
    default:
      setting.routing = "detour_ud";
      setting.vcs = 5;
      setting.dead_links = {static_cast<std::uint32_t>(random.below(8))};
      break;
  }
  setting.vcs += static_cast<unsigned>(random.below(2));
  setting.fifo_packets = 1 + static_cast<unsigned>(random.below(3));
  setting.link_cycles = 1 + random.below(4);
  setting.load = one_of(0.05, 0.3);
  setting.lookup = setting.topology == "fat_tree" ? "local" : one_of("local", "cached");
  setting.modules = setting.lookup == "cached" && random.below(3) == 0;
  setting.predicts = random.below(2) == 0;
  return setting;
}

/// Links die and return while units work, some of them within changes of the tree and some together with all
/// links of a router. All live in the end.
std::string random_faults(const graph::Topology& topology, CounterRandom& random, Cycle last) {
  std::string text;
  const auto add = [&](std::uint64_t link, Cycle from, Cycle cycles) {
    text += (text.empty() ? "" : ",") + std::to_string(link) + '@' + std::to_string(from) + ':' +
            std::to_string(from + cycles);
  };
  const std::size_t links = topology.links().size();
  for (std::uint64_t fault = 12 + random.below(40); fault != 0; --fault) {
    const Cycle from = 1 + random.below(last);
    if (random.below(8) != 0) {
      const Cycle most[] = {2, 60, last / 4};
      add(random.below(links), from, 1 + random.below(most[random.below(3)]));
      continue;
    }
    const std::uint64_t router = random.below(topology.routers());
    const Cycle cycles = 1 + random.below(last / 4);
    for (std::size_t link = 0; link < links; ++link)
      if (topology.links()[link].a.router == router || topology.links()[link].b.router == router)
        add(link, from + random.below(3), cycles + random.below(30));
  }
  return text;
}

Setting changing(std::uint64_t seed) {
  Setting setting = drawn(seed);
  CounterRandom random(seed, 0xFA17);
  if (setting.routing == "detour_ud") {
    setting.dead_links = {};
    setting.topology = "random_regular";
    setting.radices = {8 + static_cast<unsigned>(random.below(13))};
    setting.routing = "up_down";
    setting.vcs = 3;
    setting.lookup = "local";
    setting.modules = setting.predicts = false;
  }
  setting.change_cycles = 1 + random.below(random.below(2) == 0 ? 20 : 400);
  setting.kept_packets = 1 + static_cast<unsigned>(random.below(5));
  setting.multicasts = 120;
  if (random.below(2) == 0) setting.root = 0;
  const NetworkConfig config = network_of(setting);
  setting.faults = random_faults(make_topology(config.topology, config.link_latency_cycles), random, 12'000);
  return setting;
}

void check_changes(const Json& facts) {
  check(facts);
  CHECK(facts["changes"] > 5);
  CHECK(facts["sent again"] > 0);
}

}  // namespace

namespace {

/// Sends two multicasts of `flits` flits and `numbers` multicast numbers from node 0 of a row to its last
/// node, with FIFOs of one packet, the first in cycle 100. Returns the first head's arrival cycle, the
/// routers that it has passed, and the cycles until the second head arrives.
std::string two_multicasts(unsigned routers, unsigned flits, Cycle link_cycles, unsigned numbers) {
  Setting setting;
  setting.topology = "mesh";
  setting.radices = {routers};
  setting.buffer_flits = 32;  // no shorter than the credit loop
  setting.link_cycles = link_cycles;
  const NetworkConfig config = network_of(setting);
  const NetworkPlan plan(config);
  const graph::Topology& topology = plan.topology;
  TreeConfig tree;
  tree.fifo_packets = 1;
  TreeUnits units({tree, topology, plan.faults, *plan.routing, config.network.vcs_of_routing()});
  LoadedNetwork::Parts parts{config, topology, units.routing()};
  parts.make_source = [](NodeId) {
    return std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{});
  };
  parts.sources_have_channels = true;
  parts.make_control = [&](graph::RouterId router) { return units.make_port(router); };
  auto loaded = std::make_unique<LoadedNetwork>(parts);
  struct Node final : sc_core::sc_module, Clocked {
    Node(sc_core::sc_module_name name, ClockDomain& domain, const traffic::BridgeUnit& own)
        : sc_module(name), Clocked(domain), channels(own) {
      channels.to->bind_sender(*this);
      channels.from->bind_receiver(*this, 1, 1, 0);
    }
    void end_of_elaboration() override {
      if (!packets.empty()) wake_at(100);
    }
    void step(Cycle now) override {
      if (!packets.empty() && (channels.to->room(now) & 1U) != 0) {
        channels.to->send(now, {packets.front(), 1, 0});
        packets.pop_back();
      }
      channels.to->watch_room(packets.empty() ? 0 : 1);
      PacketTransfer transfer;
      Cycle head = 0;
      if (!channels.from->receive(now, transfer, head)) return;
      came.push_back(head);
      hops = transfer.hops;
      channels.from->release(0, now);
    }
    const traffic::BridgeUnit channels;
    std::vector<PacketRef> packets;
    std::vector<Cycle> came;
    unsigned hops = 0;
  };
  std::vector<std::unique_ptr<Node>> nodes;
  for (NodeId node = 0; node < routers; ++node)
    nodes.push_back(std::make_unique<Node>(("node_" + std::to_string(node)).c_str(), loaded->domain(),
                                           units.channels_of(node)));
  nodes.front()->packets.assign(2, loaded->pool().make_bare());
  Packet& packet = nodes.front()->packets.front().edit();
  packet.kind = PacketKind::multicast;
  packet.map = std::uint64_t{1} << (routers - 1);
  packet.flits = static_cast<std::uint16_t>(flits);
  std::vector<traffic::MulticastNumbers::Number> list;
  for (unsigned member = 0; member < numbers; ++member) list.emplace_back(member, 7);
  packet.order = units.channels_of(0).numbers->add(list, 1);
  loaded->run_to(2000);
  const std::vector<Cycle> times = nodes.back()->came;
  const std::string came = times.size() != 2
                               ? "not two"
                               : std::to_string(times[0]) + ", " + std::to_string(nodes.back()->hops) + ", " +
                                     std::to_string(times[1] - times[0]);
  nodes.clear();
  units.drop_channels();
  loaded.reset();
  return came;
}

}  // namespace

TEST_CASE(
    "a packet takes two routers' time from unit to unit, and its successor also waits for the room beyond") {
  for (const unsigned routers : {2U, 3U, 5U})
    for (const unsigned flits : {1U, 5U, 20U})
      for (const Cycle link : {Cycle{1}, Cycle{4}})
        for (const unsigned numbers : {0U, 3U}) {
          CAPTURE(routers, flits, link, numbers);
          // From the last flit in a unit to the outgoing head, and to the last flit in the next unit.
          const Cycle unit = 4, hop = 2 * 4 + 1 + link + 1 + flits + numbers;
          const Cycle last_flit_at_first_unit = 100 + 1 + flits - 1;
          const Cycle expected = last_flit_at_first_unit + unit + (routers - 1) * (hop + unit) + 1;
          // The copy to the next unit, or the last node, frees the place; the room signal takes a cycle and
          // the link's latency.
          const Cycle beyond = routers == 2 ? flits : flits + numbers;
          const Cycle period = hop + unit + beyond + 1 + link;
          CHECK(forked([&] { return two_multicasts(routers, flits, link, numbers); }) ==
                std::to_string(expected) + ", " + std::to_string(2 * (routers - 1)) + ", " +
                    std::to_string(period));
        }
}

TEST_CASE("multicasts of units arrive once at each member, in order, and barriers release no member early") {
  const auto seed = GENERATE(range<std::uint64_t>(1, 13));
  CAPTURE(seed);
  check(outcome(drawn(seed)));
}

TEST_CASE("multicasts arrive once, in order, and no barrier opens early while links die and return") {
  const auto seed = GENERATE(range<std::uint64_t>(1, 13));
  CAPTURE(seed);
  check_changes(outcome(changing(seed)));
}

TEST_CASE("a root that is cut off is replaced until it is reconnected") {
  network::TopologyConfig mesh;
  mesh.kind = "mesh";
  mesh.of<graph::CubeConfig>().radices = {3, 3};
  const graph::Topology topology = make_topology(mesh, 1);
  graph::FaultSet dead;
  for (std::uint32_t link = 0; link < topology.links().size(); ++link)
    if (topology.links()[link].a.router == 8 || topology.links()[link].b.router == 8)
      dead.links.push_back(link);
  const NodeTree without = TreeUnits::tree_of(topology, dead, 8);
  CHECK(without.root() == NodeTree(topology, dead, std::nullopt).root());
  CHECK_FALSE(without.contains(8));
  CHECK(TreeUnits::tree_of(topology, {}, 8).root() == 8);
}

TEST_CASE("a tree that changes refuses a router with more links and nodes than a unit has branches") {
  const auto made = [](unsigned nodes, bool changes) {
    return forked([&] {
      network::TopologyConfig ring;
      ring.kind = "torus";
      ring.of<graph::CubeConfig>().radices = {2};  // two links, of which a tree has one
      ring.of<graph::CubeConfig>().nodes_per_router = nodes;
      const graph::Topology topology = make_topology(ring, 1);
      RoutingConfig routing;
      routing.kind = "dimension_order";
      const auto of_nodes = make_routing(routing, topology, 2);
      const TreeUnits units({TreeConfig(), topology, {}, *of_nodes, 2, changes});
      return std::string("made");
    });
  };
  CHECK(made(61, true) == "made");
  CHECK(made(62, false) == "made");
  const std::string refusal = made(62, true);
  CAPTURE(refusal);
  CHECK(refusal.find(
            "topology.kind: router 0 has 64 links and nodes, which may all be in a tree that changes") !=
        std::string::npos);
  CHECK(refusal.find("at most 63") != std::string::npos);
}

TEST_CASE("the order of modules changes no result in a tree that changes") {
  Setting setting = changing(GENERATE(2U, 5U));
  const Json usual = outcome(setting);
  check_changes(usual);
  setting.processes = ProcessMode::process_each;
  CHECK(outcome(setting) == usual);
  setting.shuffle_seed = 17;
  CHECK(outcome(setting) == usual);
}

TEST_CASE("the order of modules changes no result of units") {
  Setting setting = drawn(GENERATE(3U, 4U, 7U));
  const Json usual = outcome(setting);
  check(usual);
  setting.processes = ProcessMode::process_each;
  CHECK(outcome(setting) == usual);
  setting.shuffle_seed = 17;
  CHECK(outcome(setting) == usual);
}

TEST_CASE("units with FIFOs of one packet drain under multicasts of all nodes to all") {
  Setting setting;
  setting.load = 0.5;
  setting.fifo_packets = 1;
  setting.multicasts = 200;
  setting.radices = GENERATE(std::vector<unsigned>{4, 4}, std::vector<unsigned>{9, 9});
  const Json facts = outcome(setting);
  check(facts);
  CHECK(facts["due"] > 20'000);
}

TEST_CASE("units in random networks do the same over 150 more of them", "[.][long]") {
  for (std::uint64_t seed = 100; seed < 250; ++seed) {
    CAPTURE(seed);
    check(outcome(drawn(seed)));
  }
}

TEST_CASE("units in 150 more random networks do the same while links die and return", "[.][long]") {
  for (std::uint64_t seed = 100; seed < 260; ++seed) {
    CAPTURE(seed);
    check(outcome(changing(seed)));
  }
}

TEST_CASE("units multicast and synchronize on meshes, tori and trees of 4 to 1024 nodes", "[.][long]") {
  for (const unsigned side : {2U, 4U, 8U, 16U, 32U}) {
    Setting setting;
    setting.radices = {side, side};
    setting.multicasts = side == 32 ? 4 : 40;
    setting.rounds = 20;
    for (const char* topology : {"mesh", "torus"}) {
      CAPTURE(side, topology);
      setting.topology = topology;
      check(outcome(setting));
    }
  }
  for (const unsigned levels : {1U, 2U, 3U, 4U, 5U}) {
    CAPTURE(levels);
    Setting setting;
    setting.topology = "fat_tree";
    setting.routing = "auto";
    setting.levels = levels;
    setting.multicasts = levels == 5 ? 4 : 40;
    setting.rounds = 20;
    check(outcome(setting));
  }
}

TEST_CASE("trees of 4 to 1024 nodes change on meshes, tori and fat trees", "[.][long]") {
  const auto [topology, size] = GENERATE(table<std::string, unsigned>({{"mesh", 2},
                                                                       {"mesh", 4},
                                                                       {"mesh", 8},
                                                                       {"mesh", 16},
                                                                       {"mesh", 32},
                                                                       {"torus", 2},
                                                                       {"torus", 4},
                                                                       {"torus", 8},
                                                                       {"torus", 16},
                                                                       {"torus", 32},
                                                                       {"fat_tree", 1},
                                                                       {"fat_tree", 2},
                                                                       {"fat_tree", 3},
                                                                       {"fat_tree", 4},
                                                                       {"fat_tree", 5}}));
  CAPTURE(topology, size);
  Setting setting;
  setting.topology = topology;
  setting.radices = {size, size};
  setting.levels = size;
  if (topology == "fat_tree") setting.routing = "auto";
  const bool large = size == 32 || (topology == "fat_tree" && size == 5);
  setting.multicasts = large ? 4 : 40;
  setting.rounds = 20;
  const graph::Topology network = make_topology(network_of(setting).topology, 1);
  CounterRandom random(size, 0xFA17);
  if (!network.links().empty()) setting.faults = random_faults(network, random, 3'000);
  check(outcome(setting));
}

TEST_CASE("units drain ten million multicasts", "[.][long]") {
  Setting setting;
  setting.radices = {2, 2};
  setting.load = 0.05;
  setting.fifo_packets = 1;
  setting.multicasts = 2'500'000;
  setting.rounds = 100'000;
  const Json facts = outcome(setting);
  check(facts);
  CHECK(facts["multicasts"] == 10'000'000);
}
