// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <vector>

namespace tsuji::platform {

/// Verdict of a load's run on the network (observe::Stability).
enum class LoadVerdict { stable, saturated, undecided };

/// Search for the saturation of a network: the highest load that is shown stable, and the lowest that is
/// shown saturated. Runs that decide nothing are made longer, up to 16 times.
///
/// Contract: next() says which runs are wanted, ended() takes each of them, in any order; an empty next() is
/// the end. The answer depends on the verdicts alone. scripts/tsuji/saturation.py is its twin in
/// studies: both play tests/platform/saturation_cases.json.
class SaturationSearch {
 public:
  static constexpr unsigned longest = 16;
  static constexpr double apart = 0.01;  ///< of the two loads at the end, in parts of the higher one

  /// A load, and the length of its run as a multiple of the sweep's own.
  struct Run {
    double load = 0;
    unsigned times = 1;
  };
  struct End {
    LoadVerdict verdict = LoadVerdict::undecided;
    double needs_times = 2;  ///< undecided: the multiple that would decide
    unsigned times = 1;
  };

  /// `lengthens`: runs can be made longer.
  explicit SaturationSearch(bool lengthens) : lengthens_(lengthens) {}

  void ended(const Run& run, LoadVerdict verdict, double needs_times);
  /// Runs that are wanted, by rising load; all of them may run at a time.
  std::vector<Run> next() const;

  /// The highest load shown stable below all that are shown saturated; 0 if there is none.
  double stable() const;
  /// The lowest load shown saturated.
  std::optional<double> saturated() const;
  /// Loads between stable() and saturated() that no run has decided.
  std::vector<double> undecided() const;

 private:
  const bool lengthens_;
  std::map<double, End> ends_;
};

/// The loads of a sweep that goes up: those of `loads` before and up to the second one whose run is
/// saturated. `ended` has the verdicts of the first loads, without a gap.
bool goes_up(const std::vector<LoadVerdict>& ended);

}  // namespace tsuji::platform
