// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

namespace tsuji::observe {

/// Text of a progress bar, for example "[=====>    ]  50 %, 00:12 left": the completed share (0..1) and the
/// remaining time at the average speed so far.
std::string progress_text(double share_done, double seconds_so_far);

/// Progress bar in one line of a terminal, redrawn at most five times a second.
///
/// Contract: begin() for each part of the work, update() during it, finish() at the end.
class ProgressBar {
 public:
  /// Prints nothing unless `enabled`.
  ProgressBar(std::ostream& out, bool enabled);
  ~ProgressBar() { finish(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Begins a part of the work, whose share and remaining time start from 0; `what` is printed before the
  /// bar.
  void begin(const std::string& what);
  /// Sets the completed share, 0..1. Reads the clock, so call it once in some thousand cycles.
  void update(double share_done);
  /// Erases the line; further updates are ignored.
  void finish();

  /// True if stderr is a terminal.
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
