// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/thrown.h"
#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"
#include "tsuji/core/random.h"
#include "tsuji/crosspoint/crosspoint_state.h"
#include "tsuji/crosspoint/flit_crosspoint.h"

using namespace tsuji;
using crosspoint::CrosspointConfig;
using crosspoint::CrosspointState;
using crosspoint::FlitCrosspoint;
using crosspoint::SwitchCounters;

namespace {

struct Listener final : crosspoint::SyncProbe {
  void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                std::uint32_t owed) override {
    told.emplace_back(at, sid, arrived, early, owed);
  }
  std::vector<std::tuple<Cycle, unsigned, std::uint32_t, std::uint32_t, std::uint32_t>> told;
};

struct Surroundings {
  CrosspointConfig config;
  unsigned stages = 2;
  unsigned stall_cycles = 0;  ///< longest time for which a FIFO of the next switch stays full
  unsigned idle_cycles = 6;   ///< approximate gap of an input between two packets
  bool stray_copies = false;  ///< port bits may name outputs that reach no member
  std::uint64_t seed = 1;
};

/// A head that leaves the switch.
struct Sent {
  Cycle at;
  unsigned output;
  PacketId id;
  std::uint32_t port_bits;
  std::uint16_t hops;
  bool operator==(const Sent& o) const {
    return std::tie(at, output, id, port_bits, hops) == std::tie(o.at, o.output, o.id, o.port_bits, o.hops);
  }
};

/// The first switch of a stage without the rest of a network: packets enter as its FIFOs have slots, and
/// leave into FIFOs of the next switch. The bench counts separately what the switch should hold and have
/// counted.
template <class State>
class Bench {
 public:
  explicit Bench(const Surroundings& around)
      : around_(around),
        ports_(around.config.ports),
        network_({ports_ * ports_, ports_, around.stages, 2}),
        route_(network_, 0, 0),
        state_(around.config, route_, "some_switch"),
        inputs_(ports_),
        fifos_(ports_ * ports_),
        room_at_(ports_, std::vector<Cycle>(ports_, 0)) {
    state_.set_sync_probe(&listener);
    for (unsigned input = 0; input < ports_; ++input)
      inputs_[input].random = CounterRandom(around.seed, input);
    for (auto& fifo : fifos_) fifo.usable.assign(around.config.fifo_packets, 0);
    for (const unsigned sid : {3U, 127U}) {
      CounterRandom random(around.seed, 1000 + sid);
      Group group;
      while (__builtin_popcount(route_.expected_inputs(group.members)) < 2)
        group.members = random.next() & random.next() & nodes();
      groups_[sid] = group;
    }
  }

  void run(Cycle busy_until) {
    std::set<Cycle> wakes;
    for (Cycle now = 1; now < busy_until + 60000; ++now) {
      ending_ = now >= busy_until;
      if (!ending_ || !rounds_even()) feed(now);
      if (ending_ && at_rest() && rounds_even()) break;
      if (due_.erase(now) == 0) continue;
      now_ = now;
      const Cycle next = state_.step(now, *this);
      check(next > now);
      if (next != never) due_.insert(next);
      compare();
    }
    check_end();
  }

  // Channels of the state.

