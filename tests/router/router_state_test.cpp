// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "router/rig.h"
#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/router/allocators/kinds.h"

using namespace tsuji;
using namespace tsuji::router;
using namespace tsuji::router::test;

namespace {

constexpr Cycle arrival = 20;

}  // namespace

TEST_CASE("a four-flit packet goes through RC, VA, SA and ST one flit after another") {
  // Hirasawa 2020, fig. 3: the head takes one stage a cycle, body flits skip the first two and follow at a
  // distance of one cycle. With one cycle of link the head is at the next router 4 + 1 cycles after it came.
  Rig rig({});
  const PacketIndex packet = rig.packet(2, 4);
  rig.arrive(arrival, 0, 1, packet);
  rig.run(arrival);
  CHECK(rig.state->view(0, 1).state == VcState::idle);
  rig.run(arrival + 1);
  CHECK(rig.state->view(0, 1).state == VcState::routing);
  rig.run(arrival + 2);
  CHECK(rig.state->view(0, 1).state == VcState::active);  // virtual channel granted in the second cycle
  rig.run(60);
  CHECK(cycles_of(rig, packet) == std::vector<Cycle>{25, 26, 27, 28});
  CHECK(rig.state->counters().flits == 4);
  CHECK(rig.pool.at(packet).hops == 1);
}

TEST_CASE("stages take their configured cycles") {
  RigConfig config;
  config.rc_cycles = GENERATE(0, 1, 3);
  config.router.va_cycles = GENERATE(0, 1, 2);
  config.router.sa_cycles = GENERATE(1, 3);
  config.router.st_cycles = GENERATE(0, 2);
  config.router.des_cycles = GENERATE(0, 2);
  config.router.ser_cycles = GENERATE(0, 1);
  config.channel.latency_cycles = 2;
  config.channel.depth_flits = 32;
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 3);
  rig.arrive(arrival, 0, 0, packet);
  rig.run(100);
  // The far end of the rig's channels has no deserializer; `arrival` is after the deserializer of this
  // router.
  const Cycle head = arrival + config.rc_cycles + config.router.va_cycles + config.router.sa_cycles +
                     config.router.st_cycles + config.router.ser_cycles + 2;
  CHECK(cycles_of(rig, packet) == std::vector<Cycle>{head, head + 1, head + 2});
}

TEST_CASE("a stage of several cycles still accepts a flit a cycle") {
  RigConfig config;
  config.router.sa_cycles = 4;
  config.router.st_cycles = 3;
  config.channel.depth_flits = 64;
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 40);
  rig.arrive(arrival, 0, 0, packet);
  rig.run(200);
  const std::vector<Cycle> cycles = cycles_of(rig, packet);
  REQUIRE(cycles.size() == 40);
  for (unsigned f = 1; f < 40; ++f) CHECK(cycles[f] == cycles[0] + f);
}

TEST_CASE("credits come back after SA + ST + L + L_credit + c + 1 cycles") {
  RigConfig config;
  config.channel.depth_flits = GENERATE(1U, 2U, 3U, 5U);
  config.channel.credit_latency_cycles = GENERATE(1, 4);
  config.channel.credit_process_cycles = GENERATE(0, 1);
  config.channel.latency_cycles = GENERATE(1, 3);
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 12);
  // One flit at a time comes in, as soon as there is room, so that the output is the limit.
  unsigned sent = 0;
  for (Cycle cycle = 10; cycle < 400; ++cycle) {
    if (sent < 12 && rig.in[0]->ring(0).credit_at() <= cycle) {
      Flit flit;
      flit.packet = packet;
      flit.sequence = static_cast<std::uint16_t>(sent);
      flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (sent == 0 ? Flit::head : 0) |
                                             (sent == 11 ? Flit::tail : 0));
      rig.in[0]->send(cycle, 0, flit);
      ++sent;
    }
    rig.run(cycle + 1);
  }
  const std::vector<Cycle> seen = cycles_of(rig, packet);
  REQUIRE(seen.size() == 12);
  const Cycle loop = 1 + 1 + config.channel.latency_cycles + config.channel.credit_latency_cycles +
                     config.channel.credit_process_cycles + 1;
  const unsigned depth = config.channel.depth_flits;
  for (unsigned f = depth; f < 12; ++f) CHECK(seen[f] - seen[f - depth] == std::max<Cycle>(loop, depth));
}

