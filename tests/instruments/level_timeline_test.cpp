// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "levels.h"
#include "support/catch.h"
#include "tsuji/core/error.h"
#include "tsuji/instruments/level_timeline.h"

using namespace tsuji;
using instruments::LevelTimeline;
using instruments::test::Levels;
using observe::WaveFormat;

namespace {

constexpr Picoseconds period = 12500;

/// A timeline with a number `n` that begins with 5, a second number `m`, and a text `t`.
struct Rig {
  explicit Rig(const ClockDomain& domain) : timeline(wave, domain) {}
  Levels wave;
  LevelTimeline timeline;
  LevelTimeline::LevelId n = timeline.level(wave.add("n", 16, WaveFormat::decimal, ""), 5);
  LevelTimeline::LevelId m = timeline.level(wave.add("m", 16, WaveFormat::decimal, ""));
  LevelTimeline::LevelId t = timeline.text_level(wave.add("t", 0, WaveFormat::text, ""));

  std::uint64_t number(const char* path, Cycle cycle) const { return wave.value(path, cycle * period); }
  std::string text(Cycle cycle) const { return wave.text("t", cycle * period); }
};

/// A change of level n or m, and the order of the calls.
struct Call {
  Cycle at;
  std::uint64_t turn;
  std::int64_t value;
  bool second, difference;
};

/// Values of a level after each cycle: all calls, sorted by cycle, evaluated at once.
std::vector<std::int64_t> expected(std::vector<Call> calls, bool second, std::int64_t begin, Cycle cycles) {
  std::stable_sort(calls.begin(), calls.end(), [](const Call& a, const Call& b) { return a.at < b.at; });
  std::vector<std::int64_t> values;
  std::int64_t value = begin;
  std::uint64_t turn = 0;
  auto call = calls.begin();
  for (Cycle cycle = 0; cycle < cycles; ++cycle) {
    for (; call != calls.end() && call->at == cycle; ++call) {
      if (call->second != second || call->turn < turn) continue;
      turn = call->turn;
      value = call->difference ? value + call->value : call->value;
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

TEST_CASE("levels are those of all changes sorted by cycle, however far ahead the changes are") {
  std::mt19937 random(4);
  const auto below = [&random](Cycle n) { return static_cast<Cycle>(random() % n); };
  const ClockDomain domain("clock", {});
  for (unsigned round = 0; round < 20; ++round) {
    Rig rig(domain);
    const Cycle farthest = round % 2 == 0 ? 20 : 1000, cycles = 3000;
    std::vector<Call> calls;
    for (Cycle now = 0; now < cycles; now += 1 + below(round % 4 == 3 ? 400 : 8)) {
      rig.timeline.pass(now);
      for (Cycle count = below(4); count > 0; --count) {
        // Differences are added to one of the levels, and the other one is set.
        const bool second = below(2) == 0;
        const Call call{now + below(farthest), below(2) * now, static_cast<std::int64_t>(20 + below(9)),
                        second, second == (round % 3 == 0)};
        const LevelTimeline::LevelId level = call.second ? rig.m : rig.n;
        if (call.difference) {
          rig.timeline.add(level, call.at, static_cast<std::int32_t>(call.value));
        } else {
          rig.timeline.set(level, call.at, call.turn, static_cast<std::uint64_t>(call.value));
        }
        calls.push_back(call);
        if (call.difference) calls.back().turn = 0;
      }
    }
    rig.timeline.pass(never);
    const auto n = expected(calls, false, 5, cycles + farthest),
               m = expected(calls, true, 0, cycles + farthest);
    for (Cycle cycle = 0; cycle < cycles + farthest; ++cycle) {
      REQUIRE(rig.number("n", cycle) == static_cast<std::uint64_t>(n[cycle]));
      REQUIRE(rig.number("m", cycle) == static_cast<std::uint64_t>(m[cycle]));
    }
  }
}

TEST_CASE("a text lasts until the next one, and an earlier turn does not end it") {
  const ClockDomain domain("clock", {});
  Rig rig(domain);
  rig.timeline.set_text(rig.t, 3, 3) = "first";
  rig.timeline.clear_text(rig.t, 6, 3);
  rig.timeline.set_text(rig.t, 5, 5) = "second";
  rig.timeline.set_text(rig.t, 500, 500) = "far";
  rig.timeline.clear_text(rig.t, 8, 5);
  rig.timeline.pass(7);
  for (unsigned reuse = 0; reuse < 10; ++reuse) {
    rig.timeline.set_text(rig.t, 20 + reuse, 20 + reuse) = "number " + std::to_string(reuse);
    rig.timeline.pass(20 + reuse);
  }
  rig.timeline.pass(never);
  CHECK(rig.text(2).empty());
  CHECK(rig.text(4) == "first");
  CHECK(rig.text(5) == "second");
  CHECK(rig.text(7) == "second");
  CHECK(rig.text(8).empty());
  for (unsigned reuse = 0; reuse < 10; ++reuse)
    CHECK(rig.text(20 + reuse) == "number " + std::to_string(reuse));
  CHECK(rig.text(500) == "far");
}

TEST_CASE("changes of a cycle reach the waveform when the cycle has passed, as its last values only") {
  const ClockDomain domain("clock", {});
  Rig rig(domain);
  rig.timeline.add(rig.n, 4, -1);
  rig.timeline.add(rig.n, 4, 3);
  rig.timeline.set(rig.m, 4, 0, 9);
  rig.timeline.pass(4);
  CHECK(rig.number("n", 10) == 5);
  CHECK(rig.number("m", 10) == 0);
  rig.timeline.pass(5);
  CHECK(rig.number("n", 3) == 5);
  CHECK(rig.number("n", 4) == 7);
  CHECK(rig.number("m", 4) == 9);
  CHECK(rig.wave.at("n").changes.size() == 2);  // its beginning and cycle 4
}

TEST_CASE("a change at a cycle that has been written is refused") {
  const ClockDomain domain("clock", {});
  Rig rig(domain);
  rig.timeline.pass(1000);
  rig.timeline.add(rig.n, 1000, 1);
  CHECK_THROWS_WITH(
      rig.timeline.add(rig.n, 999, 1),
      "waveform, cycle 999: a change was reported after all cycles before 1000 had been written");
}
