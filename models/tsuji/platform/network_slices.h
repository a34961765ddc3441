// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/clock/clocked_run.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Runs a network in slices of a fraction of a second: as many cycles as some 10^5 steps of modules take, so
/// that a signal ends the run soon. Where a slice ends shows in no result.
class NetworkSlices {
 public:
  NetworkSlices(ClockedRun& network, const RunOptions& options, observe::Results& results)
      : network_(network), options_(options), results_(results) {}
  /// The cycles before `end`. Throws Interrupted between two slices.
  void run_to(Cycle end);

 private:
  ClockedRun& network_;
  const RunOptions& options_;
  observe::Results& results_;
  Cycle slice_cycles_ = 64;
};

}  // namespace tsuji::platform
