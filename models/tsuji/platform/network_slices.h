// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clocked_run.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Runs a network in slices of a fraction of a second, each about 10^5 steps of modules, so that a signal
/// ends the run soon. Results do not depend on the length of slices.
class NetworkSlices {
 public:
  /// The arguments must outlive the object.
  NetworkSlices(ClockedRun& network, const RunOptions& options, observe::Results& results)
      : network_(network), options_(options), results_(results) {}
  /// Runs the cycles before `end`. Throws Interrupted between two slices after a signal.
  void run_to(Cycle end);

 private:
  ClockedRun& network_;
  const RunOptions& options_;
  observe::Results& results_;
  Cycle slice_cycles_ = 64;
};

}  // namespace tsuji::platform
