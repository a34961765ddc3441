// SPDX-License-Identifier: Apache-2.0
#include "tsuji/traffic/flit_node_state.h"

#include <algorithm>
#include <vector>

#include "support/catch.h"
#include "traffic/flit_node_rig.h"
#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::traffic::test;

TEST_CASE("a packet's head is on the wires a cycle after its birth, and its flits follow a cycle apart") {
  Rig rig({emission(5, 4)}, {}, 0xf, 8);
  rig.run(5);
  CHECK(rig.next == 5);
  rig.run(20);
  REQUIRE(rig.seen.size() == 4);
  for (unsigned f = 0; f < 4; ++f) {
    CHECK(rig.seen[f].cycle == 5 + 1 + 1 + f);  // birth, departure, one cycle of wire
    CHECK(rig.seen[f].flit.sequence == f);
    CHECK(rig.seen[f].flit.is_head() == (f == 0));
    CHECK(rig.seen[f].flit.is_tail() == (f == 3));
  }
  CHECK(rig.next == never);
  CHECK(rig.state->flits_sent() == 4);
  CHECK(rig.state->packets_sent() == 1);
  CHECK(rig.pool.at(rig.seen[0].flit.packet).payload.data() == nullptr);  // no payload, no memory
}

TEST_CASE(
    "a packet that has not begun takes a virtual channel of the routing that the node currently reads") {
  // Two flits fill virtual channel 0, the third of the first packet waits for a credit.
  const unsigned flits = GENERATE(2U, 3U);
  Rig rig({emission(5, flits), emission(5, 1), emission(5, 1)}, {}, 0b1);
  rig.takes = false;
  rig.run(40);
  CHECK(rig.state->flits_sent() == 2);
  const tsuji::test::ScriptedRouting second_vc(0b10);
  rig.state->exchange_routing(second_vc, 39);
  if (flits == 2) {
    rig.run(42);
    CHECK(rig.state->flits_sent() == 4);  // in 40 and 41: a begun packet would keep its virtual channel
    CHECK(rig.state->packets_sent() == 3);
  } else {
    rig.run(60);
    CHECK(rig.state->flits_sent() == 2);
    rig.takes = true;
    rig.run(90);
    REQUIRE(rig.seen.size() == 5);
    for (unsigned f = 0; f < 5; ++f) CHECK(rig.seen[f].vc == (f < 3 ? 0 : 1));
  }
}

TEST_CASE("a packet has its source's class") {
  Emission normal = emission(5, 1), control = normal;
  control.packet_class = PacketClass::control;
  Rig rig({normal, control, normal});
  rig.run(20);
  REQUIRE(rig.seen.size() == 3);
  for (unsigned p = 0; p < 3; ++p)
    CHECK(rig.pool.at(rig.seen[p].flit.packet).packet_class ==
          (p == 1 ? PacketClass::control : PacketClass::normal));
}

TEST_CASE("a buffer of two flits holds the third back until its credit is there") {
  Rig rig({emission(5, 4)});
  rig.run(20);
  // The first flit is taken in 7: its slot can be filled on a credit of 7 + 1 + 1 + 1.
  REQUIRE(rig.seen.size() == 4);
  CHECK(rig.seen[1].cycle == 8);
  CHECK(rig.seen[2].cycle == 10 + 2);
  CHECK(rig.seen[3].cycle == 11 + 2);
}

TEST_CASE("packets go one after another on virtual channels in turn, in order of birth") {
  Rig rig({emission(5, 2), emission(5, 1), emission(6, 3), emission(40, 1)}, {}, 0b1011, 8);
  rig.run(60);
  std::vector<unsigned> vcs, sequences;
  for (const auto& seen : rig.seen) {
    vcs.push_back(seen.vc);
    sequences.push_back(seen.flit.sequence);
  }
  CHECK(rig.born == std::vector<Cycle>{5, 5, 6, 40});
  CHECK(sequences == std::vector<unsigned>{0, 1, 0, 0, 1, 2, 0});
  CHECK(vcs == std::vector<unsigned>{1, 1, 3, 0, 0, 0, 1});
  CHECK(rig.seen[5].cycle == 7 + 5);
  CHECK(rig.seen[6].cycle == 42);
}

TEST_CASE("a packet takes the virtual channels that its source names, of those of the routing") {
  Emission two = emission(5, 1), any = emission(5, 1), three = emission(5, 1);
  two.vcs = 0b0100;
  three.vcs = 0b1001;
  Rig rig({two, two, any, three}, {}, 0b1110, 8);
  rig.run(20);
  std::vector<unsigned> vcs;
  for (const auto& seen : rig.seen) vcs.push_back(seen.vc);
  CHECK(vcs == std::vector<unsigned>{2, 2, 3, 3});
}

