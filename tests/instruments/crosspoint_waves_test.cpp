// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "instruments/levels.h"
#include "support/catch.h"
#include "support/network_bench.h"
#include "tsuji/core/flit.h"
#include "tsuji/core/random.h"
#include "tsuji/instruments/crosspoint_waves.h"

// Waveforms of a network of crosspoint switches against the probes of its channels.

using namespace tsuji;
using namespace tsuji::instruments;
using namespace tsuji::instruments::test;
using tsuji::test::NetworkBench;

namespace {

struct Sent {
  Cycle at;
  PacketTransfer transfer;
  bool enters;
};
struct Room {
  unsigned fifo;
  Cycle at;  ///< cycle in which the sender sees it
};

/// Log of a channel's probe; loses every fifth packet if `loses`.
struct LinkLog final : PacketLinkProbe {
  bool on_send(Cycle now, PacketTransfer& transfer) override {
    const bool enters = !loses || transfer.packet->id % 5 != 0;
    sent.push_back({now, transfer, enters});
    return enters;
  }
  void on_room(unsigned fifo, Cycle at) override { rooms.push_back({fifo, at}); }
  bool loses = false;
  std::vector<Sent> sent;
  std::vector<Room> rooms;
};

traffic::Emission drawn(CounterRandom& random, Cycle created) {
  traffic::Emission e;
  e.created = created;
  const auto words = static_cast<unsigned>(random.below(5));
  e.payload_bytes = static_cast<std::uint16_t>(8 * words);
  e.flits = static_cast<std::uint16_t>(7 + 3 * words);
  e.destination = static_cast<NodeId>(random.below(14));
  if (random.below(3) != 0) return e;
  e.kind = PacketKind::multicast;
  e.map = 1 + random.below((1U << 14) - 1);
  e.flits = static_cast<std::uint16_t>(e.flits + 3);
  return e;
}

/// A barrier of two nodes.
traffic::Emission barrier(NodeId node, Cycle created) {
  traffic::Emission e;
  e.kind = PacketKind::synchronization;
  e.created = created;
  e.sid = static_cast<std::uint8_t>(100 + node / 2);
  e.map = std::uint64_t{3} << (node / 2 * 2);
  e.flits = 10;
  return e;
}

NetworkBench::Options options(unsigned fifo_packets, unsigned cable_cycles) {
  NetworkBench::Options o;
  o.network.topology.nodes = 14;
  o.network.crosspoint.fifo_packets = fifo_packets;
  o.network.cable_cycles = cable_cycles;
  o.sink.stall_cycles = 50;
  return o;
}

NetworkBench::MakeSource sources() {
  return [](NodeId node) {
    CounterRandom random(17, node);
    std::vector<traffic::Emission> list;
    Cycle at = 3;
    for (unsigned i = 0; i < 12; ++i) {
      at += random.below(60);
      list.push_back(i == 6 ? barrier(node, at) : drawn(random, at));
    }
    return std::make_unique<traffic::ListedEmissions>(std::move(list));
  };
}

class Scene {
 public:
  Scene(const NetworkBench::Options& o, const CrosspointWavesConfig& shown, bool loses = false)
      : bench(o, sources()), shown_(shown), latency_(1 + o.network.cable_cycles) {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const graph::Multistage& topology = bench.network.topology();
    for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
      logs.emplace_back(topology.lines());
      for (unsigned line = 0; line < topology.lines(); ++line) {
        logs[stage][line].loses = loses && stage == 1;
        bench.network.link(stage, line).set_probe(&logs[stage][line]);
      }
    }
    waves = std::make_unique<CrosspointWaves>(bench.network, period, levels, shown);
    waves->begin();
    for (; end < 20000 && (end < 1000 || bench.network.counters().held != 0 || flying() != 0); end += 200)
      run_for(period_time(200));
    bench.domain.rethrow_failure();
  }

  std::string path(unsigned stage, unsigned line) const {
    const std::string text = std::to_string(line);
    if (stage == 0) return "network.node" + text + ".out";
    if (stage == bench.network.topology().stages()) return "network.node" + text + ".in";
    return "network.stage" + std::to_string(stage - 1) + ".line" + text;
  }
  std::string group(unsigned stage, unsigned line) const {
    const std::string text = std::to_string(line);
    if (stage == 0) return "node " + text + " to network";
    if (stage == bench.network.topology().stages()) return "network to node " + text;
    return "stage " + std::to_string(stage - 1) + " line " + text;
  }

