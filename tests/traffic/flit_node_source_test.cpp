// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "traffic/flit_node_rig.h"

// A node and its source, its link, and the fields of its packets.

using namespace tsuji;
using namespace tsuji::traffic;
using namespace tsuji::traffic::test;

namespace {

/// Source that records its calls, and emits and fills up in given cycles.
class Scripted final : public EmissionSource {
 public:
  struct Note {
    char what;  ///< a: advance, d: departed, t: taken
    Cycle cycle;
    bool operator==(const Note& note) const { return what == note.what && cycle == note.cycle; }
  };
  bool next(Emission& emission) override {
    if (list.empty()) return false;
    emission = list.front();
    list.erase(list.begin());
    return true;
  }
  void take(Cycle now, PacketRef packet) override {
    notes.push_back({'t', now});
    if (answers) list.push_back(emission(now + 1, packet->flits));
  }
  void departed(Cycle now, const Packet&) override { notes.push_back({'d', now}); }
  bool is_full() const override { return full; }
  Cycle next_event() const override { return event; }
  void advance(Cycle now) override {
    notes.push_back({'a', now});
    if (now >= event) event = never;
    full = now >= full_from && now < full_to;
    if (born_at == now) list.push_back(emission(now, 2));
  }

  std::vector<Emission> list;
  std::vector<Note> notes;
  Cycle event = never, born_at = never, full_from = never, full_to = never;
  bool full = false, answers = false;
};

}  // namespace

TEST_CASE("a source that listens gets its event, its departures and its arrivals, each in its cycle") {
  const bool with_classes = GENERATE(false, true);
  const FlitNodeConfig config = with_classes ? two_classes() : FlitNodeConfig();
  auto source = std::make_unique<Scripted>();
  Scripted& script = *source;
  script.event = 10;
  script.born_at = 10;
  script.answers = true;
  Rig rig(std::move(source), config, 0xf, 8);
  const PacketIndex packet = rig.packet(own, 2);
  rig.arrive(30, 0, packet, 0);
  rig.arrive(33, 0, packet, 1);
  rig.run(10);
  CHECK(rig.next == 10);
  rig.run(60);
  // The packet born in 10 has its last flit sent in 11; the answer to the arrival in 33 is born in 34.
  CHECK(script.notes == std::vector<Scripted::Note>{{'a', 10}, {'d', 11}, {'t', 33}, {'d', 35}});
  CHECK(rig.born == std::vector<Cycle>{10, 34});
  REQUIRE(rig.seen.size() == 4);
  CHECK(rig.seen[0].cycle == 12);
  CHECK(rig.seen[2].cycle == 36);
}

TEST_CASE(
    "a source with separate channels is called in each cycle of the node, and heads wait while it is full") {
  FlitNodeConfig config;
  config.asks_always = true;
  auto source = std::make_unique<Scripted>();
  Scripted& script = *source;
  script.full_from = 11;
  script.full_to = 20;
  Rig rig(std::move(source), config, 0xf, 4);
  const PacketIndex begun = rig.packet(own, 3), waits = rig.packet(own, 2), killed = rig.packet(own, 1);
  for (unsigned flit = 0; flit < 3; ++flit) rig.arrive(10 + flit, 0, begun, flit);
  rig.arrive(14, 1, waits, 0);
  rig.arrive(15, 1, waits, 1);
  rig.arrive(16, 2, killed, 0);
  rig.run(15);
  CHECK(rig.in.kill(killed) == 1);
  CHECK(rig.state->last_event(14) == 14);
  rig.run(21);
  CHECK(rig.state->flits_killed() == 1);  // a purged head does not wait
  CHECK(rig.state->flits_ejected() == 3);
  CHECK(rig.state->last_event(20) == 20);  // room since 20, heads follow a cycle later
  rig.run(30);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{10, 12}, {21, 22}});
  CHECK(rig.state->last_event(29) == 0);
  CHECK(std::count(script.notes.begin(), script.notes.end(), Scripted::Note{'t', 22}) == 1);
  for (Cycle cycle = 0; cycle < 30; ++cycle)
    CHECK(std::count(script.notes.begin(), script.notes.end(), Scripted::Note{'a', cycle}) == 1);
}