TEST_CASE("a flit every n cycles leaves an output") {
  RigConfig config;
  config.channel.flit_cycles = 3;
  config.channel.depth_flits = 16;
  config.channel.whole_flit = GENERATE(false, true);
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 4);
  for (unsigned f = 0; f < 4; ++f) rig.arrive(arrival + 3 * f, 0, 0, packet, f);
  rig.run(100);
  const Cycle wire = config.channel.whole_flit ? 2 : 0;  // the last word comes two cycles after the first
  const std::vector<Cycle> expected{25 + wire, 28 + wire, 31 + wire, 34 + wire};
  CHECK(cycles_of(rig, packet) == expected);
}

TEST_CASE("store and forward waits for the tail, cut-through for room for the whole packet") {
  RigConfig config;
  config.router.switching = GENERATE(Switching::store_and_forward, Switching::virtual_cut_through);
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 6);
  rig.arrive(arrival, 0, 0, packet);
  rig.run(arrival + 3);
  rig.run(80);
  const Cycle head = arrival + 5 + (config.router.switching == Switching::store_and_forward ? 5 : 0);
  std::vector<Cycle> expected;
  for (unsigned f = 0; f < 6; ++f) expected.push_back(head + f);
  CHECK(cycles_of(rig, packet) == expected);
}

TEST_CASE("under cut-through a packet starts only when its whole length fits") {
  RigConfig config;
  config.channel.vcs = 1;
  config.channel.depth_flits = 8;
  config.router.switching = Switching::virtual_cut_through;
  Rig rig(config);
  rig.stopped[1] = true;
  const PacketIndex first = rig.packet(1, 5, 1), second = rig.packet(1, 4, 2);
  rig.arrive(arrival, 0, 0, first);
  rig.arrive(arrival, 2, 0, second);
  rig.run(100);
  CHECK(rig.state->counters().flits == 5);  // three places are left, and the second packet needs four
  rig.stopped[1] = false;
  rig.run(101);
  rig.stopped[1] = true;  // one flit is taken: four places, known to the router one credit latency later
  rig.run(150);
  CHECK(rig.state->counters().flits == 9);
}

TEST_CASE("a packet longer than a buffer is refused where whole packets must fit") {
  RigConfig config;
  config.channel.depth_flits = 4;
  config.router.switching = Switching::store_and_forward;
  Rig rig(config);
  const PacketIndex packet = rig.packet(1, 5);
  rig.arrive(arrival, 0, 0, packet, 0);
  CHECK_THROWS_AS(rig.run(40), ModelError);
}

TEST_CASE("atomic virtual channels are allocated again when all credits are back, others at once") {
  RigConfig config;
  config.channel.vcs = 1;
  config.router.atomic_vcs = GENERATE(false, true);
  Rig rig(config);
  const PacketIndex first = rig.packet(1, 2, 1), second = rig.packet(1, 2, 2);
  rig.arrive(arrival, 0, 0, first);
  rig.arrive(arrival, 2, 0, second);
  rig.run(100);
  const std::vector<Cycle> one = cycles_of(rig, first), two = cycles_of(rig, second);
  REQUIRE(one == std::vector<Cycle>{25, 26});
  // The tail wins the switch in 23; its channel is allocated again in 24 and the second head is through SA
  // in 25. Atomic: the tail's credit is sent in 26 and usable in 29.
  CHECK(two.front() == (config.router.atomic_vcs ? 29U + 1 + 3 : 24U + 1 + 3));
}

