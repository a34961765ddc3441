#include "tsuji/fabric/cenju4/uniform_load.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "support/forked.h"
#include "tsuji/link/packet_link.h"

using namespace tsuji;
using namespace tsuji::test;
using fabric::UniformLoad;

namespace {

constexpr NodeId nodes = 16;
constexpr Cycle load_cycles = 600;

/// Everything that one run shows, recomputed from its deliveries, a line each; "name got wanted".
std::string run(double load, Cycle end) {
  fabric::Cenju4Config machine;
  machine.network.topology.nodes = nodes;
  fabric::UniformLoadConfig config;
  config.flits_per_node_cycle = load;
  config.packet_flits = 10;
  config.load_cycles = load_cycles;
  std::vector<observe::DeliveredPacket> seen;
  UniformLoad loaded(machine, config, 1,
                     [&](const observe::DeliveredPacket& packet) { seen.push_back(packet); });
  sc_core::sc_start(sc_core::sc_time(static_cast<double>(machine.clock_period_ps * end), sc_core::SC_PS));
  loaded.domain().rethrow_failure();
  if (end < load_cycles) loaded.cut_window(end);
  if (end > load_cycles) loaded.check_conservation();
  std::uint64_t accepted = 0;
  for (const auto& packet : seen) {
    for (unsigned flit = 0; flit < packet.flits; ++flit) {
      const Cycle at = packet.head_cycle + flit;
      accepted += at >= loaded.window_from() && at < loaded.window_to() ? 1 : 0;
    }
  }
  const auto fates = loaded.fates();
  std::set<NodeId> sources;
  for (const auto& packet : seen) sources.insert(packet.source);
  std::ostringstream lines;
  lines << loaded.window_from() << " " << loaded.window_to() << "\n"
        << "accepted " << loaded.metrics().flits_accepted << " " << accepted << "\n"
        << "delivered " << fates.delivered << " " << seen.size() << "\n"
        << "left " << fates.under_way << " " << fates.born - fates.delivered << "\n"
        << "sources " << sources.size() << "\n"
        << "in_flight " << loaded.metrics().flits_in_flight_at_end << " "
        << loaded.network().flits_in_flight() << "\n";
  return lines.str();
}

/// Sums over the heads that pass a link.
struct PacketSum final : PacketLinkProbe {
  bool on_send(Cycle, PacketTransfer& transfer) override {
    ++packets;
    payload_bytes += transfer.packet->payload_bytes;
    return true;
  }
  void on_room(unsigned, Cycle) override {}
  std::uint64_t packets = 0, payload_bytes = 0;
};

/// Payload of a packet in a run with packets of one length; "exception: ..." if it fails.
std::string payload_of(unsigned packet_flits) {
  return forked([packet_flits] {
    fabric::Cenju4Config machine;
    machine.network.topology.nodes = nodes;
    fabric::UniformLoadConfig config;
    config.flits_per_node_cycle = 0.3;
    config.packet_flits = packet_flits;
    config.load_cycles = 2000;
    UniformLoad loaded(machine, config, 1, {});
    PacketSum sum;
    loaded.network().from_node(0).set_probe(&sum);
    sc_core::sc_start();
    loaded.domain().rethrow_failure();
    return sum.packets == 0
               ? "no packet"
               : std::to_string(static_cast<double>(sum.payload_bytes) / static_cast<double>(sum.packets));
  });
}

}  // namespace

TEST_CASE("uniform load: a packet's flits beyond its header are its payload, 3 for each 8 bytes") {
  for (const unsigned words : {0U, 1U, 2U, 32U}) {
    CAPTURE(words);
    CHECK(std::stod(payload_of(7 + 3 * words)) == 8.0 * words);
  }
}

TEST_CASE("uniform load: what is accepted is counted over the second half of the load, flit by flit") {
  const std::string text = forked([] { return run(0.3, 5000); });
  std::istringstream lines(text);
  std::string name;
  std::uint64_t got = 0, wanted = 0;
  lines >> got >> wanted;
  CHECK(got == load_cycles / 2);
  CHECK(wanted == load_cycles);
  lines >> name >> got >> wanted;
  CHECK(got == wanted);
  // A binomial count of packets: its mean and four standard deviations.
  const double offered = 0.3 * nodes * (static_cast<double>(load_cycles) / 2);
  CHECK(static_cast<double>(got) == Approx(offered).margin(4 * std::sqrt(offered * 10)));
  lines >> name >> got >> wanted;
  CHECK(got == wanted);
  lines >> name >> got >> wanted;
  CHECK(got == 0);
  CHECK(wanted == 0);
  lines >> name >> got;
  CHECK(got == nodes);
}

TEST_CASE("uniform load: a run that ends within its load counts its packets under way and cuts its window") {
  const std::string text = forked([] { return run(0.9, 450); });
  CAPTURE(text);
  std::istringstream lines(text);
  std::string name;
  std::uint64_t got = 0, wanted = 0;
  lines >> got >> wanted;
  CHECK(got == 300);
  CHECK(wanted == 450);
  lines >> name >> got >> wanted >> name >> got >> wanted;
  CHECK(got == wanted);
  lines >> name >> got >> wanted;
  CHECK(got == wanted);
  CHECK(got > 0);
  lines >> name >> got >> name >> got >> wanted;
  CHECK(name == "in_flight");
  CHECK(got == wanted);
  CHECK(got > 0);
}

TEST_CASE("uniform load: no load is no packet") {
  const std::string text = forked([] { return run(0, 700); });
  CHECK(text == "300 600\naccepted 0 0\ndelivered 0 0\nleft 0 0\nsources 0\nin_flight 0 0\n");
}

TEST_CASE("uniform load: a run that ends before its window has an empty one") {
  const std::string text = forked([] { return run(0.9, 200); });
  CHECK(text.rfind("200 200\naccepted 0 0\n", 0) == 0);
}
