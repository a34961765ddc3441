// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ostream>

namespace tsuji::observe {

std::string progress_text(double share_done, double seconds_so_far) {
  constexpr int width = 40;
  const double share = std::min(1.0, std::max(0.0, share_done));
  const auto filled = static_cast<std::size_t>(share * width);
  std::string bar(filled, '=');
  if (filled < width) bar += '>';
  bar.resize(width, ' ');
  char text[96];
  std::snprintf(text, sizeof text, "[%s] %3d %%", bar.c_str(), static_cast<int>(share * 100.0));
  std::string line = text;
  if (share > 0.0) {
    const double left = seconds_so_far * (1.0 - share) / share;
    if (left < 360000.0) {
      const auto seconds = static_cast<unsigned>(left + 0.5);
      std::snprintf(text, sizeof text, ", %02u:%02u left", seconds / 60, seconds % 60);
      line += text;
    }
  }
  return line;
}

ProgressBar::ProgressBar(std::ostream& out, bool enabled)
    : out_(out), enabled_(enabled), begin_(Clock::now()), next_(begin_) {}

void ProgressBar::begin(const std::string& what) {
  what_ = what.empty() ? "" : what + " ";
  begin_ = next_ = Clock::now();
}

void ProgressBar::update(double share_done) {
  if (!enabled_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  out_ << '\r' << what_ << progress_text(share_done, seconds) << "\x1b[K" << std::flush;
  drawn_ = true;
}

void ProgressBar::finish() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  enabled_ = drawn_ = false;
}

bool ProgressBar::stderr_is_terminal() {
  return isatty(STDERR_FILENO) != 0;
}

}  // namespace tsuji::observe
