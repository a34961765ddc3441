// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_channel.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"

using namespace tsuji;

namespace {

struct Timed {
  Cycle ready;
  Flit flit;
};

bool same(const Flit& a, const Flit& b) {
  return std::tie(a.packet, a.sequence, a.flags) == std::tie(b.packet, b.sequence, b.flags);
}

/// Reference: a virtual channel is a queue of flits and a queue of credits, each with its cycle.
struct ModelVc {
  std::deque<Timed> flits;
  std::deque<Cycle> credits;
  unsigned watched_line = 0;  ///< + 1
};

/// Reference of a calendar: busy indices, and indices that become busy in a later cycle.
struct ModelCalendar {
  std::set<unsigned> busy;
  std::map<Cycle, std::set<unsigned>> later;
  void announce(unsigned line, Cycle at, bool near) { (near ? later[at] : busy).insert(line); }
  const std::set<unsigned>& take(Cycle now) {
    busy.insert(later[now].begin(), later[now].end());
    later.erase(now);
    return busy;
  }
};

std::set<unsigned> lines_of(std::uint64_t word, unsigned w) {
  std::set<unsigned> lines;
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((word >> bit & 1U) != 0) lines.insert(64 * w + bit);
  return lines;
}

struct Told {
  unsigned vc;
  PacketIndex packet;  ///< of a flit
  Cycle first, second;
  bool operator==(const Told& o) const {
    return std::tie(vc, packet, first, second) == std::tie(o.vc, o.packet, o.first, o.second);
  }
};

struct Notes final : FlitProbe {
  Scope scope() const override { return heads_only ? Scope::heads : Scope::all; }
  void on_flit(const FlitChannel& channel, unsigned vc, const Flit& flit, Cycle departure,
               Cycle ready) override {
    flits.push_back({vc, flit.packet, departure, ready});
    taken_credits.push_back(channel.credit_taken());
  }
  void on_credit(const FlitChannel&, unsigned vc, Cycle now, Cycle usable) override {
    credits.push_back({vc, 0, now, usable});
  }
  bool heads_only = false;
  std::vector<Told> flits, credits;
  std::vector<Cycle> taken_credits;  ///< [flit]
};

struct Case {
  FlitChannelConfig channel;
  Cycle leaves_after = 1, after_arrival = 0;
  Cycle receiver_horizon = 0, sender_horizon = 0;
  unsigned first_line = 0;
  bool own_buffers = false;  ///< rings are not contiguous
  bool probed = false;
  bool heads_only = false;  ///< scope of the probe
  Cycle early = 0;  ///< with own_buffers: announces flits this many cycles before their arrival

  Cycle arrival() const {
    return channel.latency_cycles + (channel.whole_flit ? channel.flit_cycles - 1 : 0) + after_arrival;
  }
  Cycle ready_after() const { return leaves_after + arrival(); }
  Cycle credit_after() const { return 1 + channel.credit_latency_cycles + channel.credit_process_cycles; }
};

Case draw(CounterRandom& random) {
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random.below(bound)); };
  Case one;
  one.channel.vcs = 1 + below(16);
  one.channel.depth_flits = 1 + below(9);
  one.channel.latency_cycles = 1 + (below(4) == 0 ? below(150) : below(8));
  one.channel.flit_cycles = 1 + below(3);
  one.channel.whole_flit = below(2) == 0;
  one.channel.credit_latency_cycles = 1 + (below(4) == 0 ? below(100) : below(5));
  one.channel.credit_process_cycles = below(3);
  one.leaves_after = 1 + below(4);
  one.after_arrival = below(4);
  // Often shorter than the announced time.
  one.receiver_horizon = 1 + below(200);
  one.sender_horizon = 1 + below(40);
  one.first_line = 64 * below(3) + below(64 - one.channel.vcs + 1);
  one.own_buffers = below(2) == 0;
  one.probed = below(2) == 0;
  // A flit may be decided on one cycle before its arrival.
  if (one.own_buffers && below(3) == 0) one.early = below(static_cast<unsigned>(one.ready_after()) - 1);
  one.heads_only = below(2) == 0;
  return one;
}