TEST_CASE("more packets than the source queue has places wait in the source") {
  std::vector<Emission> list;
  for (unsigned p = 0; p < 100; ++p) list.push_back(emission(2 + p / 50, 1 + p % 3));
  Rig rig(list, {}, 0b1, 8);
  rig.takes = false;
  rig.run(50);
  rig.takes = true;
  rig.run(600);
  std::size_t flits = 0, heads = 0;
  for (const auto& seen : rig.seen) {
    if (seen.flit.is_head()) {
      CHECK(rig.pool.at(seen.flit.packet).flits == list[heads].flits);
      CHECK(rig.pool.at(seen.flit.packet).id == packet_id(own, static_cast<std::uint32_t>(heads++)));
    }
    ++flits;
  }
  CHECK(heads == 100);
  CHECK(flits == rig.state->flits_sent());
}

TEST_CASE("a packet waits for room for its whole length if the switching requires it") {
  FlitNodeConfig config;
  config.whole_packets = true;
  Rig rig({emission(2, 2), emission(2, 2), emission(2, 2)}, config, 0b1);
  rig.run(30);
  REQUIRE(rig.seen.size() == 6);
  CHECK(rig.seen[1].cycle == 5);
  // Both slots are free for the second packet three cycles after the tail of the first was taken.
  CHECK(rig.seen[2].cycle == 5 + 3 + 2);
  Rig large({emission(2, 3)}, config, 0b1);
  CHECK_THROWS_AS(large.run(5), ModelError);
}

TEST_CASE("a packet is delivered with its tail, and reports its head's cycle, and slots return at once") {
  FlitNodeConfig config;
  config.window_from = 11;
  config.window_to = 13;
  Rig rig(nothing, config);
  const PacketIndex packet = rig.packet(own, 3);
  rig.arrive(10, 2, packet, 0);
  rig.arrive(11, 2, packet, 1);
  rig.run(11);
  CHECK(rig.in.ring(2).credit_at() == 10 + 3);
  rig.run(13);
  rig.arrive(16, 2, packet, 2);
  rig.run(20);
  REQUIRE(rig.delivered.size() == 1);
  CHECK(rig.delivered[0] == std::pair<Cycle, Cycle>{10, 16});
  CHECK(rig.state->flits_ejected() == 3);
  CHECK(rig.state->flits_ejected_in_window() == 1);
  CHECK(rig.pool.in_use() == 0);
}

TEST_CASE("flits that are not due, and packets of other nodes, are not taken") {
  Rig rig;
  const PacketIndex first = rig.packet(own, 3), second = rig.packet(own, 2), stray = rig.packet(other, 1);
  SECTION("a body without its head") {
    rig.arrive(10, 0, first, 1);
  }
  SECTION("a gap") {
    rig.arrive(10, 0, first, 0);
    rig.arrive(11, 0, first, 2);
  }
  SECTION("a head within another packet") {
    rig.arrive(10, 0, first, 0);
    rig.arrive(11, 0, second, 0);
  }
  SECTION("a flit of another packet") {
    rig.arrive(10, 0, first, 0);
    rig.arrive(11, 0, second, 1);
  }
  SECTION("another node's packet") {
    rig.arrive(10, 0, stray, 0);
  }
  CHECK_THROWS_AS(rig.run(15), ModelError);
}

TEST_CASE("packets on different virtual channels may be mixed") {
  Rig rig;
  const PacketIndex first = rig.packet(own, 2), second = rig.packet(own, 2);
  rig.arrive(10, 0, first, 0);
  rig.arrive(11, 1, second, 0);
  rig.arrive(12, 1, second, 1);
  rig.arrive(13, 0, first, 1);
  rig.run(20);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{11, 12}, {10, 13}});
}

TEST_CASE("a purged outgoing packet ends and the next one follows, and a purged incoming one is discarded") {
  Rig rig({emission(5, 4), emission(5, 2)}, {}, 0xf, 8);
  rig.run(7);  // flits 0 and 1 are sent
  const PacketIndex sent = rig.out.ring(1).front().packet();
  CHECK(rig.out.kill(sent) == 2);
  rig.state->purge(sent, 6);
  const PacketIndex coming = rig.packet(own, 3), next = rig.packet(own, 1);
  rig.arrive(9, 3, coming, 0);
  rig.arrive(10, 3, coming, 1);
  rig.run(10);
  rig.state->purge(coming, 9);
  rig.arrive(13, 3, next, 0);
  rig.run(30);
  CHECK(rig.state->flits_killed() == 1);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{13, 13}});
  CHECK(rig.state->packets_sent() == 2);
  CHECK(rig.state->flits_sent() == 2 + 2);
  CHECK(rig.seen.back().flit.is_tail());
}