  void check_wires(unsigned stage, unsigned line) {
    const LinkLog& log = logs[stage][line];
    unsigned wrong = 0;
    for (Cycle now = shown_.first_cycle; now < std::min(end, shown_.last_cycle); ++now) {
      std::string text;
      std::uint64_t flit = 0;
      for (const Sent& one : log.sent) {
        const Packet& packet = *one.transfer.packet;
        if (now < one.at || now >= one.at + packet.flits) continue;
        const std::string bytes = std::to_string(packet.payload_bytes) + " B";
        text =
            packet.kind == PacketKind::single_cast
                ? packet_name(packet.id) + " to " + std::to_string(packet.destination.node()) + ", " + bytes
            : packet.kind == PacketKind::multicast ? packet_name(packet.id) + " multicast, " + bytes
                                                   : "sync " + std::to_string(packet.sid);
        flit = spell_flit(packet, one.transfer.port_bits, static_cast<unsigned>(now - one.at));
      }
      wrong += levels.text(path(stage, line) + ".packet", ps(now)) != text;
      if (shown_.detail == WaveDetail::signals)
        wrong += levels.value(path(stage, line) + ".flit", ps(now)) != flit;
    }
    CAPTURE(path(stage, line));
    CHECK(wrong == 0);
  }

  /// Checks the FIFOs that a channel feeds. A packet is in its FIFO from its head's arrival to the cycle in
  /// which its slot is free; the room signal is as the sender sees it.
  void check_fifos(unsigned stage, unsigned line) {
    const LinkLog& log = logs[stage][line];
    unsigned wrong = 0;
    const unsigned fifos = bench.network.link(stage, line).fifos();
    for (unsigned fifo = 0; fifo < fifos; ++fifo) {
      const std::string own = path(stage, line) + ".fifo" + std::to_string(fifo);
      for (Cycle now = 0; now < end; ++now) {
        unsigned taken = 0, held = 0;
        for (const Sent& one : log.sent) {
          if ((one.transfer.port_bits >> fifo & 1U) == 0) continue;
          if (one.at < now) ++taken;
          if (one.enters && one.at + latency_ <= now) ++held;
        }
        std::size_t returned = 0;
        for (const Room& one : log.rooms) {
          if (one.fifo != fifo) continue;
          if (one.at <= now) --taken;
          if (one.at - 1 - latency_ <= now && !is_lost(log, fifo, returned)) --held;
          ++returned;
        }
        most_held = std::max(most_held, held);
        wrong += levels.value(own + ".packets", ps(now)) != held;
        wrong += levels.value(own + ".room", ps(now)) != (taken < slots_of(stage) ? 1U : 0U);
      }
    }
    CAPTURE(path(stage, line));
    CHECK(wrong == 0);
  }

  Picoseconds ps(Cycle cycle) const { return period.ps_at(cycle); }

  NetworkBench bench;
  Levels levels;
  const ClockPeriod period{12500};
  std::vector<std::vector<LinkLog>> logs;  ///< [stage][line]
  std::unique_ptr<CrosspointWaves> waves;
  Cycle end = 0;
  unsigned most_held = 0;

 private:
  sc_core::sc_time period_time(Cycle cycles) const {
    return sc_core::sc_time::from_value(period.ps_at(cycles));
  }
  unsigned slots_of(unsigned stage) { return bench.network.link(stage, 0).slots_per_fifo(); }
  std::uint64_t flying() const { return bench.network.flits_in_flight(); }
  /// Slots of a FIFO are freed in the order in which they were filled.
  static bool is_lost(const LinkLog& log, unsigned fifo, std::size_t number) {
    for (const Sent& one : log.sent) {
      if ((one.transfer.port_bits >> fifo & 1U) == 0) continue;
      if (number-- == 0) return !one.enters;
    }
    return false;
  }

  const CrosspointWavesConfig shown_;
  const Cycle latency_;
};

void check_all(unsigned fifo_packets, unsigned cable_cycles) {
  Scene scene(options(fifo_packets, cable_cycles), {});
  const graph::Multistage& topology = scene.bench.network.topology();
  std::size_t signals = 0;
  for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
    for (unsigned line = 0; line < topology.lines(); ++line) {
      const bool outer = stage == 0 || stage == topology.stages();
      const bool shown = !outer || line < topology.nodes();
      CHECK(scene.levels.has(scene.path(stage, line) + ".packet") == shown);
      if (!shown) continue;
      scene.check_wires(stage, line);
      scene.check_fifos(stage, line);
      signals += 2 + 2 * std::size_t{scene.bench.network.link(stage, line).fifos()};
      const Levels::Signal& fill = scene.levels.at(scene.path(stage, line) + ".fifo0.packets");
      CHECK(fill.group == scene.group(stage, line));
      CHECK(fill.format == observe::WaveFormat::decimal);
      CHECK(fill.width_bits == observe::bits_for(scene.bench.network.link(stage, line).slots_per_fifo()));
      CHECK(scene.levels.at(scene.path(stage, line) + ".flit").width_bits == flit_bits);
    }
  }
  signals += std::size_t{4} * topology.stages() * topology.switches_per_stage();
  CHECK(scene.levels.size() == signals);
  CHECK(scene.most_held >= fifo_packets);
}

}  // namespace