  bool receive(unsigned input, Cycle now, PacketTransfer& transfer, Cycle& arrival) {
    auto& coming = inputs_[input].coming;
    if (coming.empty() || coming.front().first > now) return false;
    arrival = coming.front().first;
    transfer = coming.front().second;
    coming.pop_front();
    for (unsigned output = 0; output < ports_; ++output) {
      if ((transfer.port_bits >> output & 1U) == 0) continue;
      fifo(input, output).held.push_back(transfer.packet);
      ++held_;
      held_flits_ += transfer.packet->flits;
    }
    ++received_;
    if (transfer.packet->kind == PacketKind::multicast)
      replicated_ += static_cast<unsigned>(__builtin_popcount(transfer.port_bits)) - 1U;
    return true;
  }
  std::uint32_t room(unsigned output, Cycle now) const {
    std::uint32_t bits = 0;
    for (unsigned f = 0; f < ports_; ++f) bits |= std::uint32_t{room_at_[output][f] <= now} << f;
    return bits;
  }
  void send(unsigned output, Cycle now, PacketTransfer&& transfer) {
    const Packet& packet = *transfer.packet;
    check(now == now_ && (transfer.port_bits & ~room(output, now)) == 0 && transfer.port_bits != 0);
    check(sending_until_[output] <= now);
    check(transfer.port_bits == route_.next_ports(output, packet));
    sent.push_back({now, output, packet.id, transfer.port_bits, transfer.hops});
    sending_until_[output] = now + packet.flits;
    flits_before_ += packet.flits;
    CounterRandom stall(packet.id, output);
    for (unsigned f = 0; f < ports_; ++f) {
      if ((transfer.port_bits >> f & 1U) != 0)
        room_at_[output][f] = now + packet.flits + 2 + stall.below(around_.stall_cycles + 1);
    }
    if (packet.kind != PacketKind::synchronization) {
      --held_;
      held_flits_ -= packet.flits;
      // After a synchronization a packet is the head when the table has freed the synchronization's slot.
      return check(now >= fifo(static_cast<unsigned>(packet.id >> 32U), output).table_freed_at);
    }
    ++completions_;
    Group& group = groups_.at(packet.sid);
    const std::size_t round = group.out[output]++;
    check(round < group.completing.size() && group.completing[round] == packet.id);
  }
  void release(unsigned input, unsigned output, Cycle at) {
    Fifo& from = fifo(input, output);
    if (from.held.empty()) return check(false);
    const Packet& packet = *from.held.front();
    check(at >= now_);
    from.usable.push_back(at + 2);
    const bool lost = packet.kind == PacketKind::multicast && route_.next_ports(output, packet) == 0;
    if (lost || packet.kind == PacketKind::synchronization) {
      --held_;
      held_flits_ -= packet.flits;
    }
    const bool hit = packet.kind == PacketKind::synchronization && packet.spelling.error_count != 0;
    dropped_ += lost || hit ? 1 : 0;
    if (packet.kind == PacketKind::synchronization && !hit) {
      ++merged_;
      enter(groups_.at(packet.sid), input, packet.id);
    }
    if (packet.kind == PacketKind::synchronization) from.table_freed_at = at;
    from.held.pop_front();
  }
  void wait_room(unsigned output, Cycle now, std::uint32_t fifos) {
    check(fifos != 0 && (fifos & room(output, now)) == 0);
    for (unsigned f = 0; f < ports_; ++f)
      if ((fifos >> f & 1U) != 0) due_.insert(std::max(now + 1, room_at_[output][f]));
  }

  std::vector<Sent> sent;
  Listener listener;
  const SwitchCounters& counters() const { return state_.counters(); }

 private:
  struct Input {
    CounterRandom random{0, 0};
    std::deque<std::pair<Cycle, PacketTransfer>> coming;
    Cycle free_at = 1;
    std::uint32_t serial = 0;
  };
  struct Fifo {
    std::deque<PacketRef> held;
    std::deque<Cycle> usable;  ///< for each slot, the cycle from which it may be filled
    Cycle table_freed_at = 0;  ///< cycle in which the last synchronization's slot is freed
  };
  struct Group {
    std::uint64_t members = 0;
    std::map<unsigned, unsigned> in, entered, out;
    std::vector<PacketId> completing;  ///< the last packet of each round that has been at the table
  };

