// SPDX-License-Identifier: Apache-2.0
// The wake-ups and failures of a clock, without a simulation.
#include <exception>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tsuji/clock/first_failure.h"
#include "tsuji/clock/wake_calendar.h"
#include "tsuji/core/random.h"

using namespace tsuji;

TEST_CASE("a calendar of wake-ups: the next cycle equals that of a list of all, in the wheel and beyond it") {
  CounterRandom random(45, 6);
  WakeCalendar calendar;
  std::set<Cycle> cycles;
  std::multimap<Cycle, std::uint32_t> far;
  Cycle now = 0;
  for (unsigned step = 0; step < 20'000; ++step) {
    for (std::uint64_t more = random.below(4); more > 0; --more) {
      const Cycle cycle = now + 1 + random.below(random.below(3) == 0 ? 3000 : 511);
      cycles.insert(cycle);
      if (cycle - now < WakeCalendar::wheel_cycles) {
        calendar.note(cycle);
      } else {
        calendar.add_far({cycle, step});
        far.emplace(cycle, step);
      }
    }
    const Cycle next = calendar.next_after(now);
    REQUIRE(next == (cycles.empty() ? never : *cycles.begin()));
    if (next == never) continue;
    now = next;
    Cycle last = 0;
    calendar.pull_far(now + WakeCalendar::wheel_cycles, [&](const WakeCalendar::FarWakeUp& pulled) {
      REQUIRE(pulled.cycle >= last);
      REQUIRE(pulled.cycle < now + WakeCalendar::wheel_cycles);
      last = pulled.cycle;
      const auto [begin, end] = far.equal_range(pulled.cycle);
      auto found = begin;
      while (found != end && found->second != pulled.module) ++found;
      REQUIRE(found != end);
      far.erase(found);
    });
    REQUIRE((far.empty() ? never : far.begin()->first) == calendar.first_far());
    REQUIRE(calendar.far().size() == far.size());
    calendar.clear(now);
    cycles.erase(now);
  }
}

TEST_CASE("a calendar of wake-ups: the wheel's two ends, and no wake-ups") {
  for (const Cycle now : {Cycle{0}, Cycle{63}, Cycle{64}, Cycle{511}, Cycle{1000}}) {
    WakeCalendar calendar;
    CHECK(calendar.next_after(now) == never);
    calendar.note(now + 511);
    CHECK(calendar.next_after(now) == now + 511);
    calendar.note(now + 1);
    CHECK(calendar.next_after(now) == now + 1);
    calendar.clear(now + 1);
    CHECK(calendar.next_after(now) == now + 511);
    calendar.add_far({now + 5, 3});
    CHECK(calendar.next_after(now) == now + 5);
  }
}

TEST_CASE(
    "of several failures a clock keeps the one of the first cycle, and of the first text in it, in any "
    "order") {
  const auto failure = [](const std::string& text) {
    return std::make_exception_ptr(std::runtime_error(text));
  };
  struct Thrown {
    std::string text;
    Cycle cycle;
  };
  std::vector<Thrown> all = {{"b", 7}, {"a", 7}, {"0", 8}, {"c", 7}};
  CounterRandom random(45, 7);
  for (unsigned run = 0; run < 40; ++run) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
    FirstFailure first;
    CHECK_FALSE(first);
    CHECK_NOTHROW(first.rethrow());
    for (const Thrown& one : all) first.keep(failure(one.text), one.cycle);
    CHECK(first);
    CHECK(first.cycle() == 7);
    CHECK_THROWS_WITH(first.rethrow(), "a");
  }
  FirstFailure other;
  other.keep(std::make_exception_ptr(3), 2);  // without a text
  other.keep(failure("x"), 2);
  CHECK_THROWS_AS(other.rethrow(), int);
}
