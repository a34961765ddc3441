// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/grouped/gateway.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/machines/grouped/gateway_word.h"

// The decisions of a gateway, without a simulation: four groups of 12 nodes (nodes 0..47), and the gateway of
// group 1 (nodes 12..23) at 4x4 switches of two stages.

using namespace tsuji;
using namespace tsuji::machines;

namespace {

constexpr unsigned members = 12, own_group = 1;
constexpr unsigned to_group = 0, to_others = 1;  // sides

graph::MultistageConfig own_switches() {
  graph::MultistageConfig config;
  config.nodes = members;
  config.first_node = own_group * members;
  config.gateway = true;
  return config;
}

/// A gateway whose channels are lists.
class Rig {
 public:
  struct Sent {
    Cycle cycle;
    PacketTransfer transfer;
  };

  explicit Rig(const GatewayConfig& config = {})
      : config_(config),
        topology_(own_switches()),
        route_(topology_, topology_.gateway_line()),
        gateway_({config_, {members}, own_group, pool, route_, "gateway"}) {}

  /// Lets a packet of the group, or of another gateway, arrive with its head in cycle `at`.
  void come(GatewaySide from, Cycle at, PacketRef packet, unsigned hops = 2) {
    coming_[index(from)].push_back({at, {std::move(packet), 1, static_cast<std::uint16_t>(hops)}});
  }
  /// Steps the gateway in its scheduled cycles, and in those in which a packet arrives or gets room.
  void run_to(Cycle end) {
    for (; now_ < end; ++now_) {
      bool due = now_ == next_;
      for (unsigned side = 0; side < 2; ++side)
        due = due || (!coming_[side].empty() && coming_[side].front().cycle <= now_) ||
              (waits_[side] & room_wires[side]) != 0;
      if (!due) continue;
      waits_ = {};
      next_ = gateway_.step(now_, *this);
      CHECK(next_ > now_);
    }
  }

  PacketRef packet(PacketKind kind, NodeId source, unsigned payload_bytes) {
    PacketRef made = pool.make();
    Packet& packet = made.edit();
    packet.id = packet_id(source, serial_++);
    packet.kind = kind;
    packet.source = source;
    packet.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
    packet.flits = static_cast<std::uint16_t>(10 + 3 * payload_bytes / 8);
    packet.header = {0x1234, 0x5678};
    for (unsigned i = 0; i < payload_bytes; ++i) packet.payload.data()[i] = static_cast<std::byte>(i + 1);
    return made;
  }
  PacketRef single(NodeId source, NodeId destination) {
    PacketRef made = packet(PacketKind::single_cast, source, 8);
    made.edit().destination = destination;
    return made;
  }
  PacketRef multicast(NodeId source, std::uint64_t map) {
    PacketRef made = packet(PacketKind::multicast, source, 8);
    made.edit().map = map;
    return made;
  }
  PacketRef synchronization(NodeId source, std::uint64_t map, unsigned sid) {
    PacketRef made = packet(PacketKind::synchronization, source, 0);
    made.edit().map = map;
    made.edit().sid = static_cast<std::uint8_t>(sid);
    return made;
  }
  /// The packet in the format in which its gateway sends it to this one.
  PacketRef carried(const PacketRef& packet) {
    PacketRef made = pool.clone(*packet);
    const GatewayWord word{packet->kind, packet->source.node(), packet->destination.node(), packet->group, 2};
    made.edit().kind = PacketKind::single_cast;
    made.edit().source = packet->source.node() / members;
    made.edit().destination = own_group;
    made.edit().group = word.encode();
    made.edit().flits = static_cast<std::uint16_t>(packet->flits + config_.word_flits);
    return made;
  }