  void check(bool right) { wrong_ += right ? 0 : 1; }
  Fifo& fifo(unsigned input, unsigned output) { return fifos_[input * ports_ + output]; }
  /// A round is complete when all its inputs have been at the table.
  void enter(Group& group, unsigned input, PacketId packet) {
    ++group.entered[input];
    std::size_t whole = group.entered[input];
    for (unsigned i = 0; i < ports_; ++i)
      if ((route_.expected_inputs(group.members) >> i & 1U) != 0)
        whole = std::min<std::size_t>(whole, group.entered[i]);
    if (whole > group.completing.size()) group.completing.push_back(packet);
  }
  std::uint64_t nodes() const {
    const unsigned count = ports_ * ports_;
    return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  }
  bool at_rest() const {
    bool coming = false;
    for (const Input& input : inputs_) coming = coming || !input.coming.empty();
    return !coming && due_.empty() && held_ == 0;
  }
  bool rounds_even() {
    for (auto& [sid, group] : groups_) {
      std::set<unsigned> counts;
      for (unsigned port = 0; port < ports_; ++port) {
        if ((route_.expected_inputs(group.members) >> port & 1U) != 0) counts.insert(group.in[port]);
      }
      if (counts.size() > 1) return false;
    }
    return true;
  }

  /// The output at which a packet enters its FIFO, by the destination's first digit.
  std::uint32_t outputs_of(std::uint64_t map) const {
    std::uint32_t bits = 0;
    for (unsigned node = 0; node < 64 && node < ports_ * ports_; ++node)
      if ((map >> node & 1U) != 0) bits |= std::uint32_t{1} << (node / ports_);
    return bits;
  }

  /// Sends at most one packet an input, if the channel and its FIFOs are free.
  void feed(Cycle now) {
    for (unsigned number = 0; number < ports_; ++number) {
      Input& input = inputs_[number];
      if (input.free_at > now) continue;
      input.free_at = now + 1;
      CounterRandom& random = input.random;
      if (random.below(around_.idle_cycles) != 0) continue;
      PacketRef ref = pool_.make_bare();
      Packet& packet = ref.edit();
      packet.id = packet_id(number, input.serial);
      packet.flits = static_cast<std::uint16_t>(7 + random.below(3) * random.below(30));
      std::uint32_t ports = 0;
      unsigned sid = 0;
      const auto kind = random.below(8);
      if (kind < 4) {
        packet.destination = static_cast<NodeId>(random.below(ports_ * ports_));
        ports = std::uint32_t{1} << (packet.destination.node() / ports_);
      } else if (kind < 6) {
        packet.kind = PacketKind::multicast;
        packet.map = random.next() & random.next() & nodes();
        ports = outputs_of(packet.map);
        if (around_.stray_copies) ports |= static_cast<std::uint32_t>(random.next() & random.next());
        ports &= (std::uint32_t{1} << ports_) - 1U;
      } else {
        sid = kind == 6 ? 3 : 127;
        packet.kind = PacketKind::synchronization;
        packet.sid = static_cast<std::uint8_t>(sid);
        packet.map = groups_.at(sid).members;
        packet.flits = synchronization_flits();
        const std::uint32_t all = outputs_of(packet.map);
        ports = all & (~all + 1U);
        if (!may_enter(groups_.at(sid), number)) ports = 0;
        if (random.below(4) == 0) spoil(packet, random);
      }
      if (ports == 0 || !takes(number, ports, now)) continue;
      if (packet.kind == PacketKind::synchronization && packet.spelling.error_count == 0)
        ++groups_.at(sid).in[number];
      for (unsigned output = 0; output < ports_; ++output)
        if ((ports >> output & 1U) != 0) fifo(number, output).usable.pop_front();
      ++input.serial;
      input.free_at = now + packet.flits;
      input.coming.emplace_back(now, PacketTransfer{std::move(ref), ports, 4});
      due_.insert(now + state_.least_delay());
    }
  }
  /// All flits are here when the table reads.
  std::uint16_t synchronization_flits() const {
    const CrosspointConfig& config = around_.config;
    return static_cast<std::uint16_t>(
        std::min(10U, config.synchronization_cycles - config.table_access_cycles));
  }
  /// Injects one error, which every check detects.
  static void spoil(Packet& packet, CounterRandom& random) {
    FlitError error;
    error.flit = static_cast<std::uint16_t>(random.below(packet.flits));
    error.lost = random.below(4) == 0;
    error.flip = 1U << random.below(flit_bits);
    damage(packet, error);
  }
  bool takes(unsigned input, std::uint32_t ports, Cycle now) {
    for (unsigned output = 0; output < ports_; ++output) {
      const auto& usable = fifo(input, output).usable;
      if ((ports >> output & 1U) != 0 && (usable.empty() || usable.front() > now)) return false;
    }
    return true;
  }
  /// No member sends for the round after next before the previous round has left everywhere.
  bool may_enter(Group& group, unsigned input) {
    if ((route_.expected_inputs(group.members) >> input & 1U) == 0) return false;
    if (ending_ && std::all_of(group.in.begin(), group.in.end(),
                               [&](const auto& other) { return other.second <= group.in[input]; }))
      return false;
    for (unsigned output = 0; output < ports_; ++output) {
      const bool served = (route_.served_outputs(group.members) >> output & 1U) != 0;
      if (served && group.out[output] + 1 < group.in[input]) return false;
    }
    return true;
  }

