// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/clock/clock_domain.h"
#include "tsuji/clock/lane_threads.h"
#include "tsuji/core/error.h"
#include "tsuji/core/random.h"

// Groups of one clock on several threads (ClockDomain::run_on): the steps of all modules equal those of one
// thread.

using namespace tsuji;

namespace {

constexpr std::size_t per_group = 10, groups = 5, members = per_group * groups - 3;
constexpr Cycle lookahead = 8, last_cycle = 2000;

struct Step {
  Cycle cycle;
  unsigned module;
  bool operator==(const Step& other) const {
    return std::tie(cycle, module) == std::tie(other.cycle, other.module);
  }
};

class Wanderer;

/// The modules of one clock, and the messages between modules of different lanes. A module of another lane is
/// woken between two windows.
struct Town final : LaneUser {
  struct Message {
    unsigned to;
    Cycle cycle;
  };
  explicit Town(const ClockDomainConfig& config) : domain("clock", config) {}
  void enter_lanes() override;
  void exchange(Cycle last) override;

  ClockDomain domain;
  std::vector<std::unique_ptr<Wanderer>> modules;
  bool by_message = false;  ///< several threads
  const std::thread::id kernel = std::this_thread::get_id();
  Cycle exchanged = 0;
  Cycle exchange_fails_in = never;
};

/// Wakes itself, others of its group for the next cycles, and any other one for cycles beyond the lookahead.
/// Its actions depend on its number and the cycle alone.
class Wanderer final : public Clocked {
 public:
  Wanderer(Town& town, unsigned number)
      : Clocked(town.domain), town_(town), number_(number), random_(7, number) {
    wake_at(number % 5);
  }
  void step(Cycle now) override {
    steps.push_back({now, number_});
    const std::thread::id here = std::this_thread::get_id();
    if (here != town_.kernel) {
      if (thread != std::thread::id() && here != thread) ++foreign_steps;
      thread = here;
    }
    if (number_ == fails_as && now >= fails_in)
      throw ModelError("module " + std::to_string(number_), now, "", "broken");
    wake(*this, now + 1 + draw(now, 1) % 700);
    const auto near = static_cast<unsigned>(number_ / per_group * per_group + draw(now, 2) % per_group);
    if (near < members) wake(*town_.modules[near], now + 1 + draw(now, 3) % 4);
    const auto far = static_cast<unsigned>(draw(now, 4) % members);
    const Cycle at = now + lookahead + draw(now, 5) % 20;
    if (town_.by_message && town_.domain.lane_of(*town_.modules[far]) != town_.domain.lane_of(*this)) {
      messages.push_back({far, at});
    } else {
      wake(*town_.modules[far], at);
    }
  }
  std::vector<Step> steps;
  std::vector<Town::Message> messages;
  std::thread::id thread;  ///< thread other than the kernel's, which runs single cycles of all lanes
  unsigned foreign_steps = 0;
  static constexpr unsigned nobody = ~0U;
  unsigned fails_as = nobody;
  Cycle fails_in = 0;

