// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/tree/tree_unit.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/machines/tree/tree_channel.h"
#include "tsuji/network/config/routing_config.h"
#include "tsuji/network/config/topology_config.h"

// Trees, barriers and units without a simulation.

using namespace tsuji;
using namespace tsuji::machines;
using graph::RouterId;

namespace {

graph::Topology cube(const char* kind, std::vector<unsigned> radices) {
  network::TopologyConfig config;
  config.kind = kind;
  config.of<graph::CubeConfig>().radices = std::move(radices);
  return network::make_topology(config, 1);
}

graph::Topology fat_tree() {
  network::TopologyConfig config;
  config.kind = "fat_tree";
  return network::make_topology(config, 1);
}

/// The nodes reached by a branch, found link by link.
std::vector<NodeId> walk(const NodeTree& tree, RouterId from, RouterId at) {
  std::vector<NodeId> found = tree.nodes(at);
  for (const NodeTree::TreeLink& onward : tree.links(at)) {
    if (onward.neighbour == from) continue;
    const std::vector<NodeId> behind = walk(tree, at, onward.neighbour);
    found.insert(found.end(), behind.begin(), behind.end());
  }
  return found;
}

void check_tree(const graph::Topology& topology, const graph::FaultSet& faults, const NodeTree& tree) {
  unsigned branches_of_links = 0, in_tree = 0;
  for (RouterId router = 0; router < topology.routers(); ++router) {
    if (!tree.contains(router)) continue;
    ++in_tree;
    branches_of_links += static_cast<unsigned>(tree.links(router).size());
    for (const NodeTree::TreeLink& link : tree.links(router)) {
      const graph::Topology::Far& far = topology.far(router, link.port);
      REQUIRE(far.kind == graph::Topology::Far::Kind::router);
      CHECK(far.at.router == link.neighbour);
      CHECK(std::count(faults.links.begin(), faults.links.end(), far.link) == 0);
      const NodeTree::TreeLink& back = tree.links(link.neighbour)[link.branch_there];
      CHECK(back.neighbour == router);
      CHECK(back.link == link.link);
      CHECK(back.at_a != link.at_a);
      CHECK(tree.link_to(router, link.neighbour) == &link);
      const std::vector<NodeId> behind = walk(tree, router, link.neighbour);
      for (NodeId node = 0; node < topology.nodes(); ++node) {
        const bool is_behind = std::count(behind.begin(), behind.end(), node) != 0;
        const auto towards = tree.branches_towards(router, node / 64, std::uint64_t{1} << node % 64);
        CHECK((towards >> tree.branch_at(router, link) & 1U) == (is_behind ? 1U : 0U));
      }
    }
    for (const NodeId node : tree.nodes(router))
      CHECK(tree.branches_towards(router, node / 64, std::uint64_t{1} << node % 64) ==
            std::uint64_t{1} << tree.branch_of_node(router, node));
  }
  CHECK(branches_of_links == 2 * (in_tree - 1));  // connected, as walk() reached all, and acyclic
  CHECK(tree.circle().empty());
}

/// A unit in the middle of a row of three routers with a node each: branch 0 connects to router 2, branch 1
/// to router 0, branch 2 to node 1. Its channels are lists.
///
/// Alternatively a ring of three routers in a tree that changes. With the links 0-1 and 0-2, branch 0 of unit
/// 0 connects to router 1, branch 1 to router 2, and branch 2 to node 0; branch 0 of unit 1 connects to
/// router 0, and branch 1 to node 1.
class Rig {
 public:
  struct Sent {
    Cycle cycle;
    unsigned branch;
    PacketId packet;
    std::uint32_t number = 0;
  };
  explicit Rig(const TreeConfig& config = {})
      : config_(config),
        topology_(cube("mesh", {3})),
        tree_(topology_, {}, 0),
        router_(1),
        unit({config_, tree_, 1, "unit"}) {}
  Rig(const TreeConfig& config, RouterId router)
      : config_(config),
        topology_(cube("torus", {3})),
        tree_(topology_, {}, 0),
        router_(router),
        unit({config_, tree_, router, "unit", 3}) {}