TEST_CASE("a node with a dedicated link takes any virtual channel, an atomic one only when it is empty") {
  FlitNodeConfig config;
  SECTION("of its own") {
    config.own_vcs = true;
    Rig rig(std::vector<Emission>(5, emission(5, 1)), config, 0b1, 8);
    rig.run(30);
    REQUIRE(rig.seen.size() == 5);
    for (unsigned p = 0; p < 5; ++p) CHECK(rig.seen[p].vc == (p + 1) % 4);
  }
  SECTION("from 0 on") {
    config.begins_at_vc_0 = true;
    Rig rig(std::vector<Emission>(5, emission(5, 1)), config, 0b1111, 8);
    rig.run(30);
    REQUIRE(rig.seen.size() == 5);
    for (unsigned p = 0; p < 5; ++p) CHECK(rig.seen[p].vc == p % 4);
  }
  SECTION("atomic") {
    config.atomic_vcs = true;
    Rig rig({emission(5, 2), emission(5, 5)}, config, 0b1, 4);
    rig.run(40);
    REQUIRE(rig.seen.size() == 7);
    CHECK(rig.seen[0].cycle == 7);
    CHECK(rig.seen[1].cycle == 8);
    // The credit of the flit taken in 8 is there in 11; a packet longer than the buffer begins, too.
    CHECK(rig.seen[2].cycle == 11 + 2);
    CHECK(rig.seen[5].cycle == 11 + 2 + 3);
  }
  SECTION("not atomic") {
    Rig rig({emission(5, 2), emission(5, 5)}, config, 0b1, 4);
    rig.run(40);
    REQUIRE(rig.seen.size() == 7);
    CHECK(rig.seen[2].cycle == 9);
  }
}

TEST_CASE("flits of a slow link follow each other at its pace, and so do packets") {
  Rig rig({emission(5, 2), emission(5, 1), emission(40, 1)}, {}, 0xf, 8, 3);
  rig.run(60);
  std::vector<Cycle> cycles;
  for (const auto& seen : rig.seen) cycles.push_back(seen.cycle);
  CHECK(cycles == std::vector<Cycle>{7, 10, 13, 42});
}

TEST_CASE("a packet over a slow link is delivered with the last word of its last flit") {
  auto source = std::make_unique<Scripted>();
  Scripted& script = *source;
  script.answers = true;
  Rig rig(std::move(source), {}, 0xf, 8, 3);
  const PacketIndex first = rig.packet(own, 2), second = rig.packet(own, 1);
  rig.arrive(10, 0, first, 0);
  rig.arrive(13, 0, first, 1);
  rig.arrive(16, 1, second, 0);
  rig.run(13);
  CHECK(rig.state->packet_being_taken() == no_packet);
  rig.run(14);
  CHECK(rig.state->flits_ejected() == 2);
  CHECK(rig.delivered.empty());
  CHECK(rig.state->packet_being_taken() == first);
  CHECK(rig.state->last_event(13) == 15);
  rig.run(40);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{10, 15}, {16, 18}});
  CHECK(std::count(script.notes.begin(), script.notes.end(), Scripted::Note{'t', 15}) == 1);
  CHECK(rig.born == std::vector<Cycle>{16, 19});
  CHECK(rig.state->packet_being_taken() == no_packet);
  CHECK(rig.state->last_event(39) == 0);
}

TEST_CASE("the last words of a packet whose head waited for a full source may arrive before it is taken") {
  FlitNodeConfig config;
  config.asks_always = true;
  auto source = std::make_unique<Scripted>();
  Scripted& script = *source;
  script.full_from = 5;
  script.full_to = 20;
  Rig rig(std::move(source), config, 0xf, 8, 3);
  const PacketIndex early = rig.packet(own, 1), late = rig.packet(own, 1), last = rig.packet(own, 1);
  rig.arrive(10, 0, early, 0);
  rig.arrive(18, 1, late, 0);
  rig.arrive(21, 2, last, 0);
  rig.run(40);
  // All three are taken in 21; two of them have arrived whole by then, the third in 23.
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{21, 21}, {21, 21}, {21, 23}});
}

