// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "tsuji/clock/clocked_run.h"
#include "tsuji/observe/load_measurement.h"
#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// A loaded network of any kind, and its measurement.
struct MeasuredLoad {
  ClockedRun& network;
  observe::LoadMeasurement& measurement;
  /// The window in which the network counts the flits that sinks take, where it was not known at first.
  std::function<void(Cycle from, Cycle to)> set_window;
  /// All cycles before `now` have run; may be empty.
  std::function<void(Cycle now)> advance;
};

/// Runs until the measurement is finished. After a signal the measurement is cut, and the results are
/// partial.
void play_load(const MeasuredLoad& load, const RunOptions& options, observe::Results& results);

/// ConfigError for a measurement that may last longer than a run.
void validate_measured_times(const observe::MeasureConfig& measure, ClockPeriod period);

/// Latencies in ns, from those in cycles.
void add_latency_ns(const observe::NetworkMetrics& metrics, ClockPeriod period, observe::Results& results);
/// Marks them where measured packets are missing.
void mark_lower_bounds_ns(const observe::LoadMeasurement& measurement, observe::Results& results);
/// The measurement's lines on the terminal.
void show_load(observe::Results& results, const observe::LoadMeasurement& measurement);
/// ": saturated, the backlog of node 3 grows": the measurement's verdict for a headline; empty for a stable
/// load. `silence`: why no packet is offered; empty: some are.
std::string verdict_text(const observe::LoadMeasurement& measurement, const std::string& silence);

}  // namespace tsuji::platform
