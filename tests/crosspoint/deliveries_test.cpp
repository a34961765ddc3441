// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "crosspoint/delivery_checker.h"
#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

using namespace tsuji;
using tsuji::test::DeliveryChecker;

namespace {

/// A set of nodes that synchronizes repeatedly.
struct Group {
  unsigned sid = 0;
  std::uint64_t members = 0;
};

struct Setting {
  network::CrosspointNetworkConfig network;
  std::vector<Group> groups;
  unsigned rounds = 0;   ///< of each group
  unsigned packets = 0;  ///< other ones, from each node
  unsigned stall_cycles = 0;
  std::uint64_t seed = 1;
};

/// Cycle, node and packet of a delivery.
using Delivery = std::tuple<Cycle, NodeId, PacketId>;

/// A node that sends single casts and multicasts at random, and for each of its groups a synchronization some
/// time after its last completion. It takes packets out of its FIFO only from time to time.
class Node final : public sc_core::sc_module, public Clocked {
 public:
  sc_core::sc_port<PacketOutIf> out;
  sc_core::sc_port<PacketInIf> in;

  Node(sc_core::sc_module_name name, ClockDomain& domain, PacketPool& pool, const graph::Multistage& topology,
       const Setting& setting, NodeId node, DeliveryChecker& checker, std::vector<Delivery>& deliveries)
      : sc_module(name),
        Clocked(domain),
        out("out"),
        in("in"),
        pool_(pool),
        route_(topology, node),
        setting_(setting),
        nodes_(topology.nodes()),
        node_(node),
        checker_(checker),
        deliveries_(deliveries),
        random_(setting.seed, node),
        left_(setting.packets) {
    for (const Group& group : setting.groups) {
      const bool member = (group.members >> node & 1U) != 0;
      sync_at_.push_back(member && setting.rounds > 0 ? 1 + random_.below(100) : never);
      rounds_left_.push_back(member ? setting.rounds : 0);
    }
    draw();
    wake_at(1);
  }

  void step(Cycle now) override {
    take(now);
    if (now >= free_at_) send_any(now);
    Cycle next = packet_ ? packet_at_ : never;
    for (const Cycle at : sync_at_) next = std::min(next, at);
    if (next != never) wake_at(std::max({next, free_at_, now + 1}));
  }

 private:
  void end_of_elaboration() override {
    out->bind_sender(*this);
    in->bind_receiver(*this, 1, setting_.network.crosspoint.fifo_packets, 0);
  }

  void take(Cycle now) {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (in->receive(now, transfer, arrival)) {
      const Packet& packet = *transfer.packet;
      checker_.delivered(node_, packet);
      deliveries_.emplace_back(arrival, node_, packet.id);
      const Cycle stall = random_.below(6) == 0 ? random_.below(setting_.stall_cycles + 1) : 0;
      emptied_at_ = std::max(emptied_at_, arrival + packet.flits) + stall;
      in->release(0, emptied_at_);
      if (packet.kind != PacketKind::synchronization) continue;
      for (std::size_t g = 0; g < setting_.groups.size(); ++g) {
        if (setting_.groups[g].sid == packet.sid && rounds_left_[g] > 0)
          sync_at_[g] = now + 1 + random_.below(random_.below(4) == 0 ? 300 : 3);
      }
    }
  }

  void send_any(Cycle now) {
    for (std::size_t g = 0; g < sync_at_.size(); ++g) {
      if (sync_at_[g] > now) continue;
      PacketRef packet = make(PacketKind::synchronization, 10);
      packet.edit().sid = static_cast<std::uint8_t>(setting_.groups[g].sid);
      packet.edit().map = setting_.groups[g].members;
      if (!send(now, packet)) continue;
      --rounds_left_[g];
      sync_at_[g] = never;
      return;
    }
    if (packet_ && packet_at_ <= now && send(now, packet_)) draw();
  }
  bool send(Cycle now, PacketRef& packet) {
    const std::uint32_t ports = route_.next_ports(*packet);
    if ((ports & ~out->room(now)) != 0) return false;
    packet.edit().id = packet_id(node_, ++serial_);
    checker_.sent(*packet);
    free_at_ = now + packet->flits;
    out->send(now, {std::move(packet), ports, 0});
    return true;
  }

