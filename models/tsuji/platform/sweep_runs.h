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

/// Runs of a sweep, each in a child process with the folder OUT/load_X, or OUT/load_X_xN if the run has N
/// times the configured length. With --runs the folders are kept folders, linked under these names.
///
/// Contract: one call of play() for each group of runs whose order does not matter. Results of every run stay
/// available until the object is destroyed.
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
  /// Runs a group, several at a time, started in order. `enough`, if given, is called with the number of
  /// leading runs that have ended; if it returns true, the other runs are terminated and leave nothing.
  /// Throws ConfigError, ModelError or OutputError with the message of a failing run.
  void play(const std::vector<Run>& runs, const std::function<bool(std::size_t ended)>& enough = {});

  const Result& result(const Run& run) const;
  /// Metric of a run that has ended. Throws ModelError if the run has no metric of that name.
  observe::Value metric(const Run& run, const std::string& name) const;
  /// Metric of a run that has ended; null if the run has no metric of that name.
  observe::Value metric_if_any(const Run& run, const std::string& name) const;
  /// Rows of a table of a run, each a JSON array; null if the run has no table of that name.
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

/// The text on one line, for the end of a message.
std::string one_line(std::string text);
std::string text_of_file(const std::string& path);

}  // namespace tsuji::platform
