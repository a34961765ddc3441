// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "support/catch.h"
#include "tsuji/core/run_time.h"
#include "tsuji/link/flit_channel.h"

// Single promises of a channel with both ends; flit_channel_test.cpp checks all of them at random.

using namespace tsuji;

namespace {

/// A channel whose two ends are bound, each with a separate calendar.
struct BoundChannel {
  explicit BoundChannel(const FlitChannelConfig& config) : channel(config) {
    channel.bind_receiver({}, receiver, 0, 0, arena);
    channel.bind_sender({}, sender, 1, end);
  }
  FlitChannel channel;
  Arena arena;
  ArrivalCalendar receiver{arena, 4, 8}, sender{arena, 4, 8};
  FlitSender end;
};

/// A body flit.
Flit body(PacketIndex packet = 0) {
  Flit flit;
  flit.packet = packet;
  flit.flags = Flit::is_flit;
  return flit;
}

}  // namespace

TEST_CASE(
    "flit channel: the deepest buffer holds its declared number of flits, and no more, round after round") {
  FlitChannelConfig config;
  config.vcs = 1;
  config.depth_flits = FlitRing::largest_depth;
  BoundChannel bound(config);
  FlitChannel& channel = bound.channel;
  Cycle now = 10;
  PacketIndex sent = 0, taken = 0;
  const auto send = [&](unsigned flits) {
    for (unsigned f = 0; f < flits; ++f) channel.send(now++, 0, body(sent++));
    now += 100;  // for the last one to arrive
  };
  const auto take = [&](unsigned flits) {
    unsigned wrong = 0;
    for (unsigned f = 0; f < flits; ++f) {
      wrong += channel.ring(0).front().packet() == taken++ ? 0 : 1;
      channel.pop(now++, 0);
    }
    CHECK(wrong == 0);
    now += 100;  // for the last credit
  };
  constexpr unsigned deepest = FlitRing::largest_depth;
  for (unsigned round = 0; round < 3; ++round) {
    send(deepest);
    CHECK_THROWS_WITH(channel.send(now, 0, body()),
                      Catch::Contains("sent without a credit on virtual channel 0"));
    CHECK(channel.flits_held() == deepest);
    if (round == 0) {  // so that the next round begins in the middle of the ring
      take(1000);
      send(1000);
    }
    take(deepest);
    CHECK(channel.flits_held() == 0);
  }
}

TEST_CASE("flit channel: a slot holds the largest cycle, packet and sequence at once") {
  for (const Cycle cycle : {Cycle{0}, Cycle{1}, longest_run_cycles, (Cycle{1} << FlitSlot::cycle_bits) - 1}) {
    for (const PacketIndex packet : {0U, 1U, (1U << FlitSlot::packet_bits) - 1U}) {
      for (const std::uint16_t sequence : {0, 1, 0xffff}) {
        for (const unsigned flags : {1U, 1U | Flit::head, 1U | Flit::tail}) {
          FlitSlot slot;
          CHECK_FALSE(slot.holds_flit());
          const Flit flit{packet, sequence, static_cast<std::uint8_t>(flags)};
          slot.fill(flit, cycle);
          CHECK(slot.holds_flit());
          CHECK(slot.cycle() == cycle);
          CHECK(slot.flit().packet == packet);
          CHECK(slot.flit().sequence == sequence);
          CHECK(slot.flit().flags == flags);
          CHECK(slot.head() == flit.is_head());
          CHECK(slot.tail() == flit.is_tail());
          CHECK(slot.holds(packet, sequence));
          CHECK_FALSE(slot.holds(packet ^ 1U, sequence));
          CHECK_FALSE(slot.holds(packet, static_cast<std::uint16_t>(sequence ^ 0x8000)));
          slot.kill();
          CHECK(slot.killed());
          CHECK(slot.packet() == packet);
          CHECK(slot.cycle() == cycle);
          slot.free(cycle);
          CHECK_FALSE(slot.holds_flit());
          CHECK_FALSE(slot.holds(0, 0));
          CHECK(slot.cycle() == cycle);
        }
      }
    }
  }
}