TEST_CASE("the last words may come later than any row of the calendar") {
  Rig rig(std::vector<Emission>{}, {}, 0xf, 8, 400);
  const PacketIndex packet = rig.packet(own, 1);
  rig.arrive(10, 0, packet, 0);
  rig.run(1000);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{10, 409}});
}

TEST_CASE("words of two flits on one channel at a time are a model failure") {
  Rig rig(std::vector<Emission>{}, {}, 0xf, 8, 3);
  const PacketIndex first = rig.packet(own, 1), second = rig.packet(own, 1);
  rig.arrive(10, 0, first, 0);
  rig.arrive(11, 1, second, 0);
  CHECK_THROWS_WITH(rig.run(20), Catch::Contains("arrived while words of another packet were on the wires"));
}

TEST_CASE("a node reports its queue, the packet that it sends, and the cycle from which its link is free") {
  Rig rig({emission(5, 3), emission(5, 2), emission(5, 2), emission(9, 1)}, {}, 0b1, 8, 2);
  CHECK(rig.state->end() == own);
  rig.run(5);
  CHECK(rig.state->packets_queued() == 0);
  CHECK(rig.state->packet_being_sent() == no_packet);
  CHECK(rig.state->last_event(4) == 0);
  rig.run(6);
  CHECK(rig.state->packets_queued() == 2);
  const PacketIndex first = rig.state->packet_being_sent();
  REQUIRE(first != no_packet);
  CHECK(rig.pool.at(first).id == packet_id(own, 0));
  CHECK(rig.pool.at(first).created == 5);
  CHECK(rig.pool.at(first).injected == 5);
  CHECK(rig.pool.at(first).source == own);
  CHECK(rig.pool.at(first).destination == other);
  CHECK(rig.state->last_event(5) == 7);
  rig.run(10);
  CHECK(rig.state->packet_being_sent() == no_packet);  // its last flit was sent in 9
  CHECK(rig.state->packets_queued() == 3);
  CHECK(rig.state->last_event(9) == 11);
  rig.run(30);
  CHECK(rig.state->packets_queued() == 0);
  CHECK(rig.state->last_event(29) == 0);
  CHECK(rig.state->packets_sent() == 4);
}

TEST_CASE("a packet carries its header and any bytes, and a packet made elsewhere is sent unchanged") {
  Emission with_bytes = emission(5, 4), bare = emission(5, 1), ready = emission(5, 2);
  with_bytes.payload_bytes = 16;
  with_bytes.header = {11, 12};
  auto source = std::make_unique<Scripted>();
  Scripted& script = *source;
  PacketPool elsewhere;
  Rig rig({with_bytes, bare, with_bytes}, {}, 0xf, 8);
  rig.run(30);
  REQUIRE(rig.seen.size() == 9);
  const Packet& first = rig.pool.at(rig.seen[0].flit.packet);
  CHECK(first.payload_bytes == 16);
  CHECK(first.payload.data() != nullptr);
  CHECK(first.header == std::array<std::uint64_t, 2>{11, 12});
  CHECK(first.flits == 4);
  const Packet& second = rig.pool.at(rig.seen[4].flit.packet);
  CHECK(second.payload_bytes == 0);
  CHECK(second.header == std::array<std::uint64_t, 2>{0, 0});
  CHECK(rig.pool.at(rig.seen[5].flit.packet).id == packet_id(own, 2));

  script.event = 5;
  Rig other_rig(std::move(source), {}, 0xf, 8);
  ready.packet = other_rig.packet(other, 2);
  other_rig.pool.at(ready.packet).id = 77;
  script.list = {ready};
  other_rig.run(20);
  REQUIRE(other_rig.seen.size() == 2);
  CHECK(other_rig.seen[0].flit.packet == ready.packet);
  CHECK(other_rig.pool.at(ready.packet).id == 77);
  CHECK(other_rig.pool.at(ready.packet).injected == 5);
  CHECK(other_rig.pool.in_use() == 1);
}