  void compare() {
    const SwitchCounters& counted = state_.counters();
    for (unsigned input = 0; input < ports_; ++input) {
      for (unsigned output = 0; output < ports_; ++output) {
        const Fifo& own = fifo(input, output);
        check(state_.held(input, output) == own.held.size());
        const PacketTransfer* const head = state_.head(input, output);
        check((head == nullptr) == own.held.empty());
        if (head == nullptr || own.held.empty()) continue;
        check(head->packet->id == own.held.front()->id && head->hops == 5 &&
              head->port_bits == route_.next_ports(output, *head->packet));
      }
    }
    check(counted.packets_received == received_ && counted.packets_sent == sent.size());
    check(counted.merged == merged_ && counted.dropped == dropped_);
    check(counted.held == held_ && counted.held_flits == held_flits_);
    check(counted.flits_sent == flits_before_);
  }

  void check_end() {
    const SwitchCounters& counted = state_.counters();
    CHECK(wrong_ == 0);
    CHECK(at_rest());
    CHECK(counted.replicated == replicated_ + completions_);
    CHECK(counted.packets_received + counted.replicated - counted.merged - counted.dropped ==
          counted.packets_sent + counted.held);
    CHECK(completions_ > 5);
    CHECK(dropped_ > 5);
    CHECK(sent.size() > 100);
  }

  const Surroundings around_;
  const unsigned ports_;
  const graph::Multistage network_;
  const graph::SwitchRoute route_;
  PacketPool pool_;
  State state_;
  std::vector<Input> inputs_;
  std::vector<Fifo> fifos_;
  std::vector<std::vector<Cycle>> room_at_;  ///< [output][FIFO of the next switch]
  std::map<unsigned, Cycle> sending_until_;
  std::map<unsigned, Group> groups_;  ///< by sid
  std::set<Cycle> due_;
  Cycle now_ = 0;
  bool ending_ = false;  ///< started rounds complete, and no others start
  std::uint64_t received_ = 0, replicated_ = 0, merged_ = 0, dropped_ = 0, completions_ = 0;
  std::uint64_t held_ = 0, held_flits_ = 0, flits_before_ = 0;
  unsigned wrong_ = 0;
};

/// Runs both modes in equal surroundings, each against the counts, and packet for packet against the other.
void both_modes(const Surroundings& around, Cycle busy_until = 4000) {
  CAPTURE(around.config.ports, around.config.fifo_packets, around.stall_cycles, around.seed);
  Bench<CrosspointState> events(around);
  Bench<FlitCrosspoint> flits(around);
  events.run(busy_until);
  flits.run(busy_until);
  const bool same_packets = events.sent == flits.sent;
  CHECK(same_packets);
  const bool same_rounds = events.listener.told == flits.listener.told;
  CHECK(same_rounds);
  CHECK(events.counters().flits_sent == flits.counters().flits_sent);
}

