// SPDX-License-Identifier: Apache-2.0
#include "tsuji/machines/cenju4/loaded_crosspoints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "machines/crosspoint_load.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/instruments/crosspoint_use.h"
#include "tsuji/network/crosspoint/crosspoint_capacity.h"

using namespace tsuji;
using namespace tsuji::test;
using crosspoint::SwitchMode;
using machines::LoadedCrosspoints;

namespace {

constexpr NodeId nodes = 16;

machines::Cenju4Config machine_of(unsigned machine_nodes = nodes,
                                  SwitchMode mode = SwitchMode::event_per_packet) {
  machines::Cenju4Config machine;
  machine.network.topology.nodes = machine_nodes;
  machine.network.crosspoint.mode = mode;
  return machine;
}

observe::MeasureConfig interval(Cycle warmup, Cycle cycles) {
  observe::MeasureConfig config;
  config.warmup_cycles = warmup;
  config.cycles = cycles;
  return config;
}

/// Flits of deliveries in cycles [from, to).
std::uint64_t flits_in(const std::vector<observe::DeliveredPacket>& seen, Cycle from, Cycle to) {
  std::uint64_t flits = 0;
  for (const auto& packet : seen)
    for (unsigned flit = 0; flit < packet.flits; ++flit)
      flits += packet.head_cycle + flit >= from && packet.head_cycle + flit < to ? 1 : 0;
  return flits;
}

}  // namespace

TEST_CASE("loaded crosspoints: accounts hold in any cycle of the load, in both modes") {
  const auto play = [](SwitchMode mode) {
    return forked([mode] {
      CrosspointLoad load(machine_of(nodes, mode), 0.9, 1000);
      load.multicast = {0.2, 5};
      std::vector<observe::DeliveredPacket> seen;
      auto parts = load.parts();
      parts.on_delivered = [&](const observe::DeliveredPacket& packet) { seen.push_back(packet); };
      LoadedCrosspoints loaded(parts);
      std::ostringstream out;
      for (Cycle end = 1; end < 1200; end += 7) {
        loaded.run_to(end);
        loaded.check_conservation();
        const auto fates = loaded.fates();
        if (fates.born + fates.replicated != fates.delivered + fates.under_way) return std::string("fates");
        out << fates.born << ' ' << fates.delivered << ' ' << fates.under_way << ' '
            << loaded.network().population(end).flits << '\n';
      }
      loaded.run_to(100'000);
      const auto fates = loaded.fates();
      if (!loaded.idle() || fates.under_way != 0 || fates.delivered != seen.size())
        return std::string("packets are left");
      out << fates.born << ' ' << fates.replicated << ' ' << fates.delivered << '\n';
      return out.str();
    });
  };
  const std::string expected = play(SwitchMode::flit_by_flit);
  CHECK(std::count(expected.begin(), expected.end(), '\n') == 173);
  CHECK(play(SwitchMode::event_per_packet) == expected);
}

TEST_CASE("loaded crosspoints: accepted flits are counted flit by flit, at both ends of the interval") {
  const Cycle from = GENERATE(Cycle{301}, Cycle{0}), length = GENERATE(Cycle{1}, Cycle{400});
  const std::string text = forked([&] {
    CrosspointLoad load(machine_of(), 0.6, 0);
    load.traffic.lengths.of<workload::LengthRange>().packet_flits = 37;
    observe::LoadMeasurement measurement(interval(from, length), nodes);
    std::vector<observe::DeliveredPacket> seen;
    auto parts = load.parts();
    parts.measurement = &measurement;
    parts.on_delivered = [&](const observe::DeliveredPacket& packet) { seen.push_back(packet); };
    LoadedCrosspoints loaded(parts);
    loaded.run_to(from + length);
    const std::uint64_t counted = loaded.flits_ejected_in_window();
    loaded.run_to(from + length + 2000);
    return std::to_string(counted) + ' ' + std::to_string(loaded.flits_ejected_in_window()) + ' ' +
           std::to_string(flits_in(seen, from, from + length));
  });
  std::istringstream in(text);
  std::uint64_t counted = 0, later = 0, wanted = 0;
  in >> counted >> later >> wanted;
  CAPTURE(text);
  CHECK(counted == wanted);
  CHECK(later == wanted);
  if (length > 1) CHECK(wanted > 1000);
}

TEST_CASE(
    "loaded crosspoints: packets have the machine's headers and words, and data in the remaining flits") {
  nic::PacketSizes sizes;
  sizes.header_flits = 12;
  sizes.multicast_header_flits = 15;
  sizes.flits_per_word = 4;
  for (const bool multicast : {false, true}) {
    const unsigned without_data = 1U + (multicast ? 15U : 12U);
    network::MulticastTrafficConfig share;
    share.share = multicast ? 1 : 0;
    for (const unsigned flits : {7U, without_data, without_data + 7, without_data + 8}) {
      traffic::Emission packet;
      packet.flits = static_cast<std::uint16_t>(flits);
      auto list = std::make_unique<traffic::ListedEmissions>(std::vector<traffic::Emission>{packet});
      network::CrosspointEmissions source(std::move(list), {sizes, share, nodes, 1}, 0);
      traffic::Emission got;
      REQUIRE(source.next(got));
      CHECK(got.flits == flits);
      CHECK(got.header_flits == without_data - 1);
      CHECK(got.word_flits == 4);
      CHECK(got.payload_bytes == (flits < without_data ? 0 : (flits - without_data) / 4 * 8));
    }
  }
}

TEST_CASE("loaded crosspoints: the measurement accepts births, deliveries and their order") {
  const std::string text = forked([] {
    CrosspointLoad load(machine_of(), 0.4, 0);
    observe::LoadMeasurement measurement(interval(500, 3000), nodes);
    std::map<NodeId, std::uint64_t> latency;
    std::uint64_t sum = 0, packets = 0;
    auto parts = load.parts();
    parts.measurement = &measurement;
    parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
      if (packet.created < 500 || packet.created >= 3500) return;
      sum += packet.tail_cycle - packet.created;
      ++packets;
    };
    LoadedCrosspoints loaded(parts);
    while (!measurement.finished(loaded.now())) loaded.run_to(loaded.now() + 100);
    measurement.flits_ejected(loaded.flits_ejected_in_window());
    measurement.close(loaded.now());
    const observe::NetworkMetrics metrics = measurement.metrics();
    if (measurement.undelivered() != 0) return std::string("packets are missing");
    if (metrics.latency_cycles.count() != packets || metrics.latency_cycles.sum() != sum)
      return std::string("another latency");
    return std::string(measurement.stability().word());
  });
  CHECK(text == "stable");
}

