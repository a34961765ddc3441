// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/signal_set.h"
#include "tsuji/observe/wave.h"
#include "tsuji/observe/wave_text.h"

namespace tsuji::instruments {

/// Levels of a waveform that several modules change in any order and in advance. Changes wait in a list of
/// their cycle, and are evaluated in order of cycle and, within a cycle, of call.
///
/// A level that is set belongs to a turn (the flit in a slot, the packet in a virtual channel): changes by an
/// earlier turn are discarded once a change of a later turn has been evaluated.
///
/// Contract: level() for all levels, then changes at cycles that pass() has not passed, and pass() in
/// ascending order of cycle. ModelError for a change at a passed cycle.
class LevelTimeline {
 public:
  using LevelId = std::uint32_t;

  LevelTimeline(observe::Wave& wave, const ClockDomain& domain) : wave_(wave), domain_(domain) {}
  LevelTimeline(const LevelTimeline&) = delete;
  LevelTimeline& operator=(const LevelTimeline&) = delete;

  /// Adds a level that is shown by `signal` and has the value `begin` in cycle 0.
  LevelId level(observe::SignalId signal, std::uint64_t begin = 0);
  /// Adds a level whose values are texts, with the empty text in cycle 0.
  LevelId text_level(observe::SignalId signal);
  /// Adds `difference` to a level in cycle `at`. The level is never set.
  void add(LevelId level, Cycle at, std::int32_t difference) {
    changes_at(at).differences.push_back({level, difference});
  }
  /// Sets a level to a number in cycle `at`. Nothing is ever added to the level.
  void set(LevelId level, Cycle at, std::uint64_t turn, std::uint64_t value) {
    changes_at(at).values.push_back({turn, value, level, false});
  }
  /// Sets a level to a text in cycle `at`. Returns the text, which is empty, for the caller to fill; it is
  /// valid until the next call.
  observe::WaveText& set_text(LevelId level, Cycle at, std::uint64_t turn) {
    std::size_t place = texts_.size();
    if (free_texts_.empty()) {
      texts_.emplace_back();
    } else {
      place = free_texts_.back();
      free_texts_.pop_back();
      texts_[place].clear();
    }
    changes_at(at).values.push_back({turn, place, level, true});
    return texts_[place];
  }
  /// Sets a level to the empty text in cycle `at`.
  void clear_text(LevelId level, Cycle at, std::uint64_t turn) {
    changes_at(at).values.push_back({turn, 0, level, true});
  }

  /// Writes all changes before cycle `now` to the waveform, to which others have made all of theirs up to
  /// then.
  void pass(Cycle now) { pass(now, true); }
  /// Writes all changes to the waveform, to which others may still make changes.
  void finish() { pass(never, false); }

 private:
  struct Level {
    observe::Wave::Change shown;  ///< the number of a text is its index in texts_
    std::uint64_t turn;
  };
  struct Difference {
    LevelId level;
    std::int32_t difference;
  };
  struct Value {
    std::uint64_t turn;
    std::uint64_t value;  ///< number, or of a text the index in texts_
    LevelId level;
    bool is_text;
  };
  /// Changes in a cycle, each kind in the order of the calls.
  struct alignas(64) Changes {
    std::vector<Difference> differences;
    std::vector<Value> values;

    bool empty() const { return differences.empty() && values.empty(); }
    void clear() {
      differences.clear();
      values.clear();
    }
  };
  static constexpr Cycle near_cycles = 128;

  /// The list of a cycle. All calls for a far cycle precede those that find the cycle near.
  Changes& changes_at(Cycle at) {
    if (at - passed_ >= near_cycles) return far_changes_at(at);
    return near_[at % near_cycles];
  }
  Changes& far_changes_at(Cycle at);
  void begin();
  void take(const Changes& changes);
  void pass(Cycle now, bool others_are_done);
  void write(Picoseconds time, bool others_are_done);
  void release_text(std::uint64_t place);

  observe::Wave& wave_;
  const ClockDomain& domain_;
  std::vector<Level> levels_;
  std::array<Changes, near_cycles> near_;  ///< [cycle % near_cycles]; empty: those of passed cycles
  std::map<Cycle, Changes> far_;           ///< changes at least near_cycles ahead when they were made
  std::vector<observe::WaveText> texts_ =
      std::vector<observe::WaveText>(1);  ///< texts of changes that wait; place 0: the empty text
  std::vector<std::uint32_t> free_texts_;
  observe::SignalSet changed_;                         ///< levels that change in the cycle that is evaluated
  std::vector<const observe::Wave::Change*> written_;  ///< memory for write()
  Cycle passed_ = 0;                                   ///< earlier cycles have been written
  bool begun_ = false;
};

}  // namespace tsuji::instruments
