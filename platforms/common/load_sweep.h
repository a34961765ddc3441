#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tsuji/platform/command_line.h"

namespace tsuji::platform {

/// How a sweep over offered loads is done.
struct LoadSweepConfig {
  std::string executable;  ///< executable of one load's run; empty: this process's own
  std::string load_key = "traffic.load_flits_per_node_cycle";
  unsigned processes = 0;     ///< at the same time; 0: one a core. No result depends on it
  double resolution = 0.005;  ///< of the saturation point
  std::string plot_script;    ///< empty: scripts/plot_sweep.py of the project
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
/// run of the executable with OUT/resolved.yaml in OUT/load_X. The saturation point, the largest load that is
/// not `saturated`, is bisected on demand between the first saturated load and the one before it, down to
/// `resolution`; without any saturated load, between the last and 1.
///
/// Loads that a sweep of the same configuration has run completely before it was killed or ended by a signal
/// are not run again.
///
/// Leaves OUT/sweep.csv, the table `sweep`, the metric saturation_flits_per_node_cycle (null: not asked for),
/// and a picture where
/// there is a matplotlib. ConfigError or ModelError with a failing run's own words.
void run_load_sweep(const LoadSweepConfig& config, const std::string& loads, const RunOptions& options,
                    observe::Results& results);

/// The option --sweep-load.
PlatformOption sweep_option(const LoadSweepConfig& config = {});

}  // namespace tsuji::platform
