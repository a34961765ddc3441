// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tsuji/core/units.h"
#include "tsuji/observe/wave.h"

namespace tsuji::test {

/// Records all signal changes of modules.
struct RecordedWave final : observe::Wave {
  std::vector<std::string> paths;
  std::vector<unsigned> widths;
  std::map<observe::SignalId, std::map<std::uint64_t, std::string>> names;
  std::vector<std::array<std::uint64_t, 3>> changes;  // signal, ps, value
  observe::SignalId add(const std::string& path, unsigned width, observe::WaveFormat,
                        const std::string&) override {
    paths.push_back(path);
    widths.push_back(width);
    return static_cast<observe::SignalId>(paths.size() - 1);
  }
  void change(observe::SignalId signal, Picoseconds time, std::uint64_t value) override {
    changes.push_back({signal, time, value});
  }
  void change(observe::SignalId, Picoseconds, const std::string&) override {}
  void name_value(observe::SignalId signal, std::uint64_t value, const std::string& text) override {
    names[signal][value] = text;
  }
  void advance(Picoseconds) override {}
  void close() override {}

  std::size_t signal(const std::string& path) const {
    const auto found = std::find(paths.begin(), paths.end(), path);
    REQUIRE(found != paths.end());
    return static_cast<std::size_t>(found - paths.begin());
  }
  unsigned width(const std::string& path) const { return widths[signal(path)]; }
  /// The times and values of a signal, in order; times in cycles of 12.5 ns.
  std::vector<std::pair<Cycle, std::string>> steps(const std::string& path) const {
    const std::vector<std::string> all = states(path);
    std::vector<std::pair<Cycle, std::string>> steps;
    for (const auto& change : changes)
      if (change[0] == signal(path)) steps.emplace_back(change[1] / 12500, all[steps.size()]);
    return steps;
  }
  /// The values of a signal, in order.
  std::vector<std::uint64_t> values(const std::string& path) const {
    std::vector<std::uint64_t> all;
    for (const auto& change : changes) {
      if (change[0] == signal(path)) all.push_back(change[2]);
    }
    return all;
  }
  std::vector<std::string> states(const std::string& path) const {
    std::vector<std::string> all;
    for (const std::uint64_t value : values(path))
      all.push_back(names.at(static_cast<observe::SignalId>(signal(path))).at(value));
    return all;
  }
};

}  // namespace tsuji::test
