// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/observe/wave.h"

namespace tsuji::instruments::test {

/// A waveform in memory, which gives the level of a signal at any time.
class Levels final : public observe::Wave {
 public:
  struct Signal {
    unsigned width_bits = 0;
    observe::WaveFormat format = observe::WaveFormat::binary;
    std::string group;
    std::map<Picoseconds, std::pair<std::uint64_t, std::string>> changes;
    std::vector<std::string> names;
  };

  observe::SignalId add(const std::string& path, unsigned width_bits, observe::WaveFormat format,
                        const std::string& group) override {
    if (!ids_.emplace(path, static_cast<observe::SignalId>(signals_.size())).second)
      throw std::logic_error(path + " is there twice");
    Signal signal;
    signal.width_bits = width_bits;
    signal.format = format;
    signal.group = group;
    signals_.push_back(std::move(signal));
    return static_cast<observe::SignalId>(signals_.size() - 1);
  }
  void change(observe::SignalId signal, Picoseconds time, std::uint64_t value) override {
    note(signal, time, {value, ""});
    if (signals_[signal].width_bits < 64 && value >> signals_[signal].width_bits != 0)
      throw std::logic_error("a value is wider than its signal");
  }
  void change(observe::SignalId signal, Picoseconds time, const std::string& text) override {
    note(signal, time, {0, text});
  }
  void name_value(observe::SignalId signal, std::uint64_t value, const std::string& text) override {
    auto& names = signals_[signal].names;
    if (names.size() <= value) names.resize(value + 1);
    names[value] = text;
  }
  void advance(Picoseconds time) override { passed_ = time; }
  void close() override {}

  bool has(const std::string& path) const { return ids_.count(path) != 0; }
  const Signal& at(const std::string& path) const { return signals_[ids_.at(path)]; }
  std::uint64_t value(const std::string& path, Picoseconds time) const { return level(path, time).first; }
  std::string text(const std::string& path, Picoseconds time) const { return level(path, time).second; }
  std::size_t size() const { return signals_.size(); }
  /// Calls visit(path, Signal) for all signals, in the order of their paths.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [path, id] : ids_) visit(path, signals_[id]);
  }
  Picoseconds passed() const { return passed_; }
  /// Number of changes after the wave had advanced past their time.
  unsigned late = 0;

 private:
  void note(observe::SignalId signal, Picoseconds time, std::pair<std::uint64_t, std::string> level) {
    late += time < passed_ ? 1 : 0;
    signals_[signal].changes[time] = std::move(level);
  }
  std::pair<std::uint64_t, std::string> level(const std::string& path, Picoseconds time) const {
    const auto& changes = at(path).changes;
    const auto next = changes.upper_bound(time);
    return next == changes.begin() ? std::pair<std::uint64_t, std::string>{} : std::prev(next)->second;
  }

  std::vector<Signal> signals_;
  std::map<std::string, observe::SignalId> ids_;
  Picoseconds passed_ = 0;
};

}  // namespace tsuji::instruments::test
