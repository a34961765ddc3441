#include "tsuji/traffic/flit_node_state.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "tsuji/core/error.h"

using namespace tsuji;
using namespace tsuji::traffic;

namespace {

constexpr NodeId own = 3, other = 8;
const std::vector<Emission> nothing;

class AnyVc final : public routing::Routing {
 public:
  explicit AnyVc(routing::VcMask injection) : injection_(injection) {}
  void route(const routing::RouteQuery&, routing::RouteSet&) const override {}
  routing::VcMask injection_vcs(NodeId, NodeId) const override { return injection_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }

 private:
  const routing::VcMask injection_;
};

Emission emission(Cycle created, unsigned flits) {
  Emission one;
  one.created = created;
  one.flits = static_cast<std::uint16_t>(flits);
  one.payload_bytes = 0;
  one.destination = other;
  return one;
}

/// A node whose router is driven by hand.
class Rig final : public FlitNodeEvents {
 public:
  explicit Rig(std::vector<Emission> list = {}, const FlitNodeConfig& node_config = {},
               routing::VcMask injection = 0xf, unsigned depth = 2, Cycle flit_cycles = 1)
      : Rig(std::make_unique<ListedEmissions>(std::move(list)), node_config, injection, depth, flit_cycles) {}
  explicit Rig(std::unique_ptr<EmissionSource> source, const FlitNodeConfig& node_config = {},
               routing::VcMask injection = 0xf, unsigned depth = 2, Cycle flit_cycles = 1)
      : config(node_config),
        routing(injection),
        out(channel(depth, flit_cycles)),
        in(channel(depth, flit_cycles)) {
    state = std::make_unique<FlitNodeState>(FlitNodeState::Parts{config, pool, routing, *this, arena}, own,
                                            std::move(source));
    out.bind_receiver({}, router_board, 0, 0, arena);
    in.bind_sender({}, router_board, 1, router_sender);
    state->bind({}, out, in);
  }

  /// Cycles up to `end`, all of them: a wake-up too many must change nothing.
  void run(Cycle end) {
    for (; now < end; ++now) {
      next = state->advance(now);
      for (unsigned vc = 0; vc < out.vcs(); ++vc) {
        if (!takes || !out.ring(vc).front().holds_flit() || out.ring(vc).front().cycle() > now) continue;
        seen.push_back({now, vc, out.ring(vc).front().flit()});
        out.pop(now, vc);
      }
    }
  }
  /// A flit that the node can take in cycle `cycle`, on its router's word of the cycle before.
  void arrive(Cycle cycle, unsigned vc, PacketIndex packet, unsigned sequence) {
    Flit flit;
    flit.packet = packet;
    flit.sequence = static_cast<std::uint16_t>(sequence);
    flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (sequence == 0 ? Flit::head : 0) |
                                           (sequence + 1U == pool.at(packet).flits ? Flit::tail : 0));
    in.send(cycle - 2, vc, flit);
  }
  PacketIndex packet(NodeId destination, unsigned flits) {
    PacketRef reference = pool.make_bare();
    reference.edit().destination = destination;
    reference.edit().flits = static_cast<std::uint16_t>(flits);
    return reference.detach();
  }
  void on_born(NodeId node, const Emission& born_now) override {
    CHECK(node == own);
    born.push_back(born_now.created);
  }
  void on_delivered(const Packet& packet, Cycle head, Cycle tail) override {
    CHECK(packet.destination == own);
    delivered.push_back({head, tail});
  }

  struct Seen {
    Cycle cycle;
    unsigned vc;
    Flit flit;
  };

  const FlitNodeConfig config;
  AnyVc routing;
  PacketPool pool;
  Arena arena;
  ArrivalBoard router_board{arena, 16, 16};
  FlitSender router_sender;
  FlitChannel out, in;
  std::unique_ptr<FlitNodeState> state;
  Cycle now = 0, next = never;
  bool takes = true;
  std::vector<Seen> seen;  ///< taken by the router
  std::vector<Cycle> born;
  std::vector<std::pair<Cycle, Cycle>> delivered;

 private:
  static FlitChannelConfig channel(unsigned depth, Cycle flit_cycles) {
    FlitChannelConfig config;
    config.vcs = 4;
    config.depth_flits = depth;
    config.flit_cycles = flit_cycles;
    return config;
  }
};

}  // namespace

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
  CHECK(rig.pool.at(rig.seen[0].flit.packet).payload.data() ==
        nullptr);  // no memory for bytes that it has not
}