  /// Makes the link between two routers the only dead one.
  void change(RouterId one, RouterId other) {
    graph::FaultSet dead;
    const auto& links = topology_.links();
    for (std::uint32_t link = 0; link < links.size(); ++link)
      if (links[link].a.router + links[link].b.router == one + other) dead.links.push_back(link);
    change_to(dead);
  }
  void change_to(const graph::FaultSet& dead) {
    tree_ = NodeTree(topology_, dead, 0);
    unit.change();
    next_ = now_;
  }
  /// Delivers a confirmation that is complete in cycle `whole`, the current one.
  void confirmation(unsigned branch, NodeId source, std::uint32_t number, Cycle whole) {
    unit.accept_confirmation(branch, {source, number}, whole);
    next_ = std::min(next_, whole);
  }

  PacketRef packet(PacketKind kind, NodeId source, std::uint64_t map, unsigned flits = 5) {
    PacketRef made = pool.make_bare();
    Packet& packet = made.edit();
    packet.id = packet_id(source, serial_++);
    packet.kind = kind;
    packet.source = source;
    packet.map = map;
    packet.flits = static_cast<std::uint16_t>(flits);
    return made;
  }
  /// Delivers a packet that is complete in cycle `whole`, the current one.
  void come(unsigned branch, PacketRef packet, Cycle whole, std::uint32_t number = 0) {
    unit.accept(branch, {std::move(packet), 1, 3}, whole, whole, number);
    next_ = std::min(next_, whole);
  }
  void run_to(Cycle end) {
    for (; now_ < end; ++now_) {
      if (departs_at_ && *departs_at_ == now_) {
        unit.departed();
        departs_at_.reset();
        next_ = std::min(next_, now_ + 1);
      }
      if (now_ >= next_ || (waits_ & room_branches) != 0) {
        next_ = unit.step(now_, *this);
        CHECK(next_ > now_);
      }
    }
  }

  bool room(unsigned branch, Cycle) const { return (room_branches >> branch & 1U) != 0; }
  void send(unsigned branch, Cycle now, PacketTransfer&& transfer, std::uint32_t number) {
    CHECK(room(branch, now));
    CHECK(transfer.hops == 3);
    if (branch < links()) depart(now + transfer.packet->flits);
    sent.push_back({now, branch, transfer.packet->id, number});
  }
  void confirm(unsigned branch, Cycle now, const MulticastName& multicast) {
    depart(now + 3);
    confirmations.push_back({now, branch, packet_id(multicast.source, 0), multicast.number});
  }
  void confirmed(const Packet& packet) { done.push_back({now_, 0, packet.id}); }
  void release(unsigned branch, Cycle at) { released.push_back({at, branch, 0}); }
  void wait_room(NodeTree::Branches branches, Cycle) { waits_ = branches; }

 private:
  std::size_t links() const { return tree_.links(router_).size(); }
  /// Sends a packet: a cycle in the router's queue, then flit by flit.
  void depart(Cycle at) {
    CHECK(!departs_at_);
    departs_at_ = at;
  }

  const TreeConfig config_;
  const graph::Topology topology_;
  NodeTree tree_;
  const RouterId router_;
  std::uint32_t serial_ = 0;
  Cycle now_ = 0, next_ = never;
  NodeTree::Branches waits_ = 0;
  std::optional<Cycle> departs_at_;

