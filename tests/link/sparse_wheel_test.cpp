// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/random.h"

// Wake-ups that are alone in the wheel: no other event advances the clock past their places.

using namespace tsuji;

namespace {

/// Runs in the cycles of a list, each of which it schedules in the previous one.
class Listed final : public Clocked {
 public:
  Listed(ClockDomain& domain, std::vector<Cycle> cycles) : Clocked(domain), cycles_(std::move(cycles)) {
    wake_at(cycles_.front());
  }
  void step(Cycle now) override {
    seen.push_back(now);
    if (seen.size() < cycles_.size()) wake_at(cycles_[seen.size()]);
  }
  bool as_listed() const { return seen == cycles_; }
  std::vector<Cycle> seen;

 private:
  const std::vector<Cycle> cycles_;
};

/// A clock with nothing on it but these modules.
struct Sparse {
  Sparse(std::size_t number, const std::vector<std::vector<Cycle>>& lists, std::uint64_t shuffle_seed = 0)
      : domain(("sparse" + std::to_string(number)).c_str(), config(shuffle_seed)) {
    for (const std::vector<Cycle>& list : lists) modules.push_back(std::make_unique<Listed>(domain, list));
  }
  static ClockDomainConfig config(std::uint64_t shuffle_seed) {
    ClockDomainConfig config;
    config.shuffle_seed = shuffle_seed;
    return config;
  }
  ClockDomain domain;
  std::vector<std::unique_ptr<Listed>> modules;
};

void run_and_check(const std::vector<std::unique_ptr<Sparse>>& clocks) {
  sc_core::sc_start();
  for (const auto& clock : clocks) {
    clock->domain.rethrow_failure();
    for (const auto& module : clock->modules) {
      if (!module->as_listed()) FAIL_CHECK(clock->domain.name() << ": a module missed a cycle of its list");
    }
  }
}

}  // namespace

TEST_CASE("a wake-up alone on its clock comes in time, from any place and any number of cycles ahead") {
  std::vector<std::unique_ptr<Sparse>> clocks;
  for (Cycle gap = 1; gap <= 1100; ++gap) {
    std::vector<Cycle> cycles;
    // The extra step of one cycle changes the place within a word of the wheel also if 64 divides the gap.
    for (Cycle at = gap; cycles.size() < 140; at += cycles.size() % 2 == 0 ? gap : 1) cycles.push_back(at);
    clocks.push_back(std::make_unique<Sparse>(gap, std::vector<std::vector<Cycle>>{cycles}));
  }
  run_and_check(clocks);
}

TEST_CASE("a few modules that sleep for random times miss none of their cycles") {
  std::vector<std::unique_ptr<Sparse>> clocks;
  for (std::size_t number = 0; number < 60; ++number) {
    std::vector<std::vector<Cycle>> lists(1 + number % 3);
    for (std::size_t m = 0; m < lists.size(); ++m) {
      CounterRandom random(17, 10 * number + m);
      Cycle at = 0;
      for (unsigned i = 0; i < 400; ++i) lists[m].push_back(at += 1 + random.below(number < 30 ? 600 : 3000));
    }
    clocks.push_back(std::make_unique<Sparse>(number, lists, number % 2));
  }
  run_and_check(clocks);
}

namespace {

/// Records the cycles in which it runs, and their times; others wake it.
class Woken final : public Clocked {
 public:
  explicit Woken(ClockDomain& domain) : Clocked(domain) {}
  void step(Cycle now) override {
    seen.push_back(now);
    in_time = in_time && domain().time_of(now) == sc_core::sc_time_stamp();
  }
  std::vector<Cycle> seen;
  bool in_time = true;
};

/// On another clock: wakes a module for a near or distant time, and then pauses.
class Outsider final : public Clocked {
 public:
  Outsider(ClockDomain& own, ClockDomain& other, std::uint64_t seed)
      : Clocked(own), other_(other), woken(other), random_(29, seed) {
    wake_at(1);
  }
  void step(Cycle now) override {
    const Cycle at = other_.cycle_at_kernel_time() + distance();
    asked.insert(at);
    woken.wake_at(at);
    if (++steps_ < 300) wake_at(now + distance());
  }

 private:
  Cycle distance() { return 1 + random_.below(random_.below(3) == 0 ? 4000 : 40); }
  ClockDomain& other_;

 public:
  Woken woken;
  std::set<Cycle> asked;

 private:
  CounterRandom random_;
  unsigned steps_ = 0;
};

}  // namespace

TEST_CASE("wake-ups from another clock, near ones before far ones, all come in time") {
  ClockDomainConfig later;
  later.offset_ps = 6250;
  std::vector<std::unique_ptr<ClockDomain>> clocks;
  std::vector<std::unique_ptr<Outsider>> outsiders;
  for (unsigned pair = 0; pair < 100; ++pair) {
    const std::string name = "pair" + std::to_string(pair);
    clocks.push_back(std::make_unique<ClockDomain>((name + "a").c_str(), ClockDomainConfig()));
    clocks.push_back(std::make_unique<ClockDomain>((name + "b").c_str(), later));
    // Some modules share the clock of their wake-ups.
    for (unsigned number = 0; number <= pair % 3; ++number)
      outsiders.push_back(
          std::make_unique<Outsider>(*clocks[2 * pair], *clocks[2 * pair + 1], 10 * pair + number));
  }
  sc_core::sc_start();
  for (const auto& clock : clocks) clock->rethrow_failure();
  for (const auto& outsider : outsiders) {
    CHECK(outsider->woken.in_time);
    CHECK(outsider->woken.seen == std::vector<Cycle>(outsider->asked.begin(), outsider->asked.end()));
  }
}
