// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"
#include "tsuji/link/flit_link.h"

// A link between two modules of a clock: the cycles in which its ends are woken, under every wake-up
// mechanism.

using namespace tsuji;

namespace {

struct Passed {
  unsigned vc;
  PacketIndex packet;
  Cycle at, ready;
  bool operator==(const Passed& o) const {
    return vc == o.vc && packet == o.packet && at == o.at && ready == o.ready;
  }
};

struct Count final : FlitProbe {
  void on_flit(const FlitChannel&, unsigned, const Flit&, Cycle, Cycle) override { ++flits; }
  void on_credit(const FlitChannel&, unsigned, Cycle, Cycle) override { ++credits; }
  unsigned flits = 0, credits = 0;
};

/// Takes arriving flits in the cycle in which it is woken, and records both.
class Receiver final : public Clocked {
 public:
  Receiver(ClockDomain& domain, Arena& arena, Cycle horizon, bool every_flit)
      : Clocked(domain), calendar(arena, 16, horizon, every_flit) {}
  void step(Cycle now) override {
    woken.push_back(now);
    std::uint64_t busy = calendar.take(0, now);
    for (; busy != 0; busy &= busy - 1) {
      const auto vc = static_cast<unsigned>(__builtin_ctzll(busy));
      calendar.clear_busy(vc);
      const FlitSlot& front = front_of(vc);
      if (front.holds_flit() && front.cycle() <= now) {
        taken.push_back({vc, front.packet(), now, front.cycle()});
        channel->pop(now, vc);
      }
      // The announcement was early, over a long cable, or it belonged to the next flit.
      if (front_of(vc).holds_flit()) calendar.announce(vc, now, front_of(vc).cycle());
    }
  }
  const FlitSlot& front_of(unsigned vc) const { return channel->ring(vc).front(); }
  ArrivalCalendar calendar;
  FlitChannel* channel = nullptr;
  std::vector<Cycle> woken;
  std::vector<Passed> taken;
};

/// Sends a flit in every cycle of a list on the next virtual channel, as soon as it has the credit.
class Sender final : public Clocked {
 public:
  Sender(ClockDomain& domain, Arena& arena, std::vector<Cycle> cycles)
      : Clocked(domain), calendar(arena, 16, 64), cycles_(std::move(cycles)) {
    wake_at(cycles_.front());
  }
  void step(Cycle now) override {
    woken.push_back(now);
    if (const std::uint64_t lines = calendar.take(0, now)) told.emplace_back(now, lines);
    calendar.busy(0) = 0;
    if (next_ == cycles_.size() || now < cycles_[next_]) return;
    const auto vc = static_cast<unsigned>(next_ % channel->vcs());
    if (channel->ring(vc).credit_at() > now) {
      const Cycle at = channel->ring(vc).credit_at();
      if (at == never) return channel->watch_credit(vc, 5);
      return wake_at(at);
    }
    Flit flit;
    flit.packet = static_cast<PacketIndex>(next_);
    flit.flags = Flit::is_flit;
    channel->send(now, vc, flit);
    sent.push_back({vc, flit.packet, now, 0});
    if (++next_ < cycles_.size()) wake_at(std::max(cycles_[next_], now + 1));
  }
  ArrivalCalendar calendar;
  FlitChannel* channel = nullptr;
  std::vector<Cycle> woken;
  std::vector<Passed> sent;
  std::vector<std::pair<Cycle, std::uint64_t>> told;  ///< indices of the calendar

