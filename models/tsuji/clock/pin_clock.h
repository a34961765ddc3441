// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"

namespace tsuji {

/// Modules with pins that a PinClock clocks: models, or RTL in their place. Between two calls all signals
/// settle.
class PinnedPart {
 public:
  virtual ~PinnedPart() = default;
  /// Edges before cycle 0, which take no time.
  virtual unsigned edges_of_load() const { return 0; }
  /// Inputs of such an edge, the clock low.
  virtual void load(unsigned /*edge*/) {}
  /// The clock of such an edge rises.
  virtual void rise_to_load() {}
  /// Something is under way: the next cycle has an edge.
  virtual bool busy() const = 0;
  /// Inputs of a cycle.
  virtual void present(Cycle cycle) = 0;
  /// The edge at the end of a cycle.
  virtual void rise(Cycle cycle) = 0;
  /// Shows the next answers that hold from cycle `next` on; false: there are none.
  virtual bool select(Cycle next) = 0;
  /// Takes the answers shown.
  virtual void hand_over(Cycle next) = 0;
};

/// Clock of modules with pins beside the modules of a ClockDomain. Its edge lies three quarters of a period
/// behind the beginning of a cycle: all modules of the cycle have run then, and whatever happens between two
/// cycles has happened, so all requests are known and their order within the cycle has not shown. Inputs of
/// the cycle are set, the clock rises, and what the outputs say then holds from the next cycle on. While
/// nothing is under way, the clock stands. From one step to the next the kernel's shortest time passes, in
/// which all signals settle.
class PinClock final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "clock of modules with pins"; }
  /// ConfigError for a period whose last quarter has no room for the steps.
  PinClock(sc_core::sc_module_name name, const ClockPeriod& period);
  /// A part beside modules of `domain`, which is stopped when the part throws. The part outlives the
  /// simulation.
  void add(PinnedPart& part, ClockDomain& domain);
  /// There is something at the pins in this cycle. ModelError if it is over.
  void wake(Cycle cycle);
  /// The edge of this cycle has been.
  bool is_over(Cycle cycle) const { return sc_core::sc_time_stamp() > edge_time(cycle); }
  /// There is something at the pins in this cycle, or since, if it is over.
  void wake_from(Cycle cycle) { wake(is_over(cycle) ? cycle + 1 : cycle); }

  SC_HAS_PROCESS(PinClock);

 private:
  void run();
  void load();
  void clock_cycle(Cycle cycle);
  sc_core::sc_time edge_time(Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.ps_at(cycle) + period_.ps() - period_.ps() / 4);
  }
  /// Until all signals stand. ModelError where the next cycle would begin.
  void settle(Cycle cycle);
  /// Likewise before time begins, without time.
  void settle_at_start();

  const ClockPeriod period_;
  ClockDomain* domain_ = nullptr;
  std::vector<PinnedPart*> parts_, active_;
  sc_core::sc_event edge_;
};

}  // namespace tsuji
