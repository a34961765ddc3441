// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/forked.h"
#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/random.h"

// Groups that run ahead of each other: the order in which modules run, against its rules.

using namespace tsuji;

namespace {

constexpr std::size_t few_groups = 3, outsiders = 4;
constexpr Cycle lookahead = 64;

struct Step {
  unsigned module;
  Cycle cycle;
  bool operator<(const Step& other) const {
    return std::tie(cycle, module) < std::tie(other.cycle, other.module);
  }
  bool operator==(const Step& other) const { return cycle == other.cycle && module == other.module; }
};
using Log = std::vector<Step>;

class Walker;

struct World {
  std::vector<std::unique_ptr<Walker>> walkers;
  Log log;
  Cycle last = 0;
  Cycle outside_every = 0;  ///< approximate period of the outsiders
  std::size_t members = 0;  ///< of groups; the outsiders come after them
};

/// Wakes itself and others at random. Its choices depend on the module and the cycle alone, so the steps of
/// all modules are equal for every mode.
class Walker final : public Clocked {
 public:
  Walker(ClockDomain& domain, World& world, unsigned number)
      : Clocked(domain), world_(world), number_(number), random_(5, number) {}
  bool outside() const { return number_ >= world_.members; }
  void start() { wake_at(1 + random_.bits(0) % (outside() ? world_.outside_every : 40)); }
  void step(Cycle now) override {
    world_.log.push_back({number_, now});
    wake(*this, now + 1 + draw(now, 1) % (outside() ? 2 * world_.outside_every : 90));
    if (draw(now, 2) % 4 != 0) return;
    Walker& other = *world_.walkers[draw(now, 3) % world_.walkers.size()];
    const bool near = outside() || (!other.outside() && other.number_ / 64 == number_ / 64);
    wake(other, now + (near ? 1 : lookahead) + draw(now, 4) % 20);
  }

 private:
  std::uint64_t draw(Cycle now, unsigned which) const { return random_.bits(8 * now + which) >> 16; }
  void wake(Walker& other, Cycle cycle) const {
    if (cycle <= world_.last) other.wake_at(cycle);
  }
  World& world_;
  const unsigned number_;
  const CounterRandom random_;
};

struct Machine {
  Machine(const std::string& name, const ClockDomainConfig& config, Cycle last, Cycle outside_every,
          std::size_t groups = few_groups)
      : domain(name.c_str(), config) {
    world.members = groups * ClockDomain::group_members;
    world.last = last;
    world.outside_every = outside_every;
    for (unsigned m = 0; m < world.members + outsiders; ++m)
      world.walkers.push_back(std::make_unique<Walker>(domain, world, m));
    std::vector<Clocked*> order;
    for (unsigned m = 0; m < world.members; ++m) order.push_back(world.walkers[m].get());
    domain.run_first(order);
    for (const auto& walker : world.walkers) walker->start();
  }
  World world;
  ClockDomain domain;
};

/// The largest lead of the first group over another one.
Cycle most_ahead(const Log& log) {
  Cycle latest = 0, most = 0;
  for (const Step& step : log) {
    most = std::max(most, latest - std::min(latest, step.cycle));
    latest = std::max(latest, step.cycle);
  }
  return most;
}

/// Checks the order; `until`: from that cycle on no group runs ahead of another one.
void check_order(const Log& log, Cycle window, Cycle until) {
  std::array<Cycle, few_groups> at{};
  Cycle latest = 0, outside_at = 0;
  unsigned wrong = 0;
  for (const Step& step : log) {
    const bool outside = step.module >= few_groups * ClockDomain::group_members;
    if (outside) {
      wrong += step.cycle < latest ? 1 : 0;  // a group has run beyond an outsider's cycle
      outside_at = std::max(outside_at, step.cycle);
    } else {
      Cycle& own = at[step.module / ClockDomain::group_members];
      wrong += step.cycle < own ? 1 : 0;
      own = step.cycle;
      wrong += latest >= until && step.cycle < latest ? 1 : 0;
      wrong += step.cycle + window <= latest ? 1 : 0;
    }
    wrong += step.cycle < outside_at ? 1 : 0;
    latest = std::max(latest, step.cycle);
  }
  CHECK(wrong == 0);
}

void check_same_steps(Log log, Log expected) {
  std::sort(log.begin(), log.end());
  std::sort(expected.begin(), expected.end());
  CHECK(std::adjacent_find(log.begin(), log.end()) == log.end());  // none runs twice in a cycle
  CHECK(log.size() == expected.size());
  const bool same = log == expected;  // not the text of both
  CHECK(same);
}

/// A run of a machine up to `last` in a separate process, where no other model shares the kernel's time.
/// `ends`: cycles at which the run is interrupted.
struct Run {
  ClockDomainConfig clock;
  Cycle window = 1, last = 0, outside_every = 0;
  std::vector<Cycle> ends;
  std::size_t groups = few_groups;
};

void run_to(Machine& machine, Cycle end) {
  machine.domain.run_ahead(end);
  run_for(machine.domain.time_of(end) - sc_core::sc_time::from_value(1) - sc_core::sc_time_stamp());
  machine.domain.rethrow_failure();
  const Log& log = machine.world.log;
  if (std::any_of(log.begin(), log.end(), [end](const Step& step) { return step.cycle >= end; }))
    throw std::logic_error("cycles were run that lie after the end");
}

Log steps_of(const Run& run) {
  const std::string text = test::forked([&run] {
    Machine machine("clock", run.clock, run.last, run.outside_every, run.groups);
    machine.domain.run_groups(run.window);
    for (const Cycle end : run.ends) run_to(machine, end);
    run_for(sc_core::sc_time(1, sc_core::SC_MS));
    machine.domain.rethrow_failure();
    if (machine.domain.steps() != machine.world.log.size()) throw std::logic_error("steps are miscounted");
    std::string bytes(machine.world.log.size() * sizeof(Step), 0);
    std::memcpy(bytes.data(), machine.world.log.data(), bytes.size());
    return bytes;
  });
  if (text.size() % sizeof(Step) != 0 || text.rfind("exception: ", 0) == 0) FAIL(text);
  Log log(text.size() / sizeof(Step));
  std::memcpy(log.data(), text.data(), text.size());
  return log;
}

}  // namespace

