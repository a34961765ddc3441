// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// Simulation on one clock that runs in slices.
class ClockedRun {
 public:
  virtual ~ClockedRun() = default;

  virtual const ClockDomain& domain() const = 0;
  virtual ClockDomain& domain() = 0;
  /// Runs the cycles before `end`, or until nothing is pending. Rethrows the exception of a model.
  void run_to(Cycle end);
  /// The next cycle with activity, before which a caller need not look at the simulation again; `never`:
  /// none.
  Cycle next_activity() const;
  /// Returns true if nothing is pending; false before the first run_to().
  bool idle() const;
  /// First cycle that has not been simulated.
  Cycle now() const { return now_; }

 protected:
  /// Prepares the cycles from now() to `end` - 1. Called before they run.
  virtual void prepare(Cycle end) = 0;
  /// Called after a slice, before anyone asks for idle() or next_activity().
  virtual void ran() {}

 private:
  Cycle now_ = 0;
};

}  // namespace tsuji
