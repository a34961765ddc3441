// SPDX-License-Identifier: Apache-2.0
#include "tsuji/crosspoint/sync_table.h"
#include "support/thrown.h"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/core/flit.h"
#include "tsuji/core/random.h"

using namespace tsuji;
using crosspoint::SyncTable;

namespace {

/// An entry as a probe receives it.
using Told = std::tuple<Cycle, unsigned, std::uint32_t, std::uint32_t, std::uint32_t>;

struct Listener final : crosspoint::SyncProbe {
  void on_entry(Cycle at, unsigned sid, std::uint32_t arrived, std::uint32_t early,
                std::uint32_t owed) override {
    told.emplace_back(at, sid, arrived, early, owed);
  }
  std::vector<Told> told;
};

/// Reference of a sid by counting: packets of each input and output since the start, and the completing
/// packet of each complete round.
struct Rounds {
  std::uint64_t members = 0;
  std::uint32_t expected = 0, served = 0;
  std::map<unsigned, std::size_t> in, out;
  std::vector<PacketId> complete;

  std::uint32_t inputs_beyond(std::size_t rounds) const {
    std::uint32_t bits = 0;
    for (const auto& [input, count] : in) bits |= std::uint32_t{count > rounds} << input;
    return bits;
  }
  bool owes(unsigned output) const { return (served >> output & 1U) != 0 && taken(output) < complete.size(); }
  std::size_t taken(unsigned output) const { return out.count(output) == 0 ? 0 : out.at(output); }
  std::uint32_t owing(unsigned ports) const {
    std::uint32_t bits = 0;
    for (unsigned output = 0; output < ports; ++output) bits |= std::uint32_t{owes(output)} << output;
    return bits;
  }
};

/// Plays packets of many sids into a table, and takes the packets that it owes.
class TablePlayer {
 public:
  TablePlayer(unsigned radix, unsigned seed)
      : network_({radix * radix, radix, 2, 2}),
        route_(network_, 0, 1 % radix),
        ports_(radix),
        random_(21, seed),
        table_(route_, radix),
        next_sid_(radix, 0) {
    table_.set_probe(&listener_);
    for (const unsigned sid : {0U, 1U, 7U, 64U, 126U, 127U}) choose_members(sid);
  }

  void play(Cycle last) {
    for (Cycle now = 1; now < last && wrong_ == 0; ++now) {
      if (random_.below(2) == 0) enter_any(now);
      for (unsigned output = 0; output < ports_; ++output) {
        look(output);
        if (random_.below(3) == 0) take(output, now);
      }
      if (random_.below(8) == 0) change_members();
    }
    CHECK(wrong_ == 0);
    CHECK(completed_ > 30);
    CHECK(early_ > 10);
    CHECK(held_up_ > 5);
    CHECK(listener_.told == told_);
  }

 private:
  void check(bool right) { wrong_ += right ? 0 : 1; }

  void choose_members(unsigned sid) {
    Rounds fresh;
    while (fresh.expected == 0 || fresh.served == 0) {
      fresh.members =
          random_.next() & random_.next() &
          (network_.nodes() >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << network_.nodes()) - 1);
      fresh.expected = route_.expected_inputs(fresh.members);
      fresh.served = route_.served_outputs(fresh.members);
    }
    rounds_[sid] = fresh;
  }
  /// An idle sid may change to another set of nodes.
  void change_members() {
    for (auto& [sid, own] : rounds_) {
      if (own.inputs_beyond(own.complete.size()) != 0 || own.owing(ports_) != 0) continue;
      return choose_members(sid);
    }
  }