/// A channel with both ends, and its reference.
class Bench {
 public:
  static constexpr unsigned lines = 192, watch_line = 120;

  Bench(const Case& drawn, std::uint64_t seed)
      : case_(drawn),
        random_(seed, 1),
        channel_(drawn.channel),
        receiver_(arena_, lines, drawn.receiver_horizon),
        sender_(arena_, lines, drawn.sender_horizon),
        model_(drawn.channel.vcs) {
    notes_.heads_only = drawn.heads_only;
    // Probes and ends may be set in any order.
    const bool probe_first = random_.below(2) == 0, sender_first = random_.below(2) == 0;
    if (drawn.probed && probe_first) channel_.set_probe(&notes_);
    if (sender_first) bind_sender();
    bind_receiver();
    if (!sender_first) bind_sender();
    if (drawn.probed && !probe_first) channel_.set_probe(&notes_);
    for (ModelVc& vc : model_) vc.credits.assign(drawn.channel.depth_flits, 0);
    CHECK(channel_.vcs() == drawn.channel.vcs);
    CHECK(channel_.depth_flits() == drawn.channel.depth_flits);
    CHECK(channel_.flit_cycles() == drawn.channel.flit_cycles);
    CHECK(channel_.ready_after() == drawn.arrival());
    CHECK(channel_.last_word_after() == drawn.arrival() - drawn.channel.latency_cycles - drawn.after_arrival);
  }

  void run(Cycle end) {
    // Times in which one end is nearly idle fill the buffers or empty them.
    for (Cycle now = 1; now < end; ++now) {
      const unsigned phase = static_cast<unsigned>(now / 200 % 3);
      look(now);
      if (random_.below(phase == 1 ? 8 : 2) == 0) pop_any(now);
      if (random_.below(phase == 2 ? 8 : 2) == 0) send_any(now);
      if (random_.below(40) == 0) kill_any();
      if (random_.below(10) == 0) watch_any();
    }
    check_told();
  }

 private:
  void bind_sender() { channel_.bind_sender({}, sender_, case_.leaves_after, end_); }
  void bind_receiver() {
    if (!case_.own_buffers)
      return channel_.bind_receiver({}, receiver_, case_.first_line, case_.after_arrival, arena_);
    struct Wide {
      FlitRing ring;
      std::array<std::uint64_t, 5> other;
    };
    static_assert(offsetof(Wide, ring) == 0);
    FlitBuffers buffers;
    buffers.first = &arena_.array<Wide>(case_.channel.vcs)->ring;
    buffers.stride_bytes = sizeof(Wide);
    buffers.slots = arena_.array<FlitSlot>(std::size_t{case_.channel.vcs} * case_.channel.depth_flits);
    channel_.bind_receiver({}, receiver_, case_.first_line, case_.after_arrival, buffers, case_.early);
  }

