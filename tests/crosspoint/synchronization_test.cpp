// SPDX-License-Identifier: Apache-2.0

#include "support/catch.h"

using namespace tsuji;
using namespace tsuji::test;

namespace {

/// A node's part in barriers: it enters the next round of a sid some time after its release from the previous
/// one.
class Barriers {
 public:
  struct Group {
    unsigned sid;
    std::uint64_t members;
    unsigned rounds;
  };
};

/// Injector and sink of one node: sends a synchronization for each of its groups, waits for the completion,
/// waits a random time, and sends the next.
class Member final : public sc_core::sc_module, public Clocked {
 public:
  sc_core::sc_port<PacketOutIf> out;
  sc_core::sc_port<PacketInIf> in;

  Member(sc_core::sc_module_name name, ClockDomain& domain, PacketPool& pool,
         const graph::Multistage& network, NodeId node, std::vector<Barriers::Group> groups, unsigned pause,
         std::vector<std::vector<Cycle>>& entered, std::vector<std::vector<Cycle>>& first_release)
      : sc_module(name),
        Clocked(domain),
        out("out"),
        in("in"),
        pool_(pool),
        route_(network, node),
        node_(node),
        groups_(std::move(groups)),
        pause_(pause),
        entered_(entered),
        first_release_(first_release),
        random_(9, node) {
    for (const auto& group : groups_) {
      const bool member = (group.members >> node & 1U) != 0;
      round_.push_back(0);
      send_at_.push_back(member ? 1 + random_.below(pause_ + 1) : never);
    }
    wake_at(1);
  }

  bool finished() const {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if ((groups_[g].members >> node_ & 1U) != 0 && round_[g] != groups_[g].rounds) return false;
    }
    return true;
  }

  void step(Cycle now) override {
    PacketTransfer transfer;
    Cycle arrival = 0;
    while (in_->receive(now, transfer, arrival)) {
      in_->release(0, arrival + transfer.packet->flits);
      for (std::size_t g = 0; g < groups_.size(); ++g) {
        if (groups_[g].sid == transfer.packet->sid && (groups_[g].members >> node_ & 1U) != 0)
          released(g, now);
      }
    }
    for (std::size_t g = 0; g < groups_.size() && now >= free_at_; ++g) {
      if (send_at_[g] <= now) try_send(g, now);
    }
    Cycle next = never;
    for (const Cycle at : send_at_) next = std::min(next, std::max(at, free_at_));
    if (next != never) wake_at(std::max(next, now + 1));
  }

 private:
  void end_of_elaboration() override {
    out_ = out.operator->();
    in_ = in.operator->();
    out_->bind_sender(*this);
    in_->bind_receiver(*this, 1, 2, 0);
  }
  void released(std::size_t g, Cycle now) {
    auto& first = first_release_[g];
    first[round_[g]] = std::min(first[round_[g]], now);
    ++round_[g];
    send_at_[g] = round_[g] < groups_[g].rounds ? now + 1 + random_.below(pause_ + 1) : never;
  }
  void try_send(std::size_t g, Cycle now) {
    PacketRef ref = pool_.make();
    Packet& packet = ref.edit();
    packet.id = packet_id(node_, serial_++);
    packet.kind = PacketKind::synchronization;
    packet.sid = static_cast<std::uint8_t>(groups_[g].sid);
    packet.map = groups_[g].members;
    packet.source = node_;
    packet.flits = 10;
    const std::uint32_t ports = route_.next_ports(packet);
    if ((ports & ~out_->room(now)) != 0) {
      send_at_[g] = now + 1;
      return;
    }
    auto& last = entered_[g];
    last[round_[g]] = std::max(last[round_[g]], now);
    free_at_ = now + 10;
    send_at_[g] = never;
    out_->send(now, {std::move(ref), ports, 0});
  }

  PacketPool& pool_;
  graph::FirstRoute route_;
  NodeId node_;
  std::vector<Barriers::Group> groups_;
  unsigned pause_;
  std::vector<std::vector<Cycle>>& entered_;
  std::vector<std::vector<Cycle>>& first_release_;
  CounterRandom random_;
  std::vector<unsigned> round_;
  std::vector<Cycle> send_at_;
  Cycle free_at_ = 0;
  std::uint32_t serial_ = 0;
  PacketOutIf* out_ = nullptr;
  PacketInIf* in_ = nullptr;
};

struct BarrierBench {
  PacketPool pool;
  ClockDomain domain;
  network::CrosspointNetwork network;
  std::vector<std::vector<Cycle>> entered, first_release;  ///< [group][round]
  std::vector<std::unique_ptr<Member>> members;

