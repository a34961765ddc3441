// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "network/dense_rig.h"
#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/instruments/packet_ledger.h"
#include "tsuji/link/packet_link.h"
#include "tsuji/traffic/link_bridge.h"

// Nodes with bridges in networks of neighbourhoods: their packets and counts are those of modules.

using namespace tsuji;
using namespace tsuji::network;
using namespace tsuji::network::test;
using namespace tsuji::network::test::drawn_dense;

namespace {

/// A network interface in front of a bridge: it sends packets to drawn nodes at drawn times, and frees the
/// place of a packet that it receives after a time of the packet.
class Interface final : public Clocked {
 public:
  Interface(VcRig& rig, NodeId node, std::uint64_t seed, Cycle slowest, PacketLink& out, PacketLink& in)
      : Clocked(rig.loaded->domain()),
        pool_(rig.loaded->pool()),
        node_(node),
        seed_(seed),
        slowest_(slowest),
        out_(out),
        in_(in),
        random_(seed, 1000 + node) {
    out_.bind_sender(*this);
    in_.bind_receiver(*this, 1, 1 + static_cast<unsigned>(seed % 2), 0);
    for (NodeId other = 0; other < rig.plan.topology.nodes(); ++other)
      if (rig.plan.nodes.state(other) == workload::NodeState::living) living_.push_back(other);
    if (rig.plan.nodes.state(node) != workload::NodeState::living) left_ = 0;
    wake_at(1 + random_.below(80));
  }
  void step(Cycle now) override {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (in_.receive(now, transfer, arrival)) {
      const PacketId id = transfer.packet->id;
      text_ += std::to_string(now) + " " + packet_name(id) + "; ";
      in_.release(0, now + transfer.packet->flits + CounterRandom(seed_, id).below(slowest_ + 1));
      transfer.packet.reset();
    }
    if (left_ == 0 || now < next_) return;
    next_ = now + 1;
    if ((out_.room(now) & 1U) != 0) send(now);
    if (left_ != 0) wake_at(next_);
  }
  /// Cycle and name of each packet that has come.
  const std::string& text() const { return text_; }

 private:
  void send(Cycle now) {
    PacketRef reference = pool_.make_bare();
    Packet& packet = reference.edit();
    packet.id = packet_id(node_, serial_++);
    packet.created = now;
    packet.source = node_;
    // Half of the packets go to two nodes.
    std::size_t to = random_.below(random_.below(2) == 0 ? living_.size() : 2);
    if (living_[to] == node_) to = (to + 1) % living_.size();
    packet.destination = living_[to];
    packet.flits = static_cast<std::uint16_t>(1 + random_.below(5));
    next_ = now + packet.flits + (random_.below(3) == 0 ? random_.below(60) : 0);
    out_.send(now, {std::move(reference), 1, 0});
    --left_;
  }

