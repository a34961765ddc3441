// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/units.h"

namespace tsuji {

/// A simulation on one clock that runs in slices.
class ClockedRun {
 public:
  virtual ~ClockedRun() = default;

  virtual const ClockDomain& domain() const = 0;
  virtual ClockDomain& domain() = 0;
  /// Runs the cycles before `end`, or until nothing is left to do. Throws what a model threw.
  void run_to(Cycle end);
  /// The cycle in which something happens next, after which nothing is lost by looking: `never` if nothing
  /// will.
  Cycle next_activity() const;
  /// Nothing is left to do; never before the first run_to().
  bool idle() const;
  /// The first cycle that has not been simulated.
  Cycle now() const { return now_; }

 protected:
  /// Called before the cycles up to `end` run.
  virtual void prepare(Cycle end) = 0;

 private:
  Cycle now_ = 0;
};

}  // namespace tsuji