  BarrierBench(unsigned nodes, unsigned radix, const std::vector<Barriers::Group>& groups, unsigned pause,
               ClockDomainConfig clock = {},
               crosspoint::SwitchMode mode = crosspoint::SwitchMode::event_per_packet)
      : domain("clock", clock), network("network", domain, config(nodes, radix, mode)) {
    for (const auto& group : groups) {
      entered.emplace_back(group.rounds, 0);
      first_release.emplace_back(group.rounds, never);
    }
    for (NodeId node = 0; node < nodes; ++node) {
      members.push_back(std::make_unique<Member>(("member" + std::to_string(node)).c_str(), domain, pool,
                                                 network.topology(), node, groups, pause, entered,
                                                 first_release));
      members.back()->out.bind(network.from_node(node));
      members.back()->in.bind(network.to_node(node));
    }
  }

  static network::CrosspointNetworkConfig config(unsigned nodes, unsigned radix,
                                                 crosspoint::SwitchMode mode) {
    network::CrosspointNetworkConfig c;
    c.topology.nodes = nodes;
    c.topology.radix = radix;
    c.crosspoint.mode = mode;
    return c;
  }

  /// Checks that no member leaves a round before all have entered it, and all complete all rounds.
  void run_and_check() {
    sc_core::sc_start();
    domain.rethrow_failure();
    for (const auto& member : members) CHECK(member->finished());
    bool safe = true;
    for (std::size_t g = 0; g < entered.size(); ++g) {
      for (std::size_t r = 0; r < entered[g].size(); ++r) safe = safe && first_release[g][r] > entered[g][r];
    }
    CHECK(safe);
    CHECK(network.counters().held == 0);
  }
};

std::vector<Barriers::Group> random_groups(unsigned nodes, unsigned count, unsigned rounds,
                                           std::uint64_t seed) {
  CounterRandom random(seed, 0);
  std::vector<Barriers::Group> groups;
  const std::uint64_t within = nodes == 64 ? ~0ULL : (1ULL << nodes) - 1;
  for (unsigned g = 0; g < count; ++g) {
    std::uint64_t members = 0;
    while (members == 0) members = random.next() & (g % 3 == 0 ? ~0ULL : random.next()) & within;
    groups.push_back({(g * 37 + 5) % 128, members, rounds});
  }
  return groups;
}

}  // namespace

TEST_CASE("100,000 barriers of 16 nodes, one after another without a pause") {
  BarrierBench bench(16, 4, {{7, 0xffff, 100000}}, 0);
  bench.run_and_check();
}
TEST_CASE(
    "barriers of random subsets of 64 nodes with crossing sids, and members that arrive early and late") {
  BarrierBench bench(64, 4, random_groups(64, 12, 150, 1), 300);
  bench.run_and_check();
}
TEST_CASE("128 sids at once on 64 nodes") {
  BarrierBench bench(64, 4, random_groups(64, 128, 6, 2), 10);
  bench.run_and_check();
}
TEST_CASE("barriers over 32 nodes on 2x2 switches") {
  BarrierBench bench(32, 2, random_groups(32, 10, 100, 3), 40);
  bench.run_and_check();
}
TEST_CASE("barriers over 32 nodes on 3x3 switches") {
  BarrierBench bench(32, 3, random_groups(32, 10, 100, 3), 40);
  bench.run_and_check();
}
TEST_CASE("barriers over 32 nodes on 4x4 switches") {
  BarrierBench bench(32, 4, random_groups(32, 10, 100, 3), 40);
  bench.run_and_check();
}
TEST_CASE("barriers over 32 nodes on 16x16 switches") {
  BarrierBench bench(32, 16, random_groups(32, 10, 100, 3), 40);
  bench.run_and_check();
}
TEST_CASE("crossing sids, flit by flit, in any order of modules") {
  ClockDomainConfig clock;
  clock.shuffle_seed = 17;
  BarrierBench bench(16, 4, random_groups(16, 9, 40, 4), 30, clock, crosspoint::SwitchMode::flit_by_flit);
  bench.run_and_check();
}
TEST_CASE("a sid that two sets of nodes use at once is a broken invariant") {
  BarrierBench bench(16, 4, {{7, 0x000f, 3}, {7, 0x0013, 3}}, 3);
  sc_core::sc_start();
  CHECK_THROWS_WITH(bench.domain.rethrow_failure(), Catch::Contains("in use by another set of nodes"));
}