  PacketPool& pool_;
  const NodeId node_;
  std::vector<NodeId> living_;
  const std::uint64_t seed_;
  const Cycle slowest_;
  PacketLink &out_, &in_;
  CounterRandom random_;
  unsigned left_ = 25;
  std::uint32_t serial_ = 0;
  Cycle next_ = 0;
  std::string text_;
};

/// A network of network_of() in which packets fit into a buffer and hold the switch.
NetworkConfig whole_network_of(std::uint64_t seed) {
  CounterRandom random(seed, 28);
  NetworkConfig config = network_of(seed);
  VcNetworkConfig& n = config.network;
  n.buffer_flits = 5 + static_cast<unsigned>(random.below(8));
  n.router.switching = Switching::virtual_cut_through;
  n.router.switch_hold = router::SwitchHold::packet;
  n.router.prediction.kind = "none";
  n.router.vc_change_cycles = n.router.block_timeout_cycles = n.router.hop_limit = 0;
  if (config.routing.kind == "detour_ud") config.routing.kind = "dimension_order";
  config.dead = {};
  n.vcs = std::min(n.vcs, 5U);
  return config;
}

/// deliveries() of a network with bridges, whose interfaces take up to `slowest` cycles for a packet.
/// `whole`: of whole_network_of().
std::string bridged_deliveries(std::uint64_t seed, const How& how, Cycle slowest, bool whole = false) {
  return tsuji::test::forked([=] {
    VcRig rig(whole ? whole_network_of(seed) : network_of(seed));
    const unsigned nodes = rig.plan.topology.nodes();
    traffic::LinkBridgeConfig bridge;
    bridge.fifo_packets = 1 + static_cast<unsigned>(seed % 3);
    bridge.ready_packets = 1 + static_cast<unsigned>(seed / 3 % 2);
    std::vector<std::unique_ptr<PacketLink>> from(nodes), to(nodes);
    rig.parts->sources_have_channels = true;
    rig.parts->only_results = how.dense;
    rig.parts->heads_are_observed = how.records;
    rig.parts->counts_waits = how.waits;
    if (!whole) rig.parts->retry = retry_of(seed);
    rig.build([&](NodeId node) {
      const std::string name = std::to_string(node);
      from[node] = std::make_unique<PacketLink>(("from" + name).c_str(), 1 + seed % 3);
      to[node] = std::make_unique<PacketLink>(("to" + name).c_str(), 1 + seed / 3 % 3);
      return std::make_unique<traffic::LinkBridge>(bridge, *from[node], *to[node], node, nodes);
    });
    const bool counts_no_waits = rig.plan.routing->recovery() != nullptr || rig.config.lookup.in_switch();
    if (rig.loaded->network().is_dense() != (how.dense && !(counts_no_waits && how.waits)))
      throw std::logic_error("another driver");
    std::vector<std::unique_ptr<Interface>> interfaces;
    for (NodeId node = 0; node < nodes; ++node)
      interfaces.push_back(std::make_unique<Interface>(rig, node, seed, slowest, *from[node], *to[node]));
    std::unique_ptr<instruments::PacketLedger> ledger;
    std::unique_ptr<instruments::PortWaits> port_waits;
    if (how.records)
      ledger =
          std::make_unique<instruments::PacketLedger>(rig.loaded->network(), rig.loaded->pool_of_heads());
    if (how.waits) port_waits = std::make_unique<instruments::PortWaits>(rig.loaded->network());
    std::string text;
    CounterRandom random(seed, 15);
    for (Cycle stop = 50 + random.below(100); stop < 1500; stop += 1 + random.below(200)) {
      // A machine runs the kernel itself.
      if (seed % 2 == 0) {
        rig.loaded->run_to(stop);
      } else {
        const auto until = rig.loaded->domain().time_of(stop) - sc_core::sc_time::from_value(1);
        run_for(until - sc_core::sc_time_stamp());
      }
      rig.loaded->check_conservation();
      text += std::to_string(stop) + ": " + (whole ? totals(rig) : counts(rig) + states(rig) + repeats(rig));
      std::vector<PacketId> in_flight;
      rig.loaded->network().visit_packets_in_flight([&](PacketIndex packet) {
        if (!whole) in_flight.push_back(rig.loaded->pool().at(packet).id);
      });
      std::sort(in_flight.begin(), in_flight.end());
      for (const PacketId packet : in_flight) text += packet_name(packet) + " ";
      if (port_waits) text += waits(*port_waits, rig.loaded->now());
    }
    rig.loaded->run_to(20'000);
    rig.loaded->check_conservation();
    for (const auto& [id, packet] : rig.by_packet()) {
      text += packet_name(id) + " " + std::to_string(packet.injected) + " " +
              std::to_string(packet.head_cycle) + " " + std::to_string(packet.tail_cycle) + "; ";
      if (!ledger) continue;
      for (const Cycle part : ledger->take(packet)) text += " " + std::to_string(part);
    }
    for (const auto& one : interfaces) text += one->text();
    // Routers count whole packets with their heads, of which some may be in flight.
    return text + (whole ? totals(rig) : counts(rig) + repeats(rig));
  });
}

void compare_bridged(std::uint64_t first, std::uint64_t last) {
  unsigned slower = 0;
  std::uint64_t repeated = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const Cycle slowest = seed % 4 * 15;
    const std::string expected = bridged_deliveries(seed, {false}, slowest);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    REQUIRE(expected.size() > 3000);
    repeated += last_count(expected, "packets_repeated=");
    CHECK(first_difference(expected, bridged_deliveries(seed, {true}, slowest)) == "");
    if (seed % 4 == 3 && bridged_deliveries(seed, {true}, 0) != expected) ++slower;
    const bool records = seed % 3 != 1, waits = seed % 3 != 2;
    const How watched{false, true, 1, records, waits}, densely{true, true, 1, records, waits};
    if (seed % 2 == 0)
      CHECK(first_difference(bridged_deliveries(seed, watched, slowest),
                             bridged_deliveries(seed, densely, slowest)) == "");
  }
  // What is compared happens.
  CHECK(slower > (last - first) / 5);
  CHECK(repeated > 10 * (last - first));
}

void compare_whole_bridged(std::uint64_t first, std::uint64_t last) {
  unsigned slower = 0, compared = 0;
  for (std::uint64_t seed = first; seed < last; ++seed) {
    const Cycle slowest = seed % 4 * 15;
    const std::string expected = bridged_deliveries(seed, {false}, slowest, true);
    CAPTURE(seed, expected.substr(0, 200));
    REQUIRE(expected.rfind("exception: ", 0) != 0);
    const std::string dense = bridged_deliveries(seed, {true}, slowest, true);
    if (dense == "exception: another driver") continue;  // too many virtual channels
    ++compared;
    CHECK(first_difference(expected, dense) == "");
    if (seed % 4 == 3 && bridged_deliveries(seed, {true}, 0, true) != expected) ++slower;
  }
  CHECK(compared > (last - first) / 2);
  CHECK(slower > (last - first) / 10);
}

}  // namespace

TEST_CASE("dense: nodes with bridges, whose interfaces have no room at times, are those of modules") {
  compare_bridged(1, 60);
}

TEST_CASE("dense: nodes with bridges pass whole packets as modules pass flits") {
  compare_whole_bridged(1, 100);
}

TEST_CASE("dense: nodes with bridges are those of modules in thousands of networks", "[.][long]") {
  compare_bridged(60, 2000);
  compare_whole_bridged(100, 3000);
}
