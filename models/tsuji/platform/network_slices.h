// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "tsuji/clock/clocked_run.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// Runs a network in slices of a fraction of a second, each about 10^5 steps of modules, so that a signal
/// ends the run soon. With a waveform slices are short, because its changes wait in memory until the end of a
/// slice. Results do not depend on the length of slices.
class NetworkSlices {
 public:
  /// `advance` is called after each slice with the first cycle that has not run; it may be empty. The other
  /// arguments must outlive the object.
  NetworkSlices(ClockedRun& network, const RunOptions& options, observe::Results& results,
                std::function<void(Cycle now)> advance = {})
      : network_(network),
        options_(options),
        results_(results),
        advance_(std::move(advance)),
        most_cycles_(options.record_waves ? wave_cycles : Cycle{1} << 40) {}
  /// The run ends with some work: once `is_done` holds after a slice, which may be much longer than the work,
  /// `advance` gets the cycle after `last_active`, the last one in which the work sent or received.
  void end_with_work(std::function<bool()> is_done, std::function<Cycle()> last_active) {
    is_done_ = std::move(is_done);
    last_active_ = std::move(last_active);
  }
  /// Runs the cycles before `end`. Throws Interrupted between two slices after a signal.
  void run_to(Cycle end);

 private:
  void run_slice(Cycle until);

  static constexpr Cycle wave_cycles = 64;
  ClockedRun& network_;
  const RunOptions& options_;
  observe::Results& results_;
  const std::function<void(Cycle now)> advance_;
  std::function<bool()> is_done_;  ///< null: the run ends at a cycle
  std::function<Cycle()> last_active_;
  bool done_ = false;        ///< the work
  Cycle told_ = 0;           ///< to advance_
  const Cycle most_cycles_;  ///< longest slice
  Cycle slice_cycles_ = wave_cycles;
};

}  // namespace tsuji::platform