TEST_CASE("an output pauses between flits of different virtual channels for the configured bubble") {
  RigConfig config;
  config.channel.vcs = 2;
  config.router.vc_change_cycles = GENERATE(0, 1, 2);
  Rig rig(config);
  const PacketIndex first = rig.packet(1, 4, 1), second = rig.packet(1, 4, 2);
  rig.arrive(arrival, 0, 0, first);
  rig.arrive(arrival, 2, 0, second);
  rig.run(100);
  REQUIRE(rig.seen.size() == 8);
  for (std::size_t i = 1; i < rig.seen.size(); ++i) {
    const bool changed = rig.seen[i].vc != rig.seen[i - 1].vc;
    CHECK(rig.seen[i].cycle - rig.seen[i - 1].cycle >= 1 + (changed ? config.router.vc_change_cycles : 0));
  }
  unsigned changes = 0;
  for (std::size_t i = 1; i < rig.seen.size(); ++i) changes += rig.seen[i].vc != rig.seen[i - 1].vc ? 1 : 0;
  CHECK(rig.seen.back().cycle - rig.seen.front().cycle == 7 + changes * config.router.vc_change_cycles);
}

TEST_CASE("input speed-up lets two virtual channels of a port leave in one cycle") {
  RigConfig config;
  config.router.input_speedup = GENERATE(1U, 2U, 4U);
  Rig rig(config);
  const PacketIndex first = rig.packet(1, 8, 1), second = rig.packet(2, 8, 2);
  for (unsigned f = 0; f < 8; ++f) {  // one wire: the flits of two packets alternate
    rig.arrive(arrival + 2 * f, 0, 0, first, f);
    rig.arrive(arrival + 2 * f + 1, 0, 1, second, f);
  }
  rig.stopped[1] = rig.stopped[2] = true;
  rig.run(80);
  rig.stopped[1] = rig.stopped[2] = false;
  rig.run(200);
  CHECK(cycles_of(rig, first).size() == 8);
  CHECK(cycles_of(rig, second).size() == 8);

  // Both packets have a full buffer and their own output: with one path from the port they take turns.
  Rig full(config);
  const PacketIndex a = full.packet(1, 8, 1), b = full.packet(2, 8, 2);
  for (unsigned f = 0; f < 8; ++f) full.arrive(arrival, 0, 0, a, f);
  for (unsigned f = 0; f < 8; ++f) full.arrive(arrival, 0, 1, b, f);
  full.run(100);
  const Cycle last = std::max(cycles_of(full, a).back(), cycles_of(full, b).back());
  CHECK(last == (config.router.input_speedup == 1 ? 25U + 15U : 25U + 7U));
}

TEST_CASE("a packet does not leave by its input port unless u-turns are allowed") {
  RigConfig config;
  config.router.uturn_network = GENERATE(false, true);
  Rig rig(config);
  const PacketIndex packet = rig.packet(0, 2);
  rig.arrive(arrival, 0, 0, packet);
  if (config.router.uturn_network) {
    rig.run(60);
    CHECK(cycles_of(rig, packet).size() == 2);
  } else {
    CHECK_THROWS_WITH(rig.run(60), Catch::Contains("no route"));
  }
}

TEST_CASE("flits out of sequence stop the run with packet and cycle") {
  SECTION("a body flit without its head") {
    Rig rig({});
    rig.arrive(arrival, 0, 0, rig.packet(1, 4, 5), 1);
    CHECK_THROWS_WITH(rig.run(60), Catch::Contains("cycle 20") && Catch::Contains("7.5"));
  }
  SECTION("a flit that is missing") {
    Rig rig({});
    const PacketIndex packet = rig.packet(1, 4, 5);
    rig.arrive(arrival, 0, 0, packet, 0);
    rig.arrive(arrival + 1, 0, 0, packet, 2);
    CHECK_THROWS_AS(rig.run(60), ModelError);
  }
  SECTION("a flit of another packet") {
    Rig rig({});
    rig.arrive(arrival, 0, 0, rig.packet(1, 4, 5), 0);
    rig.arrive(arrival + 1, 0, 0, rig.packet(1, 4, 6), 1);
    CHECK_THROWS_AS(rig.run(60), ModelError);
  }
  SECTION("more flits than there are credits") {
    Rig rig({});
    const PacketIndex packet = rig.packet(1, 20);
    rig.stopped[1] = true;
    rig.arrive(arrival, 0, 0, packet);
    CHECK_THROWS_WITH(rig.run(100), Catch::Contains("without a credit"));
  }
}

