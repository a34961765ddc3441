// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/level_timeline.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::instruments {

LevelTimeline::LevelId LevelTimeline::level(observe::SignalId signal, std::uint64_t begin) {
  levels_.push_back({{signal, begin, nullptr}, 0});
  return static_cast<LevelId>(levels_.size() - 1);
}

LevelTimeline::LevelId LevelTimeline::text_level(observe::SignalId signal) {
  levels_.push_back({{signal, 0, &texts_.front()}, 0});
  return static_cast<LevelId>(levels_.size() - 1);
}

LevelTimeline::Changes& LevelTimeline::far_changes_at(Cycle at) {
  if (at < passed_)
    throw ModelError(
        "waveform", at, "",
        "a change was reported after all cycles before " + std::to_string(passed_) + " had been written");
  return far_[at];
}

void LevelTimeline::begin() {
  begun_ = true;
  changed_.resize(levels_.size());
  written_.resize(levels_.size());
  for (const Level& level : levels_) {
    if (level.shown.number != 0) wave_.change(level.shown.signal, 0, level.shown.number);
  }
}

void LevelTimeline::pass(Cycle now, bool others_are_done) {
  if (!begun_) begin();
  Cycle empty = 0;  // cycles without a change, one after the other
  for (; passed_ < now; ++passed_) {
    Changes& near = near_[passed_ % near_cycles];
    const Cycle far = far_.empty() ? never : far_.begin()->first;
    if (near.empty() && far != passed_) {
      if (++empty >= near_cycles) passed_ = std::min(now, far) - 1;  // as near_ is empty
      continue;
    }
    empty = 0;
    if (far == passed_) {
      take(far_.begin()->second);
      far_.erase(far_.begin());
    }
    take(near);
    near.clear();
    write(domain_.ps_of(passed_), others_are_done);
  }
}

void LevelTimeline::take(const Changes& changes) {
  Level* const levels = levels_.data();
  for (const Difference& change : changes.differences) {
    levels[change.level].shown.number += static_cast<std::uint64_t>(std::int64_t{change.difference});
    changed_.insert(change.level);
  }
  for (const Value& change : changes.values) {
    Level& level = levels[change.level];
    if (change.turn < level.turn) {
      if (change.is_text) release_text(change.value);
      continue;
    }
    level.turn = change.turn;
    if (change.is_text) {
      release_text(level.shown.number);
      level.shown.text = &texts_[change.value];  // valid until write()
    }
    level.shown.number = change.value;
    changed_.insert(change.level);
  }
}

/// Writes the levels that have changed in a cycle.
void LevelTimeline::write(Picoseconds time, bool others_are_done) {
  const Level* const levels = levels_.data();
  const observe::Wave::Change** next = written_.data();
  changed_.take([&](LevelId id) { *next++ = &levels[id].shown; });
  const auto count = static_cast<std::size_t>(next - written_.data());
  if (others_are_done) {
    wave_.change_at_once(time, written_.data(), count);
  } else {
    wave_.change_each(time, written_.data(), count);
  }
}

void LevelTimeline::release_text(std::uint64_t place) {
  if (place != 0) free_texts_.push_back(static_cast<std::uint32_t>(place));
}

}  // namespace tsuji::instruments