TEST_CASE(
    "loaded crosspoints: a multicast arrives once at each of its nodes, and is measured with its last copy") {
  const std::string text = forked([] {
    CrosspointLoad load(machine_of(40), 0.3, 2000);
    load.multicast = {0.5, 6};
    observe::MeasureConfig config = interval(0, 2001);
    observe::LoadMeasurement measurement(config, 40);
    std::map<PacketId, std::pair<Cycle, std::set<NodeId>>> seen;
    std::uint64_t flits = 0;
    bool twice = false;
    auto parts = load.parts();
    parts.measurement = &measurement;
    parts.on_delivered = [&](const observe::DeliveredPacket& packet) {
      auto& [latency, at] = seen[packet.id];
      twice = twice || !at.insert(packet.destination.node()).second;
      latency = packet.tail_cycle - packet.created;
      flits += packet.flits;
    };
    LoadedCrosspoints loaded(parts);
    while (!measurement.finished(loaded.now()) || !loaded.idle()) loaded.run_to(loaded.now() + 100);
    measurement.close(loaded.now());
    std::uint64_t multicasts = 0, sum = 0;
    for (const auto& [id, packet] : seen) {
      if (packet.second.size() != 1 && packet.second.size() != 6) return std::string("copies are missing");
      multicasts += packet.second.size() == 6 ? 1 : 0;
      sum += packet.first;
    }
    const observe::NetworkMetrics metrics = measurement.metrics();
    if (twice) return std::string("twice");
    if (metrics.flits_offered != flits) return std::string("offered flits are not those of all copies");
    if (metrics.latency_cycles.sum() != sum) return std::string("another latency");
    const double share = static_cast<double>(multicasts) / static_cast<double>(seen.size());
    return share > 0.45 && share < 0.55 && seen.size() > 1000 ? std::string("good") : std::to_string(share);
  });
  CHECK(text == "good");
}

TEST_CASE("loaded crosspoints: a closed loop keeps a window of packets a node in flight") {
  const std::string text = forked([] {
    CrosspointLoad load(machine_of(), 0, 0);
    load.traffic.kind = "closed_loop";
    load.traffic.of<traffic::ClosedLoopConfig>().window = 3;
    LoadedCrosspoints loaded(load.parts());
    for (Cycle end = 100; end < 3000; end += 37) {
      loaded.run_to(end);
      // After an arrival a node sends its next packet one cycle later, or after the packet that it is
      // sending.
      const auto fates = loaded.fates();
      if (fates.under_way > 3 * nodes || fates.born < 3 * nodes) return std::string("too many");
    }
    return loaded.fates().delivered > 1500 ? std::string("it goes on") : std::string("it stands");
  });
  CHECK(text == "it goes on");
}

TEST_CASE("loaded crosspoints: without traffic there are no nodes and no events") {
  CHECK(forked([] {
          CrosspointLoad load(machine_of(), 0, 0);
          load.traffic.kind = "none";
          LoadedCrosspoints loaded(load.parts());
          loaded.run_to(1000);
          return std::to_string(loaded.fates().born) + (loaded.idle() ? " idle" : " busy");
        }) == "0 idle");
}

