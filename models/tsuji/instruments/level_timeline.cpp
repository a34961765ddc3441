// SPDX-License-Identifier: Apache-2.0
#include "tsuji/instruments/level_timeline.h"

#include <algorithm>

#include "tsuji/core/error.h"

namespace tsuji::instruments {

LevelTimeline::LevelId LevelTimeline::level(observe::SignalId signal, std::int64_t begin) {
  levels_.push_back({signal, false, 0, begin});
  return static_cast<LevelId>(levels_.size() - 1);
}

LevelTimeline::LevelId LevelTimeline::text_level(observe::SignalId signal) {
  levels_.push_back({signal, true, 0, 0});
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
    if (level.value != 0) wave_.change(level.signal, 0, static_cast<std::uint64_t>(level.value));
  }
}

void LevelTimeline::pass(Cycle now, bool others_are_done) {
  if (!begun_) begin();
  for (; passed_ < now; ++passed_) {
    const bool has_far = !far_.empty();
    if (waiting_ == 0) {
      passed_ = std::min(now, has_far ? std::max(passed_, far_.begin()->first) : now);
      if (passed_ == now) return;
    }
    if (has_far && far_.begin()->first == passed_) {
      take(far_.begin()->second);
      far_.erase(far_.begin());
    }
    Changes& changes = near_[passed_ % near_cycles];
    take(changes);
    waiting_ -= changes.size();
    changes.clear();
    write(domain_.ps_of(passed_), others_are_done);
  }
}

void LevelTimeline::take(const Changes& changes) {
  Level* const levels = levels_.data();
  for (const Difference& change : changes.differences) {
    levels[change.level].value += change.difference;
    changed_.insert(change.level);
  }
  for (const Value& change : changes.values) {
    Level& level = levels[change.level];
    if (change.turn < level.turn) {
      if (change.is_text) release_text(change.value);
      continue;
    }
    level.turn = change.turn;
    if (change.is_text) release_text(level.value);
    level.value = change.value;
    changed_.insert(change.level);
  }
}

/// Writes the levels that have changed in a cycle.
void LevelTimeline::write(Picoseconds time, bool others_are_done) {
  observe::Wave::Change* next = written_.data();
  changed_.take([&](LevelId id) {
    const Level& level = levels_[id];
    next->signal = level.signal;
    next->number = static_cast<std::uint64_t>(level.value);
    next->text = level.is_text ? &texts_[static_cast<std::size_t>(level.value)] : nullptr;
    ++next;
  });
  const auto count = static_cast<std::size_t>(next - written_.data());
  if (others_are_done) {
    wave_.change_at_once(time, written_.data(), count);
  } else {
    wave_.change_each(time, written_.data(), count);
  }
}

void LevelTimeline::release_text(std::int64_t place) {
  if (place != 0) free_texts_.push_back(static_cast<std::uint32_t>(place));
}

}  // namespace tsuji::instruments
