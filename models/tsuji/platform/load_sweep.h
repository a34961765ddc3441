// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

/// How a sweep over offered loads is done.
struct LoadSweepConfig {
  std::string executable;  ///< executable of one load's run; empty: this process's own
  std::string load_key = "traffic.load_flits_per_node_cycle";
  std::string length_key = "measure.cycles";
  /// Cycles that a run of the configuration at hand measures, the value of `length_key`; 0: the key has no
  /// effect, and no run is made longer. Empty: 0.
  std::function<Cycle()> length_cycles;
  /// Metrics of a run that are columns after the sweep's own, empty where a run has none; with their units.
  std::vector<observe::ResultTable::Column> columns = {};
  std::string plot_script;  ///< empty: the one that comes with Tsuji
  /// Throws ConfigError where the configuration at hand has no load to sweep.
  std::function<void(const RunOptions&)> check;
};

/// The runs of a sweep.
struct SweepPlan {
  std::vector<double> loads;
  bool saturation = false;  ///< further runs find the saturation point
};
/// "FROM:TO:POINTS" or "FROM:TO:POINTS:saturation", loads rounded to 10^-6. ConfigError for anything else.
SweepPlan parse_sweep(const std::string& text);

/// The latency-load curve of the configuration at hand. SystemC elaborates once a process, so each load is a
/// run of the executable with OUT/resolved.yaml (SweepRuns). The sweep goes up until two of its loads are
/// saturated. On demand it finds the saturation point (SaturationSearch), and adds points to the knee, where
/// the latencies of neighbouring loads differ by half.
///
/// Loads that a sweep of the same configuration has run completely before it was killed or ended by a signal
/// are not run again.
///
/// Leaves OUT/sweep.csv, the table `sweep`, the metrics saturation_flits_per_node_cycle, the highest load
/// shown stable, and saturated_flits_per_node_cycle, the lowest shown saturated (null: not asked for, or not
/// found), and a picture where there is a matplotlib. ConfigError or ModelError with a failing run's own
/// words.
void run_load_sweep(const LoadSweepConfig& config, const std::string& loads, const RunOptions& options,
                    observe::Results& results);

/// ConfigError for a pipe as an input file: every load of a sweep reads the file again.
void check_read_again(const char* key, const std::string& path);

/// The option --sweep-load, and --jobs and --at that go with it.
std::vector<PlatformOption> sweep_options(const LoadSweepConfig& config = {});

}  // namespace tsuji::platform
