// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

namespace tsuji::platform {

/// Verdict on one load, from observe::Stability.
enum class LoadVerdict { stable, saturated, undecided };

/// Search for a network's saturation: the highest load that is shown stable, and the lowest that is shown
/// saturated. Undecided runs are repeated with up to 16 times the length.
///
/// Contract: next() returns the runs that are needed; ended() reports each of them, in any order; an empty
/// next() ends the search. The result depends on the verdicts alone. The studies have a twin in Python,
/// scripts/tsuji/saturation.py; tests/platform/saturation_cases.json is tested against both.
class SaturationSearch {
 public:
  static constexpr unsigned longest = 16;
  /// Largest distance between the two loads at the end, relative to the higher one.
  static constexpr double apart = 0.01;

  /// A load, and the length of its run as a multiple of the sweep's length.
  struct Run {
    double load = 0;
    unsigned times = 1;
  };
  struct End {
    LoadVerdict verdict = LoadVerdict::undecided;
    double needs_times = 2;  ///< Undecided runs: the multiple of the length that would decide.
    unsigned times = 1;
  };

  /// `lengthens`: runs can be lengthened. `most`: the highest load that can be offered.
  explicit SaturationSearch(bool lengthens, double most = 1.0) : lengthens_(lengthens), most_(most) {}

  void ended(const Run& run, LoadVerdict verdict, double needs_times);
  /// Runs that are needed, by rising load; they may run concurrently.
  std::vector<Run> next() const;

  /// Highest load shown stable that lies below every load shown saturated; 0 if there is none.
  double stable() const;
  /// Lowest load shown saturated; empty if there is none.
  std::optional<double> saturated() const;
  /// Undecided loads between stable() and saturated().
  std::vector<double> undecided() const;

 private:
  const bool lengthens_;
  const double most_;
  std::map<double, End> ends_;
};

/// True if a sweep of rising loads continues: fewer than two of the runs so far are saturated. `ended` has
/// the verdicts of the first loads without a gap.
bool goes_up(const std::vector<LoadVerdict>& ended);

}  // namespace tsuji::platform