 public:
  PacketPool pool;
  TreeUnit unit;
  NodeTree::Branches room_branches = 7;
  std::vector<Sent> sent, released, confirmations, done;
};

template <class Work>
std::string said_by(Work work) {
  try {
    work();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

std::string text(const std::vector<Rig::Sent>& list) {
  std::string all;
  for (const Rig::Sent& one : list) all += std::to_string(one.cycle) + ":" + std::to_string(one.branch) + " ";
  return all;
}

/// The list with numbers instead of cycles.
std::string numbers(const std::vector<Rig::Sent>& list) {
  std::string all;
  for (const Rig::Sent& one : list)
    all += std::to_string(one.number) + ":" + std::to_string(one.branch) + " ";
  return all;
}

}  // namespace

TEST_CASE("a tree reaches every living router, and each of its branches lists its nodes") {
  const graph::Topology mesh = cube("mesh", {3, 5}), torus = cube("torus", {4, 5, 5}),
                        two = cube("torus", {2, 2}), levels = fat_tree();
  for (const graph::Topology* topology : {&mesh, &torus, &two, &levels}) {
    CAPTURE(topology->name());
    check_tree(*topology, {}, NodeTree(*topology, {}, std::nullopt));
    check_tree(*topology, {}, NodeTree(*topology, {}, topology->routers() - 1));
    graph::FaultSet faults;
    faults.links = {0, 3};
    check_tree(*topology, faults, NodeTree(*topology, faults, std::nullopt));
  }
  graph::FaultSet dead;
  dead.routers = {12, 40};
  const NodeTree rest(torus, dead, std::nullopt);
  check_tree(torus, dead, rest);
  CHECK_FALSE(rest.contains(12));
  CHECK(rest.contains(13));
}

TEST_CASE("the root is a router with the smallest largest distance, and the tree is breadth-first from it") {
  const graph::Topology mesh = cube("mesh", {5, 5});
  const NodeTree from_centre(mesh, {}, std::nullopt);
  CHECK(from_centre.root() == 12);
  CHECK(from_centre.depth() == 4);
  const NodeTree from_corner(mesh, {}, 24);
  CHECK(from_corner.root() == 24);
  CHECK(from_corner.depth() == 8);
  CHECK(NodeTree(cube("mesh", {6}), {}, std::nullopt).root() == 2);  // of 2 and 3 the lower
}

TEST_CASE("a tree refuses dead roots and networks that it does not fit") {
  const graph::Topology mesh = cube("mesh", {3, 3});
  graph::FaultSet dead;
  dead.routers = {4};
  CHECK(said_by([&] { NodeTree(mesh, {}, 9); }) ==
        "tree.root: there is no such router (got '9'); accepted: a living router of 0..8, or auto");
  CHECK(said_by([&] { NodeTree(mesh, dead, 4); }) ==
        "tree.root: is dead or cut off (got '4'); accepted: a living router of 0..8, or auto");
  network::TopologyConfig crowded;
  crowded.kind = "mesh";
  crowded.of<graph::CubeConfig>().radices = {2};
  crowded.of<graph::CubeConfig>().nodes_per_router = 62;
  CHECK(NodeTree(network::make_topology(crowded, 1), {}, 0).branches(0) == 63);
  crowded.of<graph::CubeConfig>().nodes_per_router = 63;
  CHECK(said_by([&] {
          NodeTree(network::make_topology(crowded, 1), {}, 0);
        }).find("router 0 has 64 tree links and nodes (") != std::string::npos);
  network::TopologyConfig fly;
  fly.kind = "fly";
  const graph::Topology one_way = network::make_topology(fly, 1);
  CHECK(said_by([&] { NodeTree(one_way, {}, std::nullopt); }).find("two-way links") != std::string::npos);
}

TEST_CASE("a multicast is copied to its links one after another, and to the node at the same time") {
  Rig rig;
  rig.come(2, rig.packet(PacketKind::multicast, 1, 0b111), 10);
  rig.run_to(100);
  // The packet is complete in 10 and examined for 4 cycles; the router's port takes the second copy after the
  // first.
  CHECK(text(rig.sent) == "13:0 13:2 19:1 ");
  CHECK(text(rig.released) == "25:2 ");
  CHECK(rig.unit.counters().multicasts == 1);
  CHECK(rig.unit.counters().copied == 2);
  CHECK(rig.unit.counters().to_units == 2);
  CHECK(rig.unit.counters().to_nodes == 1);
  CHECK(rig.unit.packets_held() == 0);
}

TEST_CASE("a packet continues to the members of other branches, and waits for room") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config);
  rig.room_branches = 0b001;
  rig.come(0, rig.packet(PacketKind::multicast, 2, 0b111), 10);
  rig.come(0, rig.packet(PacketKind::multicast, 2, 0b001), 11);
  rig.run_to(30);
  CHECK(rig.sent.empty());
  rig.room_branches = 0b101;
  rig.run_to(50);
  CHECK(text(rig.sent) == "30:2 ");
  CHECK(rig.released.empty());
  rig.room_branches = 0b111;
  rig.run_to(100);
  CHECK(text(rig.sent) == "30:2 50:1 57:1 ");
  CHECK(text(rig.released) == "56:0 63:0 ");
}

