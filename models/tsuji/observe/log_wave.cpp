// SPDX-License-Identifier: Apache-2.0
#include "tsuji/observe/log_wave.h"

namespace tsuji::observe {
namespace {

constexpr LogEvent state_event{"state", 50}, value_event{"value", 51};

}  // namespace

RunLog::Module LogWave::module_of(const std::string& path, std::string& name) {
  const std::string node = "node";
  const std::size_t first = path.find('.');
  const std::size_t second = path.find('.', first + 1);
  if (path.compare(0, node.size(), node) != 0 || second == std::string::npos) return {};
  name = path.substr(second + 1);
  return log_.add(path.substr(first + 1, second - first - 1) + "." +
                  path.substr(node.size(), first - node.size()));
}

SignalId LogWave::add(const std::string& path, unsigned /*width_bits*/, WaveFormat /*format*/,
                      const std::string& /*group*/) {
  Signal signal;
  signal.module = module_of(path, signal.name);
  signals_.push_back(signal);
  return static_cast<SignalId>(signals_.size() - 1);
}

void LogWave::name_value(SignalId signal, std::uint64_t value, const std::string& text) {
  std::vector<std::string>& values = signals_[signal].values;
  if (values.size() <= value) values.resize(value + 1);
  values[value] = text;
}

void LogWave::change(SignalId signal, Picoseconds time, std::uint64_t value) {
  const Signal& own = signals_[signal];
  if (own.values.empty())
    log_.write(own.module, LogLevel::trace, time / period_.ps(), value_event, std::nullopt,
               own.name + ": " + std::to_string(value));
  else
    change(signal, time, value < own.values.size() ? own.values[value] : std::to_string(value));
}

void LogWave::change(SignalId signal, Picoseconds time, const std::string& text) {
  const Signal& own = signals_[signal];
  log_.write(own.module, LogLevel::debug, time / period_.ps(), state_event, std::nullopt,
             own.name + ": " + text);
}

}  // namespace tsuji::observe
