// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"

namespace tsuji {

/// Modules with pins that a PinClock clocks: models or RTL. All signals settle between two calls.
class PinnedPart {
 public:
  virtual ~PinnedPart() = default;
  /// Edges before cycle 0, which take no time.
  virtual unsigned edges_of_load() const { return 0; }
  /// Inputs of such an edge, the clock low.
  virtual void load(unsigned /*edge*/) {}
  /// The clock of such an edge rises.
  virtual void rise_to_load() {}
  /// True if the next cycle needs an edge.
  virtual bool busy() const = 0;
  /// Inputs of a cycle.
  virtual void present(Cycle cycle) = 0;
  /// The edge at the end of a cycle.
  virtual void rise(Cycle cycle) = 0;
  /// Shows the next answers that hold from cycle `next` on; false: there are no more.
  virtual bool select(Cycle next) = 0;
  /// Takes the answers shown, after select() gave true.
  virtual void hand_over(Cycle next) = 0;
};

/// Clock of modules with pins beside the modules of a ClockDomain. Its edge comes three quarters of a period
/// after the beginning of a cycle: all modules of the cycle have run by then, and events between two cycles
/// have happened, so every request is known and the order of requests in the cycle does not show. The inputs
/// of the cycle are set, the clock rises, and the outputs hold from the next cycle on. The clock is gated
/// while no part is busy. Signals settle between two steps, for which the kernel's shortest time passes.
class PinClock final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "clock of modules with pins"; }
  /// ConfigError for a period whose last quarter has no room for the steps.
  PinClock(sc_core::sc_module_name name, const ClockPeriod& period);
  /// A part beside modules of `domain`, which is stopped when the part throws. The part outlives the
  /// simulation.
  void add(PinnedPart& part, ClockDomain& domain);
  /// Requests an edge in this cycle. ModelError if that edge is over.
  void wake(Cycle cycle);
  /// True after the edge of this cycle.
  bool is_over(Cycle cycle) const { return sc_core::sc_time_stamp() > edge_time(cycle); }
  /// Requests the edge of this cycle, or the next one if that edge is over.
  void wake_from(Cycle cycle) { wake(is_over(cycle) ? cycle + 1 : cycle); }

  SC_HAS_PROCESS(PinClock);

 private:
  void run();
  void load();
  void clock_cycle(Cycle cycle);
  sc_core::sc_time edge_time(Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.ps_at(cycle) + period_.ps() - period_.ps() / 4);
  }
  /// Waits until all signals are stable. ModelError if the next cycle would begin.
  void settle(Cycle cycle);
  /// Waits until all signals are stable at time 0, in delta cycles.
  void settle_at_start();

  const ClockPeriod period_;
  ClockDomain* domain_ = nullptr;
  std::vector<PinnedPart*> parts_, active_;
  sc_core::sc_event edge_;
};

}  // namespace tsuji