TEST_CASE("FIFOs of a unit take turns at the router's port") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config);
  // Two copies of node 1's multicast, and two multicasts of node 2, to router 0.
  rig.come(2, rig.packet(PacketKind::multicast, 1, 0b101), 10);
  rig.come(0, rig.packet(PacketKind::multicast, 2, 0b001), 10);
  rig.come(0, rig.packet(PacketKind::multicast, 2, 0b001), 10);
  rig.run_to(60);
  REQUIRE(rig.sent.size() == 4);
  const auto source = [&rig](unsigned which) { return rig.sent[which].packet >> 32; };
  CHECK(text(rig.sent) == "10:1 16:0 22:1 28:1 ");
  CHECK(source(0) == 2);
  CHECK(source(1) == 1);
  CHECK(source(2) == 2);
  CHECK(source(3) == 1);
}

TEST_CASE("FIFOs of a unit take turns at a node's channel") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config);
  for (unsigned i = 0; i < 2; ++i)
    for (const unsigned from : {0U, 1U})
      rig.come(from, rig.packet(PacketKind::multicast, 2 - 2 * from, 0b010), 10);
  rig.run_to(60);
  REQUIRE(rig.sent.size() == 4);
  const auto source = [&rig](unsigned which) { return rig.sent[which].packet >> 32; };
  CHECK(source(0) == 2);
  CHECK(source(1) == 0);
  CHECK(source(2) == 2);
  CHECK(source(3) == 0);
  CHECK(text(rig.sent) == "10:2 15:2 20:2 25:2 ");
}

TEST_CASE("synchronizations and copies take turns") {
  TreeConfig config;
  config.cycles = 1;
  config.fifo_packets = 3;
  Rig rig(config);
  // Three barriers of nodes 0 and 1, and two multicasts to router 0; the same for the channel of node 1.
  for (unsigned sid = 0; sid < 3; ++sid) {
    PacketRef own = rig.packet(PacketKind::synchronization, 1, 0b011);
    own.edit().sid = static_cast<std::uint8_t>(sid);
    rig.come(2, std::move(own), 10);
    PacketRef other = rig.packet(PacketKind::synchronization, 0, 0b011);
    other.edit().sid = static_cast<std::uint8_t>(sid);
    rig.come(1, std::move(other), 10);
  }
  for (unsigned i = 0; i < 2; ++i) rig.come(0, rig.packet(PacketKind::multicast, 2, 0b011), 10);
  rig.run_to(100);
  std::string to_router, to_node;
  for (const Rig::Sent& one : rig.sent) {
    const bool multicast = one.packet >> 32 == 2;
    (one.branch == 2 ? to_node : to_router) += multicast ? "m" : "s";
  }
  CHECK(to_router == "smsms");
  CHECK(to_node == "smsms");
}

TEST_CASE(
    "packets of units go to a neighbour on the tree's virtual channel, all others by the nodes' routing") {
  const graph::Topology mesh = cube("mesh", {3});
  const NodeTree tree(mesh, {}, 0);
  network::RoutingConfig config;
  config.kind = "dimension_order";
  const auto of_nodes = network::make_routing(config, mesh, 2);
  const TreeChannel channel(*of_nodes, tree, mesh, 2);
  routing::RouteQuery query;
  routing::RouteSet found;
  query.router = 1;
  query.source = End::of_router(1);
  query.destination = End::of_router(2);
  channel.route(query, found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].port == tree.link_to(1, 2)->port);
  CHECK(found[0].vcs == 0b100);
  query.router = 2;
  channel.route(query, found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].port == mesh.ports(2));  // the control port
  query.router = 0;
  CHECK(said_by([&] { channel.route(query, found); }).find("of router 2, no neighbour") != std::string::npos);
  query.destination = 2;
  channel.route(query, found);
  REQUIRE(found.size() == 1);
  CHECK(found[0].vcs == 0b011);
  CHECK(channel.injection_vcs(End::of_router(0), End::of_router(1)) == 0b100);
  CHECK(channel.injection_vcs(0, 2) == of_nodes->injection_vcs(0, 2));
  CHECK(&channel.of_nodes() == &*of_nodes);
  CHECK(channel.vcs_needed() == of_nodes->vcs_needed() + 1);
}