TEST_CASE(
    "a packet that has not begun takes a virtual channel of the routing that the node reads from now on") {
  // Two flits fill virtual channel 0, the third of the first packet waits for a credit.
  const unsigned flits = GENERATE(2U, 3U);
  Rig rig({emission(5, flits), emission(5, 1), emission(5, 1)}, {}, 0b1);
  rig.takes = false;
  rig.run(40);
  CHECK(rig.state->flits_sent() == 2);
  const AnyVc other(0b10);
  rig.state->exchange_routing(other, 39);
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

TEST_CASE("a packet has the class that its source gave it") {
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

TEST_CASE("packets go one after the other on virtual channels in turn, in order of birth") {
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

TEST_CASE("more packets than the source queue has places wait in it") {
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

TEST_CASE("a whole packet's room is waited for where the switching wants it") {
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

TEST_CASE("a packet has come with its tail, and its head's cycle is told, and slots return at once") {
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

TEST_CASE("flits that are not due, and packets of others, are not taken") {
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

TEST_CASE("a purged packet is not sent on, and the next one follows, and one that comes in is forgotten") {
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

/// Notes what it is told, and gives packets when it is told to.
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

TEST_CASE("a source that listens is told of its event, its departures and arrivals, each in its cycle") {
  auto source = std::make_unique<Scripted>();
  Scripted& script = *source;
  script.event = 10;
  script.born_at = 10;
  script.answers = true;
  Rig rig(std::move(source), {}, 0xf, 8);
  const PacketIndex packet = rig.packet(own, 2);
  rig.arrive(30, 0, packet, 0);
  rig.arrive(33, 0, packet, 1);
  rig.run(10);
  CHECK(rig.next == 10);
  rig.run(60);
  // The packet that is born in 10 has its last flit sent in 11, the answer to what came in 33 is born in 34.
  CHECK(script.notes == std::vector<Scripted::Note>{{'a', 10}, {'d', 11}, {'t', 33}, {'d', 35}});
  CHECK(rig.born == std::vector<Cycle>{10, 34});
  REQUIRE(rig.seen.size() == 4);
  CHECK(rig.seen[0].cycle == 12);
  CHECK(rig.seen[2].cycle == 36);
}

TEST_CASE(
    "a source with channels of its own is asked in each cycle of the node, and while it is full heads wait") {
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
  CHECK(rig.state->flits_killed() == 1);  // a purged head waits for nobody
  CHECK(rig.state->flits_ejected() == 3);
  CHECK(rig.state->last_event(20) == 20);  // room since 20, heads follow a cycle later
  rig.run(30);
  CHECK(rig.delivered == std::vector<std::pair<Cycle, Cycle>>{{10, 12}, {21, 22}});
  CHECK(rig.state->last_event(29) == 0);
  CHECK(std::count(script.notes.begin(), script.notes.end(), Scripted::Note{'t', 22}) == 1);
  for (Cycle cycle = 0; cycle < 30; ++cycle)
    CHECK(std::count(script.notes.begin(), script.notes.end(), Scripted::Note{'a', cycle}) == 1);
}

TEST_CASE("a node with a link of its own takes any virtual channel, an atomic one only when it is empty") {
  FlitNodeConfig config;
  SECTION("of its own") {
    config.own_vcs = true;
    Rig rig(std::vector<Emission>(5, emission(5, 1)), config, 0b1, 8);
    rig.run(30);
    REQUIRE(rig.seen.size() == 5);
    for (unsigned p = 0; p < 5; ++p) CHECK(rig.seen[p].vc == (p + 1) % 4);
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

TEST_CASE("a node tells its queue, the packet that it sends, and the cycle from which its link is free") {
  Rig rig({emission(5, 3), emission(5, 2), emission(5, 2), emission(9, 1)}, {}, 0b1, 8, 2);
  CHECK(rig.state->node() == own);
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

TEST_CASE("a packet carries its header, and bytes if it has any, and one made elsewhere is sent as it is") {
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

TEST_CASE("a source that goes back in time stops the run, one that stays in a cycle does not") {
  Rig backwards({emission(5, 1), emission(4, 1)});
  CHECK_THROWS_WITH(backwards.run(10),
                    Catch::StartsWith("node 3, cycle 5") && Catch::Contains("its source went back in time"));
  Rig same({emission(5, 1), emission(5, 1)});
  CHECK_NOTHROW(same.run(10));
}

TEST_CASE("flits count in the window from its first cycle to the one before its end") {
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

TEST_CASE("a wrong flit is told with its node, cycle, packet and number") {
  Rig rig;
  const PacketIndex packet = rig.packet(own, 3);
  rig.pool.at(packet).id = packet_id(6, 9);
  rig.arrive(10, 0, packet, 2);
  CHECK_THROWS_WITH(rig.run(15), "node 3, cycle 10, packet 6.9: a flit that was not due: flit 2");
  Rig stray;
  const PacketIndex others = stray.packet(other, 1);
  stray.pool.at(others).id = packet_id(6, 8);
  stray.arrive(10, 0, others, 0);
  CHECK_THROWS_WITH(stray.run(15), "node 3, cycle 10, packet 6.8: came to the wrong node");
  FlitNodeConfig config;
  config.whole_packets = true;
  Rig large({emission(2, 1), emission(2, 3)}, config, 0b1);
  CHECK_THROWS_WITH(large.run(9), "node 3, cycle 3, packet 3.1: does not fit into a router's buffer");
}
