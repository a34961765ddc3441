// SPDX-License-Identifier: Apache-2.0
#include "tsuji/host/library/waiter.h"

#include <algorithm>

#include "tsuji/nic/tables.h"

namespace tsuji::host {

bool Waiter::progress() {
  bool moved = false;
  for (ProgressSource* source : sources_) moved = source->progress() || moved;
  return moved;
}

void Waiter::collect_lines(std::uint64_t address) {
  lines_.clear();
  if (address != 0) lines_.push_back(address);
  for (const ProgressSource* source : sources_) source->watch(lines_);
  for (std::uint64_t& line : lines_) line -= line % nic::line_bytes;
  std::sort(lines_.begin(), lines_.end());
  lines_.erase(std::unique(lines_.begin(), lines_.end()), lines_.end());
}

void Waiter::until(const std::function<bool()>& done, const std::string& what, std::uint64_t address) {
  bool finished = done();
  while (!finished) {
    collect_lines(address);
    const Cycle start = cpu_.now();
    Cycle working = 0;
    // The watched words change with every step forward, so each one leaves the poll.
    const auto turn = [&] {
      const Cycle before = cpu_.now();
      const bool moved = progress();
      finished = done();
      if (!moved && !finished) return false;
      working += cpu_.now() - before;
      return true;
    };
    cpu_.poll_until(lines_.data(), lines_.size(), std::cref(turn), what);  // a reference: nothing to allocate
    waiting_ += cpu_.now() - start - working;
  }
}

}  // namespace tsuji::host