  bool receive(GatewaySide from, Cycle now, PacketTransfer& transfer, Cycle& arrival) {
    auto& queue = coming_[index(from)];
    if (queue.empty() || queue.front().cycle > now) return false;
    transfer = std::move(queue.front().transfer);
    arrival = queue.front().cycle;
    queue.pop_front();
    return true;
  }
  std::uint32_t room(GatewaySide to, Cycle) const { return room_wires[index(to)]; }
  void send(GatewaySide to, Cycle now, PacketTransfer&& transfer) {
    CHECK((transfer.port_bits & ~room_wires[index(to)]) == 0);
    CHECK(transfer.port_bits != 0);
    if (!sent[index(to)].empty())
      CHECK(now >= sent[index(to)].back().cycle + sent[index(to)].back().transfer.packet->flits);
    sent[index(to)].push_back({now, std::move(transfer)});
  }
  void release(GatewaySide from, Cycle at) { freed[index(from)].push_back(at); }
  void wait_room(GatewaySide to, Cycle, std::uint32_t fifos) { waits_[index(to)] = fifos; }

  const Gateway& gateway() const { return gateway_; }
  Cycle now() const { return now_; }
  const Packet& out(unsigned side, std::size_t number) const {
    return *sent[side].at(number).transfer.packet;
  }

  PacketPool pool;
  std::array<std::uint32_t, 2> room_wires{0xf, 1};
  std::array<std::vector<Sent>, 2> sent;
  std::array<std::vector<Cycle>, 2> freed;

 private:
  static std::size_t index(GatewaySide side) { return static_cast<std::size_t>(side); }