  PacketRef make(PacketKind kind, unsigned flits) {
    PacketRef packet = pool_.make_bare();
    packet.edit().kind = kind;
    packet.edit().source = node_;
    packet.edit().flits = static_cast<std::uint16_t>(flits);
    return packet;
  }
  /// Draws the next single cast or multicast.
  void draw() {
    packet_ = {};
    if (left_ == 0) return;
    --left_;
    packet_at_ = std::max(free_at_, packet_at_) + random_.below(120);
    const auto flits = static_cast<unsigned>(7 + random_.below(2) * random_.below(100));
    if (random_.below(4) != 0) {
      packet_ = make(PacketKind::single_cast, flits);
      packet_.edit().destination = static_cast<NodeId>(random_.below(nodes_));
      return;
    }
    packet_ = make(PacketKind::multicast, flits);
    const auto groups = (nodes_ + 63) / 64;
    packet_.edit().group = static_cast<std::uint32_t>(random_.below(groups));
    const unsigned size = std::min(64U, nodes_ - 64 * packet_->group);
    while (packet_->map == 0)
      packet_.edit().map =
          random_.next() & random_.next() & random_.next() & ~std::uint64_t{0} >> (64 - size);
  }

  PacketPool& pool_;
  const graph::FirstRoute route_;
  const Setting& setting_;
  const unsigned nodes_;
  const NodeId node_;
  DeliveryChecker& checker_;
  std::vector<Delivery>& deliveries_;
  CounterRandom random_;
  unsigned left_;
  PacketRef packet_;
  Cycle packet_at_ = 0, free_at_ = 0, emptied_at_ = 0;
  std::vector<Cycle> sync_at_;  ///< by group
  std::vector<unsigned> rounds_left_;
  std::uint32_t serial_ = 0;
};

/// A whole network with its nodes and its clock.
struct Machine : sc_core::sc_module {
  Machine(sc_core::sc_module_name n, const Setting& of, crosspoint::SwitchMode mode)
      : sc_module(n),
        setting(of),
        domain("clock", {}),
        network("network", domain, in_mode(of.network, mode)) {
    for (NodeId node = 0; node < network.topology().nodes(); ++node) {
      nodes.push_back(std::make_unique<Node>(("node" + std::to_string(node)).c_str(), domain, pool,
                                             network.topology(), setting, node, checker, deliveries));
      nodes.back()->out.bind(network.from_node(node));
      nodes.back()->in.bind(network.to_node(node));
    }
  }
  static network::CrosspointNetworkConfig in_mode(network::CrosspointNetworkConfig config,
                                                  crosspoint::SwitchMode mode) {
    config.crosspoint.mode = mode;
    return config;
  }

  void check() {
    domain.rethrow_failure();
    CHECK(checker.wrongs() == std::vector<std::string>{});
    CHECK(checker.missing() == 0);
    CHECK_NOTHROW(network.check_conservation(0));
    CHECK(network.counters().held == 0);
    CHECK(pool.in_use() == 0);
    CHECK(deliveries.size() > 200);
    std::sort(deliveries.begin(), deliveries.end());
  }

  const Setting setting;
  PacketPool pool;
  ClockDomain domain;
  DeliveryChecker checker;
  std::vector<Delivery> deliveries;
  network::CrosspointNetwork network;
  std::vector<std::unique_ptr<Node>> nodes;
};

Setting draw_setting(std::uint64_t seed, bool synchronizes) {
  CounterRandom random(seed, 1000);
  Setting setting;
  setting.seed = seed;
  const auto nodes = static_cast<unsigned>(16 + random.below(synchronizes ? 49 : 241));
  setting.network.topology.nodes = nodes;
  setting.network.topology.radix = random.below(3) == 0 ? static_cast<unsigned>(2 + random.below(7)) : 4;
  setting.network.cable_cycles = static_cast<unsigned>(seed / 2 % 2 * random.below(11));
  setting.network.room_signal = seed / 4 % 2 == 0 ? RoomSignal::wire : RoomSignal::credits;
  setting.network.crosspoint.fifo_packets = static_cast<unsigned>(1 + seed % 4);
  setting.network.crosspoint.reserve_after = static_cast<unsigned>(1 + random.below(5));
  setting.stall_cycles = static_cast<unsigned>(random.below(600));
  setting.packets = static_cast<unsigned>(synchronizes ? random.below(12) : 1 + 1600 / nodes);
  if (!synchronizes) return setting;
  setting.rounds = static_cast<unsigned>(2 + random.below(4));
  const auto sids = 1 + random.below(100);
  for (unsigned g = 0; g < sids; ++g) {
    std::uint64_t members = 0;
    while (members == 0)
      members = random.next() & random.next() & (g % 4 == 0 ? ~std::uint64_t{0} : random.next()) &
                ~std::uint64_t{0} >> (64 - nodes);
    setting.groups.push_back({(g * 37 + 5) % crosspoint::synchronization_ids, members});
  }
  return setting;
}

/// Plays every setting in both modes, side by side.
void play(std::uint64_t first_seed, unsigned settings, bool synchronizes) {
  std::vector<std::unique_ptr<Machine>> machines;
  for (unsigned number = 0; number < settings; ++number) {
    const Setting setting = draw_setting(first_seed + number, synchronizes);
    const std::string name = "setting" + std::to_string(number);
    machines.push_back(std::make_unique<Machine>((name + "_events").c_str(), setting,
                                                 crosspoint::SwitchMode::event_per_packet));
    machines.push_back(
        std::make_unique<Machine>((name + "_flits").c_str(), setting, crosspoint::SwitchMode::flit_by_flit));
  }
  sc_core::sc_start();
  for (std::size_t number = 0; number < machines.size(); number += 2) {
    CAPTURE(machines[number]->setting.seed);
    machines[number]->check();
    machines[number + 1]->check();
    const bool equal = machines[number]->deliveries == machines[number + 1]->deliveries;
    CHECK(equal);
  }
}

}  // namespace