TEST_CASE("a waiting router schedules no cycle") {
  Rig rig({});
  rig.stopped[1] = true;
  const PacketIndex packet = rig.packet(1, 12);
  for (unsigned f = 0; f < 8; ++f) rig.arrive(arrival + f, 0, 0, packet, f);
  rig.run(60);
  CHECK(rig.next == never);  // eight flits at the far end, none here: nothing to do
  CHECK(rig.state->counters().flits == 8);
  for (unsigned f = 8; f < 12; ++f) rig.arrive(70 + f, 0, 0, packet, f);
  rig.run(100);
  CHECK(rig.next == never);  // four flits here, and no credit
  CHECK(rig.state->counters().flits == 8);
}

TEST_CASE("a head that is blocked is reported after its timeout, once") {
  struct Events final : RouterEvents {
    void on_blocked(graph::RouterId, unsigned port, unsigned vc, PacketIndex packet, Cycle now) override {
      list.push_back({now, port, vc, packet, 0});
    }
    void on_no_route(graph::RouterId, unsigned, unsigned, PacketIndex, Cycle) override {}
    std::vector<Seen> list;
  } events;
  RigConfig config;
  config.channel.vcs = 1;
  config.router.block_timeout_cycles = 64;
  config.sparse = GENERATE(false, true);  // sparse: the router schedules the cycle
  Rig rig(config, nullptr, &events);
  rig.stopped[1] = true;
  const PacketIndex first = rig.packet(1, 12, 1), second = rig.packet(1, 2, 2);
  for (unsigned f = 0; f < 12; ++f) rig.arrive((f < 8 ? arrival : 70) + f, 0, 0, first, f);
  rig.arrive(arrival, 2, 0, second);
  rig.run(400);
  REQUIRE(events.list.size() == 1);  // the first packet's head has moved on; the second one's waits since 20
  CHECK(events.list[0].cycle == arrival + 64);
  CHECK(events.list[0].packet == second);
  CHECK(events.list[0].port == 2);
}

TEST_CASE("random packets, stalls and pipelines: each flit comes out once and in order") {
  RigConfig config;
  config.ports = 5;
  config.channel.vcs = GENERATE(1U, 3U, 16U);
  config.channel.depth_flits = GENERATE(1U, 4U);
  config.router.sa_allocator = config.router.va_allocator = GENERATE("separable", "matrix", "islip");
  config.router.va_allocators.of<IslipConfig>().islip_iterations = 2;
  config.router.sa_allocators.of<IslipConfig>().islip_iterations = 2;
  config.router.input_speedup = config.channel.vcs > 1 ? 2 : 1;
  config.router.vc_change_cycles = GENERATE(0, 1);
  config.router.route_at = GENERATE(RouteAt::front, RouteAt::arrival);
  config.router.uturn_network = true;
  Rig rig(config);
  CounterRandom random(1, config.channel.vcs);
  struct Stream {
    PacketIndex packet = 0;
    unsigned sequence = 0, flits = 0;
  };
  std::vector<std::vector<Stream>> streams(5, std::vector<Stream>(config.channel.vcs));
  std::map<PacketIndex, std::pair<unsigned, unsigned>> sent;  // destination, flits
  std::uint32_t serial = 0;
  std::uint64_t flits_in = 0;
  for (Cycle cycle = 10; cycle < 3000; ++cycle) {
    for (unsigned p = 0; p < 5; ++p) {
      rig.stopped[p] = random.unit() < 0.3;
      Stream& stream = streams[p][random.below(config.channel.vcs)];
      const auto vc = static_cast<unsigned>(&stream - streams[p].data());
      const bool more = stream.sequence < stream.flits;
      if ((!more && cycle > 2000) || rig.in[p]->ring(vc).credit_at() > cycle) continue;
      if (!more) {
        stream = {rig.packet(static_cast<unsigned>(random.below(5)),
                             1 + static_cast<unsigned>(random.below(6)), ++serial),
                  0, 0};
        stream.flits = rig.pool.at(stream.packet).flits;
        sent[stream.packet] = {rig.pool.at(stream.packet).destination.node(), stream.flits};
      }
      rig.arrive(cycle + 2, p, vc, stream.packet, stream.sequence++);
      ++flits_in;
    }
    rig.run(cycle + 1);
  }
  std::fill(rig.stopped.begin(), rig.stopped.end(), false);
  rig.run(3500);
  CHECK(rig.state->counters().flits == flits_in);
  std::map<PacketIndex, unsigned> next;
  for (const Seen& seen : rig.seen) {
    CHECK(seen.port == sent.at(seen.packet).first);
    CHECK(seen.sequence == next[seen.packet]++);
  }
  for (const auto& [packet, what] : sent) CHECK(next[packet] == what.second);
}