namespace {

Emission of_class(unsigned sid, unsigned flits) {
  Emission one = emission(5, flits);
  one.sid = static_cast<std::uint8_t>(sid);
  return one;
}

std::vector<unsigned> vcs_of(const Rig& rig) {
  std::vector<unsigned> vcs;
  for (const Rig::Seen& one : rig.seen) vcs.push_back(one.vc);
  return vcs;
}

}  // namespace

TEST_CASE("flits of two classes take turns on the link, also after a wait for credits") {
  const std::vector<Emission> list{of_class(0, 1), of_class(0, 2), of_class(1, 2), of_class(1, 1)};
  Rig taken(list, two_classes());
  taken.run(20);
  CHECK(vcs_of(taken) == std::vector<unsigned>{0, 1, 0, 1, 0, 1});
  Rig waits(list, two_classes());
  waits.takes = false;
  waits.run(12);  // two flits of each class, and no further credit
  waits.takes = true;
  waits.run(30);
  CHECK(vcs_of(waits) == std::vector<unsigned>{0, 1, 0, 1, 0, 1});
  CHECK(waits.state->packets_sent() == 4);
}

TEST_CASE("a purged outgoing packet ends, and a packet of another class is sent to its end") {
  const unsigned purged = GENERATE(0U, 1U), kept = 1 - purged;
  const Cycle end = GENERATE(8, 9);  // either class has sent the last flit
  Rig rig({of_class(0, 6), of_class(1, 6), of_class(0, 2), of_class(1, 2)}, two_classes(), 0xf, 8);
  rig.takes = false;
  rig.run(end);
  const PacketIndex packet = rig.out.ring(purged).front().packet();
  const auto sent = static_cast<unsigned>(rig.state->flits_sent());
  const std::uint64_t killed = rig.out.kill(packet);
  rig.state->purge(packet, end - 1);
  rig.takes = true;
  rig.run(60);
  const std::vector<unsigned> vcs = vcs_of(rig);
  CHECK(killed == (end - 5 + (purged == 0 ? 1 : 0)) / 2);
  CHECK(sent == end - 5);
  CHECK(std::count(vcs.begin(), vcs.end(), kept) == 6 + 2);
  CHECK(rig.state->flits_sent() == killed + 2 + 6 + 2);
  CHECK(rig.state->packets_sent() == 4);
}

TEST_CASE("over channels of whole packets a node sends a flit a cycle, and takes a packet with its head") {
  FlitNodeConfig config;
  config.whole_packets = true;
  config.window_from = 11;
  Rig rig({emission(5, 3), emission(5, 1)}, config, 0xf, 4, 1, nullptr, true);
  const PacketIndex packet = rig.packet(own, 3);
  rig.router_sender.send_packet(8, rig.router_sender.ring(0), packet, 3);
  rig.run(12);
  CHECK(rig.delivered.empty());
  CHECK(rig.state->flits_ejected_in_window(12) == 1);
  rig.run(20);
  std::vector<Cycle> cycles;
  for (const Rig::Seen& one : rig.seen) cycles.push_back(one.cycle);
  CHECK(cycles == std::vector<Cycle>{7, 8, 9, 10});
  CHECK(vcs_of(rig) == std::vector<unsigned>{1, 1, 1, 2});
  CHECK(rig.state->packets_sent() == 2);
  CHECK(rig.state->flits_sent() == 4);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{10, 12}});
  CHECK(rig.state->flits_ejected() == 3);
  CHECK(rig.state->flits_ejected_in_window() == 2);
}

TEST_CASE("whole packets with a missing flit, or one between the flits of another, are model failures") {
  FlitNodeConfig config;
  config.whole_packets = true;
  Rig rig(nothing, config, 0xf, 4, 1, nullptr, true);
  const PacketIndex first = rig.packet(own, 3);
  SECTION("a missing flit") {
    rig.arrive(10, 0, first, 0);
    CHECK_THROWS_WITH(rig.run(20), Catch::Contains("cycle 10") && Catch::Contains("flits are missing"));
  }
  SECTION("between flits") {
    rig.router_sender.send_packet(8, rig.router_sender.ring(0), first, 3);
    rig.router_sender.send_packet(9, rig.router_sender.ring(1), rig.packet(own, 1), 1);
    CHECK_THROWS_WITH(rig.run(20), Catch::Contains("cycle 11") && Catch::Contains("between the flits"));
  }
}