TEST_CASE("the checker of deliveries reports each planted fault, and no other") {
  PacketPool pool;
  DeliveryChecker checker;
  std::uint32_t serial = 0;
  const auto sent = [&](PacketKind kind, NodeId source, std::uint64_t map, NodeId destination = 0) {
    PacketRef packet = pool.make_bare();
    packet.edit().id = packet_id(source, ++serial);
    packet.edit().kind = kind;
    packet.edit().source = source;
    packet.edit().destination = destination;
    packet.edit().map = map;
    packet.edit().sid = 9;
    checker.sent(*packet);
    return packet;
  };
  const auto problem = [&](NodeId node, const PacketRef& packet) {
    const std::size_t before = checker.wrongs().size();
    checker.delivered(node, *packet);
    return checker.wrongs().size() == before ? std::string() : checker.wrongs().back();
  };
  const auto at = [](unsigned node, const PacketRef& packet, const char* text) {
    return "node " + std::to_string(node) + ": packet " + packet_name(packet->id) + " " + text;
  };

  SECTION("single casts and multicasts") {
    const PacketRef first = sent(PacketKind::single_cast, 3, 0, 70);
    const PacketRef second = sent(PacketKind::single_cast, 3, 0, 70);
    const PacketRef third = sent(PacketKind::single_cast, 3, 0, 70);
    const PacketRef copies = sent(PacketKind::multicast, 3, 0b110);
    CHECK(checker.missing() == 5);
    CHECK(problem(70, first).empty());
    CHECK(problem(6, second) == at(6, second, "is not for this node"));
    CHECK(problem(70, third).empty());
    CHECK(problem(70, second) == at(70, second, "comes out after a later one"));
    CHECK(problem(70, third) == at(70, third, "comes out again"));
    CHECK(problem(1, copies).empty());
    CHECK(problem(66, copies) == at(66, copies, "is not for this node"));
    CHECK(problem(1, copies) == at(1, copies, "comes out again"));
    CHECK(problem(2, copies).empty());
  }
  SECTION("rounds") {
    const PacketRef first_of_1 = sent(PacketKind::synchronization, 1, 0b110);
    CHECK(checker.missing() == 2);
    CHECK(problem(1, first_of_1) == at(1, first_of_1, "comes before all members have sent for its round"));
    const PacketRef first_of_2 = sent(PacketKind::synchronization, 2, 0b110);
    CHECK(problem(2, first_of_1).empty());
    CHECK(checker.missing() == 0);
    const PacketRef second_of_1 = sent(PacketKind::synchronization, 1, 0b110);
    const PacketRef second_of_2 = sent(PacketKind::synchronization, 2, 0b110);
    const PacketRef third_of_1 = sent(PacketKind::synchronization, 1, 0b110);
    CHECK(problem(1, first_of_2) == at(1, first_of_2, "of round 0 comes as round 1"));
    CHECK(problem(2, third_of_1) == at(2, third_of_1, "of round 2 comes as round 1"));
    CHECK(checker.missing() == 2);
  }
  SECTION("a packet that nobody sent") {
    PacketRef stray = pool.make_bare();
    CHECK(problem(5, stray) == at(5, stray, "was never sent"));
  }
}

TEST_CASE("identity, order and exactly-once of random single casts and multicasts, 16 to 256 nodes") {
  play(1, 6, false);
}
TEST_CASE("identity, order and exactly-once with synchronizations of up to 100 sids, receivers that stall") {
  play(101, 10, true);
}
