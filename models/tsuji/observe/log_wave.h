// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tsuji/observe/run_log.h"
#include "tsuji/observe/wave.h"

namespace tsuji::observe {

/// Wave that writes changes of signals as lines of a log: states with names at level debug, numbers at level
/// trace. A signal at "node5.nic.sender.rhm" belongs to module nic.5, one at "node5.processor.activity" to
/// processor.5; signals at other paths are ignored.
class LogWave final : public Wave {
 public:
  /// `log` must outlive the object.
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
