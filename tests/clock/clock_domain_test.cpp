// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/catch.h"
#include "support/forked.h"
#include "support/sc_reports.h"
#include "support/thrown.h"
#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/error.h"
#include "tsuji/core/run_time.h"

using namespace tsuji;

namespace {

/// Module that records its steps: every `every` cycles up to `last`.
class Sleeper final : public Clocked {
 public:
  Sleeper(ClockDomain& domain, Cycle every, Cycle last) : Clocked(domain), every_(every), last_(last) {
    wake_at(every);
  }
  void step(Cycle now) override {
    steps.push_back(now);
    kernel_ps.push_back(sc_core::sc_time_stamp().value());
    if (now + every_ <= last_) wake_at(now + every_);
    if (now + every_ <= last_) wake_at(now + every_);  // a repetition has no effect
  }
  std::vector<Cycle> steps;
  std::vector<Picoseconds> kernel_ps;

 private:
  Cycle every_, last_;
};

void steps_are_multiples(ProcessMode mode) {
  ClockDomainConfig config;
  config.mode = mode;
  ClockDomain domain("clock", config);
  std::vector<std::unique_ptr<Sleeper>> sleepers;
  for (Cycle every : {1, 3, 511, 512, 513, 1000, 5000}) {
    sleepers.push_back(std::make_unique<Sleeper>(domain, every, 20000));
  }
  sc_core::sc_start();
  domain.rethrow_failure();
  const Cycle periods[] = {1, 3, 511, 512, 513, 1000, 5000};
  for (std::size_t s = 0; s < sleepers.size(); ++s) {
    REQUIRE(sleepers[s]->steps.size() == 20000 / periods[s]);
    for (std::size_t i = 0; i < sleepers[s]->steps.size(); ++i) {
      REQUIRE(sleepers[s]->steps[i] == periods[s] * (i + 1));
      REQUIRE(sleepers[s]->kernel_ps[i] == periods[s] * (i + 1) * 12500);
    }
  }
}

class Failing final : public Clocked {
 public:
  explicit Failing(ClockDomain& domain) : Clocked(domain) { wake_at(7); }
  void step(Cycle now) override { throw ModelError("failing", now, "", "on purpose"); }
};

/// Fails in a given cycle under a given name.
class NamedFailing final : public Clocked {
 public:
  NamedFailing(ClockDomain& domain, std::string name, Cycle cycle) : Clocked(domain), name_(std::move(name)) {
    wake_at(cycle);
  }
  void step(Cycle now) override { throw ModelError(name_, now, "", "on purpose"); }