TEST_CASE("waves of switches: wires, fill levels and room signals in every cycle") {
  check_all(1, 0);
}
TEST_CASE("waves of switches: FIFOs of two packets, long cables") {
  check_all(2, 3);
}

TEST_CASE("waves of switches: packets lost on a channel were on its wires, and in no FIFO") {
  Scene scene(options(1, 0), {}, true);
  for (unsigned line = 0; line < scene.bench.network.topology().lines(); ++line) {
    scene.check_wires(1, line);
    scene.check_fifos(1, line);
  }
}

TEST_CASE("waves of switches: tables with their entries") {
  Scene scene(options(1, 0), {});
  const graph::Multistage& topology = scene.bench.network.topology();
  std::size_t entries = 0;
  for (unsigned stage = 0; stage < topology.stages(); ++stage) {
    for (unsigned index = 0; index < topology.switches_per_stage(); ++index) {
      const std::string path =
          "network.stage" + std::to_string(stage) + ".switch" + std::to_string(index) + ".sync";
      CAPTURE(path);
      CHECK(scene.levels.at(path + ".sid").width_bits == 7);
      CHECK(scene.levels.at(path + ".early").width_bits == 4);
      CHECK(scene.levels.at(path + ".early").format == observe::WaveFormat::binary);
      CHECK(scene.levels.at(path + ".arrived").group ==
            "stage " + std::to_string(stage) + " switch " + std::to_string(index) + " sync table");
      // All inputs have arrived when the last round is complete, and all owed packets have left at the end.
      for (const auto& [time, level] : scene.levels.at(path + ".owed").changes) {
        ++entries;
        if (level.first != 0) CHECK(scene.levels.value(path + ".arrived", time) == 0);
        const std::uint64_t sid = scene.levels.value(path + ".sid", time);
        CHECK((sid >= 100 && sid < 107));
      }
      CHECK(scene.levels.value(path + ".owed", scene.ps(scene.end)) == 0);
      CHECK(scene.levels.value(path + ".early", scene.ps(scene.end)) == 0);
    }
  }
  CHECK(entries > 20);
}

TEST_CASE("waves of some lines, packets alone, in a window") {
  CrosspointWavesConfig shown;
  shown.detail = WaveDetail::packets;
  shown.lines = {2, 15};
  shown.first_cycle = 150;
  shown.last_cycle = 400;
  Scene scene(options(1, 0), shown);
  const graph::Multistage& topology = scene.bench.network.topology();
  std::set<std::string> expected;
  for (unsigned stage = 0; stage <= topology.stages(); ++stage) {
    for (const unsigned line : shown.lines) {
      const std::string path = scene.path(stage, line) + ".packet";
      const bool there = line == 2 || (stage != 0 && stage != topology.stages());
      CHECK(scene.levels.has(path) == there);
      if (!there) continue;
      expected.insert(path);
      scene.check_wires(stage, line);
      for (const auto& [time, level] : scene.levels.at(path).changes) {
        CHECK(time + scene.ps(30) >= scene.ps(150));  // it may have begun earlier
        CHECK(time <= scene.ps(400 + 100));
      }
    }
  }
  CHECK(scene.levels.size() == expected.size());
}

TEST_CASE("waves of some lines: tables of their switches") {
  CrosspointWavesConfig shown;
  shown.lines = {4, 11};  // the first port of a switch, and the last
  Scene scene(options(1, 0), shown);
  const graph::Multistage& topology = scene.bench.network.topology();
  for (unsigned stage = 0; stage < topology.stages(); ++stage) {
    for (unsigned index = 0; index < topology.switches_per_stage(); ++index) {
      const std::string path = "network.stage" + std::to_string(stage) + ".switch" + std::to_string(index);
      const bool there = std::any_of(shown.lines.begin(), shown.lines.end(), [&](unsigned line) {
        return topology.place(stage, line).switch_index == index;
      });
      CHECK(scene.levels.has(path + ".sync.sid") == there);
    }
  }
}