TEST_CASE("flit channel: impossible buffers are refused, and so are indices in two words") {
  FlitChannelConfig config;
  config.depth_flits = 0;
  CHECK_THROWS_WITH(FlitChannel(config), Catch::Contains("a buffer of 0 flits"));
  config.depth_flits = FlitRing::largest_depth + 1;
  CHECK_THROWS_WITH(FlitChannel(config), Catch::Contains("a buffer of 21846 flits"));
  config.depth_flits = 2;
  config.vcs = 4;
  Arena arena;
  ArrivalCalendar calendar(arena, 128, 4);
  FlitChannel split(config), whole(config);
  CHECK_THROWS_WITH(split.bind_receiver({}, calendar, 61, 0, arena), Catch::Contains("two 64-bit words"));
  CHECK_NOTHROW(whole.bind_receiver({}, calendar, 60, 0, arena));
}

TEST_CASE("flit channel: only an arrived flit can be taken") {
  FlitChannelConfig config;
  config.vcs = 2;
  BoundChannel bound(config);
  FlitChannel& channel = bound.channel;
  const std::string refusal =
      "channel, cycle 30: the receiver takes a flit that is not there, on virtual channel 1";
  CHECK_THROWS_WITH(channel.pop(30, 1), refusal);
  channel.send(25, 1, body());
  channel.pop(30, 1);
  CHECK_THROWS_WITH(channel.pop(30, 1), refusal);
}

TEST_CASE(
    "flit channel: a credit is back three cycles after its slot was freed, unless configured otherwise") {
  FlitChannelConfig config;
  config.depth_flits = 1;
  BoundChannel bound(config);
  FlitChannel& channel = bound.channel;
  CHECK_FALSE(Flit{}.valid());
  CHECK(body().valid());
  channel.send(25, 0, body());
  CHECK(channel.ring(0).credit_at() == never);
  channel.pop(30, 0);
  // The register, the credit's latency and its acceptance.
  CHECK(channel.ring(0).credit_at() == 30 + 1 + 1 + 1);
}

TEST_CASE("flit channel: it is empty before both ends are bound, and a link that is down is reported") {
  FlitChannel channel(FlitChannelConfig{});
  CHECK(channel.flits_sent() == 0);
  CHECK(channel.flits_held() == 0);
  CHECK(channel.last_event() == 0);
  CHECK(channel.kill(0) == 0);
  CHECK(channel.probe() == nullptr);
  Arena arena;
  ArrivalCalendar receiver(arena, 4, 8), sender(arena, 4, 8);
  FlitSender end;
  channel.bind_sender({}, sender, 1, end);
  CHECK_FALSE(channel.down());
  channel.set_down(true, 3);
  channel.bind_receiver({}, receiver, 0, 0, arena);
  CHECK(channel.down());
  CHECK(end.down());
  channel.set_down(false, 4);
  CHECK_FALSE(end.down());
}

TEST_CASE("flit channel: flits killed on the wires are discarded on arrival") {
  FlitChannelConfig config;
  config.latency_cycles = 5;
  BoundChannel bound(config);
  FlitChannel& channel = bound.channel;
  for (PacketIndex p = 0; p < 3; ++p) channel.send(10 + p, 1, body(p));
  unsigned on_wires = 0;
  channel.visit_on_wires(16, [&](PacketIndex, unsigned vc) { on_wires += vc == 1 ? 1 : 0; });
  CHECK(on_wires == 2);  // the first can be handled in 16
  CHECK(channel.kill(1) == 1);
  CHECK(channel.kill(1) == 0);
  CHECK_FALSE(channel.ring(1).front().killed());
  channel.pop(16, 1);
  CHECK(channel.ring(1).front().killed());
  CHECK(channel.flits_held() == 2);
}