 private:
  const std::string name_;
};

/// Of three modules that fail in cycle 7, in any order, the same one is reported, and never the one of cycle
/// 8.
void one_failure_is_told(ProcessMode mode, std::uint64_t shuffle_seed, const std::vector<std::string>& names,
                         Cycle window = 1, std::size_t groups = 2) {
  ClockDomainConfig config;
  config.mode = mode;
  config.shuffle_seed = shuffle_seed;
  // Each failing process stops the kernel, which reports a second stop.
  std::optional<test::ExpectedReport> stopped_twice;
  if (mode == ProcessMode::process_each) stopped_twice.emplace(sc_core::SC_ID_SIMULATION_STOP_CALLED_TWICE_);
  ClockDomain domain("clock", config);
  NamedFailing later(domain, "a", 8);
  std::vector<std::unique_ptr<NamedFailing>> modules;
  for (const std::string& name : names) modules.push_back(std::make_unique<NamedFailing>(domain, name, 7));
  if (window > 1) {
    // Groups of 64: the module that fails later is in the first group, which runs ahead of the others.
    std::vector<Clocked*> order(groups * ClockDomain::group_members);
    std::vector<std::unique_ptr<Sleeper>> fill;
    for (std::size_t i = 0; i < order.size(); ++i) {
      fill.push_back(std::make_unique<Sleeper>(domain, 1000, 1000));
      order[i] = fill.back().get();
    }
    order[0] = &later;
    order[ClockDomain::group_members] = modules[0].get();
    order[ClockDomain::group_members * (groups - 1) + 1] = modules[1].get();
    order[ClockDomain::group_members + 2] = modules[2].get();
    domain.run_first(order);
    domain.run_ahead(100);
    domain.run_groups(window);
    sc_core::sc_start();
    CHECK_THROWS_WITH(domain.rethrow_failure(), "b, cycle 7: on purpose");
    return;
  }
  sc_core::sc_start();
  CHECK_THROWS_WITH(domain.rethrow_failure(), "b, cycle 7: on purpose");
}

class Backwards final : public Clocked {
 public:
  explicit Backwards(ClockDomain& domain) : Clocked(domain) { wake_at(7); }
  void step(Cycle now) override { wake_at(now); }
};

/// A module that sleeps until the last cycle of a run, and runs there; then one that sleeps one cycle longer.
/// Ends of slices, each `length` after its first event.
std::function<Picoseconds(Picoseconds)> slices(Picoseconds length) {
  return [length](Picoseconds next_event) { return next_event + length; };
}

void runs_end(ProcessMode mode, ClockPeriod period) {
  ClockDomainConfig config;
  config.mode = mode;
  config.period = period;
  ClockDomain domain("clock", config);
  const Cycle last = last_run_cycle(period);
  Sleeper halves(domain, last / 2, last), ever(domain, last / 2 + 1, never / 2);
  Sleeper after_any_run(domain, 3 * last, never / 2);
  run_until_idle(slices(1000), [] {});
  CHECK(halves.steps == std::vector<Cycle>{last / 2, last / 2 * 2});
  CHECK(halves.kernel_ps.back() == last / 2 * 2 * period.ps());
  CHECK(ever.steps == std::vector<Cycle>{last / 2 + 1});
  CHECK(after_any_run.steps.empty());
  CHECK_THROWS_WITH(domain.rethrow_failure(),
                    Catch::StartsWith("clock, cycle " + std::to_string((last / 2 + 1) * 2)) &&
                        Catch::Contains("longer than a run may last: at most " + std::to_string(last)));
}

}  // namespace

TEST_CASE("modules run in exactly the cycles they were woken for") {
  steps_are_multiples(ProcessMode::one_for_all);
}
TEST_CASE("a process for each module runs in the same cycles") {
  steps_are_multiples(ProcessMode::process_each);
}