  const GatewayConfig config_;
  const graph::Multistage topology_;
  const graph::FirstRoute route_;
  Gateway gateway_;
  std::array<std::deque<Sent>, 2> coming_;
  std::array<std::uint32_t, 2> waits_{};
  Cycle now_ = 0, next_ = never;
  std::uint32_t serial_ = 0;
};

std::uint64_t nodes(std::initializer_list<unsigned> numbers) {
  std::uint64_t map = 0;
  for (const unsigned node : numbers) map |= std::uint64_t{1} << node;
  return map;
}

std::string problem(Rig& rig) {
  try {
    rig.run_to(rig.now() + 1000);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a group's members may lie in the maps of two node groups") {
  const GroupNumbers numbers{members};
  CHECK(numbers.group_of(71) == 5);
  CHECK(numbers.member_of(71) == 11);
  CHECK(numbers.map_of(5, 0) == std::uint64_t{0xf} << 60);
  CHECK(numbers.map_of(5, 1) == 0xff);
  CHECK(numbers.map_of(5, 2) == 0);
  CHECK(numbers.map_of(4, 1) == 0);
  CHECK(numbers.first_group(1, 0x80) == 5);
  CHECK(numbers.first_group(1, 0x100) == 6);
  CHECK(GroupNumbers{64}.map_of(3, 3) == ~std::uint64_t{0});
  CHECK(GroupNumbers{512}.map_of(1, 15) == ~std::uint64_t{0});
}

TEST_CASE("the gateways' format has each of its fields, and refuses packets that do not fit into it") {
  const GatewayWord word{PacketKind::synchronization, 1023, 1022, 15, 63};
  const GatewayWord back = GatewayWord::decode(word.encode());
  CHECK(back.kind == PacketKind::synchronization);
  CHECK(back.source == 1023);
  CHECK(back.destination == 1022);
  CHECK(back.group == 15);
  CHECK(back.hops == 63);
  GatewayWord far = word;
  far.destination = 1024;
  CHECK_THROWS_WITH(far.encode(), Catch::Contains("destination 1024 has no place"));
  far = word;
  far.group = 16;
  CHECK_THROWS_WITH(far.encode(), Catch::Contains("node group 16 has no place"));
}

TEST_CASE("a single cast is forwarded whole in the gateways' format, and comes out unchanged") {
  Rig rig;
  const PacketRef own = rig.single(13, 40);
  const unsigned flits = own->flits;
  rig.come(GatewaySide::group, 100, own);
  rig.run_to(1000);
  REQUIRE(rig.sent[to_others].size() == 1);
  // The last flit comes in 100 + flits - 1, and 4 cycles later the head leaves.
  CHECK(rig.sent[to_others][0].cycle == 100 + flits - 1 + 4);
  const Packet& there = rig.out(to_others, 0);
  CHECK(there.flits == flits + 3);
  CHECK(there.source == End(own_group));
  CHECK(there.destination == End(3));
  CHECK(there.id == own->id);
  CHECK(rig.freed[to_group] == std::vector<Cycle>{rig.sent[to_others][0].cycle + flits + 3});
  CHECK(rig.sent[to_group].empty());

  // The test plays the far gateway: a packet of node 40 for node 13.
  const PacketRef answer = rig.single(40, 13);
  rig.come(GatewaySide::others, 1000, rig.carried(answer), 5);
  rig.run_to(2000);
  REQUIRE(rig.sent[to_group].size() == 1);
  const Packet& back = rig.out(to_group, 0);
  CHECK(back.source == answer->source);
  CHECK(back.destination == answer->destination);
  CHECK(back.kind == PacketKind::single_cast);
  CHECK(back.flits == answer->flits);
  CHECK(back.header == answer->header);
  CHECK(std::equal(answer->payload.data(), answer->payload.data() + 8, back.payload.data()));
  CHECK(rig.sent[to_group][0].transfer.hops == 7);
  // Node 13 is member 1, reached by output 0 of the first routing stage.
  CHECK(rig.sent[to_group][0].transfer.port_bits == 1);
}

TEST_CASE("a multicast leaves once for each other group, with that group's members alone") {
  Rig rig;
  rig.come(GatewaySide::group, 0, rig.multicast(14, nodes({0, 11, 12, 23, 36, 47})));
  rig.run_to(1000);
  REQUIRE(rig.sent[to_others].size() == 2);
  CHECK(rig.out(to_others, 0).destination == End(0));
  CHECK(rig.out(to_others, 0).map == nodes({0, 11}));
  CHECK(rig.out(to_others, 1).destination == End(3));
  CHECK(rig.out(to_others, 1).map == nodes({36, 47}));
  // The packet's place is free when its last copy has left.
  CHECK(rig.freed[to_group] ==
        std::vector<Cycle>{rig.sent[to_others][1].cycle + rig.out(to_others, 1).flits});
  CHECK(rig.gateway().counters().copied == 1);
  CHECK(rig.gateway().counters().multicasts == 1);
  CHECK(rig.out(to_others, 0).id == packet_id(14, 0));
  CHECK(rig.out(to_others, 1).id == packet_id(End::of_router(own_group), 0));

  rig.come(GatewaySide::others, 1000, rig.carried(rig.multicast(0, nodes({12, 23}))));
  rig.run_to(2000);
  REQUIRE(rig.sent[to_group].size() == 1);
  CHECK(rig.out(to_group, 0).kind == PacketKind::multicast);
  // Members 0 and 11: outputs 0 and 2; no copy returns to the gateway.
  CHECK(rig.sent[to_group][0].transfer.port_bits == 5);
}

TEST_CASE("a multicast of a later node group keeps it") {
  Rig rig;
  PacketRef far = rig.multicast(14, nodes({0, 8}));  // nodes 64 and 72: groups 5 and 6
  far.edit().group = 1;
  rig.come(GatewaySide::group, 0, std::move(far));
  rig.run_to(1000);
  REQUIRE(rig.sent[to_others].size() == 2);
  CHECK(rig.out(to_others, 0).destination == End(5));
  CHECK(rig.out(to_others, 1).destination == End(6));
  CHECK(GatewayWord::decode(rig.out(to_others, 1).group).group == 1);
}

TEST_CASE("a group is released when all groups have arrived, in any order") {
  const std::uint64_t all = nodes({3, 12, 20, 40});  // groups 0, 1, 3
  std::vector<unsigned> order{0, 1, 3};
  do {
    Rig rig;
    Cycle at = 0;
    for (const unsigned group : order) {
      CHECK(rig.sent[to_group].empty());
      if (group == own_group)
        rig.come(GatewaySide::group, at, rig.synchronization(12, all, 77));
      else
        rig.come(GatewaySide::others, at, rig.carried(rig.synchronization(group * members, all, 77)));
      rig.run_to(at += 200);
    }
    REQUIRE(rig.sent[to_group].size() == 1);
    const Packet& release = rig.out(to_group, 0);
    CHECK(release.kind == PacketKind::synchronization);
    CHECK(release.source == End::of_router(own_group));
    CHECK(release.map == all);
    CHECK(release.sid == 77);
    // Its own group's synchronization has gone to both others, and theirs have ended here.
    REQUIRE(rig.sent[to_others].size() == 2);
    CHECK(rig.out(to_others, 0).destination == End(0));
    CHECK(rig.out(to_others, 1).destination == End(3));
    CHECK(rig.out(to_others, 1).map == all);
    CHECK(rig.freed[to_others].size() == 2);
    CHECK(rig.gateway().counters().absorbed == 2);
    CHECK(rig.gateway().barriers_open() == 0);
    CHECK(rig.gateway().packets_held() == 0);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("another group may arrive for the next round before this one is over, but not for a third") {
  const std::uint64_t all = nodes({3, 12, 40});
  Rig rig;
  const auto other = [&](Cycle at, unsigned group) {
    rig.come(GatewaySide::others, at, rig.carried(rig.synchronization(group * members, all, 5)));
  };
  other(0, 0);
  other(100, 0);
  rig.come(GatewaySide::group, 200, rig.synchronization(12, all, 5));
  other(300, 3);
  rig.run_to(500);
  CHECK(rig.sent[to_group].size() == 1);
  CHECK(rig.gateway().barriers_open() == 1);  // group 0 has arrived for the next round
  other(500, 3);
  rig.come(GatewaySide::group, 600, rig.synchronization(12, all, 5));
  rig.run_to(800);
  CHECK(rig.sent[to_group].size() == 2);
  other(800, 0);
  other(900, 0);
  other(1000, 0);
  CHECK_THAT(problem(rig), Catch::Contains("synchronization 5 arrived a third time from one group"));
}

TEST_CASE("a synchronization of another set of nodes, or of a group without members, is a broken invariant") {
  Rig rig;
  rig.come(GatewaySide::group, 0, rig.synchronization(12, nodes({3, 12}), 5));
  rig.come(GatewaySide::others, 100, rig.carried(rig.synchronization(0, nodes({0, 12}), 5)));
  CHECK_THAT(problem(rig), Catch::Contains("is in use by another set of nodes"));
  Rig other;
  other.come(GatewaySide::others, 0, other.carried(other.synchronization(40, nodes({3, 12}), 5)));
  CHECK_THAT(problem(other), Catch::Contains("that has none of its members"));
}

TEST_CASE("a packet for its own group, or one more than fits, is a broken invariant") {
  Rig rig;
  rig.come(GatewaySide::group, 0, rig.single(12, 13));
  CHECK_THAT(problem(rig), Catch::Contains("is for its own group"));
  Rig map;
  map.come(GatewaySide::group, 0, map.multicast(12, nodes({13, 14})));
  CHECK_THAT(problem(map), Catch::Contains("is for its own group"));
  Rig full;
  full.room_wires = {0, 0};
  for (Cycle at = 0; at < 300; at += 100) full.come(GatewaySide::group, at, full.single(12, 40));
  CHECK_THAT(problem(full), Catch::Contains("arrived without room in the FIFO"));
}

TEST_CASE("neither direction waits for the other, and packets of one direction keep their order") {
  Rig rig;
  rig.room_wires[to_others] = 0;
  rig.come(GatewaySide::group, 0, rig.single(12, 40));
  rig.come(GatewaySide::group, 20, rig.single(12, 41));
  rig.come(GatewaySide::others, 30, rig.carried(rig.single(40, 12)));
  rig.come(GatewaySide::others, 60, rig.carried(rig.single(40, 13)));
  rig.run_to(300);
  CHECK(rig.sent[to_others].empty());
  REQUIRE(rig.sent[to_group].size() == 2);
  CHECK(rig.out(to_group, 0).destination == End(12));
  CHECK(rig.out(to_group, 1).destination == End(13));
  rig.room_wires = {0, 1};
  rig.come(GatewaySide::others, 310, rig.carried(rig.single(40, 14)));
  rig.run_to(600);
  CHECK(rig.sent[to_group].size() == 2);
  REQUIRE(rig.sent[to_others].size() == 2);
  CHECK(GatewayWord::decode(rig.out(to_others, 0).group).destination == 40);
  CHECK(GatewayWord::decode(rig.out(to_others, 1).group).destination == 41);
  CHECK(rig.gateway().packets_held() == 1);
  CHECK(rig.gateway().flits_held() == 10 + 3);  // without the gateways' header
}

TEST_CASE("a release and an earlier packet pass each other where one has no room") {
  // Members 0..3 are reached by output 0, 8..11 by output 2.
  const std::uint64_t all = nodes({0, 12});
  const auto barrier = [&](Rig& rig) {
    rig.come(GatewaySide::others, 0, rig.carried(rig.single(40, 20)));
    rig.come(GatewaySide::others, 20, rig.carried(rig.synchronization(0, all, 9)));
    rig.come(GatewaySide::group, 0, rig.synchronization(12, all, 9));
  };
  Rig held;  // the packet has no room, and the synchronization waits for it
  held.room_wires[to_group] = 1;
  barrier(held);
  held.run_to(200);
  CHECK(held.sent[to_group].empty());
  held.room_wires[to_group] = 4;
  held.run_to(400);
  REQUIRE(held.sent[to_group].size() == 1);  // the release has none
  CHECK(held.gateway().packets_held() == 1);
  held.come(GatewaySide::others, 400, held.carried(held.single(40, 21)));
  held.run_to(600);
  REQUIRE(held.sent[to_group].size() == 2);
  CHECK(held.out(to_group, 1).destination == End(21));
  held.room_wires[to_group] = 1;
  held.run_to(800);
  REQUIRE(held.sent[to_group].size() == 3);
  CHECK(held.out(to_group, 2).source == End::of_router(own_group));
  // Both wait for room, each for another FIFO.
  Rig both;
  both.room_wires[to_group] = 0;
  both.come(GatewaySide::others, 0, both.carried(both.synchronization(0, all, 9)));
  both.come(GatewaySide::group, 0, both.synchronization(12, all, 9));
  both.come(GatewaySide::others, 100, both.carried(both.single(40, 20)));
  both.run_to(300);
  CHECK(both.sent[to_group].empty());
  both.room_wires[to_group] = 1;
  both.run_to(500);
  REQUIRE(both.sent[to_group].size() == 1);
  both.room_wires[to_group] = 4;
  both.run_to(700);
  CHECK(both.sent[to_group].size() == 2);
}

TEST_CASE("a gateway's sizes and times have bounds") {
  const auto refusal = [](const GatewayConfig& config) -> std::string {
    try {
      config.validate();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  GatewayConfig config;
  CHECK(refusal(config).empty());
  config.fifo_packets = 0;
  CHECK_THAT(refusal(config), Catch::Contains("gateway.fifo_packets") && Catch::Contains("1..8"));
  config = {};
  config.cycles = 0;
  CHECK_THAT(refusal(config), Catch::Contains("gateway.cycles") && Catch::Contains("1..1000"));
  config = {};
  config.word_flits = 65;
  CHECK_THAT(refusal(config), Catch::Contains("gateway.word_flits") && Catch::Contains("0..64"));
}