  void enter_any(Cycle now) {
    auto place = rounds_.begin();
    std::advance(place, random_.below(rounds_.size()));
    auto& [sid, own] = *place;
    const auto input = static_cast<unsigned>(random_.below(ports_));
    if ((own.expected >> input & 1U) == 0) return;
    // No member sends for the round after next before the previous round has left everywhere.
    for (unsigned output = 0; output < ports_; ++output) {
      if ((own.served >> output & 1U) != 0 && own.taken(output) + 1 < own.in[input]) return;
    }
    PacketRef packet = pool_.make_bare();
    packet.edit().kind = PacketKind::synchronization;
    packet.edit().id = packet_id(input, serial_++);
    packet.edit().sid = static_cast<std::uint8_t>(sid);
    packet.edit().map = own.members;
    packet.edit().flits = 10;
    const std::size_t before = own.complete.size();
    early_ += own.in[input] > before ? 1 : 0;
    ++own.in[input];
    std::size_t whole = own.in[input];
    for (unsigned i = 0; i < ports_; ++i)
      if ((own.expected >> i & 1U) != 0) whole = std::min(whole, own.in[i]);
    unsigned owed = 0;
    if (whole > before) {
      own.complete.push_back(packet->id);
      owed = static_cast<unsigned>(__builtin_popcount(own.served));
      ++completed_;
    }
    const std::uint16_t hops = 3;
    check(table_.enter(input, {packet, 1, hops}, now, "table") == owed);
    tell(now, sid);
  }

  void tell(Cycle at, unsigned sid) {
    const Rounds& own = rounds_.at(sid);
    const std::size_t done = own.complete.size();
    told_.emplace_back(at, sid, own.inputs_beyond(done), own.inputs_beyond(done + 1), own.owing(ports_));
  }

  std::uint32_t target(unsigned output, unsigned sid) {
    PacketRef packet = pool_.make_bare();
    packet.edit().kind = PacketKind::synchronization;
    packet.edit().map = rounds_.at(sid).members;
    return route_.next_ports(output, *packet);
  }

  /// Round robin over the sids that have room.
  int rule(unsigned output, std::uint32_t room) {
    for (unsigned step = 0; step < crosspoint::synchronization_ids; ++step) {
      const unsigned sid = (next_sid_[output] + step) % crosspoint::synchronization_ids;
      const auto found = rounds_.find(sid);
      const bool owed = found != rounds_.end() && found->second.owes(output);
      if (owed && (target(output, sid) & ~room) == 0) return static_cast<int>(sid);
    }
    return -1;
  }

  void look(unsigned output) {
    bool owes = false;
    std::uint32_t targets = 0;
    for (const auto& [sid, own] : rounds_) {
      if (!own.owes(output)) continue;
      owes = true;
      targets |= target(output, sid);
    }
    check(table_.owes(output) == owes);
    check(table_.targets(output) == targets);
  }

  void take(unsigned output, Cycle now) {
    const auto room = static_cast<std::uint32_t>(random_.next() | random_.next());
    const int sid = table_.choose(output, room);
    check(sid == rule(output, room));
    if (sid < 0 || wrong_ != 0) return;
    const auto taken = static_cast<unsigned>(sid);
    check(table_.target(output, sid) == target(output, taken));
    Rounds& own = rounds_.at(taken);
    const std::size_t round = own.out[output]++;
    held_up_ += own.complete.size() > round + 1 ? 1 : 0;
    next_sid_[output] = (taken + 1) % crosspoint::synchronization_ids;
    const PacketTransfer transfer = table_.take(output, sid, now);
    check(transfer.port_bits == target(output, taken) && transfer.hops == 3);
    check(transfer.packet && transfer.packet->id == own.complete[round] &&
          transfer.packet->map == own.members);
    tell(now + 1, taken);
  }

  const graph::Multistage network_;
  const graph::SwitchRoute route_;
  const unsigned ports_;
  CounterRandom random_;
  PacketPool pool_;  // outlives the table, which keeps packets
  SyncTable table_;
  Listener listener_;
  std::map<unsigned, Rounds> rounds_;
  std::vector<unsigned> next_sid_;
  std::vector<Told> told_;
  std::uint32_t serial_ = 0;
  unsigned wrong_ = 0, completed_ = 0, early_ = 0;
  unsigned held_up_ = 0;  ///< packets owed for a round while the next round's are owed, too
};

}  // namespace

TEST_CASE("rounds of many sids: owed packets, their outputs, rounds and order equal those counted") {
  for (unsigned seed = 0; seed < 8; ++seed) {
    const unsigned radix = seed % 3 == 0 ? 2 : seed % 3 == 1 ? 4 : 7;
    CAPTURE(seed, radix);
    TablePlayer(radix, seed).play(3000);
  }
}