TEST_CASE("a branch is notified when all others have arrived, a node when it has arrived, too") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config);
  rig.come(0, rig.packet(PacketKind::synchronization, 2, 0b111), 10);
  rig.run_to(20);
  CHECK(rig.sent.empty());
  CHECK(rig.unit.barriers_open() == 1);
  rig.come(2, rig.packet(PacketKind::synchronization, 1, 0b111), 20);
  rig.run_to(30);
  CHECK(text(rig.sent) == "20:1 ");
  rig.come(1, rig.packet(PacketKind::synchronization, 0, 0b111), 40);
  rig.run_to(60);
  CHECK(text(rig.sent) == "20:1 40:0 40:2 ");
  CHECK(rig.unit.barriers_open() == 0);
  CHECK(rig.unit.counters().merged == 3);
  CHECK(rig.unit.counters().released == 3);
  CHECK(text(rig.released) == "10:0 20:2 40:1 ");
}

TEST_CASE("broken invariants of a unit stop the run with their packet") {
  const auto broken = [](unsigned branch, PacketKind kind, std::uint64_t map, unsigned times) {
    return said_by([&] {
      Rig rig;
      for (unsigned i = 0; i < times; ++i) rig.come(branch, rig.packet(kind, 1, map), 10);
      rig.run_to(30);
    });
  };
  CHECK(
      broken(2, PacketKind::multicast, 0b1000, 1).find("1.0: has no member in another branch than its own") !=
      std::string::npos);
  CHECK(broken(1, PacketKind::multicast, 0b001, 1).find("has no member in another branch") !=
        std::string::npos);
  CHECK(broken(2, PacketKind::multicast, 0b100, 3).find("arrived without room in the FIFO") !=
        std::string::npos);
  CHECK(broken(2, PacketKind::synchronization, 0b101, 1).find("arrived by branch 2, which has no member") !=
        std::string::npos);
  CHECK(broken(2, PacketKind::synchronization, 0b111, 2).find("arrived twice by branch 2 in one round") !=
        std::string::npos);
  const std::string other = said_by([] {
    Rig rig;
    rig.come(2, rig.packet(PacketKind::synchronization, 1, 0b111), 10);
    rig.come(0, rig.packet(PacketKind::synchronization, 2, 0b110), 10);
    rig.run_to(30);
  });
  CHECK(other.find("synchronization 0 is in use by another set of nodes") != std::string::npos);
}

TEST_CASE(
    "a unit keeps a node's multicasts until they are confirmed, and sends them again in the next tree") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config, 0);
  for (unsigned i = 0; i < 2; ++i) rig.come(2, rig.packet(PacketKind::multicast, 0, 0b110), 10);
  rig.run_to(60);
  CHECK(numbers(rig.sent) == "1:0 1:1 2:0 2:1 ");
  CHECK(rig.unit.packets_kept() == 2);
  CHECK(rig.released.size() == 2);
  rig.confirmation(0, 0, 1, 60);
  rig.confirmation(1, 0, 1, 60);
  rig.confirmation(0, 0, 2, 60);
  rig.run_to(70);
  REQUIRE(rig.done.size() == 1);
  CHECK(rig.done[0].packet == rig.sent[0].packet);
  rig.come(2, rig.packet(PacketKind::multicast, 0, 0b100), 70);
  rig.come(2, rig.packet(PacketKind::multicast, 0, 0b010), 70);
  rig.run_to(71);  // the third one is in flight to the router
  rig.sent.clear();
  rig.change(0, 1);
  CHECK(rig.unit.counters().changes == 1);
  CHECK(rig.unit.tree_number() == 1);
  rig.run_to(200);
  CHECK(numbers(rig.sent) == "2:0 3:0 4:0 ");
  for (const std::uint32_t number : {2U, 3U, 4U}) rig.confirmation(0, 0, number, 200);
  rig.run_to(220);
  CHECK(rig.done.size() == 4);
  CHECK(rig.released.size() == 4);  // each frees a place of the FIFO
  CHECK(rig.unit.packets_held() == 0);
}

