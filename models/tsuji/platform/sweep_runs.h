// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tsuji/platform/child_process.h"
#include "tsuji/platform/command_line.h"
#include "tsuji/platform/load_sweep.h"
#include "tsuji/platform/saturation_search.h"

namespace tsuji::platform {

/// Runs of a sweep in processes of their own, in OUT/load_X, or OUT/load_X_xN where the run is N times as
/// long as the configuration says; with --runs in kept folders, under these names as well.
///
/// Contract: play() once for each group of runs whose order does not matter. Results stay until the end.
class SweepRuns {
 public:
  using Run = SaturationSearch::Run;
  /// The metrics and tables of a run that has ended.
  struct Result;

  SweepRuns(const LoadSweepConfig& config, const RunOptions& options, observe::Results& results,
            unsigned processes);
  ~SweepRuns();

  /// Sets the expected number of runs, for the progress bar.
  void plan(std::size_t runs) { planned_ = std::max(runs, size() + 1); }
  /// Plays these runs, several at a time, in their order. `enough`, if given, is called with the number of
  /// leading runs that have ended, and true ends the others, which leave nothing. ConfigError, ModelError or
  /// OutputError with a failing run's own words.
  void play(const std::vector<Run>& runs, const std::function<bool(std::size_t ended)>& enough = {});

  const Result& result(const Run& run) const;
  /// Metric of a run that has ended; ModelError where it has none of that name.
  observe::Value metric(const Run& run, const std::string& name) const;
  /// The same, null where it has none.
  observe::Value metric_if_any(const Run& run, const std::string& name) const;
  /// Rows of a table of the run, each a JSON array; null where it has none of that name.
  nlohmann::ordered_json table(const Run& run, const std::string& name) const;
  static std::string name_of(const Run& run);
  std::size_t size() const { return results_of_.size(); }

 private:
  struct Playing {
    Run run;
    std::unique_ptr<ChildProcess> process;
  };
  using Key = std::pair<double, unsigned>;
  static Key key(const Run& run) { return {run.load, run.times}; }

  void play_some(const std::vector<Run>& runs, const std::function<bool(std::size_t)>& enough,
                 std::vector<Playing>& playing);
  void take_ended(std::vector<Playing>& playing);
  void give_up(std::vector<Playing>& playing);
  std::unique_ptr<ChildProcess> start(const Run& run) const;
  bool take_result(const Run& run);
  void check_status(const Run& run, int status);
  std::string folder(const Run& run) const;
  std::string stem(const Run& run) const { return options_.file(name_of(run)); }
  void link_kept(const Run& run) const;
  void clear(const Run& run) const;

  const LoadSweepConfig& config_;
  const RunOptions& options_;
  observe::Results& results_;
  const std::string executable_;
  const unsigned processes_;
  std::size_t planned_ = 1;
  std::map<Key, std::unique_ptr<Result>> results_of_;
};

/// A text for the end of one line of a message.
std::string one_line(std::string text);
std::string text_of_file(const std::string& path);

}  // namespace tsuji::platform
