// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/crosspoint/crosspoint_state.h"
#include "tsuji/crosspoint/flit_crosspoint.h"

using namespace tsuji;
using crosspoint::CrosspointConfig;
using crosspoint::CrosspointState;
using crosspoint::FlitCrosspoint;

namespace {

/// Cycle, output, serial number of the packet.
using Sent = std::tuple<Cycle, unsigned, std::uint32_t>;
using Sends = std::vector<Sent>;

/// Switch 0 of the first of two stages with 16 nodes: nodes 0, 4, 8 and 12 are at its inputs, and output o
/// reaches nodes 4o to 4o + 3. Heads arrive in given cycles, and the room signals are a function of time. The
/// switch runs only in cycles for which it is woken.
template <class State>
class Scene {
 public:
  explicit Scene(const CrosspointConfig& config)
      : network_({16, 4, 2, 2}), route_(network_, 0, 0), state_(config, route_, "some_switch") {}

  void single_cast(Cycle at, unsigned input, NodeId destination) {
    PacketRef packet = make(PacketKind::single_cast, 7);
    packet.edit().destination = destination;
    add(at, input, std::move(packet), 1U << destination / 4);
  }
  void multicast(Cycle at, unsigned input, std::uint64_t map) {
    add_multicast(at, input, map, outputs_of(map));
  }
  /// A copy of a multicast whose damaged map names no node that its output reaches.
  void stray_copy(Cycle at, unsigned input, unsigned output) { add_multicast(at, input, 0, 1U << output); }
  void synchronization(Cycle at, unsigned input, unsigned sid, std::uint64_t members, unsigned flits = 10) {
    PacketRef packet = make(PacketKind::synchronization, flits);
    packet.edit().sid = static_cast<std::uint8_t>(sid);
    packet.edit().map = members;
    const std::uint32_t outputs = outputs_of(members);
    add(at, input, std::move(packet), outputs & (~outputs + 1));
  }

  const Sends& run(Cycle last) {
    for (Cycle now = 0; now <= last; ++now) {
      if (due_.erase(now) != 0) {
        const Cycle next = state_.step(now, *this);
        if (next != never) due_.insert(next);
      }
      held.push_back(state_.held(0, 0));
    }
    return sent;
  }

  // Channels of the state.

  bool receive(unsigned input, Cycle now, PacketTransfer& transfer, Cycle& arrival) {
    auto& coming = coming_[input];
    if (coming.empty() || coming.front().first > now) return false;
    arrival = coming.front().first;
    transfer = std::move(coming.front().second);
    coming.pop_front();
    return true;
  }
  std::uint32_t room(unsigned output, Cycle now) const { return output == 0 ? room_behind_0(now) : 0xf; }
  void send(unsigned output, Cycle now, PacketTransfer&& transfer) {
    sent.emplace_back(now, output, static_cast<std::uint32_t>(transfer.packet->id));
  }
  void release(unsigned input, unsigned fifo, Cycle at) {
    if (input == 0 && fifo == 0) released.push_back(at);
  }
  void wait_room(unsigned output, Cycle now, std::uint32_t fifos) {
    for (Cycle at = now + 1; at < now + 1000; ++at) {
      if ((room(output, at) & fifos) == 0) continue;
      due_.insert(at);
      return;
    }
  }

  std::function<std::uint32_t(Cycle)> room_behind_0 = [](Cycle) { return 0xfU; };
  Sends sent;
  std::vector<unsigned> held;   ///< packets in FIFO (0, 0), by cycle
  std::vector<Cycle> released;  ///< slots of FIFO (0, 0)

 private:
  static std::uint32_t outputs_of(std::uint64_t map) {
    std::uint32_t outputs = 0;
    for (unsigned node = 0; node < 16; ++node)
      outputs |= static_cast<std::uint32_t>(map >> node & 1U) << node / 4;
    return outputs;
  }
  PacketRef make(PacketKind kind, unsigned flits) {
    PacketRef packet = pool_.make_bare();
    packet.edit().kind = kind;
    packet.edit().id = packet_id(0, ++serial_);
    packet.edit().flits = static_cast<std::uint16_t>(flits);
    return packet;
  }
  void add_multicast(Cycle at, unsigned input, std::uint64_t map, std::uint32_t outputs) {
    PacketRef packet = make(PacketKind::multicast, 7);
    packet.edit().map = map;
    add(at, input, std::move(packet), outputs);
  }
  void add(Cycle at, unsigned input, PacketRef&& packet, std::uint32_t outputs) {
    due_.insert(at + state_.least_delay());
    coming_[input].emplace_back(at, PacketTransfer{std::move(packet), outputs, 0});
  }

  const graph::Multistage network_;
  const graph::SwitchRoute route_;
  PacketPool pool_;
  std::map<unsigned, std::deque<std::pair<Cycle, PacketTransfer>>> coming_;
  State state_;
  std::set<Cycle> due_;
  std::uint32_t serial_ = 0;
};

CrosspointConfig deep() {
  CrosspointConfig config;
  config.fifo_packets = 4;
  return config;
}

constexpr std::uint64_t node_0 = 1;

}  // namespace

