// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <vector>

#include "support/catch.h"
#include "tsuji/platform/network_slices.h"

using namespace tsuji;

namespace {

/// Runs in every cycle.
class Busy final : public Clocked {
 public:
  explicit Busy(ClockDomain& domain) : Clocked(domain) { wake_at(1); }
  void step(Cycle now) override { wake_at(now + 1); }
};

/// Busy modules, with the length of every slice that they run.
class BusyRun final : public ClockedRun {
 public:
  explicit BusyRun(unsigned modules) {
    for (unsigned i = 0; i < modules; ++i) busy_.push_back(std::make_unique<Busy>(domain_));
  }
  const ClockDomain& domain() const override { return domain_; }
  ClockDomain& domain() override { return domain_; }
  std::vector<Cycle> slices;

 private:
  void prepare(Cycle end) override { slices.push_back(end - now()); }
  ClockDomain domain_{"clock", {}};
  std::vector<std::unique_ptr<Busy>> busy_;
};

std::vector<Cycle> slices_of(unsigned modules, Cycle cycles, bool record_waves = false) {
  BusyRun run(modules);
  platform::RunOptions options;
  options.record_waves = record_waves;
  const platform::Interruption none;
  options.interruption = &none;
  observe::Results results("slices", "", 1);
  std::vector<Cycle> ends;
  platform::NetworkSlices slices(run, options, results, [&ends](Cycle now) { ends.push_back(now); });
  slices.run_to(cycles);
  CHECK(run.now() == cycles);
  CHECK(run.domain().steps() / modules + 1 >= cycles);
  Cycle end = 0;
  std::vector<Cycle> ran;
  for (const Cycle slice : run.slices) ran.push_back(end += slice);
  CHECK(ends == ran);
  run.slices.pop_back();  // the rest
  return run.slices;
}

}  // namespace

TEST_CASE("a slice of one busy module grows until it has a hundred thousand steps") {
  const std::vector<Cycle> slices = slices_of(1, 1'000'000);
  CHECK(slices.front() == 64);
  CHECK(slices.back() == 131'072);
  CHECK(std::is_sorted(slices.begin(), slices.end()));
}

TEST_CASE("a slice of thirty thousand busy modules keeps the windows of modules that run ahead") {
  CHECK(slices_of(30'000, 160) == std::vector<Cycle>{64, 32, 16, 16, 16});
}

TEST_CASE("slices stay short with a waveform, whose changes wait in memory until the end of a slice") {
  const std::vector<Cycle> slices = slices_of(1, 10'000, true);
  CHECK(std::all_of(slices.begin(), slices.end(), [](Cycle slice) { return slice == 64; }));
}
