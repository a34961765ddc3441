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
  levels_.emplace_back();
  return static_cast<SignalId>(signals_.size() - 1);
}

void WaveFile::name_value(SignalId signal, std::uint64_t value, const std::string& text) {
  signals_.at(signal).names.emplace_back(value, text);
}

void WaveFile::start() {
  started_ = true;
  sink_->declare(signals_);
}

void WaveFile::check(SignalId signal, Picoseconds time, bool text) {
  if (!started_) start();
  if (closed_) fail("a change after close()");
  const SignalInfo& info = signals_.at(signal);
  if (info.is_text() != text) fail("signal " + info.path + (text ? " shows numbers" : " shows texts"));
  if (time < passed_) {
    fail("signal " + info.path + " changes at " + std::to_string(time) + " ps, but all changes before " +
         std::to_string(passed_) + " ps were declared final");
  }
}

void WaveFile::push(SignalId signal, Picoseconds time, std::uint64_t value) {
  heap_.push_back({time, calls_++, value, signal});
  std::push_heap(heap_.begin(), heap_.end());
}

void WaveFile::change(SignalId signal, Picoseconds time, std::uint64_t value) {
  check(signal, time, false);
  const SignalInfo& info = signals_[signal];
  if (info.width_bits < 64 && value >> info.width_bits != 0) {
    fail("signal " + info.path + ": " + std::to_string(value) + " does not fit into its " +
         std::to_string(info.width_bits) + " bits");
  }
  if (time <= window_.to) push(signal, time, value);
}

void WaveFile::change(SignalId signal, Picoseconds time, const std::string& text) {
  check(signal, time, true);
  if (time > window_.to) return;
  std::uint64_t place = texts_.size();
  if (free_texts_.empty()) {
    texts_.push_back(text);
  } else {
    place = free_texts_.back();
    free_texts_.pop_back();
    texts_[place] = text;
  }
  push(signal, time, place);
}

void WaveFile::take(const Change& change) {
  Level& level = levels_[change.signal];
  if (signals_[change.signal].is_text()) {
    level.text.swap(texts_[change.value]);
    free_texts_.push_back(change.value);
  } else {
    level.value = change.value;
  }
  if (!level.touched) {
    level.touched = true;
    touched_.push_back(change.signal);
  }
}

void WaveFile::write_time(Picoseconds time) {
  if (open_ && time == written_time_) return;
  open_ = true;
  written_time_ = time;
  sink_->time(time);
}

void WaveFile::write_level(SignalId signal, Picoseconds time, bool changed_only) {
  Level& level = levels_[signal];
  const bool is_text = signals_[signal].is_text();
  const bool same = is_text ? level.text == level.written_text : level.value == level.written_value;
  if (changed_only && same) return;
  changed_ = changed_ || changed_only;
  write_time(time);
  if (is_text) {
    sink_->text(signal, level.text);
    level.written_text = level.text;
  } else {
    sink_->value(signal, level.value);
    level.written_value = level.value;
  }
}

void WaveFile::write_all(Picoseconds time) {
  write_time(time);
  for (SignalId signal = 0; signal < signals_.size(); ++signal) write_level(signal, time, false);
}

void WaveFile::write_step(Picoseconds time) {
  if (time >= window_.from) {
    if (!open_ && time == window_.from) {
      write_all(time);
    } else {
      // By signal, not by call: the file is the same whatever the order in which modules ran.
      std::sort(touched_.begin(), touched_.end());
      for (const SignalId signal : touched_) write_level(signal, time, true);
    }
  }
  for (const SignalId signal : touched_) levels_[signal].touched = false;
  touched_.clear();
}

void WaveFile::write_before(Picoseconds time) {
  while (!heap_.empty() && heap_.front().time < time) {
    const Picoseconds now = heap_.front().time;
    // The state before this step is what holds at the window's beginning, if that lies between two steps.
    if (!open_ && now > window_.from) write_all(window_.from);
    while (!heap_.empty() && heap_.front().time == now) {
      std::pop_heap(heap_.begin(), heap_.end());
      take(heap_.back());
      heap_.pop_back();
    }
    write_step(now);
    last_ = std::max(last_, now);
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
  while (!heap_.empty()) write_before(heap_.front().time + 1);
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