namespace {

std::string stopped_by(Rig& rig) {
  return tsuji::test::text_of<ModelError>([&] { rig.run(100); }, "nothing");
}

}  // namespace

TEST_CASE("a body flit where a head is due stops the run, and so does another packet's flit") {
  using Catch::Contains;
  RigConfig config;
  config.full = GENERATE(false, true);
  {
    Rig rig(config);
    const PacketIndex packet = rig.packet(1, 4, 3);
    rig.arrive(arrival, 2, 1, packet, 2);
    CHECK_THAT(stopped_by(rig), Contains("flit 2 came on port 2, virtual channel 1, where flit 0 ") &&
                                    Contains(packet_name(packet_id(7, 3))));
  }
  {
    Rig rig(config);
    const PacketIndex first = rig.packet(1, 4, 3), second = rig.packet(2, 4, 5);
    rig.arrive(arrival, 2, 1, first, 0);
    rig.arrive(arrival + 1, 2, 1, first, 1);
    rig.arrive(arrival + 2, 2, 1, second, 2);
    CHECK_THAT(stopped_by(rig), Contains("flit 2 came on port 2, virtual channel 1, where flit 2 of packet " +
                                         packet_name(packet_id(7, 3)) + " was expected"));
  }
}

TEST_CASE("parked heads proceed in turn, for any number of mask words of virtual channels") {
  struct Size {
    unsigned ports, vcs;
  };
  // 63, 64, 65, 126, 128 and 135 virtual channels; one more index is for the credits of parked heads.
  const Size size = GENERATE(Size{9, 7}, Size{8, 8}, Size{13, 5}, Size{9, 14}, Size{8, 16}, Size{9, 15});
  RigConfig config;
  config.ports = size.ports;
  config.channel.vcs = size.vcs;
  config.full = true;
  config.router.atomic_vcs = true;  // so that credits wake them
  Rig rig(config);
  std::set<PacketIndex> sent, seen;
  for (unsigned p = 1; p < size.ports; ++p) {
    for (unsigned vc = 0; vc < size.vcs; ++vc) {
      const PacketIndex packet = rig.packet(0, 3, p * 16 + vc);
      rig.arrive(arrival + Cycle{3} * vc, p, vc, packet);
      sent.insert(packet);
    }
  }
  rig.run(arrival + 3000);
  for (const Seen& flit : rig.seen) seen.insert(flit.packet);
  CHECK(seen == sent);
  CHECK(rig.seen.size() == 3 * sent.size());
}

TEST_CASE("a port has no channels and no node by default") {
  const RouterPort port;
  CHECK(port.in == nullptr);
  CHECK(port.out == nullptr);
  CHECK_FALSE(port.to_node);
}