TEST_CASE("a multicast waits while the unit keeps its limit of unconfirmed ones") {
  TreeConfig config;
  config.cycles = 1;
  config.kept_packets = 1;
  Rig rig(config, 0);
  for (unsigned i = 0; i < 2; ++i) rig.come(2, rig.packet(PacketKind::multicast, 0, 0b010), 10);
  rig.run_to(100);
  CHECK(numbers(rig.sent) == "1:0 ");
  rig.confirmation(0, 0, 1, 100);
  rig.run_to(200);
  CHECK(numbers(rig.sent) == "1:0 2:0 ");
  CHECK(rig.sent[1].cycle == 100);
}

TEST_CASE("a member takes each number of a source once, and confirms every copy") {
  TreeConfig config;
  config.cycles = 4;
  Rig rig(config, 1);
  rig.come(0, rig.packet(PacketKind::multicast, 0, 0b010), 10, 1);
  rig.come(0, rig.packet(PacketKind::multicast, 0, 0b010), 10, 4);
  rig.run_to(100);
  CHECK(numbers(rig.sent) == "1:1 4:1 ");
  CHECK(text(rig.confirmations) == "14:0 20:0 ");  // a cycle after the copy to the node has begun
  CHECK(numbers(rig.confirmations) == "1:0 4:0 ");
  rig.change(0, 1);
  rig.sent.clear();
  rig.confirmations.clear();
  for (const std::uint32_t number : {1U, 4U})
    rig.come(0, rig.packet(PacketKind::multicast, 0, 0b010), 100, number);
  rig.run_to(110);
  rig.come(0, rig.packet(PacketKind::multicast, 0, 0b010), 110, 5);
  rig.come(0, rig.packet(PacketKind::multicast, 2, 0b010), 110, 2);
  rig.run_to(200);
  CHECK(numbers(rig.sent) == "5:1 2:1 ");
  CHECK(numbers(rig.confirmations) == "1:0 4:0 5:0 2:0 ");
  CHECK(rig.unit.counters().swallowed == 2);
}

TEST_CASE("a unit in the middle confirms when all members beyond it have confirmed, and with priority") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config, 0);
  rig.come(0, rig.packet(PacketKind::multicast, 1, 0b101), 10, 1);
  rig.run_to(30);
  CHECK(numbers(rig.sent) == "1:1 1:2 ");
  CHECK(rig.confirmations.empty());
  rig.come(2, rig.packet(PacketKind::multicast, 0, 0b110), 30);
  rig.confirmation(1, 1, 1, 31);
  rig.run_to(60);
  CHECK(text(rig.confirmations) == "36:0 ");
  CHECK(text(rig.sent) == "10:1 10:2 30:0 40:1 ");
  CHECK(said_by([&] {
          rig.confirmation(1, 1, 1, 60);
          rig.run_to(70);
        }).find("multicast 1 of node 1 is confirmed by branch 1, which has no such copy") !=
        std::string::npos);
}

TEST_CASE("no packet uses a dead link until the next tree") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config, 0);
  rig.unit.link_died(0);
  CHECK(rig.unit.is_dead(0));
  CHECK_FALSE(rig.unit.is_dead(1));
  rig.come(2, rig.packet(PacketKind::multicast, 0, 0b110), 10);
  rig.run_to(100);
  CHECK(numbers(rig.sent) == "1:1 ");
  rig.change(0, 1);
  CHECK_FALSE(rig.unit.is_dead(0));
  rig.run_to(200);
  CHECK(numbers(rig.sent) == "1:1 1:0 ");
}