 private:
  std::uint64_t draw(Cycle now, unsigned which) const { return random_.bits(8 * now + which) >> 16; }
  static void wake(Wanderer& other, Cycle cycle) {
    if (cycle <= last_cycle) other.wake_at(cycle);
  }
  Town& town_;
  const unsigned number_;
  const CounterRandom random_;
};

void Town::enter_lanes() {
  by_message = true;
}

void Town::exchange(Cycle last) {
  if (last < exchanged) throw std::logic_error("windows go back");
  if (last >= exchange_fails_in) throw ModelError("exchange", last, "", "broken");
  exchanged = last;
  for (const auto& module : modules) {
    for (const Message& message : module->messages) {
      if (message.cycle <= last) throw std::logic_error("a window is longer than the lookahead");
      if (message.cycle <= last_cycle) modules[message.to]->wake_at(message.cycle);
    }
    module->messages.clear();
  }
}

struct Run {
  unsigned threads = 1;
  Cycle window = lookahead;
  ClockDomainConfig clock = {};
  std::vector<unsigned> failing = {};  ///< modules that fail in cycle 501 or later
  Cycle exchange_fails_in = never;
  bool threads_differ = false;  ///< modules of lanes above 0 run in separate threads
};

/// "CYCLE.MODULE " for each step, in their order.
std::string steps_of(const Run& run) {
  return test::forked([&run] {
    Town town(run.clock);
    std::vector<Clocked*> order;
    for (unsigned m = 0; m < members; ++m) {
      town.modules.push_back(std::make_unique<Wanderer>(town, m));
      order.push_back(town.modules.back().get());
    }
    for (const unsigned m : run.failing) {
      town.modules[m]->fails_as = m;
      town.modules[m]->fails_in = 501;
    }
    town.exchange_fails_in = run.exchange_fails_in;
    town.domain.run_first(order, per_group);
    town.domain.run_groups(run.window);
    town.domain.run_ahead(last_cycle + 1);
    if (run.threads > 1) town.domain.run_on(run.threads, town);
    run_for(sc_core::sc_time(1, sc_core::SC_MS));
    town.domain.rethrow_failure();
    std::vector<Step> all;
    std::size_t steps = 0, foreign = 0;
    for (const auto& module : town.modules) {
      all.insert(all.end(), module->steps.begin(), module->steps.end());
      foreign += module->foreign_steps;
      const bool first_lane = town.domain.lane_of(*module) == 0;
      if (run.threads_differ && first_lane != (module->thread == std::thread::id()))
        throw std::logic_error("a module runs in the thread of another lane");
      steps += module->steps.size();
    }
    if (town.domain.steps() != steps) throw std::logic_error("steps are miscounted");
    if (foreign != 0) throw std::logic_error("a module runs in two threads of lanes");
    if (run.threads > 1 && town.domain.lanes() != std::min<std::size_t>(run.threads, groups))
      throw std::logic_error("lanes: " + std::to_string(town.domain.lanes()));
    std::sort(all.begin(), all.end(), [](const Step& a, const Step& b) {
      return std::tie(a.cycle, a.module) < std::tie(b.cycle, b.module);
    });
    std::string text;
    for (const Step& step : all) text += std::to_string(step.cycle) + "." + std::to_string(step.module) + " ";
    return text;
  });
}

}  // namespace