 private:
  const std::vector<Cycle> cycles_;
  std::size_t next_ = 0;
};

/// Mode of a link's run, and the reach of its receiver's calendar.
struct Way {
  ProcessMode mode;
  bool probed;
  Cycle horizon;
  bool every_flit;
};

struct Wired {
  Wired(const std::string& name, const Way& way, const FlitChannelConfig& config,
        const std::vector<Cycle>& cycles)
      : domain(name.c_str(), clock(way.mode)),
        link(domain, 'l', 7, &config, nullptr),
        receiver(domain, arena, way.horizon, way.every_flit),
        sender(domain, arena, cycles) {
    FlitChannel& channel = *link.forward();
    receiver.channel = sender.channel = &channel;
    channel.bind_receiver(receiver.waker(), receiver.calendar, 0, 0, arena);
    channel.bind_sender(sender.waker(), sender.calendar, 1, end);
    if (way.probed) channel.set_probe(&count);
  }
  static ClockDomainConfig clock(ProcessMode mode) {
    ClockDomainConfig config;
    config.mode = mode;
    return config;
  }
  Arena arena;
  ClockDomain domain;
  FlitLink link;
  Receiver receiver;
  Sender sender;
  FlitSender end;
  Count count;
};

}  // namespace

TEST_CASE(
    "flit link: both ends are woken for the cycles in which flits and credits arrive, and for no others") {
  CounterRandom random(3, 3);
  // The fast mode and its alternatives: a process for each module, a probe, calendars that reach less or
  // further than the domain's wheel.
  const std::vector<Way> ways = {{ProcessMode::one_for_all, false, 400, false},
                                 {ProcessMode::process_each, false, 400, false},
                                 {ProcessMode::one_for_all, true, 400, false},
                                 {ProcessMode::one_for_all, false, 1, false},
                                 {ProcessMode::one_for_all, false, 1000, true}};
  std::vector<std::vector<std::unique_ptr<Wired>>> all;
  std::vector<FlitChannelConfig> configs;
  for (unsigned number = 0; number < 40; ++number) {
    FlitChannelConfig config;
    config.vcs = 1 + static_cast<unsigned>(random.below(4));
    config.depth_flits = 1 + static_cast<unsigned>(random.below(4));
    config.latency_cycles = number < 30 ? 1 + random.below(60) : 200 + random.below(600);
    config.credit_latency_cycles = 1 + random.below(10);
    std::vector<Cycle> cycles;
    Cycle at = 0;
    for (unsigned f = 0; f < 60; ++f) cycles.push_back(at += 1 + random.below(f % 20 < 10 ? 3 : 100));
    all.emplace_back();
    configs.push_back(config);
    for (std::size_t w = 0; w < ways.size(); ++w)
      all.back().push_back(std::make_unique<Wired>("wired" + std::to_string(number) + "_" + std::to_string(w),
                                                   ways[w], config, cycles));
  }
  sc_core::sc_start();
  for (std::size_t c = 0; c < all.size(); ++c) {
    CAPTURE(c, configs[c].latency_cycles, configs[c].depth_flits);
    for (std::size_t w = 0; w < ways.size(); ++w) {
      Wired& one = *all[c][w];
      one.domain.rethrow_failure();
      CAPTURE(w);
      REQUIRE(one.sender.sent.size() == 60);
      REQUIRE(one.receiver.taken.size() == 60);
      std::set<Cycle> ready;
      for (std::size_t f = 0; f < 60; ++f) {
        const Passed& taken = one.receiver.taken[f];
        CHECK(taken.packet == f);
        CHECK(taken.at == taken.ready);
        CHECK(taken.at == one.sender.sent[f].at + 1 + configs[c].latency_cycles);
        ready.insert(taken.at);
      }
      CHECK(one.receiver.woken == std::vector<Cycle>(ready.begin(), ready.end()));
      CHECK(one.sender.sent == all[c][0]->sender.sent);
      CHECK(one.sender.woken == all[c][0]->sender.woken);
      // A credit is announced to the sender in the cycle in which it can be used, and in no other.
      CHECK(one.sender.told == all[c][0]->sender.told);
      for (const auto& [at, lines] : one.sender.told) {
        CHECK(lines == std::uint64_t{1} << 5);
        CHECK(std::any_of(one.sender.sent.begin(), one.sender.sent.end(),
                          [cycle = at](const Passed& sent) { return sent.at == cycle; }));
      }
    }
    CHECK(all[c][2]->count.flits == 60);
    CHECK(all[c][2]->count.credits == 60);
  }
  CHECK(all[0][0]->link.forward()->name() == "wired0_0.l7->");
}