TEMPLATE_TEST_CASE("two rounds that an output owes leave as two packets, the older first", "",
                   CrosspointState, FlitCrosspoint) {
  // The second round's access begins in cycle 33 and ends in cycle 35.
  const Cycle room_from = GENERATE(Cycle{33}, Cycle{34}, Cycle{35}, Cycle{100});
  CAPTURE(room_from);
  Scene<TestType> scene(deep());
  scene.room_behind_0 = [=](Cycle now) { return now < room_from ? 0U : 0xfU; };
  scene.synchronization(10, 0, 7, node_0);
  scene.synchronization(20, 0, 7, node_0);
  CHECK(scene.run(200) == Sends{{room_from, 0, 1}, {room_from + 10, 0, 2}});
}

TEMPLATE_TEST_CASE("the packet after a synchronization becomes head when the table's access ends", "",
                   CrosspointState, FlitCrosspoint) {
  CrosspointConfig config = deep();
  config.table_access_cycles = 20;
  config.synchronization_cycles = 34;
  Scene<TestType> scene(config);
  scene.synchronization(10, 0, 7, node_0);
  SECTION("it requests its output in that cycle") {
    scene.single_cast(20, 0, 2);
    CHECK(scene.run(100) == Sends{{43, 0, 2}, {50, 0, 1}});
    CHECK(scene.held[42] == 2);
    CHECK(scene.held[43] == (std::is_same_v<TestType, CrosspointState> ? 0 : 1));
    CHECK(scene.released == std::vector<Cycle>{43, 50});
  }
  SECTION("the table reads it in that cycle") {
    scene.synchronization(20, 0, 8, node_0);
    CHECK(scene.run(100) == Sends{{43, 0, 1}, {63, 0, 2}});
    CHECK(scene.released == std::vector<Cycle>{43, 63});
  }
  SECTION("a copy with nowhere to go begins to drain in that cycle") {
    scene.stray_copy(20, 0, 0);
    CHECK(scene.run(100) == Sends{{43, 0, 1}});
    CHECK(scene.held[49] == 1);
    CHECK(scene.held[50] == 0);
    CHECK(scene.released == std::vector<Cycle>{43, 50});
  }
}

TEMPLATE_TEST_CASE("an owed packet whose target is reserved lets another sid's pass", "", CrosspointState,
                   FlitCrosspoint) {
  Scene<TestType> scene(deep());
  constexpr Cycle room = 300;
  scene.room_behind_0 = [](Cycle now) { return now < room ? 0b1101U : 0b1111U; };
  scene.multicast(10, 3, 0b0011);  // packet 1: FIFOs 0 and 1, of which 1 is full
  for (const Cycle at : {30, 37, 44, 51}) scene.single_cast(at, 2, 3);
  scene.synchronization(60, 0, 1, node_0);             // packet 6: output 0, FIFO 0
  scene.synchronization(60, 1, 2, 1U << 2 | 1U << 4);  // packet 7: output 0, FIFO 2, and output 1
  CHECK(scene.run(400) == Sends{{39, 0, 2},
                                {46, 0, 3},
                                {53, 0, 4},
                                {60, 0, 5},
                                {77, 0, 7},
                                {77, 1, 7},
                                {room, 0, 1},
                                {room + 7, 0, 6}});
}

TEMPLATE_TEST_CASE("a multicast to one target has it reserved", "", CrosspointState, FlitCrosspoint) {
  Scene<TestType> scene(deep());
  const bool multicast = GENERATE(true, false);
  constexpr Cycle room = 200;
  scene.room_behind_0 = [](Cycle now) { return now < room ? 0b1110U : 0b1111U; };
  if (multicast)
    scene.multicast(10, 0, 0b0001);
  else
    scene.single_cast(10, 0, 0);
  for (const Cycle at : {30, 37, 44, 51}) scene.single_cast(at, 1, 3);
  scene.single_cast(60, 2, 0);
  scene.run(300);
  REQUIRE(scene.sent.size() == 6);
  // In turn, input 2 is next.
  CHECK(scene.sent[4] == Sent{room, 0, multicast ? 1 : 6});
}

TEST_CASE("flit by flit, a table that reads a synchronization before its last flit is a broken invariant") {
  const auto failure = [](unsigned flits) -> std::string {
    Scene<FlitCrosspoint> scene(deep());
    scene.synchronization(10, 0, 7, node_0, flits);
    return tsuji::test::text_of<ModelError>([&] { scene.run(60); });
  };
  CHECK(failure(14).empty());
  CHECK(failure(15) ==
        "some_switch, cycle 23, packet 0.1: the synchronization table reads a packet before all of its flits "
        "have arrived");
}
