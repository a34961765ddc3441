// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

namespace tsuji::observe {

/// "[=====>    ]  50 %, 00:12 left": the share done (0..1) and the time left at the pace so far.
std::string progress_text(double share_done, double seconds_so_far);

/// One line on a terminal that is drawn over and over, at most five times a second. It never speaks unless
/// `enabled`.
class ProgressBar {
 public:
  ProgressBar(std::ostream& out, bool enabled);
  ~ProgressBar() { finish(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Begins a part of the work, with a share and a time of its own; `what` stands before the bar.
  void begin(const std::string& what);
  /// Reads the clock, so call it every few thousand cycles and not in each; the argument is 0..1.
  void update(double share_done);
  /// Wipes the line; further updates are ignored.
  void finish();

  /// Is the standard error output a terminal?
  static bool stderr_is_terminal();

 private:
  using Clock = std::chrono::steady_clock;
  std::ostream& out_;
  std::string what_;
  bool enabled_;
  bool drawn_ = false;
  Clock::time_point begin_, next_;
};

}  // namespace tsuji::observe
