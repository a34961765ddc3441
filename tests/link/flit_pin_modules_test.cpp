// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_pin_modules.h"

#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/random.h"

// Flits and credits over pins against those over a ring that both ends share: equal in every cycle.

using namespace tsuji;

namespace {

struct Event {
  Cycle at;
  unsigned vc;
  Flit flit;
  bool operator==(const Event& o) const {
    return at == o.at && vc == o.vc && flit.packet == o.flit.packet && flit.sequence == o.flit.sequence &&
           flit.flags == o.flit.flags;
  }
};

/// Sends packets of one to four flits on different virtual channels, at most one flit a cycle, with pauses.
class Source final : public Clocked {
 public:
  Source(ClockDomain& domain, Arena& arena, std::uint64_t seed, unsigned packets)
      : Clocked(domain), calendar(arena, 16, 64), random_(seed, 1), left_(packets) {
    wake_at(5);
  }
  void step(Cycle now) override {
    calendar.take(0, now);
    calendar.busy(0) = 0;
    if (now < next_at_ || left_ == 0) return;
    if (flit_.sequence == 0) vc_ = static_cast<unsigned>(random_.bits(16 * flit_.packet) % channel->vcs());
    const Cycle credit = channel->ring(vc_).credit_at();
    if (credit == never) return channel->watch_credit(vc_, 3);
    if (credit > now) return wake_at(credit);
    const auto flits = static_cast<std::uint16_t>(1 + random_.bits(16 * flit_.packet + 1) % 4);
    const bool last = flit_.sequence + 1 == flits;
    flit_.flags = static_cast<std::uint8_t>(Flit::is_flit | (flit_.sequence == 0 ? Flit::head : 0) |
                                            (last ? Flit::tail : 0));
    channel->send(now, vc_, flit_);
    sent.push_back({now, vc_, flit_});
    next_at_ = now + 1;
    ++flit_.sequence;
    if (last) {
      next_at_ += random_.bits(16 * flit_.packet + 2) % 3 * (random_.bits(16 * flit_.packet + 3) % 30);
      ++flit_.packet;
      flit_.sequence = 0;
      --left_;
    }
    wake_at(next_at_);
  }
  ArrivalCalendar calendar;
  FlitChannel* channel = nullptr;
  FlitSender end;
  std::vector<Event> sent;

 private:
  const CounterRandom random_;
  unsigned left_;
  Flit flit_;
  unsigned vc_ = 0;
  Cycle next_at_ = 0;
};

/// Takes at most one flit of each virtual channel a cycle, some of them late.
class Drain final : public Clocked {
 public:
  Drain(ClockDomain& domain, Arena& arena, std::uint64_t seed)
      : Clocked(domain), calendar(arena, 16, 64), random_(seed, 2) {}
  void step(Cycle now) override {
    calendar.take(0, now);
    calendar.busy(0) = 0;
    Cycle again = never;
    for (unsigned vc = 0; vc < channel->vcs(); ++vc) {
      const FlitSlot& front = channel->ring(vc).front();
      if (!front.holds_flit()) continue;
      const Cycle late = random_.bits(64 * front.packet() + front.sequence()) % 4;
      if (front.cycle() + late * late <= now) {
        taken.push_back({now, vc, front.flit()});
        ready.push_back(front.cycle());
        channel->pop(now, vc);
      }
      if (channel->ring(vc).front().holds_flit()) again = now + 1;
    }
    if (again != never) wake_at(again);
  }
  ArrivalCalendar calendar;
  FlitChannel* channel = nullptr;
  std::vector<Event> taken;
  std::vector<Cycle> ready;

