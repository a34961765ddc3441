// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "support/catch.h"
#include "support/network_bench.h"

using namespace tsuji;
using namespace tsuji::test;
using traffic::Emission;

namespace {

/// Single casts of all lengths and multicasts to random subsets from every node, more than the network
/// accepts.
class MixedLoad final : public traffic::EmissionSource {
 public:
  MixedLoad(unsigned nodes, NodeId node, unsigned packets, bool pairs_only)
      : nodes_(nodes), left_(packets), pairs_only_(pairs_only), random_(77, node) {}
  bool next(Emission& e) override {
    if (left_-- == 0) return false;
    e = Emission{};
    e.created = at_ += random_.below(80);
    e.payload_bytes = static_cast<std::uint16_t>(8 * random_.below(33));
    if (random_.below(5) == 0) {
      e.kind = PacketKind::multicast;
      const unsigned groups = (nodes_ + 63) / 64;
      e.group = static_cast<std::uint32_t>(random_.below(groups));
      const unsigned size = std::min(64U, nodes_ - 64 * e.group);
      const std::uint64_t within = size == 64 ? ~0ULL : (1ULL << size) - 1;
      do e.map = random_.next() & random_.next() & within;
      while (e.map == 0);
      // At most two members, so that a damaged map may leave an output without any member.
      if (pairs_only_)
        e.map = std::uint64_t{1} << random_.below(size) | std::uint64_t{1} << random_.below(size);
      e.flits = static_cast<std::uint16_t>(10 + 3 * e.payload_bytes / 8);
    } else {
      e.destination = static_cast<NodeId>(random_.below(nodes_));
      e.flits = static_cast<std::uint16_t>(7 + 3 * e.payload_bytes / 8);
    }
    return true;
  }

 private:
  unsigned nodes_, left_;
  bool pairs_only_;
  CounterRandom random_;
  Cycle at_ = 0;
};

NetworkBench::Options loaded(unsigned nodes, unsigned radix, unsigned fifo_packets, unsigned stall_cycles) {
  NetworkBench::Options o;
  o.network.topology.nodes = nodes;
  o.network.topology.radix = radix;
  o.network.crosspoint.fifo_packets = fifo_packets;
  o.sink.stall_cycles = stall_cycles;
  return o;
}

/// Removes a member from the maps of some multicasts in flight, or adds one, as flipped bits do.
class MapSpoiler final : public PacketLinkProbe {
 public:
  MapSpoiler(PacketPool& pool, std::uint64_t channel) : pool_(pool), random_(5, channel) {}
  bool on_send(Cycle, PacketTransfer& transfer) override {
    if (transfer.packet->kind != PacketKind::multicast || random_.below(3) == 0) return true;
    transfer.packet = pool_.clone(*transfer.packet);
    std::uint64_t& map = transfer.packet.edit().map;
    map = random_.below(2) == 0 ? map & (map - 1) : map | std::uint64_t{1} << random_.below(64);
    return true;
  }
  void on_room(unsigned, Cycle) override {}

 private:
  PacketPool& pool_;
  CounterRandom random_;
};

/// A spoiler on every channel except into and out of the last stage, so that each copy leaves where its
/// damaged map says. A copy without any member is discarded.
struct MapDamage {
  explicit MapDamage(NetworkBench& bench) {
    const graph::Multistage& topology = bench.network.topology();
    for (unsigned stage = 0; stage + 1 < topology.stages(); ++stage) {
      for (unsigned line = 0; line < topology.lines(); ++line) {
        spoilers.push_back(std::make_unique<MapSpoiler>(bench.pool, topology.lines() * stage + line));
        bench.network.link(stage, line).set_probe(spoilers.back().get());
      }
    }
  }
  std::vector<std::unique_ptr<MapSpoiler>> spoilers;
};

/// The first of a pair of runs records the arrivals, and the second compares them (`same`: must be equal, or
/// differ). One process elaborates once, so both networks exist side by side, on separate clocks.
void both_agree(const NetworkBench::Options& first, const NetworkBench::Options& second, unsigned packets,
                bool damaged_maps = false, bool same = true) {
  const unsigned nodes = first.network.topology.nodes;
  const auto load = [=](NodeId node) {
    return std::make_unique<MixedLoad>(nodes, node, packets, damaged_maps);
  };
  struct Named : sc_core::sc_module {
    NetworkBench bench;
    Named(sc_core::sc_module_name n, const NetworkBench::Options& o, const NetworkBench::MakeSource& l)
        : sc_module(n), bench(o, l) {}
  };
  Named a("a", first, load), b("b", second, load);
  std::optional<MapDamage> a_damage, b_damage;
  if (damaged_maps) {
    a_damage.emplace(a.bench);
    b_damage.emplace(b.bench);
  }
  sc_core::sc_start();
  a.bench.domain.rethrow_failure();
  b.bench.domain.rethrow_failure();
  CHECK(a.bench.sent() == std::uint64_t{nodes} * packets);
  CHECK(a.bench.conserved());
  CHECK(b.bench.conserved());
  CHECK(a.bench.in_order);
  CHECK(b.bench.in_order);
  CHECK(a.bench.pool.in_use() == 0);
  CHECK((a.bench.network.counters().dropped > 50) == (damaged_maps));
  CHECK(a.bench.network.counters().dropped == b.bench.network.counters().dropped);
  const bool equal = a.bench.sorted() == b.bench.sorted();
  CHECK(equal == same);
}

NetworkBench::Options flitwise(NetworkBench::Options o) {
  o.network.crosspoint.mode = crosspoint::SwitchMode::flit_by_flit;
  return o;
}

NetworkBench::Options shuffled(NetworkBench::Options o, std::uint64_t seed) {
  o.clock.shuffle_seed = seed;
  return o;
}

}  // namespace

