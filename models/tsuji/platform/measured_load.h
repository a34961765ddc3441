// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tsuji/clock/clocked_run.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// A network of any kind under load, and its measurement.
struct MeasuredLoad {
  ClockedRun& network;                    ///< The network, which advances in cycles.
  observe::LoadMeasurement& measurement;  ///< Measurement that decides when the run ends.
  /// Sets the window in which the network counts the flits that sinks accept, if the window was unknown at
  /// first.
  std::function<void(Cycle from, Cycle to)> set_window;
  /// Called when all cycles before `now` have run; may be empty.
  std::function<void(Cycle now)> advance;
};

/// Runs until the measurement is finished. A signal ends the measurement early, and the results are partial.
void play_load(const MeasuredLoad& load, const RunOptions& options, observe::Results& results);

/// Throws ConfigError for a measurement that may exceed the longest time of a run.
void validate_measured_times(const observe::MeasureConfig& measure, ClockPeriod period);

/// Adds the latencies in ns, converted from those in cycles.
void add_latency_ns(const observe::NetworkMetrics& metrics, ClockPeriod period, observe::Results& results);
/// Marks the latencies in ns as lower bounds if measured packets are missing.
void mark_lower_bounds_ns(const observe::LoadMeasurement& measurement, observe::Results& results);
/// Adds the measurement's lines for the terminal.
void show_load(observe::Results& results, const observe::LoadMeasurement& measurement);
/// The measurement's verdict for a headline, for example ": saturated, the backlog of node 3 grows"; empty
/// for a stable load. `silence` is the reason why the load offers no packet; empty: packets are offered.
std::string verdict_text(const observe::LoadMeasurement& measurement, const std::string& silence);

}  // namespace tsuji::platform
