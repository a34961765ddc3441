// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/observe/run_log.h"
#include "tsuji/observe/wave.h"

namespace tsuji::observe {

/// The signals of modules as lines of a log: a state that has names at debug, a number at trace. Signals at
/// "node5.nic.sender.rhm" are module nic.5's, those at "node5.processor.activity" processor.5's; others have
/// no lines.
class LogWave final : public Wave {
 public:
  /// The log outlives this.
  LogWave(RunLog& log, const ClockPeriod& period) : log_(log), period_(period) {}

  SignalId add(const std::string& path, unsigned width_bits, WaveFormat format,
               const std::string& group) override;
  void change(SignalId signal, Picoseconds time, std::uint64_t value) override;
  void change(SignalId signal, Picoseconds time, const std::string& text) override;
  void name_value(SignalId signal, std::uint64_t value, const std::string& text) override;
  void advance(Picoseconds /*time*/) override {}
  void close() override {}

 private:
  struct Signal {
    RunLog::Module module;
    std::string name;
    std::vector<std::string> values;
  };
  RunLog::Module module_of(const std::string& path, std::string& name);

  RunLog& log_;
  const ClockPeriod period_;
  std::vector<Signal> signals_;
};

}  // namespace tsuji::observe