 private:
  const CounterRandom random_;
};

struct Ends {
  Ends(ClockDomain& domain, std::uint64_t seed, unsigned packets)
      : source(domain, arena, seed, packets), drain(domain, arena, seed) {}
  void bind(FlitChannel& from, FlitChannel& to, Cycle leaves_after) {
    source.channel = &from;
    drain.channel = &to;
    to.bind_receiver(drain.waker(), drain.calendar, 0, 0, arena);
    from.bind_sender(source.waker(), source.calendar, leaves_after, source.end);
  }
  Arena arena;
  Source source;
  Drain drain;
};

struct OverRing {
  OverRing(ClockDomain& domain, const FlitChannelConfig& config, Cycle leaves_after, std::uint64_t seed)
      : ends(domain, seed, 60), channel(config) {
    ends.bind(channel, channel, leaves_after);
  }
  Ends ends;
  FlitChannel channel;
};

struct OverPins {
  OverPins(const std::string& name, ClockDomain& domain, const FlitChannelConfig& config, Cycle leaves_after,
           std::uint64_t seed)
      : ends(domain, seed, 60),
        near(channel_to_pins(config)),
        far(config),
        wires(name),
        to_pins((name + "_to_pins").c_str(), domain, near, ends.arena),
        from_pins((name + "_from_pins").c_str(), domain, far, ends.arena) {
    ends.bind(near, far, leaves_after);
    to_pins.bind(wires);
    from_pins.bind(wires);
  }
  Ends ends;
  FlitChannel near, far;
  FlitWires wires;
  FlitsToPins to_pins;
  PinsToFlits from_pins;
};

void same_flits(ProcessMode mode) {
  ClockDomainConfig clock;
  clock.mode = mode;
  clock.offset_ps = mode == ProcessMode::process_each ? 3000 : 0;
  ClockDomain domain("clock", clock);
  CounterRandom random(4, 4);
  std::vector<std::unique_ptr<OverRing>> rings;
  std::vector<std::unique_ptr<OverPins>> pins;
  for (unsigned number = 0; number < 24; ++number) {
    FlitChannelConfig config;
    config.vcs = 1 + static_cast<unsigned>(random.below(4));
    config.depth_flits = 1 + static_cast<unsigned>(random.below(4));
    config.latency_cycles = 1 + random.below(5);
    config.credit_latency_cycles = 1 + random.below(4);
    config.credit_process_cycles = random.below(3);
    const Cycle leaves_after = 1 + random.below(3);
    rings.push_back(std::make_unique<OverRing>(domain, config, leaves_after, number));
    pins.push_back(
        std::make_unique<OverPins>("pins" + std::to_string(number), domain, config, leaves_after, number));
  }
  sc_core::sc_start();
  domain.rethrow_failure();
  for (std::size_t number = 0; number < rings.size(); ++number) {
    CAPTURE(number);
    const Ends& direct = rings[number]->ends;
    const Ends& apart = pins[number]->ends;
    CHECK(direct.drain.taken.size() > 90);
    const bool same_sent = apart.source.sent == direct.source.sent;
    const bool same_taken = apart.drain.taken == direct.drain.taken;
    CHECK(same_sent);
    CHECK(same_taken);
    CHECK(apart.drain.ready == direct.drain.ready);
    CHECK(pins[number]->near.flits_held() == 0);
    CHECK_FALSE(pins[number]->wires.valid.read());
    CHECK(pins[number]->wires.credit.read() == 0);
  }
}

}  // namespace

TEST_CASE("flits over pins: sent, taken and credited in the cycles of a channel without pins") {
  same_flits(ProcessMode::one_for_all);
}

TEST_CASE("flits over pins, with a process for each module and a clock with a late start") {
  same_flits(ProcessMode::process_each);
}

namespace {

/// Replaces one end of the link, and drives its wires wrongly in a cycle.
class Driver final : public sc_core::sc_module, public Clocked {
 public:
  Driver(sc_core::sc_module_name name, ClockDomain& domain, FlitWires& wires, bool flit)
      : sc_module(name), Clocked(domain), wires_(wires), flit_(flit) {
    wake_at(10);
    wake_at(11);
  }
  void step(Cycle now) override {
    if (flit_) {
      wires_.vc.write(9);
      wires_.valid.write(now == 10);
    } else {
      wires_.credit.write(now == 10 ? 1 : 0);
    }
  }

 private:
  FlitWires& wires_;
  const bool flit_;
};

/// Two ends that send nothing, each on a separate channel; a Driver drives the wires between the channels.
struct Driven {
  ClockDomain domain{"clock", {}};
  Ends ends{domain, 1, 0};
  FlitChannel near{channel_to_pins({})}, far{FlitChannelConfig{}};
  FlitWires wires{"wires"};

  Driven() { ends.bind(near, far, 1); }
};

}  // namespace

TEST_CASE("a flit on the pins for a nonexistent virtual channel stops the run in its cycle") {
  Driven one;
  PinsToFlits from_pins("from_pins", one.domain, one.far, one.ends.arena);
  from_pins.bind(one.wires);
  Driver driver("driver", one.domain, one.wires, true);
  sc_core::sc_start();
  CHECK_THROWS_WITH(one.domain.rethrow_failure(),
                    Catch::Contains("cycle 10: a flit on the pins for virtual channel 9 of 4"));
}

TEST_CASE("a credit on the pins without a flit stops the run in its cycle") {
  Driven one;
  FlitsToPins to_pins("to_pins", one.domain, one.near, one.ends.arena);
  to_pins.bind(one.wires);
  Driver driver("driver", one.domain, one.wires, false);
  sc_core::sc_start();
  CHECK_THROWS_WITH(one.domain.rethrow_failure(),
                    Catch::Contains("cycle 10: a credit on the pins without a flit"));
}

TEST_CASE("pins are not read while their clock is ahead of the kernel") {
  Driven one;
  PinsToFlits from_pins("from_pins", one.domain, one.far, one.ends.arena);
  from_pins.bind(one.wires);
  Driver driver("driver", one.domain, one.wires, true);
  one.domain.run_ahead(100);
  sc_core::sc_start();
  CHECK_THROWS_WITH(one.domain.rethrow_failure(), Catch::Contains("the clock has run ahead of the pins"));
}