TEST_CASE("no module runs after the last cycle of a run") {
  runs_end(ProcessMode::one_for_all, ClockPeriod(12500));
}
TEST_CASE("no module with a separate process runs after the last cycle of a run") {
  runs_end(ProcessMode::process_each, ClockPeriod(12500));
}
TEST_CASE("no module of a slow clock runs after the last time of a run") {
  runs_end(ProcessMode::one_for_all, ClockPeriod(1'000'000'000));
}

TEST_CASE("an exception of a module keeps its type") {
  ClockDomain domain("clock", {});
  Failing failing(domain);
  sc_core::sc_start();
  REQUIRE_THROWS_AS(domain.rethrow_failure(), ModelError);
}

TEST_CASE("of modules that fail in one cycle the same one is reported, made in this order") {
  one_failure_is_told(ProcessMode::one_for_all, 0, {"d", "b", "c"});
}
TEST_CASE("of modules that fail in one cycle the same one is reported, made in another order") {
  one_failure_is_told(ProcessMode::one_for_all, 0, {"c", "d", "b"});
}
TEST_CASE("of modules that fail in one cycle the same one is reported, shuffled") {
  one_failure_is_told(ProcessMode::one_for_all, 3, {"d", "b", "c"});
}
TEST_CASE("of modules that fail in one cycle the same one is reported, with a process each") {
  one_failure_is_told(ProcessMode::process_each, 0, {"d", "b", "c"});
}
TEST_CASE("the failure of an earlier cycle is reported, although another group ran ahead") {
  one_failure_is_told(ProcessMode::one_for_all, 0, {"d", "b", "c"}, 4);
}
TEST_CASE("the failure of an earlier cycle is reported among many groups, too") {
  one_failure_is_told(ProcessMode::one_for_all, 0, {"d", "b", "c"}, 4, 17);
}

TEST_CASE("waking a module for the present cycle is refused") {
  ClockDomain domain("clock", {});
  Backwards backwards(domain);
  sc_core::sc_start();
  REQUIRE_THROWS_AS(domain.rethrow_failure(), ModelError);
}

namespace {

/// Steps where others wake it.
class Woken final : public Clocked {
 public:
  explicit Woken(ClockDomain& domain) : Clocked(domain) {}
  void step(Cycle now) override { steps.push_back(now); }
  std::vector<Cycle> steps;
};

/// Makes one call, in a cycle of another clock.
class Caller final : public Clocked {
 public:
  Caller(ClockDomain& domain, Cycle cycle, std::function<void()> call)
      : Clocked(domain), call_(std::move(call)) {
    wake_at(cycle);
  }
  void step(Cycle) override { call_(); }

 private:
  const std::function<void()> call_;
};

/// The clock's module is woken for cycle 1, and by another clock in its cycle 100 for `cycle`.
std::string woken_late(Cycle cycle, std::vector<Cycle>& steps) {
  ClockDomain domain("clock", {}), other("other", {});
  Woken woken(domain);
  woken.wake_at(1);
  Caller caller(other, 100, [&] { woken.wake_at(cycle); });
  sc_core::sc_start();
  steps = woken.steps;
  return tsuji::test::text_of<ModelError>([&] { other.rethrow_failure(); });
}

}  // namespace

TEST_CASE("a clock on which nothing has run for long refuses wake-ups for past cycles") {
  std::vector<Cycle> steps;
  CHECK_THAT(woken_late(99, steps), Catch::Contains("woken for cycle 99, which has already passed"));
  CHECK(steps == std::vector<Cycle>{1});
}

TEST_CASE("a clock refuses another wake-up for the only cycle that it has run") {
  std::vector<Cycle> steps;
  CHECK_THAT(woken_late(1, steps), Catch::Contains("woken for cycle 1, which is not in the future"));
  CHECK(steps == std::vector<Cycle>{1});
}

TEST_CASE("a clock on which nothing has run for long accepts wake-ups for the present time") {
  std::vector<Cycle> steps;
  CHECK(woken_late(100, steps).empty());
  CHECK(steps == std::vector<Cycle>{1, 100});
}

TEST_CASE("a clock counts its modules and their steps") {
  ClockDomain domain("clock", {});
  CHECK(domain.modules() == 0);
  Sleeper one(domain, 3, 30), other(domain, 7, 30);
  CHECK(domain.modules() == 2);
  CHECK(domain.steps() == 0);
  sc_core::sc_start();
  CHECK(domain.steps() == one.steps.size() + other.steps.size());
}

TEST_CASE("a run until nothing is left checks after every slice, and crosses times without events") {
  ClockDomain domain("clock", {});
  Sleeper often(domain, 1, 100), seldom(domain, 5000, 20000);
  std::vector<std::size_t> steps;
  run_until_idle(slices(ClockPeriod(12500).ps_at(10)), [&] { steps.push_back(often.steps.size()); });
  CHECK(seldom.steps.size() == 4);
  CHECK(often.steps.size() == 100);
  // Ten cycles a slice, and one slice for each step of the other module.
  REQUIRE(steps.size() >= 10 + 4);
  CHECK(steps.size() <= 11 + 4 + 1);
  for (std::size_t slice = 1; slice < 10; ++slice) CHECK(steps[slice] - steps[slice - 1] <= 11);
}

TEST_CASE("a slice may end before the next event, and runs nothing then") {
  ClockDomain domain("clock", {});
  Sleeper seldom(domain, 10, 50);
  const ClockPeriod period = domain.period();
  std::vector<std::size_t> steps;
  Picoseconds end = 0;
  run_until_idle([&](Picoseconds) { return end += period.ps_at(2); },
                 [&] { steps.push_back(seldom.steps.size()); });
  REQUIRE(steps.size() ==
          26);  // of two cycles each; that at cycle 50 is the first after which nothing is left
  for (std::size_t slice = 0; slice < steps.size(); ++slice) CHECK(steps[slice] == slice / 5);
}

TEST_CASE("cycle 0 may be scheduled after the start of simulation, as long as nothing has run") {
  ClockDomain domain("clock", {});
  Woken woken(domain);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  woken.wake_at(0);
  sc_core::sc_start();
  domain.rethrow_failure();
  CHECK(woken.steps == std::vector<Cycle>{0});
}

TEST_CASE("a clock reports the cycle that runs, or ran last, and the one at the kernel's time") {
  ClockDomainConfig config;
  config.offset_ps = 6250;  // half a period
  ClockDomain domain("clock", config), other("other", {});
  CHECK(domain.now() == 0);
  std::vector<Cycle> now;
  Caller first(domain, 7, [&] { now.push_back(domain.now()); });
  Caller second(domain, 9, [&] { now.push_back(domain.now()); });
  std::vector<Cycle> coming;
  // Edges of this clock are half a period before the other one's.
  Caller begin(other, 1, [&] { coming.push_back(domain.cycle_at_kernel_time()); });
  Caller late(other, 20, [&] { coming.push_back(domain.cycle_at_kernel_time()); });
  Caller edge(domain, 30, [&] { coming.push_back(domain.cycle_at_kernel_time()); });
  CHECK(domain.cycle_at_kernel_time() == 0);
  sc_core::sc_start();
  CHECK(now == std::vector<Cycle>{7, 9});
  CHECK(domain.now() == 30);
  CHECK(coming == std::vector<Cycle>{1, 20, 30});
}

TEST_CASE("the present is the kernel's time, or the cycle of a clock that has run ahead of it") {
  ClockDomainConfig late;
  late.offset_ps = 6250;
  ClockDomain domain("clock", late), other("other", {});
  using Present = std::pair<Picoseconds, std::vector<Cycle>>;
  std::vector<Present> within, at_once, between;
  const auto look = [&](std::vector<Present>& seen) {
    seen.push_back({domain.present_ps(),
                    {domain.next_cycle(), domain.next_cycle(1), domain.next_cycle(12499),
                     domain.next_cycle(12500), domain.next_cycle(30000)}});
  };
  CHECK(domain.present_ps() == 0);
  CHECK(domain.next_cycle() == 0);
  CHECK(domain.next_cycle(6249) == 0);
  CHECK(domain.next_cycle(6250) == 1);
  Caller fourth(domain, 4, [&] { look(within); });
  sc_core::sc_event ninth_runs;
  sc_core::sc_spawn_options options;
  options.spawn_method();
  options.dont_initialize();
  options.set_sensitivity(&ninth_runs);
  sc_core::sc_spawn([&] { look(at_once); }, "at_once", &options);
  Caller ninth(domain, 9, [&] {  // in the activation of cycle 4
    look(within);
    ninth_runs.notify();
  });
  Caller before(other, 3, [&] { look(between); });
  Caller behind(other, 20, [&] { look(between); });
  domain.run_ahead(15);
  sc_core::sc_start();
  const auto in_cycle = [&](Cycle now) {
    return Present{6250 + now * 12500, {now + 1, now + 1, now + 1, now + 2, now + 3}};
  };
  CHECK(within == std::vector<Present>{in_cycle(4), in_cycle(9)});
  CHECK(at_once == std::vector<Present>{in_cycle(9)});
  CHECK(between == std::vector<Present>{{3 * 12500, {3, 3, 4, 4, 5}}, {20 * 12500, {20, 20, 21, 21, 22}}});
}

TEST_CASE("a machine in which nothing is left to do runs on without a kernel message") {
  ClockDomain domain("clock", {});
  const Sleeper sleeper(domain, 5, 10);
  run_for(domain.time_of(100));
  run_for(domain.time_of(100));  // the main program of tests fails a run with an unexpected report
  CHECK(sleeper.steps == std::vector<Cycle>{5, 10});
  CHECK(sc_core::sc_time_stamp() == domain.time_of(200));
}

namespace {

/// Appends its number to a list when it runs.
class Numbered final : public Clocked {
 public:
  Numbered(ClockDomain& domain, unsigned number, std::vector<unsigned>& list)
      : Clocked(domain), number_(number), list_(list) {
    wake_at(3);
    wake_at(1000);
  }
  void step(Cycle) override { list_.push_back(number_); }

 private:
  const unsigned number_;
  std::vector<unsigned>& list_;
};

}  // namespace

TEST_CASE("named members run first, in their order, and then all others") {
  ClockDomain domain("clock", {});
  std::vector<unsigned> list, expected;
  std::vector<std::unique_ptr<Numbered>> members;
  for (unsigned number = 0; number < 100; ++number)
    members.push_back(std::make_unique<Numbered>(domain, number, list));
  // 70 of 100: their last group is not full.
  std::vector<Clocked*> first;
  for (unsigned number = 99; number >= 30; --number) {
    first.push_back(members[number].get());
    expected.push_back(number);
  }
  for (unsigned number = 0; number < 30; ++number) expected.push_back(number);
  domain.run_first(first);
  CHECK(ClockDomain::same_group(*members[99], *members[36]));
  CHECK_FALSE(ClockDomain::same_group(*members[99], *members[35]));
  CHECK(ClockDomain::same_group(*members[35], *members[30]));
  // The others begin a separate group.
  CHECK_FALSE(ClockDomain::same_group(*members[30], *members[0]));
  CHECK(ClockDomain::same_group(*members[0], *members[29]));
  sc_core::sc_start();
  domain.rethrow_failure();
  REQUIRE(list.size() == 200);
  CHECK(std::vector<unsigned>(list.begin(), list.begin() + 100) == expected);
  CHECK(std::vector<unsigned>(list.begin() + 100, list.end()) == expected);
}

TEST_CASE("a shuffled clock runs the modules of each cycle in a different order") {
  // The modules' numbers in the order of two cycles, one letter for each.
  const auto order_of = [](std::uint64_t seed) {
    return test::forked([seed] {
      ClockDomainConfig config;
      config.shuffle_seed = seed;
      ClockDomain domain("clock", config);
      std::vector<unsigned> list;
      std::vector<std::unique_ptr<Numbered>> members;
      for (unsigned number = 0; number < 20; ++number)
        members.push_back(std::make_unique<Numbered>(domain, number, list));
      sc_core::sc_start();
      domain.rethrow_failure();
      std::string text;
      for (const unsigned number : list) text += static_cast<char>('a' + number);
      return text;
    });
  };
  const std::string order = order_of(1);
  REQUIRE(order.size() == 40);
  const std::string fixed = "abcdefghijklmnopqrst";
  for (const std::string& cycle : {order.substr(0, 20), order.substr(20)}) {
    CHECK(std::is_permutation(cycle.begin(), cycle.end(), fixed.begin()));
    CHECK(cycle != fixed);
  }
  CHECK(order.substr(0, 20) != order.substr(20));
  CHECK(order_of(1) == order);
  CHECK(order_of(2) != order);
}

TEST_CASE("after a failure in a group that ran ahead no other group passes its cycle") {
  ClockDomain domain("clock", {});
  NamedFailing failing(domain, "a", 7);
  std::vector<std::unique_ptr<Sleeper>> fill;
  std::vector<Clocked*> order{&failing};
  while (order.size() < 2 * ClockDomain::group_members) {
    fill.push_back(std::make_unique<Sleeper>(domain, 1, 20));
    order.push_back(fill.back().get());
  }
  domain.run_first(order);
  domain.run_ahead(100);
  domain.run_groups(16);
  sc_core::sc_start();
  CHECK_THROWS_WITH(domain.rethrow_failure(), "a, cycle 7: on purpose");
  const Sleeper& last = *fill.back();
  CHECK(last.steps == std::vector<Cycle>{1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("an idle clock is woken from outside, for near and distant cycles") {
  for (const Cycle ahead : {1, 300, 600, 20'000}) {
    CAPTURE(ahead);
    const std::string steps = test::forked([ahead] {
      ClockDomain domain("clock", {});
      Sleeper sleeper(domain, 3, 3);
      run_for(domain.time_of(100));
      sleeper.wake_at(100 + ahead);
      run_for(domain.time_of(30'000));
      domain.rethrow_failure();
      std::string text;
      for (const Cycle step : sleeper.steps) text += std::to_string(step) + " ";
      return text;
    });
    CHECK(steps == "3 " + std::to_string(100 + ahead) + " ");
  }
}

TEST_CASE("an edge beyond a double's precision comes at its exact time") {
  ClockDomainConfig config;
  config.period = ClockPeriod(12501);
  ClockDomain domain("clock", config);
  constexpr Cycle far = 1'600'000'000'001;  // 2^54 ps and more, an odd number of them
  const Sleeper sleeper(domain, far, 3 * far);
  sc_core::sc_start();
  domain.rethrow_failure();
  CHECK(sleeper.steps == std::vector<Cycle>{far, 2 * far, 3 * far});
  CHECK(sleeper.kernel_ps == std::vector<Picoseconds>{12501 * far, 2 * 12501 * far, 3 * 12501 * far});
}

TEST_CASE("a callback before each cycle precedes all of its modules, and comes in no cycle without modules") {
  for (const ProcessMode mode : {ProcessMode::one_for_all, ProcessMode::process_each}) {
    for (const std::uint64_t shuffle_seed : {0, 5}) {
      CAPTURE(static_cast<int>(mode), shuffle_seed);
      const std::string looks = test::forked([mode, shuffle_seed] {
        ClockDomainConfig config;
        config.mode = mode;
        config.shuffle_seed = shuffle_seed;
        ClockDomain domain("clock", config);
        Sleeper two(domain, 2, 8), three(domain, 3, 9);
        std::string text;
        domain.look_before_cycles([&](Cycle cycle) {
          text += std::to_string(cycle) + ":" + std::to_string(two.steps.size() + three.steps.size()) + " ";
        });
        sc_core::sc_start();
        domain.rethrow_failure();
        return text;
      });
      // The modules step in 2, 3, 4, 6 (both), 8 and 9.
      CHECK(looks == "2:0 3:1 4:2 6:3 8:5 9:6 ");
    }
  }
}

TEST_CASE("a callback before a cycle that fails ends the run before the modules of that cycle") {
  for (const ProcessMode mode : {ProcessMode::one_for_all, ProcessMode::process_each}) {
    const std::string steps = test::forked([mode] {
      ClockDomainConfig config;
      config.mode = mode;
      ClockDomain domain("clock", config);
      Sleeper sleeper(domain, 2, 8);
      domain.look_before_cycles([](Cycle cycle) {
        if (cycle == 6) throw ModelError("look", cycle, "", "on purpose");
      });
      sc_core::sc_start();
      CHECK_THROWS_WITH(domain.rethrow_failure(), "look, cycle 6: on purpose");
      return std::to_string(sleeper.steps.size());
    });
    CHECK(steps == "2");
  }
}
