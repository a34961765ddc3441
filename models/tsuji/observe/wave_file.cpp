// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/wave_file.h"

#include <algorithm>
#include <utility>

#include "tsuji/core/error.h"
#include "tsuji/observe/gtkw.h"

namespace tsuji::observe {

std::unique_ptr<Wave> open_wave_file(const WaveFileConfig& config) {
  const bool fst = config.format == WaveFileFormat::fst;
  const std::string ending = fst ? ".fst" : ".vcd";
  auto sink = fst ? open_fst(config.path + ending) : open_vcd(config.path + ending);
  return std::make_unique<WaveFile>(std::move(sink), config, ending);
}

WaveFile::WaveFile(std::unique_ptr<WaveSink> sink, const WaveFileConfig& config, std::string ending)
    : sink_(std::move(sink)),
      window_(config.window),
      marker_(config.marker),
      stem_(config.path),
      ending_(std::move(ending)) {}

WaveFile::~WaveFile() {
  try {
    close();
  } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor cannot report
  }
}

void WaveFile::fail(const std::string& problem) const {
  throw ModelError(stem_ + ending_, problem);
}

SignalId WaveFile::add(const std::string& path, unsigned width_bits, WaveFormat format,
                       const std::string& group) {
  if (started_) fail("signal " + path + " was added after the first change");
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != std::string::npos ||
      path.find_first_of(" \t\n") != std::string::npos) {
    fail("'" + path + "' is not a signal path");
  }
  if (format != WaveFormat::text && (width_bits == 0 || width_bits > 64)) {
    fail("signal " + path + " has " + std::to_string(width_bits) + " bits; 1 to 64 can be shown");
  }
  if (!paths_.insert(path).second) fail("signal " + path + " was added twice");
  signals_.push_back({path, width_bits, format, group, {}});
  Level level;
  level.is_text = format == WaveFormat::text;
  level.largest = level.is_text ? ~std::uint64_t{0} : ~std::uint64_t{0} >> (64 - width_bits);
  levels_.push_back(level);
  return static_cast<SignalId>(signals_.size() - 1);
}

void WaveFile::name_value(SignalId signal, std::uint64_t value, const std::string& text) {
  signals_.at(signal).names.emplace_back(value, text);
}

void WaveFile::start() {
  started_ = true;
  touched_.resize(signals_.size());
  fresh_.resize(signals_.size());
  sink_->declare(signals_);
}

inline void WaveFile::check(SignalId signal, Picoseconds time, bool text) {
  if (!started_) start();
  if (closed_ || levels_.at(signal).is_text != text || time < passed_) refuse(signal, time, text);
}

void WaveFile::refuse(SignalId signal, Picoseconds time, bool text) const {
  if (closed_) fail("a change after close()");
  const std::string name = "signal " + signals_[signal].path;
  if (levels_[signal].is_text != text) fail(name + (text ? " shows numbers" : " shows texts"));
  fail(name + " changes at " + std::to_string(time) + " ps, but all changes before " +
       std::to_string(passed_) + " ps were declared final");
}

/// The list of changes at a time, which most often is the time of the call before.
std::vector<WaveFile::Waiting>& WaveFile::changes_at(Picoseconds time) {
  if (last_step_ >= steps_.size() || steps_[last_step_].time != time) last_step_ = insert_step(time);
  return steps_[last_step_].changes;
}

/// Index of the step at this time, which is inserted if there is none.
std::size_t WaveFile::insert_step(Picoseconds time) {
  const auto at = std::lower_bound(steps_.begin(), steps_.end(), time,
                                   [](const Step& step, Picoseconds wanted) { return step.time > wanted; });
  const auto index = static_cast<std::size_t>(at - steps_.begin());
  if (at != steps_.end() && at->time == time) return index;
  std::vector<Waiting> changes;
  if (!free_changes_.empty()) {
    changes.swap(free_changes_.back());
    free_changes_.pop_back();
  }
  steps_.insert(at, {time, std::move(changes)});
  return index;
}

void WaveFile::change(SignalId signal, Picoseconds time, std::uint64_t value) {
  check(signal, time, false);
  if (value > levels_[signal].largest) refuse_width(signal, value);
  if (time <= window_.to) changes_at(time).push_back({signal, value});
}

void WaveFile::change_at_once(Picoseconds time, const Change* const* changes, std::size_t count) {
  if (count == 0) return;
  check(changes[0]->signal, time, changes[0]->text != nullptr);
  if (!may_write_at_once(time)) return change_each(time, changes, count);
  levels_.at(changes[count - 1]->signal);  // the largest signal
  Level* const levels = levels_.data();
  const Change** next = fresh_.data();
  for (const Change* const* at = changes; at != changes + count; ++at) {
    const Change& one = **at;
    Level& level = levels[one.signal];
    if (one.text != nullptr) {
      if (!replace_text(one.signal, *one.text)) continue;
    } else {
      if (level.is_text) refuse(one.signal, time, false);
      if (level.value == one.number) continue;
      if (one.number > level.largest) refuse_width(one.signal, one.number);
      level.value = level.written_value = one.number;
    }
    *next++ = &one;
  }
  last_ = std::max(last_, time);
  passed_ = time + 1;
  if (next == fresh_.data()) return;
  changed_ = true;
  write_time(time);
  sink_->changes(fresh_.data(), static_cast<std::size_t>(next - fresh_.data()));
}

