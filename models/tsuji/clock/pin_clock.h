// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <systemc>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/described.h"

namespace tsuji {

/// Modules with pins, as models or RTL, that a PinClock drives. All signals settle between two calls.
///
/// Contract:
/// - At time 0: load(e) and rise_to_load() for each edge e below edges_of_load().
/// - Then for each part with busy() in a cycle: present(cycle), rise(cycle), and select(cycle + 1) until it
///   returns false, with hand_over(cycle + 1) after each true. A busy part gets a clock edge in the next
///   cycle, too; other edges are requested by PinClock::wake().
class PinnedPart {
 public:
  virtual ~PinnedPart() = default;
  /// Number of clock edges before cycle 0, which take no time (loading of memories).
  virtual unsigned edges_of_load() const { return 0; }
  /// Sets the inputs of load edge `edge`; the clock is low.
  virtual void load(unsigned /*edge*/) {}
  /// Rising clock edge of a load edge.
  virtual void rise_to_load() {}
  /// Returns true if the next cycle needs a clock edge.
  virtual bool busy() const = 0;
  /// Sets the inputs of a cycle.
  virtual void present(Cycle cycle) = 0;
  /// Rising clock edge at the end of a cycle.
  virtual void rise(Cycle cycle) = 0;
  /// Selects the next results that are valid from cycle `next` on; false: there are no more.
  virtual bool select(Cycle next) = 0;
  /// Reads the results that select() has selected.
  virtual void hand_over(Cycle next) = 0;
};

/// Clock of modules with pins that run next to the modules of a ClockDomain. Its edge is three quarters of a
/// period after the beginning of a cycle. By then all modules of the cycle and all events between two cycles
/// have run, so every request is known, and the result does not depend on their order. In each cycle the
/// inputs are set, the clock rises, and the outputs are valid from the next cycle on. The clock is gated
/// while no part is busy. Signals settle between two steps, for which the kernel's smallest time step passes.
class PinClock final : public sc_core::sc_module, public Described {
 public:
  std::string stands_for() const override { return "clock of modules with pins"; }
  /// ConfigError for a period whose last quarter is too short for the steps.
  PinClock(sc_core::sc_module_name name, const ClockPeriod& period);
  /// Adds a part that works with modules of `domain`. The domain is stopped if the part throws. The part
  /// outlives the simulation.
  void add(PinnedPart& part, ClockDomain& domain);
  /// Requests a clock edge in this cycle. ModelError if the edge of this cycle is over.
  void wake(Cycle cycle);
  /// Returns true after the edge of this cycle.
  bool is_over(Cycle cycle) const { return sc_core::sc_time_stamp() > edge_time(cycle); }
  /// Requests the edge of this cycle, or of the next one if this edge is over.
  void wake_from(Cycle cycle) { wake(is_over(cycle) ? cycle + 1 : cycle); }

  SC_HAS_PROCESS(PinClock);

 private:
  void run();
  void load();
  void clock_cycle(Cycle cycle);
  sc_core::sc_time edge_time(Cycle cycle) const {
    return sc_core::sc_time::from_value(period_.ps_at(cycle) + period_.ps() - period_.ps() / 4);
  }
  /// Waits until all signals are stable. ModelError if that takes until the next cycle.
  void settle(Cycle cycle);
  /// Waits until all signals are stable at time 0, for delta cycles only.
  void settle_at_start();

  const ClockPeriod period_;
  ClockDomain* domain_ = nullptr;
  std::vector<PinnedPart*> parts_, active_;
  sc_core::sc_event edge_;
};

}  // namespace tsuji
