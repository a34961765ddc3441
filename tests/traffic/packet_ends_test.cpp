// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/traffic/packet_injector.h"
#include "tsuji/traffic/packet_sink.h"

// An injector and a sink at the two ends of a channel.

using namespace tsuji;
using namespace tsuji::traffic;

namespace {

constexpr NodeId from = 3, to = 66;

Emission single(Cycle created, unsigned payload_bytes = 16) {
  Emission emission;
  emission.created = created;
  emission.destination = to;
  emission.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
  emission.flits = static_cast<std::uint16_t>(7 + 3 * payload_bytes / 8);
  return emission;
}

struct Taken {
  Packet packet;
  Cycle head, tail;
  unsigned hops;
};

/// Changes packets on the channel.
class Spoiler final : public PacketLinkProbe {
 public:
  explicit Spoiler(PacketPool& pool) : pool_(pool) {}
  bool on_send(Cycle, PacketTransfer& transfer) override {
    PacketRef copy = pool_.clone(*transfer.packet);
    if (spoil) spoil(copy.edit());
    transfer.packet = std::move(copy);
    return true;
  }
  void on_room(unsigned, Cycle) override {}
  std::function<void(Packet&)> spoil;

 private:
  PacketPool& pool_;
};

/// Sends a packet in cycle 5, and one `later` cycles after each arrival.
class Answering final : public EmissionSource {
 public:
  explicit Answering(Cycle later = 1) : later_(later) {}
  bool next(Emission& emission) override {
    if (!has_one_) return false;
    has_one_ = false;
    emission = single(created_, 8);
    return true;
  }
  void arrived(Cycle now, const Packet&) override {
    has_one_ = true;
    created_ = now + later_;
  }

 private:
  const Cycle later_;
  bool has_one_ = true;
  Cycle created_ = 5;
};

struct Ends {
  explicit Ends(std::unique_ptr<EmissionSource> source, const PacketSinkConfig& config = {},
                std::uint32_t ports = 1)
      : injector("injector", domain, pool, from, to + 1, std::move(source),
                 [ports](const Packet&) { return ports; }),
        sink("sink", domain, to, config, [this](const Packet& packet, Cycle head, Cycle tail, unsigned hops) {
          taken.push_back({packet, head, tail, hops});
        }) {
    injector.out(link);
    sink.in(link);
  }
  explicit Ends(std::vector<Emission> list, const PacketSinkConfig& config = {}, std::uint32_t ports = 1)
      : Ends(std::make_unique<ListedEmissions>(std::move(list)), config, ports) {}
  void run() {
    sc_core::sc_start();
    domain.rethrow_failure();
  }
  std::string stopped_by() {
    return tsuji::test::text_of<ModelError>([&] { run(); }, "nothing");
  }

  PacketPool pool;
  ClockDomain domain{"clock", {}};
  PacketLink link{"link", 1};
  PacketInjector injector;
  PacketSink sink;
  std::vector<Taken> taken;
};

}  // namespace

TEST_CASE("packet ends: a packet has its source's values, and is on the wires when it is born") {
  Emission multicast = single(40);
  multicast.kind = PacketKind::multicast;
  multicast.sid = 9;
  multicast.group = 1;
  multicast.map = 0b0110;
  Ends ends({single(5, 8), multicast});
  ends.run();
  REQUIRE(ends.taken.size() == 2);
  const Packet &first = ends.taken[0].packet, &second = ends.taken[1].packet;
  CHECK(first.id == packet_id(from, 0));
  CHECK(first.source == from);
  CHECK(first.destination == to);
  CHECK(first.created == 5);
  CHECK(first.injected == 5);
  CHECK(first.payload_bytes == 8);
  CHECK(first.flits == 10);
  CHECK(ends.taken[0].head == 6);
  CHECK(ends.taken[0].tail == 6 + 10 - 1);
  CHECK(ends.taken[0].hops == 0);
  CHECK(second.id == packet_id(from, 1));
  CHECK(second.kind == PacketKind::multicast);
  CHECK(second.sid == 9);
  CHECK(second.group == 1);
  CHECK(second.map == 0b0110);
  CHECK(second.injected == 40);
  CHECK(ends.sink.packets() == 2);
  CHECK(ends.sink.flits() == 10 + 13);
  CHECK(ends.injector.packets_born() == 2);
  CHECK(ends.injector.packets_sent() == 2);
  CHECK(ends.injector.flits_born() == 10 + 13);
  CHECK(ends.injector.packets_queued() == 0);
  CHECK(ends.injector.finished());
}

TEST_CASE("packet ends: any number of packets waits in order of birth, and follows without a gap") {
  PacketSinkConfig config;
  config.fifo_packets = 8;
  std::vector<Emission> list(100, single(10));
  for (unsigned i = 0; i < 40; ++i) list.push_back(single(10 + 13 * 20 + i));
  Ends ends(list, config);
  CHECK_FALSE(ends.injector.finished());
  sc_core::sc_start(ends.domain.time_of(10 + 13 * 20) - sc_core::sc_time_stamp() +
                    sc_core::sc_time(1, sc_core::SC_PS));
  // Packet 20 has just left, 79 of the first hundred are left, and one of the 40 later ones is born.
  CHECK(ends.injector.packets_sent() == 21);
  CHECK(ends.injector.packets_queued() == 80);
  CHECK_FALSE(ends.injector.finished());
  ends.run();
  REQUIRE(ends.taken.size() == 140);
  for (unsigned i = 0; i < 140; ++i) {
    CHECK(ends.taken[i].packet.id == packet_id(from, i));
    CHECK(ends.taken[i].packet.created == list[i].created);
    CHECK(ends.taken[i].packet.injected == 10 + Cycle{13} * i);
  }
  CHECK(ends.injector.finished());
}

