// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/results/results.h"

namespace tsuji::platform {

/// Configuration of a sweep over offered loads.
struct LoadSweepConfig {
  std::string executable;  ///< Executable that runs one load; empty: the executable of this process.
  std::string load_key = "traffic.load_flits_per_node_cycle";  ///< Key that sets the offered load.
  std::string length_key = "measure.cycles";                   ///< Key that sets the measured cycles.
  /// Returns the measured cycles of a run, the value of `length_key`; 0: the key has no effect, and no run is
  /// lengthened. An empty function counts as 0.
  std::function<Cycle()> length_cycles;
  /// Returns the highest load that can be offered. An empty function counts as 1.
  std::function<double()> highest_load;
  /// Returns metrics of a run of the present configuration, with units, that become columns after the sweep's
  /// own; a cell is empty if the run lacks the metric. An empty function counts as none.
  std::function<std::vector<observe::ResultTable::Column>()> columns;
  std::string plot_script;  ///< Path of the plot script; empty: the script that comes with Tsuji.
  /// Throws ConfigError if the configuration has no load to sweep.
  std::function<void(const RunOptions&)> check;
};

/// Loads of a sweep.
struct SweepPlan {
  std::vector<double> loads;  ///< Offered loads in the unit of `load_key`, in ascending order.
  bool saturation = false;    ///< Further runs search for the saturation point.
};
/// Parses "FROM:TO:POINTS" or "FROM:TO:POINTS:saturation"; loads are at most `most` and rounded to 10^-6.
/// Throws ConfigError for anything else.
SweepPlan parse_sweep(const std::string& text, double most = 1.0);

/// Measures the latency-load curve of the present configuration. SystemC elaborates once in a process, so
/// each load is a run of the executable with OUT/resolved.yaml (SweepRuns). Loads rise until two of them are
/// saturated. On request the sweep searches for the saturation point (SaturationSearch) and refines the knee,
/// where the latencies of neighbouring loads differ by half.
///
/// Loads that an interrupted sweep of this configuration has completed are not run again.
///
/// Writes OUT/sweep.csv, the table `sweep`, two metrics and, if matplotlib is available, a plot. The metric
/// saturation_flits_per_node_cycle is the highest load shown stable; saturated_flits_per_node_cycle is the
/// lowest load shown saturated; a metric that was not requested or not found is null. Throws ConfigError or
/// ModelError with the message of a failing run.
void run_load_sweep(const LoadSweepConfig& config, const std::string& loads, const RunOptions& options,
                    observe::Results& results);

/// Throws ConfigError if the input file `path` is a pipe: every load of a sweep reads the file again.
void check_read_again(const char* key, const std::string& path);

/// The option --sweep-load and its modifiers --jobs and --at.
std::vector<PlatformOption> sweep_options(const LoadSweepConfig& config = {});

}  // namespace tsuji::platform