/// True if all changes before `time` are in the file or waited for their turn until now, none waits for
/// `time`, and the file begins before.
bool WaveFile::may_write_at_once(Picoseconds time) {
  if (time <= window_.from || time > window_.to) return false;
  write_before(time);
  return open_ && (steps_.empty() || steps_.back().time != time);
}

/// Gives a signal another text. Returns false if it is the one that the file has. Out of line, as it would
/// take registers of those who change numbers.
[[gnu::noinline]] bool WaveFile::replace_text(SignalId signal, const WaveText& text) {
  Level& level = levels_[signal];
  if (!level.is_text) refuse(signal, passed_, true);
  if (texts_[level.value].view() == text.view()) return false;
  if (level.written_value != level.value) release_text(level.written_value);
  if (level.value == 0) level.value = place_for_text();
  Text& held = texts_[level.value];
  if (!held.longer.empty()) held.longer.clear();
  held.brief = text;
  level.written_value = level.value;
  return true;
}

void WaveFile::refuse_width(SignalId signal, std::uint64_t value) const {
  const SignalInfo& info = signals_[signal];
  fail("signal " + info.path + ": " + std::to_string(value) + " does not fit into its " +
       std::to_string(info.width_bits) + " bits");
}

void WaveFile::change(SignalId signal, Picoseconds time, const std::string& text) {
  check(signal, time, true);
  if (time > window_.to) return;
  std::uint64_t place = 0;
  if (WaveText::fits(text)) {
    place = keep_text(WaveText(text));
  } else {
    place = place_for_text();
    texts_[place].longer = text;
  }
  changes_at(time).push_back({signal, place});
}

/// Copies a text. Returns its place in texts_.
std::uint64_t WaveFile::keep_text(const WaveText& text) {
  if (text.empty()) return 0;
  const std::uint64_t place = place_for_text();
  texts_[place].brief = text;
  return place;
}

/// Place in texts_ for a text, which has no longer one.
std::uint64_t WaveFile::place_for_text() {
  if (free_texts_.empty()) {
    texts_.emplace_back();
    return texts_.size() - 1;
  }
  const std::uint64_t place = free_texts_.back();
  free_texts_.pop_back();
  if (!texts_[place].longer.empty()) texts_[place].longer.clear();
  return place;
}

void WaveFile::release_text(std::uint64_t place) {
  if (place != 0) free_texts_.push_back(place);
}

inline void WaveFile::take(const Waiting& change) {
  Level& level = levels_[change.signal];
  if (level.is_text && level.value != level.written_value) release_text(level.value);
  level.value = change.value;
  touched_.insert(change.signal);
}

inline void WaveFile::write_time(Picoseconds time) {
  if (open_ && time == written_time_) return;
  open_ = true;
  written_time_ = time;
  sink_->time(time);
}

inline void WaveFile::write_level(SignalId signal) {
  Level& level = levels_[signal];
  if (level.is_text) {
    sink_->text(signal, texts_[level.value].view());
    if (level.value != level.written_value) release_text(level.written_value);
  } else {
    sink_->value(signal, level.value);
  }
  level.written_value = level.value;
}

/// Writes a signal unless it has the value that is in the file.
inline void WaveFile::write_changed(SignalId signal, Picoseconds time) {
  const Level& level = levels_[signal];
  if (level.value == level.written_value || (level.is_text && same_texts(level.value, level.written_value)))
    return;
  changed_ = true;
  write_time(time);
  write_level(signal);
}

void WaveFile::write_all(Picoseconds time) {
  write_time(time);
  for (SignalId signal = 0; signal < signals_.size(); ++signal) write_level(signal);
}

void WaveFile::write_step(Picoseconds time) {
  const bool opens = !open_ && time == window_.from;
  if (opens) write_all(time);
  const bool shown = time >= window_.from && !opens;
  // By signal, not by call: the file is the same whatever the order in which modules ran.
  touched_.take([&](SignalId signal) {
    if (shown) write_changed(signal, time);
  });
}

void WaveFile::write_before(Picoseconds time) {
  while (!steps_.empty() && steps_.back().time < time) {
    Step step = std::move(steps_.back());
    steps_.pop_back();
    // The state before this step is what holds at the window's beginning, if that lies between two steps.
    if (!open_ && step.time > window_.from) write_all(window_.from);
    for (const Waiting& change : step.changes) take(change);
    write_step(step.time);
    last_ = std::max(last_, step.time);
    step.changes.clear();
    free_changes_.push_back(std::move(step.changes));
  }
}

void WaveFile::advance(Picoseconds time) {
  if (closed_ || time <= passed_) return;
  if (!started_) start();
  write_before(time);
  passed_ = time;
  last_ = std::max(last_, std::min(time, window_.to));
}

void WaveFile::close() {
  if (closed_) return;
  closed_ = true;
  if (!started_) start();
  while (!steps_.empty()) write_before(steps_.back().time + 1);
  if (!open_) write_all(window_.from);
  last_ = std::max(last_, window_.from);
  write_time(last_);
  sink_->close();
  WaveWindow shown{window_.from, last_};
  if (view_)
    shown = {std::clamp(view_->from, shown.from, shown.to), std::clamp(view_->to, shown.from, shown.to)};
  write_gtkw(stem_, ending_, signals_, shown, marker_.value_or(shown.from), view_ ? &*view_ : nullptr);
}

}  // namespace tsuji::observe
