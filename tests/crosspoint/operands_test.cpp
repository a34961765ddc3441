// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/combine.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"
#include "tsuji/crosspoint/crosspoint_switch.h"
#include "tsuji/network/crosspoint/crosspoint_network.h"

using namespace tsuji;
using crosspoint::SwitchMode;

namespace {

/// Operands that a member sends one after another on one sid, each some time after the last result.
struct Reduction {
  unsigned sid = 7;
  std::uint64_t members = 0;
  unsigned words = 1;
  Combine operation = Combine::sum;
  unsigned rounds = 1;
  unsigned pause = 0;
  NodeId damaged = ~NodeId{0};  ///< after this node bits flip such that operand() arrives

  bool has(NodeId node) const { return (members >> node & 1U) != 0; }
  unsigned flits() const { return 10 + 3 * words; }
  std::uint64_t operand(NodeId node, unsigned round, unsigned word) const {
    return CounterRandom(sid, node).bits(round * 64 + word);
  }
  std::uint64_t result(unsigned round, unsigned word) const {
    std::uint64_t sum = 0;
    auto least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    for (NodeId node = 0; node < 64; ++node) {
      if (!has(node)) continue;
      sum += operand(node, round, word);
      least = std::min(least, static_cast<std::int64_t>(operand(node, round, word)));
      most = std::max(most, static_cast<std::int64_t>(operand(node, round, word)));
    }
    return operation == Combine::sum ? sum
                                     : static_cast<std::uint64_t>(operation == Combine::min ? least : most);
  }
};

class Member final : public sc_core::sc_module, public Clocked {
 public:
  sc_core::sc_port<PacketOutIf> out;
  sc_core::sc_port<PacketInIf> in;

  Member(sc_core::sc_module_name name, ClockDomain& domain, PacketPool& pool,
         const graph::Multistage& network, NodeId node, std::vector<Reduction> reductions)
      : sc_module(name),
        Clocked(domain),
        out("out"),
        in("in"),
        pool_(pool),
        route_(network, node),
        node_(node),
        reductions_(std::move(reductions)),
        random_(9, node) {
    for (const Reduction& one : reductions_) {
      rounds_.push_back(0);
      send_at_.push_back(one.has(node) ? 1 + random_.below(one.pause + 1) : never);
    }
    wake_at(1);
  }

  void step(Cycle now) override {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (in_->receive(now, transfer, arrival)) {
      in_->release(0, arrival + transfer.packet->flits);
      for (std::size_t r = 0; r < reductions_.size(); ++r)
        if (reductions_[r].sid == transfer.packet->sid) take(r, *transfer.packet, arrival);
    }
    Cycle next = never;
    for (std::size_t r = 0; r < reductions_.size(); ++r) {
      if (now >= free_at_ && send_at_[r] <= now) send(r, now);
      next = std::min(next, std::max(send_at_[r], free_at_));
    }
    if (next != never) wake_at(std::max(next, now + 1));
  }

  bool finished() const {
    for (std::size_t r = 0; r < reductions_.size(); ++r)
      if (reductions_[r].has(node_) && rounds_[r] != reductions_[r].rounds) return false;
    return true;
  }

  Cycle last_head = 0;
  unsigned wrong = 0;

 private:
  void end_of_elaboration() override {
    out_ = out.operator->();
    in_ = in.operator->();
    out_->bind_sender(*this);
    in_->bind_receiver(*this, 1, 2, 0);
  }
  void take(std::size_t r, const Packet& packet, Cycle arrival) {
    const Reduction& one = reductions_[r];
    last_head = arrival;
    if (packet.payload_bytes != 8 * one.words || packet.flits != one.flits()) ++wrong;
    for (unsigned word = 0; word < one.words; ++word) {
      std::uint64_t value = 0;
      std::memcpy(&value, packet.payload.data() + std::size_t{8} * word, 8);
      if (value != one.result(rounds_[r], word)) ++wrong;
    }
    ++rounds_[r];
    send_at_[r] = rounds_[r] < one.rounds ? arrival + 1 + random_.below(one.pause + 1) : never;
  }
  void send(std::size_t r, Cycle now) {
    const Reduction& one = reductions_[r];
    PacketRef ref = pool_.make();
    Packet& packet = ref.edit();
    packet.id = packet_id(node_, serial_++);
    packet.kind = PacketKind::synchronization;
    packet.sid = static_cast<std::uint8_t>(one.sid);
    packet.map = one.members;
    packet.source = node_;
    packet.payload_bytes = static_cast<std::uint16_t>(8 * one.words);
    packet.flits = static_cast<std::uint16_t>(one.flits());
    packet.header[0] = static_cast<std::uint64_t>(one.operation) << 46;
    for (unsigned word = 0; word < one.words; ++word) {
      const std::uint64_t value = one.operand(node_, rounds_[r], word);
      std::memcpy(packet.payload.data() + std::size_t{8} * word, &value, 8);
    }
    // A damaged packet is dropped unless the table has the set of members already.
    if (node_ == one.damaged && rounds_[r] > 0) flip_unseen(packet);
    const std::uint32_t ports = route_.next_ports(packet);
    if ((ports & ~out_->room(now)) != 0) {
      send_at_[r] = now + 1;
      return;
    }
    free_at_ = now + one.flits();
    send_at_[r] = never;
    out_->send(now, {std::move(ref), ports, 0});
  }