  /// Compares everything that the two ends and a probe may read in this cycle.
  void look(Cycle now) {
    std::uint64_t held = 0;
    Cycle last = 0;
    std::multiset<std::pair<PacketIndex, unsigned>> wires;
    unsigned wrong = 0;
    for (unsigned v = 0; v < model_.size(); ++v) {
      const ModelVc& vc = model_[v];
      const FlitRing& ring = channel_.ring(v);
      wrong += &ring == &end_.ring(v) ? 0 : 1;
      const auto at_hand =
          std::find_if(vc.credits.begin(), vc.credits.end(), [now](Cycle c) { return c > now; });
      wrong += ring.credits(now) == static_cast<unsigned>(at_hand - vc.credits.begin()) ? 0 : 1;
      wrong += ring.credit_at() == (vc.credits.empty() ? never : vc.credits.front()) ? 0 : 1;
      for (unsigned count = 1; count <= case_.channel.depth_flits; ++count)
        wrong +=
            ring.credits_at(count) == (count > vc.credits.size() ? never : vc.credits[count - 1]) ? 0 : 1;
      for (unsigned place = 0; place < case_.channel.depth_flits; ++place) {
        const FlitSlot& slot = ring.behind_front(place);
        const bool there = place < vc.flits.size();
        wrong += slot.holds_flit() == there ? 0 : 1;
        if (there)
          wrong += slot.cycle() == vc.flits[place].ready && same(slot.flit(), vc.flits[place].flit) ? 0 : 1;
      }
      wrong += &ring.front() == &ring.behind_front(0) ? 0 : 1;
      held += vc.flits.size();
      for (const Cycle credit : vc.credits) last = std::max(last, credit);
      for (const Timed& flit : vc.flits) {
        last = std::max(last, flit.ready);
        if (flit.ready > now && !flit.flit.is_killed()) wires.insert({flit.flit.packet, v});
      }
    }
    std::multiset<std::pair<PacketIndex, unsigned>> seen;
    channel_.visit_on_wires(now, [&seen](PacketIndex packet, unsigned vc) { seen.insert({packet, vc}); });
    wrong += seen == wires ? 0 : 1;
    wrong += channel_.flits_held() == held && channel_.last_event() == last ? 0 : 1;
    wrong += channel_.flits_sent() == sent_ && end_.flits() == sent_ ? 0 : 1;
    if (wrong != 0) FAIL("the channel is not what the reference says, cycle " << now);
    look_at(receiver_, model_receiver_, now);
    look_at(sender_, model_sender_, now);
  }

  void look_at(ArrivalCalendar& calendar, ModelCalendar& model, Cycle now) {
    const std::set<unsigned> expected = model.take(now);
    std::set<unsigned> announced, taken;
    for (unsigned w = 0; w < calendar.words(); ++w) {
      for (const unsigned line : lines_of(calendar.expected(w, now), w)) announced.insert(line);
      for (const unsigned line : lines_of(calendar.take(w, now), w)) taken.insert(line);
    }
    if (announced != expected || taken != expected)
      FAIL("a calendar is not what the reference says, cycle " << now);
    // The owner has handled some of them.
    for (const unsigned line : expected) {
      if (random_.below(2) == 0) continue;
      calendar.clear_busy(line);
      model.busy.erase(line);
    }
  }

  static bool reaches(Cycle horizon, Cycle cycles) {
    Cycle rows = 2;
    while (rows < 2 * horizon && rows < 128) rows *= 2;
    return 2 * cycles <= rows;
  }

  void send_any(Cycle now) {
    const auto v = static_cast<unsigned>(random_.below(model_.size()));
    ModelVc& vc = model_[v];
    Flit flit;
    flit.packet = static_cast<PacketIndex>(random_.below(20));
    flit.sequence = static_cast<std::uint16_t>(random_.next());
    flit.flags = static_cast<std::uint8_t>(Flit::is_flit | (random_.next() & (Flit::head | Flit::tail)));
    const bool may = now >= wires_free_at_ && !vc.credits.empty() && vc.credits.front() <= now;
    if (!may) {
      if (now >= wires_free_at_)
        CHECK_THROWS_WITH(channel_.send(now, v, flit), "channel, cycle " + std::to_string(now) + ": flit " +
                                                           std::to_string(flit.sequence) +
                                                           " sent without a credit on virtual channel " +
                                                           std::to_string(v));
      return;
    }
    // A flit may be decided on before its arrival, but its announcement is still in the future.
    const Cycle early = now > wires_free_at_ + 1 && random_.below(4) == 0 ? 1 : 0;
    const Cycle decided = case_.ready_after() > early ? now - early : now;
    if (decided == now && random_.below(2) == 0) {
      channel_.send(now, v, flit);
    } else {
      FlitSlot slot;
      slot.fill(flit, 12345);
      end_.send(now, decided, end_.ring(v), slot.identity(), slot.sequence());
    }
    const Cycle ready = decided + case_.ready_after(), credit = vc.credits.front();
    vc.credits.pop_front();
    vc.flits.push_back({ready, flit});
    wires_free_at_ = decided + case_.channel.flit_cycles;
    ++sent_;
    const Cycle told = ready - case_.early;
    model_receiver_.announce(case_.first_line + v, told, reaches(case_.receiver_horizon, told - now));
    if (case_.heads_only && !flit.is_head()) return;
    expected_.flits.push_back({v, flit.packet, decided + case_.leaves_after, ready});
    expected_.taken_credits.push_back(credit);
  }

