// SPDX-License-Identifier: Apache-2.0
#include "tsuji/clock/pin_clock.h"

#include <algorithm>
#include <exception>
#include <string>

#include "tsuji/core/error.h"

namespace tsuji {

PinClock::PinClock(sc_core::sc_module_name module_name, const ClockPeriod& period)
    : sc_module(module_name), period_(period) {
  constexpr Picoseconds least = 4 * 5;  // inputs, edge, results, the end of the cycle, and the next one
  if (period.ps() < least)
    throw ConfigError("clock_period_ps", std::to_string(period.ps()),
                      "the steps of modules with pins need a quarter of a period",
                      std::to_string(least) + " or more");
  SC_THREAD(run);
}

void PinClock::add(PinnedPart& part, ClockDomain& domain) {
  parts_.push_back(&part);
  domain_ = &domain;
}

void PinClock::wake(Cycle cycle) {
  const sc_core::sc_time time = edge_time(cycle);
  if (time < sc_core::sc_time_stamp())
    throw ModelError(name(), cycle, "", "the clock edge of this cycle has already passed");
  edge_.notify(time - sc_core::sc_time_stamp());
}

void PinClock::settle(Cycle cycle) {
  // The kernel keeps the events of a slice's last step for the next slice.
  const sc_core::sc_time step = sc_core::sc_time::from_value(1);
  if (sc_core::sc_time_stamp() + step + step >= sc_core::sc_time::from_value(period_.ps_at(cycle + 1)))
    throw ModelError(
        name(), cycle, "",
        "more answers than steps in a quarter of a period of " + std::to_string(period_.ps()) + " ps");
  wait(step);
}

void PinClock::settle_at_start() {
  do wait(sc_core::SC_ZERO_TIME);
  while (sc_core::sc_pending_activity_at_current_time());
}

void PinClock::run() {
  try {
    load();
    for (;;) {
      wait(edge_);
      const Cycle cycle = sc_core::sc_time_stamp().value() / period_.ps();
      clock_cycle(cycle);
      if (std::any_of(parts_.begin(), parts_.end(), [](const PinnedPart* part) { return part->busy(); }))
        wake(cycle + 1);
    }
  } catch (const sc_core::sc_unwind_exception&) {
    throw;
  } catch (...) {
    domain_->fail(std::current_exception());
  }
}

void PinClock::load() {
  unsigned edges = 0;
  for (const PinnedPart* const part : parts_) edges = std::max(edges, part->edges_of_load());
  for (unsigned edge = 0; edge < edges; ++edge) {
    for (PinnedPart* const part : parts_) part->load(edge);
    settle_at_start();
    for (PinnedPart* const part : parts_) part->rise_to_load();
    settle_at_start();
  }
}

void PinClock::clock_cycle(Cycle cycle) {
  active_.clear();
  std::copy_if(parts_.begin(), parts_.end(), std::back_inserter(active_),
               [](const PinnedPart* part) { return part->busy(); });
  for (PinnedPart* const part : active_) part->present(cycle);
  settle(cycle);
  for (PinnedPart* const part : active_) part->rise(cycle);
  settle(cycle);
  for (;;) {
    const auto silent = std::remove_if(active_.begin(), active_.end(),
                                       [cycle](PinnedPart* part) { return !part->select(cycle + 1); });
    active_.erase(silent, active_.end());
    if (active_.empty()) return;
    settle(cycle);
    for (PinnedPart* const part : active_) part->hand_over(cycle + 1);
  }
}

}  // namespace tsuji