  /// Lets another first word be sent, and then flips those bits of its flits by which this differs.
  static void flip_unseen(Packet& packet) {
    std::vector<FlitBits> arriving;
    for (unsigned flit = 0; flit < packet.flits; ++flit) arriving.push_back(spell_flit(packet, 1, flit));
    packet.payload.data()[0] ^= std::byte{0x5a};
    packet.payload.data()[5] ^= std::byte{0xff};
    for (unsigned flit = 0; flit < packet.flits; ++flit) {
      FlitError error;
      error.flit = static_cast<std::uint16_t>(flit);
      error.flip = spell_flit(packet, 1, flit) ^ arriving[flit];
      if (error.flip != 0) packet.spelling.errors[packet.spelling.error_count++] = error;
    }
    CHECK(packet.spelling.error_count > 0);
    CHECK(check_passes(packet));
  }

  PacketPool& pool_;
  graph::FirstRoute route_;
  NodeId node_;
  std::vector<Reduction> reductions_;
  CounterRandom random_;
  std::vector<unsigned> rounds_;
  std::vector<Cycle> send_at_;
  Cycle free_at_ = 0;
  std::uint32_t serial_ = 0;
  PacketOutIf* out_ = nullptr;
  PacketInIf* in_ = nullptr;
};

struct OperandBench {
  PacketPool pool;
  ClockDomain domain{"clock", {}};
  network::CrosspointNetwork network;
  std::vector<std::unique_ptr<Member>> members;