TEST_CASE("a source that goes back in time stops the run, and one that stays in a cycle does not") {
  Rig backwards({emission(5, 1), emission(4, 1)});
  CHECK_THROWS_WITH(backwards.run(10),
                    Catch::StartsWith("node 3, cycle 5") && Catch::Contains("its source went back in time"));
  Rig same({emission(5, 1), emission(5, 1)});
  CHECK_NOTHROW(same.run(10));
}

TEST_CASE("flits count in the window from its first cycle up to the cycle before its end") {
  FlitNodeConfig config;
  config.window_from = 11;
  config.window_to = 14;
  Rig rig(nothing, config, 0xf, 8);
  const PacketIndex packet = rig.packet(own, 6);
  for (unsigned flit = 0; flit < 6; ++flit) rig.arrive(10 + flit, 0, packet, flit);
  rig.run(20);
  CHECK(rig.state->flits_ejected_in_window() == 3);
  CHECK(rig.state->flits_ejected() == 6);
}

TEST_CASE("a wrong flit is reported with its node, cycle, packet and number") {
  Rig rig;
  const PacketIndex packet = rig.packet(own, 3);
  rig.pool.at(packet).id = packet_id(6, 9);
  rig.arrive(10, 0, packet, 2);
  CHECK_THROWS_WITH(rig.run(15), "node 3, cycle 10, packet 6.9: an unexpected flit: flit 2");
  Rig stray;
  const PacketIndex others = stray.packet(other, 1);
  stray.pool.at(others).id = packet_id(6, 8);
  stray.arrive(10, 0, others, 0);
  CHECK_THROWS_WITH(stray.run(15), "node 3, cycle 10, packet 6.8: arrived at the wrong node");
  FlitNodeConfig config;
  config.whole_packets = true;
  Rig large({emission(2, 1), emission(2, 3)}, config, 0b1);
  CHECK_THROWS_WITH(large.run(9), "node 3, cycle 3, packet 3.1: does not fit into a router's buffer");
}

TEST_CASE("a source's packet against the contract stops the run, with node, cycle and value") {
  FlitNodeConfig config;
  config.nodes = other + 1;
  const auto failure = [&](const Emission& second) {
    Rig rig({emission(5, 1), second}, config);
    return tsuji::test::text_of<ModelError>([&] { rig.run(9); }, "none");
  };
  const std::string gave = "node 3, cycle 5: its source generated a packet ";
  CHECK(failure(emission(6, 1)) == "none");
  CHECK(failure(emission(6, 0)) == gave + "of 0 flits");
  Emission unsaid;  // has no length
  unsaid.created = 6;
  unsaid.destination = other;
  CHECK(failure(unsaid) == gave + "of 0 flits");
  CHECK(unsaid.payload_bytes == 0);
  Emission wrong = emission(6, 1);
  wrong.destination = other + 1;
  CHECK(failure(wrong) == gave + "to node 9, and the last node is 8");
  wrong = emission(6, 1);
  wrong.payload_bytes = GENERATE(std::uint16_t{12}, std::uint16_t{264});
  CHECK(failure(wrong) == gave + "with a payload of " + std::to_string(wrong.payload_bytes) +
                              " bytes: not a multiple of 8 up to 256");
  wrong.payload_bytes = 256;
  CHECK(failure(wrong) == "none");
  CHECK(failure(emission(4, 1)) == "node 3, cycle 5: its source went back in time, from cycle 5 to 4");
}

TEST_CASE("a source that does not advance in time stops the run") {
  Rig rig(std::make_unique<Endless>());
  CHECK_THROWS_WITH(
      rig.run(9), "node 3, cycle 7: its source generated more than 4194304 packets that are born in cycle 7");
}