namespace {

class OneEmission final : public traffic::EmissionSource {
 public:
  explicit OneEmission(unsigned flits) : flits_(flits) {}
  bool next(traffic::Emission& emission) override {
    emission = {};
    emission.flits = static_cast<std::uint16_t>(flits_);
    emission.destination = 3;
    return true;
  }

 private:
  const unsigned flits_;
};

network::CrosspointEmissions emissions(unsigned flits, const network::MulticastTrafficConfig& multicast,
                                       unsigned of_nodes) {
  return {std::make_unique<OneEmission>(flits), {nic::PacketSizes{}, multicast, of_nodes, 7}, 2};
}

}  // namespace

TEST_CASE("crosspoint traffic: flits beyond the header are the payload, 3 for each 8 bytes") {
  const nic::PacketSizes sizes;
  for (const PacketKind kind : {PacketKind::single_cast, PacketKind::multicast}) {
    const unsigned header = sizes.flits(kind, 0);
    for (const auto& [flits, bytes] : {std::pair<unsigned, unsigned>{1, 0},
                                       {header, 0},
                                       {header + 2, 0},
                                       {header + 3, 8},
                                       {header + 6, 16},
                                       {header + 96, 256}}) {
      auto source = emissions(flits, {kind == PacketKind::multicast ? 1.0 : 0.0, 2}, 64);
      traffic::Emission emission;
      REQUIRE(source.next(emission));
      CHECK(emission.kind == kind);
      CHECK(emission.flits == flits);
      CHECK(emission.payload_bytes == bytes);
    }
  }
}

TEST_CASE(
    "crosspoint traffic: multicasts go to the configured number of nodes, equally to all groups and nodes") {
  auto source = emissions(10, {1.0, 5}, 160);
  std::map<unsigned, unsigned> of_group;
  std::map<NodeId, unsigned> of_node;
  constexpr unsigned packets = 30000;
  for (unsigned i = 0; i < packets; ++i) {
    traffic::Emission emission;
    REQUIRE(source.next(emission));
    REQUIRE(__builtin_popcountll(emission.map) == 5);
    ++of_group[emission.group];
    for (unsigned node = 0; node < 64; ++node)
      if ((emission.map >> node & 1U) != 0) ++of_node[emission.group * 64 + node];
  }
  REQUIRE(of_group.size() == 3);
  REQUIRE(of_node.size() == 160);
  CHECK(of_node.rbegin()->first == 159);
  // Binomial counts: five standard deviations.
  for (const auto& [group, count] : of_group) CHECK(std::abs(count - packets / 3.0) < 5 * 82);
  for (const auto& [node, count] : of_node) {
    const double mean = packets / 3.0 * 5 / (node < 128 ? 64 : 32);
    CAPTURE(node);
    CHECK(std::abs(count - mean) < 5 * std::sqrt(mean));
  }
}

TEST_CASE("crosspoint traffic: a group smaller than the multicast is taken whole") {
  auto source = emissions(10, {1.0, 20}, 70);
  bool small = false;
  for (unsigned i = 0; i < 100; ++i) {
    traffic::Emission emission;
    REQUIRE(source.next(emission));
    CHECK(__builtin_popcountll(emission.map) == (emission.group == 1 ? 6 : 20));
    small = small || (emission.group == 1 && emission.map == 0b111111);
  }
  CHECK(small);
}

TEST_CASE("crosspoint capacity: the fullest channel or FIFO, from the pairs' paths") {
  network::CrosspointNetworkConfig network;
  network.topology.nodes = 16;
  network.topology.stages = 2;
  network.crosspoint.fifo_packets = 1;
  const auto uniform = [](NodeId, NodeId) { return 1.0 / 16; };
  CHECK(network::crosspoint_capacity(network, 10, uniform).flits_per_node_cycle == Approx(1.0));
  CHECK(network::crosspoint_capacity(network, 10, uniform).at == "channel into switch0_0:0");
  // One flow alone has one FIFO of each switch: F / (F + 12).
  const auto one = [](NodeId source, NodeId destination) {
    return source == 3 && destination == 9 ? 1.0 : 0.0;
  };
  CHECK(network::crosspoint_capacity(network, 10, one).flits_per_node_cycle == Approx(10.0 / 22));
  CHECK(network::crosspoint_capacity(network, 10, one).at == "FIFO (0, 2) of switch0_3");
  network.cable_cycles = 2;
  CHECK(network::crosspoint_capacity(network, 10, one).flits_per_node_cycle == Approx(10.0 / 26));
  network.cable_cycles = 0;
  network.crosspoint.fifo_packets = 2;
  CHECK(network::crosspoint_capacity(network, 10, one).flits_per_node_cycle == Approx(20.0 / 22));
  network.crosspoint.fifo_packets = 3;
  CHECK(network::crosspoint_capacity(network, 10, one).flits_per_node_cycle == Approx(1.0));
  network.cable_cycles = 7;
  CHECK(network::crosspoint_capacity(network, 10, one).flits_per_node_cycle == Approx(10.0 / 17));
  network.room_signal = RoomSignal::credits;
  CHECK(network::crosspoint_capacity(network, 10, one).flits_per_node_cycle == Approx(30.0 / 36));
  network.cable_cycles = 0;
  // All to one: its channel.
  const auto all = [](NodeId, NodeId destination) { return destination == 5 ? 1.0 : 0.0; };
  CHECK(network::crosspoint_capacity(network, 10, all).flits_per_node_cycle == Approx(1.0 / 16));
  CHECK(network::crosspoint_capacity(network, 10, all).at == "channel to node 5");
  CHECK(network::crosspoint_capacity(network, 10, [](NodeId, NodeId) { return 0.0; }).flits_per_node_cycle ==
        0);
}