  /// `of` gives the reductions that a node knows.
  template <class Of>
  OperandBench(const network::CrosspointNetworkConfig& config, const Of& of, crosspoint::SwitchKind kind = {})
      : network("network", domain, config, kind) {
    network.set_pool(pool);
    for (NodeId node = 0; node < network.topology().nodes(); ++node) {
      members.push_back(std::make_unique<Member>(("member" + std::to_string(node)).c_str(), domain, pool,
                                                 network.topology(), node, of(node)));
      members.back()->out.bind(network.from_node(node));
      members.back()->in.bind(network.to_node(node));
    }
  }
  void run() {
    sc_core::sc_start();
    domain.rethrow_failure();
  }
  void run_and_check() {
    run();
    for (const auto& member : members) {
      CHECK(member->finished());
      CHECK(member->wrong == 0);
    }
    CHECK(network.counters().held == 0);
  }
};

network::CrosspointNetworkConfig config_of(unsigned nodes, unsigned stages,
                                           SwitchMode mode = SwitchMode::event_per_packet) {
  network::CrosspointNetworkConfig config;
  config.topology.nodes = nodes;
  config.topology.stages = stages;
  config.crosspoint.mode = mode;
  return config;
}

/// All nodes of 4^stages send in cycle 1. At each switch four operands of F flits arrive at once: the table
/// reads the first when its last flit is there and its pipeline has passed it, and the others in turn.
void closed_form(unsigned stages, unsigned words, unsigned cycles_per_word, SwitchMode mode) {
  CAPTURE(stages, words, cycles_per_word);
  const unsigned nodes = stages == 1 ? 4 : 16;
  network::CrosspointNetworkConfig config = config_of(nodes, stages, mode);
  config.crosspoint.combine_cycles_per_word = cycles_per_word;
  const Reduction all{7, (std::uint64_t{1} << nodes) - 1, words};
  OperandBench bench(config, [&](NodeId) { return std::vector<Reduction>{all}; });
  bench.run_and_check();
  const Cycle read = std::max<Cycle>(16 - 2 - 1, all.flits() - 1);
  const Cycle at_switch = read + 4 * Cycle{2 + words * cycles_per_word} + 1;
  for (const auto& member : bench.members) CHECK(member->last_head == 1 + 1 + stages * at_switch);
}

std::string failure_of(const std::vector<Reduction>& one_a_node, crosspoint::SwitchKind kind = {}) {
  OperandBench bench(
      config_of(4, 1),
      [&](NodeId node) { return std::vector<Reduction>{one_a_node[node % one_a_node.size()]}; }, kind);
  try {
    bench.run();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an operand through one switch takes its closed form's cycles: one word") {
  closed_form(1, 1, 1, SwitchMode::event_per_packet);
}
TEST_CASE("an operand through one switch takes its closed form's cycles: a line") {
  closed_form(1, 16, 1, SwitchMode::event_per_packet);
}
TEST_CASE("an operand through one switch takes its closed form's cycles: a line, flit by flit") {
  closed_form(1, 16, 1, SwitchMode::flit_by_flit);
}
TEST_CASE("an operand through one switch takes its closed form's cycles: combined at once") {
  closed_form(1, 4, 0, SwitchMode::event_per_packet);
}
TEST_CASE("an operand through two stages takes its closed form's cycles: one word") {
  closed_form(2, 1, 3, SwitchMode::event_per_packet);
}
TEST_CASE("an operand through two stages takes its closed form's cycles: five words, flit by flit") {
  closed_form(2, 5, 3, SwitchMode::flit_by_flit);
}
TEST_CASE("an operand through two stages takes its closed form's cycles: a line") {
  closed_form(2, 16, 1, SwitchMode::event_per_packet);
}

namespace {

/// Several groups with crossing members, whose rounds overlap.
std::vector<Reduction> crossing(unsigned rounds) {
  return {{3, 0xffff, 1, Combine::sum, rounds, 0},   {9, 0xf0f3, 16, Combine::min, rounds, 200},
          {64, 0x0ff0, 5, Combine::max, rounds, 40}, {127, 0x8001, 2, Combine::sum, rounds, 400},
          {0, 0xaaaa, 8, Combine::max, rounds, 3},   {1, 0xffff, 0, Combine::sum, rounds, 90}};
}

}  // namespace

TEST_CASE("sums, minima and maxima reach all members, in rounds that overlap") {
  OperandBench bench(config_of(16, 2), [](NodeId) { return crossing(300); });
  bench.run_and_check();
}
TEST_CASE("sums, minima and maxima reach all members, flit by flit") {
  OperandBench bench(config_of(16, 2, SwitchMode::flit_by_flit), [](NodeId) { return crossing(40); });
  bench.run_and_check();
}

TEST_CASE("operands of a round that differ in length are a broken invariant") {
  CHECK_THAT(failure_of({{7, 0xf, 2}, {7, 0xf, 3}}), Catch::Contains("others of its round have"));
}
TEST_CASE("an operand among a barrier's packets is a broken invariant") {
  CHECK_THAT(failure_of({{7, 0xf, 0}, {7, 0xf, 1}}), Catch::Contains("others of its round have"));
}
TEST_CASE("operands of a round that differ in their operation are a broken invariant") {
  CHECK_THAT(failure_of({{7, 0xf, 2}, {7, 0xf, 2, Combine::min}}), Catch::Contains("or another operation"));
}
TEST_CASE("an operand of more than a line is a broken invariant") {
  CHECK_THAT(failure_of({{7, 0xf, 17}}), Catch::Contains("cannot combine: 136 bytes"));
}
TEST_CASE("an operation that does not exist is a broken invariant") {
  CHECK_THAT(failure_of({{7, 0xf, 1, static_cast<Combine>(3)}}), Catch::Contains("operation 3"));
}
TEST_CASE("a switch that does not combine refuses an operand") {
  crosspoint::SwitchKind kind = crosspoint::crosspoint_switch({});
  kind.combines = false;
  CHECK_THAT(failure_of({{7, 0xf, 1}}, kind), Catch::Contains("cannot combine operands"));
}
TEST_CASE("a switch that does not combine takes a barrier's packets") {
  crosspoint::SwitchKind kind = crosspoint::crosspoint_switch({});
  kind.combines = false;
  CHECK(failure_of({{7, 0xf, 0}}, kind).empty());
}

TEST_CASE("an error that the check does not see changes the operand that is combined, once") {
  std::vector<Reduction> all;
  for (const NodeId node : {0U, 6U, 15U}) {
    all.push_back({3 + node, 0xffff, 3, Combine::sum, 20, 30});
    all.back().damaged = node;
  }
  OperandBench bench(config_of(16, 2), [&](NodeId) { return all; });
  bench.run_and_check();
}