namespace {

/// Four flips of a map, two in each of its first two flits, which neither parity nor ECC detects.
std::pair<FlitError, FlitError> unseen_flips() {
  for (std::uint64_t low = 0b11; low < 1U << flit_data_bits; ++low) {
    if (__builtin_popcountll(low) != 2) continue;
    for (unsigned first = 0; first < flit_data_bits; ++first) {
      for (unsigned second = 0; second < first; ++second) {
        const std::uint32_t high = 1U << first | 1U << second;
        if (ecc_of(low | std::uint64_t{high} << flit_data_bits) == 0)
          return {{1, false, static_cast<std::uint32_t>(low)}, {2, false, high}};
      }
    }
  }
  return {};
}

}  // namespace

TEST_CASE("a table drops packets that its check rejects, and undetected damage that fits no entry") {
  const graph::Multistage network({4, 4, 1, 2});
  const graph::SwitchRoute route(network, 0, 0);
  PacketPool pool;
  SyncTable table(route, 4);
  const std::uint64_t members = 0b0011;
  const auto packet = [&](std::initializer_list<FlitError> errors, unsigned sid = 9) {
    PacketRef ref = pool.make_bare();
    ref.edit().kind = PacketKind::synchronization;
    ref.edit().sid = static_cast<std::uint8_t>(sid);
    ref.edit().map = members;
    ref.edit().flits = 10;
    for (const FlitError& error : errors) REQUIRE(damage(ref.edit(), error));
    return PacketTransfer{ref, 1, 1};
  };
  const auto enter = [&](unsigned input, const PacketTransfer& transfer) {
    REQUIRE_FALSE(table.drops(input, transfer));
    return table.enter(input, transfer, 30, "some_switch");
  };
  const FlitError flip{5, false, 1};
  CHECK_FALSE(table.drops(0, packet({})));
  CHECK(table.drops(0, packet({flip})));
  CHECK(table.drops(0, packet({flip, flip})));  // passes the check, but there is no entry
  CHECK(enter(0, packet({})) == 0);
  CHECK(table.drops(1, packet({flip})));
  CHECK(table.drops(1, packet({{9, true, 0}})));
  CHECK(table.drops(3, packet({flip, flip})));  // no member at this input
  CHECK(table.drops(1, packet({flip, flip}, 8)));
  const auto [one, other] = unseen_flips();
  const PacketTransfer unseen = packet({one, other});
  REQUIRE(check_passes(*unseen.packet));
  REQUIRE(unseen.packet->map != members);
  CHECK(table.drops(1, unseen));
  CHECK(enter(0, packet({flip, flip})) == 0);  // for the next round
  CHECK(table.drops(0, packet({flip, flip})));
  CHECK(enter(1, packet({flip, flip})) > 0);
}

TEST_CASE("errors of a table name its switch, the cycle and the packet") {
  const graph::Multistage network({4, 4, 1, 2});
  const graph::SwitchRoute route(network, 0, 0);
  PacketPool pool;
  const auto packet = [&](std::uint64_t members) {
    PacketRef ref = pool.make_bare();
    ref.edit().kind = PacketKind::synchronization;
    ref.edit().id = packet_id(2, 5);
    ref.edit().sid = 9;
    ref.edit().map = members;
    return PacketTransfer{ref, 1, 1};
  };
  SyncTable table(route, 4);
  const auto refusal = [&](unsigned input, std::uint64_t members) -> std::string {
    return tsuji::test::text_of<ModelError>([&] { table.enter(input, packet(members), 30, "some_switch"); });
  };
  const std::string where = "some_switch, cycle 30, packet 2.5: ";
  CHECK(refusal(3, 0b0011) ==
        where + "a synchronization arrived at an input that leads to none of its members");
  CHECK(refusal(0, 0b0011).empty());
  CHECK(refusal(0, 0b0111) == where + "synchronization 9 is in use by another set of nodes");
  CHECK(refusal(0, 0b0011).empty());
  CHECK(refusal(0, 0b0011) ==
        where + "an input received a third synchronization before the first was complete");
  CHECK(refusal(1, 0b0011).empty());  // the first round completes
  CHECK(refusal(1, 0b0011).empty());  // and the second round
  CHECK(refusal(2, 0b0101) == where + "synchronization 9 is in use by another set of nodes");
  CHECK(refusal(0, 0b0011).empty());
  CHECK(refusal(1, 0b0011) == where + "an output has a third synchronization pending");
}