TEST_CASE("groups on several threads run the same cycles as modules with a process each") {
  Run oracle;
  oracle.clock.mode = ProcessMode::process_each;
  const std::string expected = steps_of(oracle);
  REQUIRE(expected.size() > 100'000);
  REQUIRE(expected.rfind("exception: ", 0) != 0);
  for (const unsigned threads : {1U, 2U, 3U, 5U, 9U}) {
    for (const Cycle window : {Cycle{2}, Cycle{3}, lookahead}) {
      CAPTURE(threads, window);
      Run run;
      run.threads = threads;
      run.window = window;
      run.threads_differ = threads > 1;
      const bool same = steps_of(run) == expected;  // not the text of both
      CHECK(same);
    }
  }
}

TEST_CASE("a clock on several threads without a lookahead runs every cycle in one thread") {
  Run run;
  run.window = 1;
  const std::string expected = steps_of(run);
  run.threads = 3;
  const bool same = steps_of(run) == expected;
  CHECK(same);
}

TEST_CASE("of modules of several threads that fail, the one of the first cycle is reported") {
  Run run;
  run.failing = {3, 17, 44};
  const std::string expected = steps_of(run);
  CHECK_THAT(expected, Catch::StartsWith("exception: "));
  CHECK_THAT(expected, Catch::Contains("broken"));
  for (const unsigned threads : {2U, 5U}) {
    run.threads = threads;
    CHECK(steps_of(run) == expected);
  }
}

TEST_CASE("an exchange between threads that fails ends the run") {
  Run run;
  run.threads = 2;
  run.exchange_fails_in = 700;
  CHECK_THAT(steps_of(run), Catch::StartsWith("exception: exchange, cycle 7"));
}

TEST_CASE("a clock without windows refuses several threads") {
  Run run;
  run.threads = 2;
  run.clock.shuffle_seed = 1;
  CHECK_THAT(steps_of(run), Catch::Contains("no windows"));
  run.clock = {};
  run.clock.mode = ProcessMode::process_each;
  CHECK_THAT(steps_of(run), Catch::Contains("no windows"));
}

TEST_CASE("every lane runs once a round, and reads the other lanes' values of the previous round") {
  const unsigned lanes =
      GENERATE(2u, 4u, std::thread::hardware_concurrency() + 2);  // with a core each, and without
  constexpr unsigned rounds = 1500;
  std::vector<std::uint64_t> sums(lanes);  // of the previous round, written by one lane and read by the next
  std::vector<std::uint64_t> now(lanes);
  LaneThreads threads(lanes, [&](unsigned lane) { now[lane] = sums[(lane + 1) % lanes] + lane + 1; });
  std::vector<std::uint64_t> expected(lanes);
  for (unsigned round = 0; round < rounds; ++round) {
    // From time to time longer than a thread spins.
    if (round % 1000 == 999) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    threads.run();
    std::vector<std::uint64_t> next(lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) next[lane] = expected[(lane + 1) % lanes] + lane + 1;
    expected = next;
    sums = now;
  }
  CHECK(now == expected);
}

namespace {

/// A share of a clock, whose other shares run nowhere.
struct LonelyShare final : ClockParts {
  State begin(const State& own) override { return own; }
  State exchange(Cycle, const State& own, FirstFailure&) override { return own; }
};

/// Wakes itself in every cycle.
class Runner final : public Clocked {
 public:
  explicit Runner(ClockDomain& domain) : Clocked(domain) { wake_at(1); }
  void step(Cycle now) override {
    ++steps;
    if (now < 100) wake_at(now + 1);
  }
  unsigned steps = 0;
};

}  // namespace

TEST_CASE("a domain with a share of the groups steps the modules of this share only") {
  for (const unsigned shares : {1U, 2U, 3U}) {
    for (unsigned own = 0; own < shares; ++own) {
      const std::string found = test::forked([&] {
        ClockDomain domain("clock", {});
        LonelyShare parts;
        std::vector<std::unique_ptr<Runner>> modules;
        std::vector<Clocked*> order;
        for (unsigned m = 0; m < 7; ++m) {
          modules.push_back(std::make_unique<Runner>(domain));
          order.push_back(modules.back().get());
        }
        domain.run_first(order, 2);  // four groups
        domain.run_groups(5);
        domain.run_ahead(200);
        domain.run_part(parts, own, shares);
        run_for(sc_core::sc_time(1, sc_core::SC_MS));
        domain.rethrow_failure();
        std::string text;
        for (unsigned m = 0; m < 7; ++m) {
          const bool runs_here = domain.share_of(*modules[m]) == own;
          if (domain.share_of(*modules[m]) != (m / 2 * shares + shares - 1) / 4) text += " another share";
          if (modules[m]->steps != (runs_here ? 100U : 0U)) text += " " + std::to_string(modules[m]->steps);
        }
        return text;
      });
      CHECK(found.empty());
    }
  }
}

TEST_CASE("a clock with a module in no group is not divided into shares") {
  const std::string found = test::forked([] {
    ClockDomain domain("clock", {});
    LonelyShare parts;
    Runner grouped(domain), other(domain);
    domain.run_first({&grouped}, 1);
    domain.run_part(parts, 0, 2);
    try {
      run_for(sc_core::sc_time(1, sc_core::SC_US));
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("runs");
  });
  CHECK_THAT(found, Catch::Contains("a module in no group"));
}