TEST_CASE("crosspoint use: a FIFO's packets, copies, flits and fill, and the links' multicast flits") {
  const auto play = [](SwitchMode mode, Cycle end) {
    return forked([mode, end] {
      // Node 1 sends a packet at 10 and one at 10 + 20 to node 2; a multicast to nodes 0 and 2 follows.
      machines::Cenju4Config machine = machine_of(4, mode);
      machine.network.topology.stages = 1;
      machine.network.crosspoint.fifo_packets = 2;
      LoadedCrosspoints::Parts parts{machine, {}};
      parts.make_source = [](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
        std::vector<traffic::Emission> list(node == 1 ? 3 : 0);
        for (std::size_t i = 0; i < list.size(); ++i) {
          list[i].created = 10;
          list[i].flits = 20;
          list[i].destination = 2;
        }
        if (!list.empty()) {
          list.back().kind = PacketKind::multicast;
          list.back().map = 0b101;
          list.back().created = 200;
        }
        return std::make_unique<traffic::ListedEmissions>(list);
      };
      LoadedCrosspoints loaded(parts);
      loaded.elaborate();
      instruments::CrosspointUseConfig config;
      const instruments::CrosspointUse use(loaded.network(), config);
      loaded.run_to(end);
      std::ostringstream out;
      for (const unsigned output : {0U, 1U, 2U}) {
        const instruments::FifoUse fifo = use.fifo(0, 0, 1, output, end);
        out << fifo.packets << ' ' << fifo.multicast_copies << ' ' << fifo.flits << ' ' << fifo.packet_cycles
            << ' ' << fifo.most_packets << '\n';
      }
      return out.str();
    });
  };
  // Heads come in cycles 11 and 31 and leave in 20 and 40; slots are free in 40 and 60. Each packet is held
  // for 29 cycles, the second for 9 of them beside the first. A multicast leaves 14 cycles after its head
  // came.
  const std::string expected = "1 1 20 34 1\n0 0 0 0 0\n3 1 60 92 2\n";
  // Before cycle 50 the first packet has left, and the second, which came in 31, is held.
  const std::string early = "0 0 0 0 0\n0 0 0 0 0\n2 0 40 48 2\n";
  for (const SwitchMode mode : {SwitchMode::event_per_packet, SwitchMode::flit_by_flit}) {
    CHECK(play(mode, 1000) == expected);
    CHECK(play(mode, 50) == early);
    // The second packet is in flight.
    CHECK(play(mode, 31) == "0 0 0 0 0\n0 0 0 0 0\n2 0 40 20 1\n");
  }
}

TEST_CASE("a crosspoint's use counts a packet that is sent in cycle 0") {
  const std::string fifo = forked([] {
    machines::Cenju4Config machine = machine_of(4, SwitchMode::event_per_packet);
    machine.network.topology.stages = 1;
    LoadedCrosspoints::Parts parts{machine, {}};
    parts.make_source = [](NodeId node) -> std::unique_ptr<traffic::EmissionSource> {
      std::vector<traffic::Emission> list(node == 1 ? 1 : 0);
      for (traffic::Emission& emission : list) {
        emission.flits = 20;
        emission.destination = 2;
      }
      return std::make_unique<traffic::ListedEmissions>(list);
    };
    LoadedCrosspoints loaded(parts);
    std::optional<instruments::CrosspointUse> use;
    loaded.elaborate([&] { use.emplace(loaded.network(), instruments::CrosspointUseConfig()); });
    loaded.run_to(1000);
    const instruments::FifoUse seen = use->fifo(0, 0, 1, 2, 1000);
    return std::to_string(seen.packets) + " " + std::to_string(seen.packet_cycles);
  });
  CHECK(fifo == "1 29");
}