TEST_CASE("multicasts with members outside the tree are kept, and barriers with such members wait") {
  TreeConfig config;
  config.cycles = 1;
  Rig rig(config, 1);
  rig.come(1, rig.packet(PacketKind::multicast, 1, 0b101), 10);
  rig.come(1, rig.packet(PacketKind::synchronization, 1, 0b011), 10);
  rig.run_to(50);
  CHECK(numbers(rig.sent) == "1:0 1:0 ");
  graph::FaultSet cut_off;
  cut_off.links = {0, 1, 2};
  rig.change_to(cut_off);
  rig.sent.clear();
  rig.run_to(100);
  CHECK(rig.sent.empty());
  CHECK(rig.unit.packets_kept() == 1);
  rig.change_to({});
  rig.run_to(200);
  CHECK(numbers(rig.sent) == "1:0 1:0 ");
}

namespace {

/// Rounds of node 0 and of a tree link, in a unit that has both as its branches 1 and 0.
struct Rounds {
  static constexpr TreeBarriers::Branches both = 0b11;
  TreeBarriers barriers{1, 2, true};
  PacketPool pool;
  PacketTransfer transfer{pool.make_bare(), 1, 0};

  Rounds() { transfer.packet.edit().map = 0b11; }
  std::string arrive(unsigned branch, std::uint32_t round, TreeBarriers::Branches members = both) {
    return said(barriers.arrive(branch, transfer, round, members, 1, "unit"));
  }
  std::string change(TreeBarriers::Branches members = both) {
    const auto due = barriers.change(1, [&](const Packet&) { return members; });
    return due.empty() ? "" : said(due.front().branches);
  }
  std::string said(TreeBarriers::Branches branches) const {
    std::string text;
    for (unsigned branch = 0; branch < 2; ++branch)
      if ((branches >> branch & 1U) != 0)
        text += std::to_string(branch) + "@" + std::to_string(barriers.round(*transfer.packet, branch)) + " ";
    return text;
  }
};

}  // namespace

TEST_CASE("in a new tree a unit sends the round of its nodes again, and releases each of them once") {
  Rounds own;
  CHECK(own.arrive(1, TreeBarriers::next_round) == "0@1 ");
  CHECK(own.change() == "0@1 ");  // the answer may be lost
  CHECK(own.barriers.open() == 1);
  CHECK(own.arrive(0, 1) == "1@1 ");
  CHECK(own.barriers.open() == 0);
  CHECK(own.change() == "0@1 ");  // the other side may not have been released
  CHECK(own.arrive(0, 1) == "");  // and has the round again
  CHECK(own.arrive(1, TreeBarriers::next_round) == "0@2 ");
  CHECK(own.arrive(0, 2) == "1@2 ");
  CHECK(own.change() == "0@2 ");
  CHECK(own.arrive(0, 3) == "");  // it was released, and has arrived for the next round
  CHECK(own.arrive(1, TreeBarriers::next_round) == "0@3 1@3 ");
}

TEST_CASE("a barrier with a member outside the tree opens for no member") {
  Rounds own;
  CHECK(own.arrive(1, TreeBarriers::next_round) == "0@1 ");
  CHECK(own.change(0b10 | TreeConfirmations::outside) == "");
  CHECK(own.change() == "0@1 ");
  CHECK(said_by([&] { own.arrive(1, TreeBarriers::next_round); }).find("arrived twice") != std::string::npos);
  CHECK(own.arrive(0, 1) == "1@1 ");
  CHECK(said_by([&] { own.arrive(0, 1); }).find("arrived twice by branch 0") != std::string::npos);
}

TEST_CASE("successive sets of one sid have separate rounds in a tree that changes") {
  Rounds own;
  CHECK(own.arrive(1, TreeBarriers::next_round) == "0@1 ");
  own.transfer = {own.pool.make_bare(), 1, 0};
  own.transfer.packet.edit().map = 0b101;
  CHECK(said_by([&] { own.arrive(1, TreeBarriers::next_round); }).find("another set") != std::string::npos);
  own.change();
  CHECK(own.arrive(1, TreeBarriers::next_round) == "0@1 ");
}
