// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "router/rig.h"
#include "support/catch.h"
#include "support/purge_router.h"
#include "tsuji/core/error.h"

// router.switch_hold: the connection of an input with an output lasts for a flit, or for a packet.

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

constexpr Cycle arrival = 20;
/// A head that comes in `arrival` and wins at once: RC, VA, SA and ST of one cycle each, and one of link.
constexpr Cycle first = arrival + 5;

RigConfig with(SwitchHold hold) {
  RigConfig config;
  config.router.switch_hold = hold;
  config.router.switching = Switching::virtual_cut_through;
  return config;
}

using Cycles = std::vector<Cycle>;

}  // namespace

TEST_CASE("a packet that holds the switch keeps its output until the tail has left") {
  const SwitchHold hold = GENERATE(SwitchHold::flit, SwitchHold::packet);
  Rig rig(with(hold));
  const PacketIndex one = rig.packet(2, 3), other = rig.packet(2, 3);
  rig.arrive(arrival, 0, 0, one);
  rig.arrive(arrival, 1, 0, other);
  rig.run(60);
  if (hold == SwitchHold::flit) {
    CHECK(cycles_of(rig, one) == Cycles{first, first + 2, first + 4});
    CHECK(cycles_of(rig, other) == Cycles{first + 1, first + 3, first + 5});
  } else {
    CHECK(cycles_of(rig, one) == Cycles{first, first + 1, first + 2});
    CHECK(cycles_of(rig, other) == Cycles{first + 3, first + 4, first + 5});
  }
}

TEST_CASE("a packet that holds the switch keeps its input until the tail has left") {
  const SwitchHold hold = GENERATE(SwitchHold::flit, SwitchHold::packet);
  Rig rig(with(hold));
  const PacketIndex one = rig.packet(1, 2), other = rig.packet(2, 2);
  rig.arrive(arrival, 0, 0, one);
  rig.arrive(arrival, 0, 1, other);
  rig.run(60);
  const bool by_flit = hold == SwitchHold::flit;
  CHECK(cycles_of(rig, one) == Cycles{first, by_flit ? first + 2 : first + 1});
  CHECK(cycles_of(rig, other) == Cycles{by_flit ? first + 1 : first + 2, first + 3});
}

TEST_CASE("crossbar inputs of one port hold the switch for a packet each") {
  RigConfig config = with(SwitchHold::packet);
  config.router.input_speedup = 2;
  Rig rig(config);
  const PacketIndex one = rig.packet(1, 2), other = rig.packet(2, 2);
  rig.arrive(arrival, 0, 0, one);
  rig.arrive(arrival, 0, 1, other);
  rig.run(60);
  CHECK(cycles_of(rig, one) == Cycles{first, first + 1});
  CHECK(cycles_of(rig, other) == Cycles{first, first + 1});
}

TEST_CASE("an output that is held waits for flits that come late") {
  const SwitchHold hold = GENERATE(SwitchHold::flit, SwitchHold::packet);
  Rig rig(with(hold));
  const PacketIndex late = rig.packet(2, 2), other = rig.packet(2, 2);
  rig.arrive(arrival, 0, 0, late, 0);
  rig.arrive(arrival + 20, 0, 0, late, 1);
  rig.arrive(arrival, 1, 0, other);
  rig.run(80);
  // A body flit needs SA, ST and the link.
  const Cycle end = arrival + 20 + 3;
  CHECK(cycles_of(rig, late) == Cycles{first, end});
  CHECK(cycles_of(rig, other) ==
        (hold == SwitchHold::flit ? Cycles{first + 1, first + 2} : Cycles{end + 1, end + 2}));
}

TEST_CASE("a packet that is purged gives up the switch") {
  Rig rig(with(SwitchHold::packet));
  const PacketIndex purged = rig.packet(2, 2), other = rig.packet(2, 1);
  rig.arrive(arrival, 0, 0, purged, 0);
  rig.arrive(arrival, 1, 0, other);
  rig.run(arrival + 20);
  CHECK(cycles_of(rig, purged) == Cycles{first});
  CHECK(cycles_of(rig, other).empty());
  tsuji::test::purge_router(*rig.state, purged, rig.now - 1);
  rig.run(arrival + 40);
  CHECK(cycles_of(rig, other) == Cycles{arrival + 20 + 3});
}

