// SPDX-License-Identifier: Apache-2.0
#include "tsuji/link/flit_pins.h"

#include <vector>

#include "support/catch.h"
#include "tsuji/link/flit_pin_modules.h"

using namespace tsuji;

namespace {

constexpr Cycle latency = 5, credit_latency = 3, leaves_after = 2;

FlitChannelConfig direct() {
  FlitChannelConfig config;
  config.vcs = 2;
  config.depth_flits = 3;
  config.latency_cycles = latency;
  config.credit_latency_cycles = credit_latency;
  return config;
}

/// A sender, pins that the test drives, and a receiver.
struct Bench {
  Bench() : near(channel_to_pins(direct())), far(direct()), driver(near, {}, arena), sampler(far, {}, arena) {
    near.bind_sender({}, sender_calendar, leaves_after, sender);
    far.bind_receiver({}, receiver_calendar, 0, 0, arena);
  }
  static Flit flit(PacketIndex packet, unsigned sequence, unsigned flags) {
    Flit one;
    one.packet = packet;
    one.sequence = static_cast<std::uint16_t>(sequence);
    one.flags = static_cast<std::uint8_t>(Flit::is_flit | flags);
    return one;
  }

  Arena arena;
  ArrivalCalendar sender_calendar{arena, 2, 8}, receiver_calendar{arena, 2, 8};
  FlitSender sender;
  FlitChannel near, far;
  FlitPinDriver driver;
  FlitPinSampler sampler;
};

}  // namespace

TEST_CASE("pins show a flit in its departure cycle, and it arrives complete") {
  Bench bench;
  bench.near.send(10, 1, Bench::flit(7, 0, Flit::head));
  bench.near.send(11, 1, Bench::flit(7, 1, Flit::tail));
  bench.near.send(12, 0, Bench::flit(8, 0, Flit::head | Flit::tail));
  std::vector<unsigned> held;
  for (Cycle now = 10; now < 20; ++now) {
    const PinFlit pins = bench.driver.drive(now);
    const bool departs = now >= 10 + leaves_after && now < 13 + leaves_after;
    CHECK(pins.valid == departs);
    if (!departs) CHECK((!pins.head && !pins.tail && pins.vc == 0 && pins.packet == 0));
    if (departs) {
      CHECK(pins.packet == (now < 12 + leaves_after ? 7 : 8));
      CHECK(pins.vc == (now < 12 + leaves_after ? 1 : 0));
      CHECK(pins.head == (now != 11 + leaves_after));
      CHECK(pins.tail == (now != 10 + leaves_after));
    }
    bench.sampler.take(now, pins);
    // A flit is on exactly one side.
    CHECK(bench.near.flits_held() + bench.far.flits_held() == 3);
  }
  CHECK(bench.near.flits_held() == 0);
  for (unsigned f = 0; f < 2; ++f) {
    const FlitSlot& slot = bench.far.ring(1).behind_front(f);
    CHECK(slot.holds(7, static_cast<std::uint16_t>(f)));
    CHECK(slot.cycle() == 10 + f + leaves_after + latency);
    CHECK(slot.head() == (f == 0));
    CHECK(slot.tail() == (f == 1));
  }
  CHECK(bench.far.ring(0).front().cycle() == 12 + leaves_after + latency);
}

TEST_CASE("pins show a credit one cycle after a place was freed, and the sender gets it as over a ring") {
  Bench bench;
  for (unsigned f = 0; f < 3; ++f) bench.near.send(10 + f, 1, Bench::flit(7, f, f == 0 ? Flit::head : 0));
  for (Cycle now = 10; now < 20; ++now) bench.sampler.take(now, bench.driver.drive(now));
  CHECK(bench.near.ring(1).credit_at() == never);
  bench.far.pop(30, 1);
  bench.far.pop(31, 1);  // the receiver may run before the pins of this cycle are read
  CHECK(bench.sampler.credits(31) == 2);
  bench.driver.take_credits(31, 2);
  CHECK(bench.near.ring(1).credits(30 + credit_latency + 1) == 0);
  CHECK(bench.near.ring(1).credit_at() == 30 + 1 + credit_latency + 1);
  CHECK(bench.sampler.credits(32) == 2);
  CHECK(bench.sampler.credits(33) == 0);
  CHECK(bench.sampler.credits(34) == 0);
}

TEST_CASE("a credit in the cycle in which its flit is on the pins is taken, and no earlier one") {
  Bench bench;
  bench.near.send(10, 1, Bench::flit(7, 0, Flit::head));
  const Cycle on_pins = 10 + leaves_after;
  for (Cycle now = 10; now < on_pins; ++now) CHECK(!bench.driver.drive(now).valid);
  CHECK_THROWS_WITH(bench.driver.take_credits(on_pins, 2),
                    Catch::Contains("a credit on the pins without a flit"));
  CHECK(bench.driver.drive(on_pins).valid);
  bench.driver.take_credits(on_pins, 2);
  for (unsigned f = 1; f < 3; ++f) bench.near.send(10 + f, 1, Bench::flit(7, f, 0));
  CHECK(bench.near.ring(1).credit_at() == on_pins + credit_latency + 1);
}

TEST_CASE("a probe that was set before records flits and credits of pins") {
  struct Notes final : FlitProbe {
    void on_flit(const FlitChannel&, unsigned, const Flit&, Cycle departure, Cycle ready) override {
      told.push_back(departure);
      told.push_back(ready);
    }
    void on_credit(const FlitChannel&, unsigned, Cycle now, Cycle usable) override {
      told.push_back(now);
      told.push_back(usable);
    }
    std::vector<Cycle> told;
  } notes;
  Arena arena;
  ArrivalCalendar calendar(arena, 2, 8);
  FlitChannel far(direct());
  far.set_probe(&notes);
  FlitPinSampler sampler(far, {}, arena);
  far.bind_receiver({}, calendar, 0, 0, arena);
  sampler.take(12, {true, true, true, 0, 7});
  far.pop(20, 0);
  CHECK(notes.told == std::vector<Cycle>{12, 12 + latency, 20, 20 + 1 + credit_latency + 1});
}

TEST_CASE("pins that break their protocol stop the run") {
  Bench bench;
  using Catch::Contains;
  CHECK_THROWS_WITH(bench.driver.take_credits(20, 1), Contains("a credit on the pins without a flit"));
  CHECK_THROWS_WITH(bench.sampler.take(20, {true, true, true, 2, 7}),
                    Contains("a flit on the pins for virtual channel 2 of 2"));
  for (unsigned f = 0; f < 3; ++f) bench.sampler.take(20 + f, {true, f == 0, false, 1, 7});
  CHECK_THROWS_WITH(bench.sampler.take(23, {true, false, false, 1, 7}), Contains("sent without a credit"));
  bench.far.pop(30, 1);
  CHECK_THROWS_WITH(bench.far.pop(30, 1), Contains("two places of virtual channel 1 are freed in one cycle"));
  bench.near.send(40, 0, Bench::flit(9, 0, Flit::head | Flit::tail));
  CHECK_THROWS_WITH(bench.driver.drive(41 + leaves_after), Contains("a flit of cycle 42"));
}

TEST_CASE("two flits that depart in one cycle are refused by one set of pins") {
  Bench bench;
  bench.near.send(10, 0, Bench::flit(7, 0, Flit::head));
  bench.near.send(10, 1, Bench::flit(8, 0, Flit::head));
  CHECK_THROWS_WITH(bench.driver.drive(10 + leaves_after), Catch::Contains("the pins carry another flit"));
}
