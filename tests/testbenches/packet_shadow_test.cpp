// SPDX-License-Identifier: Apache-2.0
// The model beside RTL of other times: router 5 of a 4x4 mesh, whose RTL is what a test says of it.

#include <memory>
#include <vector>

#include "router/rtl_packet_shadow.h"
#include "support/catch.h"
#include "tsuji/graph/cube.h"
#include "tsuji/network/config/network_config.h"
#include "tsuji/network/config/network_plan.h"

using namespace tsuji;
using namespace tsuji::bench;

namespace {

constexpr unsigned east = 0, node = 4;
constexpr NodeId to_east = 6, to_north = 9;  // by ports 0 and 2

network::NetworkConfig mesh() {
  network::NetworkConfig machine;
  machine.topology.kind = "mesh";
  machine.topology.of<graph::CubeConfig>().radices = {4, 4};
  machine.resolve();
  return machine;
}

/// A model of which a test drives both ends.
class Rig {
 public:
  Rig() : plan_(machine_), lookup_(*plan_.routing, 1), ends_(5) {
    FlitChannelConfig config;
    config.vcs = 4;
    config.depth_flits = 8;
    for (router::RouterPort& end : ends_)
      for (FlitChannel** channel : {&end.in, &end.out}) {
        channels_.push_back(std::make_unique<FlitChannel>(config));
        *channel = channels_.back().get();
      }
    ends_[node].to_node = true;
    router::RouterParts parts{pool_, lookup_};
    parts.routing = plan_.routing.get();
    shadow_ = std::make_unique<RtlPacketShadow>(
        PacketShadowConfig{machine_.network.router, machine_.network.rc_cycles, 1}, 5, ends_, parts);
  }

  /// A packet comes in by the node's port from cycle `now` on, a flit a cycle.
  RtlPacketShadow::Passage come(std::uint32_t serial, NodeId destination, unsigned flits, Cycle now,
                                unsigned vc = 0) {
    Packet packet;
    packet.id = std::uint64_t{5} << 32 | serial;
    packet.source = NodeId{5};
    packet.destination = destination;
    packet.flits = static_cast<std::uint16_t>(flits);
    shadow_->run(now - 1);
    const RtlPacketShadow::Passage passage = shadow_->head_in(node, vc, packet, 0);
    for (unsigned flit = 0; flit < flits; ++flit) {
      shadow_->flit_in(passage, flit == 0, flit + 1 == flits);
      shadow_->run(now + flit);
    }
    return passage;
  }

  /// It leaves the RTL, with its tail in cycle `tail`.
  void leave(RtlPacketShadow::Passage passage, unsigned port, unsigned flits, Cycle tail, unsigned vc = 0) {
    for (unsigned flit = 0; flit < flits; ++flit)
      shadow_->flit_out(passage, port, vc, flit == 0, flit + 1 == flits, tail - flits + 1 + flit);
    shadow_->run(tail);
  }

  RtlPacketShadow& shadow() { return *shadow_; }
  const PacketDifferences& found() const { return shadow_->differences(); }

 private:
  network::NetworkConfig machine_ = mesh();
  network::NetworkPlan plan_;
  PacketPool pool_;
  lookup::LocalLookup lookup_;
  std::vector<std::unique_ptr<FlitChannel>> channels_;
  std::vector<router::RouterPort> ends_;
  std::unique_ptr<RtlPacketShadow> shadow_;
};

}  // namespace

TEST_CASE("a packet of RTL is later than the model's by the cycles between their tails") {
  std::vector<std::int64_t> later;
  for (const Cycle tail : {40, 47}) {
    Rig rig;
    rig.leave(rig.come(1, to_east, 3, 10), east, 3, tail);
    CHECK(rig.found().packets == 1);
    CHECK(rig.found().differing == 0);
    CHECK(rig.found().least == rig.found().most);
    later.push_back(rig.found().sum);
  }
  CHECK(later[1] - later[0] == 7);
  CHECK(later[0] > 15);
}

TEST_CASE("RTL may be earlier than the model") {
  Rig rig;
  const auto passage = rig.come(1, to_east, 1, 10);
  rig.leave(passage, east, 1, 10);
  CHECK(rig.found().packets == 0);
  CHECK(rig.shadow().unfinished() == 1);
  rig.shadow().finish(100);
  CHECK(rig.found().packets == 1);
  CHECK(rig.found().most < 0);
  CHECK(rig.shadow().unfinished() == 0);
}

TEST_CASE("least, most and sum are those of all packets, of several routers together") {
  PacketDifferences sum;
  for (const Cycle tail : {60, 50, 70}) {
    Rig rig;
    rig.leave(rig.come(1, to_east, 1, 10), east, 1, tail);
    sum.add(rig.found());
  }
  CHECK(sum.packets == 3);
  CHECK(sum.most - sum.least == 20);
  CHECK(sum.sum == sum.least * 3 + 30);
  sum.add(PacketDifferences());
  CHECK(sum.most - sum.least == 20);
}

TEST_CASE("a packet that leaves RTL by another port than the model's is reported with both") {
  Rig rig;
  rig.leave(rig.come(1, to_east, 1, 10), east, 1, 40);
  rig.leave(rig.come(2, to_north, 2, 50), east, 2, 81);
  rig.leave(rig.come(3, to_north, 1, 90), east, 1, 120);
  CHECK(rig.found().packets == 3);
  CHECK(rig.found().differing == 2);
  CHECK(rig.found().first == "router 5, cycle 80, packet 5.2: it leaves by port 0, in the model by port 2");
}

TEST_CASE("a packet that another one of its virtual channel overtakes in RTL is reported") {
  Rig rig;
  const auto first = rig.come(1, to_east, 1, 10), second = rig.come(2, to_east, 1, 11);
  rig.leave(second, east, 1, 40);
  rig.leave(first, east, 1, 41);
  CHECK(rig.found().differing == 1);
  CHECK(rig.found().first ==
        "router 5, cycle 41, packet 5.1: it leaves by port 0 after packet 5.2, which came later by the same "
        "virtual channel");
}

TEST_CASE("packets of two virtual channels have no order") {
  Rig rig;
  const auto first = rig.come(1, to_east, 1, 10, 0), second = rig.come(2, to_east, 1, 11, 1);
  rig.leave(second, east, 1, 40, 0);
  rig.leave(first, east, 1, 41, 1);
  CHECK(rig.found().packets == 2);
  CHECK(rig.found().differing == 0);
}

TEST_CASE("the model's flits keep their places at the far end until those of RTL leave theirs") {
  // Four virtual channels of 8 places: the model sends 32 flits of 10 packets at most, however long it runs.
  // A head may take a virtual channel without a place.
  Rig rig;
  std::vector<RtlPacketShadow::Passage> passages;
  for (std::uint32_t serial = 0; serial < 10; ++serial)
    passages.push_back(rig.come(serial + 1, to_east, 4, 10 + 10 * serial, serial % 4));
  for (std::size_t i = 0; i < passages.size(); ++i)
    rig.leave(passages[i], east, 4, 1000 + 10 * i, static_cast<unsigned>(i % 4));
  CHECK(rig.found().packets == 6);
  CHECK(rig.shadow().away(east, 0) == 12);
  for (unsigned flit = 0; flit < 4; ++flit) rig.shadow().credit(east, 0);
  rig.shadow().run(1200);
  CHECK(rig.found().packets == 7);
  CHECK(rig.shadow().away(east, 0) == 8);
  rig.shadow().finish(100);
  CHECK(rig.found().packets == 10);
  CHECK(rig.found().differing == 0);
}