TEST_CASE("predicted flits cross without the switch allocation that a packet would hold") {
  VcRouterConfig config;
  config.prediction.kind = "straight";
  config.switch_hold = SwitchHold::packet;
  config.switching = Switching::virtual_cut_through;
  CHECK_THROWS_WITH(config.validate(),
                    Catch::Contains("router.switch_hold") && Catch::Contains("prediction"));
}

TEST_CASE("wormhole packets, which may wait for credits, cannot hold the switch") {
  VcRouterConfig config;
  config.switch_hold = SwitchHold::packet;
  CHECK_THROWS_WITH(config.validate(), Catch::Contains("router.switch_hold: a packet that waits"));
  config.switching = Switching::store_and_forward;
  CHECK_NOTHROW(config.validate());
}

TEST_CASE("a router that passes flits is refused on channels that pass whole packets") {
  RigConfig config = with(SwitchHold::flit);
  config.channel.whole_packets = true;
  CHECK_THROWS_WITH(Rig(config), Catch::Contains("pass whole packets"));
}

TEST_CASE("a probe for single flits is refused on a channel that passes whole packets") {
  struct Probe final : FlitProbe {
    explicit Probe(Scope own) : own_scope(own) {}
    Scope scope() const override { return own_scope; }
    void on_flit(const FlitChannel&, unsigned, const Flit& flit, Cycle departure, Cycle ready) override {
      heads += flit.is_head() ? 1 : 0;
      others += flit.is_head() ? 0 : 1;
      at = {departure, ready};
    }
    void on_credit(const FlitChannel&, unsigned, Cycle, Cycle) override {}
    const Scope own_scope;
    unsigned heads = 0, others = 0;
    std::pair<Cycle, Cycle> at;
  };
  FlitChannelConfig config;
  config.whole_packets = true;
  FlitChannel channel(config);
  Arena arena;
  ArrivalCalendar calendar(arena, 16, 64);
  FlitSender sender;
  channel.bind_receiver({}, calendar, 0, 0, arena);
  channel.bind_sender({}, calendar, 1, sender);
  Probe all(FlitProbe::Scope::all), heads(FlitProbe::Scope::heads);
  CHECK_THROWS_WITH(channel.set_probe(&all), Catch::Contains("passes whole packets"));
  channel.set_probe(&heads);
  sender.send_packet(10, channel.ring(2), 7, 5);
  CHECK(heads.heads == 1);
  CHECK(heads.others == 0);
  CHECK(heads.at == std::pair<Cycle, Cycle>{11, 12});
}

TEST_CASE("a packet fills and frees its slots with the cycles of its flits") {
  FlitChannelConfig config;
  config.vcs = 1;
  config.depth_flits = 6;
  config.whole_packets = true;
  FlitChannel channel(config);
  Arena arena;
  ArrivalCalendar calendar(arena, 16, 64);
  FlitSender sender;
  channel.bind_receiver({}, calendar, 0, 0, arena);
  channel.bind_sender({}, calendar, 1, sender);
  FlitRing& ring = channel.ring(0);
  for (const Cycle start : {Cycle{10}, Cycle{40}, Cycle{70}}) {  // around the ring
    CAPTURE(start);
    sender.send_packet(start, ring, 3, 4);
    CHECK(channel.flits_to_come(start + 1) == 3);
    CHECK(channel.flits_to_come(start + 4) == 0);
    for (unsigned i = 0; i < 4; ++i) {
      const FlitSlot& slot = ring.behind_front(i);
      CHECK(slot.holds(3, static_cast<std::uint16_t>(i)));
      CHECK(slot.head() == (i == 0));
      CHECK(slot.tail() == (i == 3));
      CHECK(slot.cycle() == start + i + 2);
    }
    CHECK(channel.flits_held() == 4);
    CHECK_THROWS_AS(sender.send_packet(start + 4, ring, 4, 3), ModelError);  // two slots are free
    CHECK_FALSE(channel.pop_packet(start + 1, ring, 3, 4));                  // not here yet
    CHECK_FALSE(channel.pop_packet(start + 9, ring, 4, 4));                  // another packet
    CHECK_FALSE(channel.pop_packet(start + 9, ring, 3, 3));                  // another length
    REQUIRE(channel.pop_packet(start + 9, ring, 3, 4));
    CHECK(channel.flits_held() == 0);
    channel.check_credits(start + 9);
    // Credits take 1 + 1 + 1 cycles.
    CHECK(ring.credits(start + 11) == 2);
    CHECK(ring.credits(start + 12) == 3);
    CHECK(ring.credits(start + 15) == 6);
  }
  CHECK(channel.flits_sent() == 12);
}