  void pop_any(Cycle now) {
    const auto v = static_cast<unsigned>(random_.below(model_.size()));
    ModelVc& vc = model_[v];
    if (vc.flits.empty() || vc.flits.front().ready > now) {
      CHECK_THROWS_WITH(channel_.pop(now, v),
                        "channel, cycle " + std::to_string(now) +
                            ": the receiver takes a flit that is not there, on virtual channel " +
                            std::to_string(v));
      return;
    }
    if (random_.below(2) == 0) {
      channel_.pop(now, v);
    } else {
      channel_.pop_known(now, channel_.ring(v));
    }
    const Cycle usable = now + case_.credit_after();
    vc.flits.pop_front();
    vc.credits.push_back(usable);
    if (!case_.heads_only) expected_.credits.push_back({v, 0, now, usable});
    if (vc.watched_line == 0) return;
    model_sender_.announce(vc.watched_line - 1, usable, reaches(case_.sender_horizon, case_.credit_after()));
    vc.watched_line = 0;
  }

  void kill_any() {
    const auto packet = static_cast<PacketIndex>(random_.below(20));
    const auto only = static_cast<unsigned>(random_.below(2 * model_.size()));  // or on all of them
    unsigned count = 0;
    for (unsigned v = 0; v < model_.size(); ++v) {
      for (Timed& flit : model_[v].flits) {
        if (flit.flit.packet != packet || flit.flit.is_killed() || (only < model_.size() && v != only))
          continue;
        flit.flit.flags |= Flit::killed;
        ++count;
      }
    }
    CHECK((only < model_.size() ? channel_.kill(packet, only) : channel_.kill(packet)) == count);
  }

  void watch_any() {
    const auto v = static_cast<unsigned>(random_.below(model_.size()));
    channel_.watch_credit(v, watch_line + v);
    model_[v].watched_line = watch_line + v + 1;
  }

  void check_told() const {
    CHECK(sent_ > 10);
    if (!case_.probed) return;
    CHECK(notes_.flits == expected_.flits);
    CHECK(notes_.taken_credits == expected_.taken_credits);
    CHECK(notes_.credits == expected_.credits);
  }

  const Case case_;
  CounterRandom random_;
  Arena arena_;
  FlitChannel channel_;
  ArrivalCalendar receiver_, sender_;
  FlitSender end_;
  Notes notes_, expected_;
  std::vector<ModelVc> model_;
  ModelCalendar model_receiver_, model_sender_;
  Cycle wires_free_at_ = 0;
  std::uint64_t sent_ = 0;
};

}  // namespace

TEST_CASE("flit channel: flits, credits and calendars equal two queues a virtual channel") {
  CounterRandom random(77, 1);
  for (std::uint64_t number = 0; number < 120; ++number) {
    const Case one = draw(random);
    CAPTURE(number, one.channel.vcs, one.channel.depth_flits, one.channel.latency_cycles,
            one.receiver_horizon);
    Bench(one, number).run(1800);
  }
}

TEST_CASE("flit channel: a receiver that would see flits before they leave is refused") {
  FlitChannelConfig config;
  config.vcs = 1;
  config.latency_cycles = 2;
  Arena arena;
  ArrivalCalendar receiver(arena, 64, 4), sender(arena, 64, 4);
  for (const Cycle early : {4, 5}) {
    FlitChannel channel(config);
    FlitSender end;
    FlitBuffers buffers;
    buffers.first = arena.array<FlitRing>(1);
    buffers.slots = arena.array<FlitSlot>(config.depth_flits);
    channel.bind_receiver({}, receiver, 0, 2, buffers, early);
    if (early == 4) {
      channel.bind_sender({}, sender, 1, end);  // a flit takes five cycles to the receiver
    } else {
      CHECK_THROWS_WITH(channel.bind_sender({}, sender, 1, end),
                        Catch::Contains("see flits 5 cycles early, and their latency is 5"));
    }
  }
}