TEST_CASE(
    "groups run ahead by less than the window, not beyond any other module, and not past the end of a run") {
  for (const Cycle window : {1, 2, 7, 64, 1000}) {
    for (const Cycle outside_every : {12, 1500}) {
      CAPTURE(window, outside_every);
      const Log log = steps_of({{}, window, 4000, outside_every, {701, 702, 1400, 3000}});
      const Cycle bound = std::min(window, ClockDomain::longest_window);
      check_order(log, bound, 3000);
      // Where nothing bounds the groups, they use the whole window.
      if (outside_every == 1500) CHECK(most_ahead(log) == bound - 1);
    }
  }
}

TEST_CASE("groups that run ahead run the same cycles as modules with a process each") {
  Run oracle{{}, 1, 3000, 40, {}};
  oracle.clock.mode = ProcessMode::process_each;
  const Log expected = steps_of(oracle);
  CHECK(expected.size() > 10'000);
  for (const Cycle window : {1, 5, 64, 1000}) {
    for (const std::uint64_t shuffle_seed : {0, 3}) {
      Run run{{}, window, 3000, 40, {500, 2990}};
      run.clock.shuffle_seed = shuffle_seed;
      CAPTURE(window, shuffle_seed);
      const Log log = steps_of(run);
      check_same_steps(log, expected);
      if (shuffle_seed != 0) CHECK(most_ahead(log) == 0);
    }
  }
}

TEST_CASE("many groups that run ahead, with their memory requested in advance, run the same cycles") {
  for (const std::size_t groups : {16, 20, 256}) {
    const Cycle last = groups < 100 ? 1000 : 150;
    CAPTURE(groups);
    Run oracle{{}, 1, last, 400, {}, groups};
    oracle.clock.mode = ProcessMode::process_each;
    const Log expected = steps_of(oracle);
    CHECK(expected.size() > 20'000);
    const Log log = steps_of({{}, 50, last, 400, {last / 2}, groups});
    check_same_steps(log, expected);
    CHECK(most_ahead(log) > 10);
  }
}

namespace {

/// Runs at random on a separate clock, and records its time with the steps that another clock's modules have
/// made.
class Bystander final : public Clocked {
 public:
  Bystander(ClockDomain& domain, const World& other) : Clocked(domain), other_(other) { wake_at(3); }
  void step(Cycle now) override {
    seen.emplace_back(sc_core::sc_time_stamp(), other_.log.size());
    if (now < 3000) wake_at(now + 1 + random_.bits(now) % 200);
  }
  std::vector<std::pair<sc_core::sc_time, std::size_t>> seen;

 private:
  const World& other_;
  const CounterRandom random_{8, 1};
};

}  // namespace

TEST_CASE("a clock that may run ahead computes no cycle before an earlier event of another clock") {
  constexpr Cycle last = 3000;
  Machine machine("clock", {}, last, 1500);
  ClockDomainConfig config;
  config.period = ClockPeriod(9100);
  config.offset_ps = 50;
  ClockDomain other("other", config);
  Bystander bystander(other, machine.world);
  machine.domain.run_groups(20);
  machine.domain.run_ahead(last + 1);
  sc_core::sc_start();
  machine.domain.rethrow_failure();
  REQUIRE(bystander.seen.size() > 20);
  unsigned wrong = 0;
  for (const auto& [time, steps] : bystander.seen) {
    for (std::size_t s = 0; s < machine.world.log.size(); ++s) {
      const sc_core::sc_time own = machine.domain.time_of(machine.world.log[s].cycle);
      wrong += s < steps ? own > time : own < time;
    }
  }
  CHECK(wrong == 0);
  CHECK(most_ahead(machine.world.log) == 19);
}

namespace {

/// Runs in cycles 0 and 1.
class First final : public Clocked {
 public:
  explicit First(ClockDomain& domain) : Clocked(domain) { wake_at(0); }
  void step(Cycle now) override {
    ++steps;
    if (now == 0) wake_at(1);
  }
  unsigned steps = 0;
};

/// Records in its first cycle the number of steps of another module.
class Onlooker final : public Clocked {
 public:
  Onlooker(ClockDomain& domain, const First& other) : Clocked(domain), other_(other) { wake_at(0); }
  void step(Cycle) override { seen = other_.steps; }
  unsigned seen = 99;

 private:
  const First& other_;
};

}  // namespace

TEST_CASE("a clock does not run ahead of an event between its first two cycles") {
  ClockDomain domain("clock", {});
  ClockDomainConfig config;
  config.offset_ps = 50;
  ClockDomain other("other", config);
  First first(domain);
  Onlooker onlooker(other, first);
  domain.run_first({&first});
  domain.run_groups(20);
  domain.run_ahead(100);
  sc_core::sc_start();
  domain.rethrow_failure();
  CHECK(onlooker.seen == 1);
  CHECK(first.steps == 2);
}