Surroundings around(unsigned ports, unsigned fifo_packets, unsigned stall_cycles, std::uint64_t seed) {
  Surroundings result;
  result.config.ports = ports;
  result.config.fifo_packets = fifo_packets;
  result.stall_cycles = stall_cycles;
  result.stray_copies = seed % 2 == 0;
  result.seed = seed;
  return result;
}

}  // namespace

TEST_CASE(
    "a switch alone: FIFOs, counters and packets of both modes, by number of ports and depth of FIFOs") {
  std::uint64_t seed = 1;
  for (const unsigned ports : {2U, 3U, 4U, 8U}) {
    for (const unsigned packets : {1U, 2U, 4U}) both_modes(around(ports, packets, 0, seed++));
  }
}

TEST_CASE("a switch alone: FIFOs of the next switch that stay full for long") {
  for (std::uint64_t seed = 20; seed < 26; ++seed) both_modes(around(4, 1 + seed % 3, 150, seed));
}

TEST_CASE("a switch alone: the shortest times, and a slow table") {
  Surroundings quick = around(4, 2, 10, 30);
  quick.config.single_cast_cycles = quick.config.multicast_cycles = 2;
  quick.config.table_access_cycles = 1;
  quick.config.synchronization_cycles = 3;
  both_modes(quick);
  Surroundings slow = around(3, 2, 10, 31);
  slow.config.single_cast_cycles = 20;
  slow.config.multicast_cycles = 4;
  slow.config.table_access_cycles = 25;
  slow.config.synchronization_cycles = 27;
  slow.config.reserve_after = 1;
  both_modes(slow);
  // A table that is busy long after the rest of the switch is idle.
  slow.idle_cycles = 150;
  both_modes(slow, 40000);
}

TEST_CASE("a switch alone, of 16 ports") {
  both_modes(around(16, 1, 20, 40), 800);
}

TEST_CASE("a packet into a FIFO without a slot stops the run, in both modes") {
  const graph::Multistage network({4, 4, 1, 2});
  const graph::SwitchRoute route(network, 0, 0);
  PacketPool pool;
  struct Flood {
    PacketPool& pool;
    unsigned left;
    bool receive(unsigned input, Cycle now, PacketTransfer& transfer, Cycle& arrival) {
      if (input != 1 || left == 0) return false;
      --left;
      PacketRef packet = pool.make_bare();
      packet.edit().id = packet_id(1, left);
      packet.edit().flits = 7;
      arrival = now;
      transfer = {std::move(packet), 0b0100, 0};
      return true;
    }
    static std::uint32_t room(unsigned, Cycle) { return 0; }
    static void send(unsigned, Cycle, PacketTransfer&&) {}
    static void release(unsigned, unsigned, Cycle) {}
    static void wait_room(unsigned, Cycle, std::uint32_t) {}
  };
  CrosspointConfig config;
  config.fifo_packets = 3;
  const auto flooded = [&](auto&& state, unsigned packets) -> std::string {
    Flood flood{pool, packets};
    return tsuji::test::text_of<ModelError>([&] { state.step(50, flood); });
  };
  CHECK(flooded(CrosspointState(config, route, "some_switch"), 3).empty());
  CHECK(flooded(FlitCrosspoint(config, route, "some_switch"), 3).empty());
  CHECK_THAT(
      flooded(CrosspointState(config, route, "some_switch"), 4),
      Catch::Contains("some_switch, cycle ") && Catch::Contains("packet 1.0: crosspoint FIFO overrun"));
  CHECK(flooded(FlitCrosspoint(config, route, "some_switch"), 4) ==
        "some_switch, cycle 50, packet 1.0: crosspoint FIFO overrun");
}