TEST_CASE("event and flit modes: the same cycle for every packet, 16 nodes") {
  const auto o = loaded(16, 4, 1, 0);
  both_agree(o, flitwise(o), 150);
}
TEST_CASE("event and flit modes: 64 nodes, slow receivers") {
  const auto o = loaded(64, 4, 1, 60);
  both_agree(o, flitwise(o), 60);
}
TEST_CASE("event and flit modes: FIFOs of three packets, 32 nodes") {
  const auto o = loaded(32, 4, 3, 30);
  both_agree(o, flitwise(o), 80);
}
TEST_CASE("event and flit modes: 2x2 switches") {
  const auto o = loaded(16, 2, 1, 20);
  both_agree(o, flitwise(o), 60);
}
TEST_CASE("event and flit modes: 3x3 switches, with nodes that fill no board") {
  const auto o = loaded(20, 3, 2, 20);
  both_agree(o, flitwise(o), 60);
}
TEST_CASE("event and flit modes: 16x16 switches, several node groups") {
  const auto o = loaded(150, 16, 1, 0);
  both_agree(o, flitwise(o), 30);
}
TEST_CASE("event and flit modes: cables of four cycles") {
  auto o = loaded(64, 4, 1, 0);
  o.network.cable_cycles = 4;
  both_agree(o, flitwise(o), 50);
}
TEST_CASE("event and flit modes: multicasts whose maps are damaged in flight") {
  const auto o = loaded(64, 4, 1, 0);
  both_agree(o, flitwise(o), 100, true);
}
TEST_CASE("event and flit modes: damaged maps in FIFOs of three packets") {
  const auto o = loaded(64, 2, 3, 0);
  both_agree(o, flitwise(o), 100, true);
}
TEST_CASE("any order of modules: multicasts whose maps are damaged in flight") {
  const auto o = loaded(64, 4, 2, 0);
  both_agree(o, shuffled(o, 31), 100, true);
}
TEST_CASE("event and flit modes: FIFOs are reserved for a multicast that one packet has passed") {
  auto o = loaded(16, 4, 1, 20);
  o.network.crosspoint.reserve_after = 1;
  both_agree(o, flitwise(o), 150);
}
TEST_CASE("the number of packets that may pass a multicast head changes the cycles of packets") {
  auto soon = loaded(16, 4, 1, 20), late = soon;
  soon.network.crosspoint.reserve_after = 1;
  late.network.crosspoint.reserve_after = 255;
  both_agree(soon, late, 150, false, false);
}
TEST_CASE(
    "the number of packets that may pass a multicast head changes the cycles of packets, flit by flit") {
  auto soon = flitwise(loaded(16, 4, 1, 20)), late = soon;
  soon.network.crosspoint.reserve_after = 1;
  late.network.crosspoint.reserve_after = 255;
  both_agree(soon, late, 150, false, false);
}
TEST_CASE("a process for each module: the same packets in the same cycles") {
  const auto o = loaded(64, 4, 1, 40);
  auto oracle = o;
  oracle.clock.mode = ProcessMode::process_each;
  both_agree(o, oracle, 60);
}
TEST_CASE("any order of modules: the same packets in the same cycles") {
  const auto o = loaded(64, 4, 1, 40);
  both_agree(o, shuffled(o, 4711), 80);
}
TEST_CASE("any order of modules, flit by flit") {
  const auto o = flitwise(loaded(16, 4, 1, 40));
  both_agree(o, shuffled(o, 99), 60);
}
TEST_CASE("1,024 nodes, six stages: every packet arrives once and in order") {
  const auto o = loaded(1024, 4, 1, 0);
  both_agree(o, shuffled(o, 5), 12);
}