TEST_CASE("packet ends: a packet born while another one leaves follows it, whichever end runs first") {
  Ends ends(std::make_unique<Answering>());
  sc_core::sc_start(ends.domain.time_of(5) - sc_core::sc_time_stamp() + sc_core::sc_time(1, sc_core::SC_PS));
  REQUIRE(ends.injector.packets_sent() == 1);
  // The injector has already run in this cycle, without a packet.
  ends.injector.arrived(5, Packet());
  ends.run();
  REQUIRE(ends.taken.size() == 2);
  CHECK(ends.taken[1].packet.created == 6);
  CHECK(ends.taken[1].packet.injected == 5 + 10);
}

TEST_CASE("packet ends: an injector that runs without a packet sends nothing") {
  Ends ends({single(5)});
  ends.run();
  ends.injector.step(60);
  CHECK(ends.injector.packets_sent() == 1);
}

TEST_CASE("packet ends: a sink of one packet holds the next one back until the signal shows room") {
  PacketSinkConfig config;
  config.fifo_packets = 1;
  Ends ends(std::vector<Emission>(10, single(7)), config);
  ends.run();
  REQUIRE(ends.taken.size() == 10);
  // The slot is free after the last flit; a register and the return path follow.
  for (unsigned i = 1; i < 10; ++i) CHECK(ends.taken[i].head - ends.taken[i - 1].head == 13 + 1 + 1 + 1);
}

TEST_CASE("packet ends: a slow sink keeps packets for any time up to its maximum") {
  PacketSinkConfig config;
  config.fifo_packets = 1;
  config.stall_cycles = 5;
  Ends ends(std::vector<Emission>(400, single(7)), config);
  ends.run();
  REQUIRE(ends.taken.size() == 400);
  std::set<Cycle> stalls;
  for (unsigned i = 1; i < 400; ++i) stalls.insert(ends.taken[i].head - ends.taken[i - 1].head - 16);
  CHECK(stalls == std::set<Cycle>{0, 1, 2, 3, 4, 5});
}

namespace {

class Backwards final : public EmissionSource {
 public:
  bool next(Emission& emission) override {
    emission = single(cycle_ == 20 ? 19 : 20);
    cycle_ = emission.created;
    return true;
  }

 private:
  Cycle cycle_ = 0;
};

}  // namespace

TEST_CASE("packet ends: a source that goes back in time stops the run") {
  CHECK_THAT(Ends(std::make_unique<Backwards>()).stopped_by(),
             Catch::Contains("node 3, cycle 20: its source went back in time, from cycle 20 to 19"));
}

TEST_CASE("packet ends: a packet in the cycle of the arrival that causes it stops the run") {
  Ends ends(std::make_unique<Answering>(0));
  ends.run();
  REQUIRE(ends.taken.size() == 1);
  CHECK_THROWS_WITH(ends.injector.arrived(60, Packet()),
                    Catch::Contains("injector, cycle 60") && Catch::Contains("no later than the arrival"));
}

TEST_CASE("packet ends: a packet without a destination stops the run") {
  CHECK_THAT(Ends({single(20)}, {}, 0).stopped_by(),
             Catch::Contains("injector, cycle 20") && Catch::Contains("a packet without a destination"));
}

namespace {

std::string spoiled(const Emission& emission, const std::function<void(Packet&)>& spoil) {
  Ends ends({emission});
  Spoiler spoiler(ends.pool);
  spoiler.spoil = spoil;
  ends.link.set_probe(&spoiler);
  return ends.stopped_by();
}

}  // namespace

TEST_CASE("packet ends: a packet at the wrong node stops the run") {
  CHECK_THAT(spoiled(single(5), [](Packet& packet) { packet.destination = to + 1; }),
             Catch::Contains("sink, cycle 6") && Catch::Contains("was delivered to the wrong node"));
}

TEST_CASE("packet ends: a multicast at a node that is not in its map stops the run") {
  Emission emission = single(5);
  emission.kind = PacketKind::multicast;
  emission.group = 1;
  emission.map = 0b0100;
  CHECK_THAT(spoiled(emission, [](Packet& packet) { packet.map = 0b1011; }),
             Catch::Contains("was delivered to a node that is not in its destination map"));
}

TEST_CASE("packet ends: a multicast of another group stops the run") {
  Emission emission = single(5);
  emission.kind = PacketKind::multicast;
  emission.group = 0;
  emission.map = 0b0100;
  CHECK_THAT(spoiled(emission, [](Packet&) {}),
             Catch::Contains("was delivered to a node that is not in its destination map"));
}

TEST_CASE("packet ends: a changed byte of the last word stops the run") {
  CHECK_THAT(spoiled(single(5, 24), [](Packet& packet) { packet.payload.data()[23] ^= std::byte{0x80}; }),
             Catch::Contains("payload word 2 is not what was sent"));
}

TEST_CASE("packet ends: bytes after the payload do not count") {
  CHECK(spoiled(single(5, 16), [](Packet& packet) { packet.payload.data()[16] ^= std::byte{1}; }) ==
        "nothing");
}

TEST_CASE("payload words differ from packet to packet and from word to word") {
  std::set<std::uint64_t> words;
  for (unsigned packet = 0; packet < 100; ++packet)
    for (unsigned word = 0; word < 32; ++word)
      words.insert(payload_word(packet_id(packet % 7, packet), word));
  CHECK(words.size() == 3200);
}
