// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tsuji/clock/clock_domain.h"
#include "tsuji/observe/wave.h"

namespace tsuji {

/// A few values of one module in the waveform. The module shows them at the end of a step; only changes are
/// written. Without a Wave a module has no WaveGroup, and tests a null pointer.
class WaveGroup {
 public:
  /// `scope`: dotted path of the module, also the heading in the GTKWave file. `before`: group of the module
  /// in another waveform with equal signals, or null; it receives every value that this group receives.
  WaveGroup(observe::Wave& wave, const ClockDomain& domain, std::string scope,
            std::unique_ptr<WaveGroup> before = nullptr);
  /// Signals are numbered in the order in which they are added.
  void add(const std::string& name, unsigned width_bits, observe::WaveFormat format,
           const std::vector<std::string>& value_names = {});
  void show(Cycle now, unsigned signal, std::uint64_t value);

 private:
  struct Signal {
    observe::SignalId id;
    std::uint64_t last;
    bool shown;
  };
  observe::Wave& wave_;
  const ClockDomain& domain_;
  std::string scope_;
  const std::unique_ptr<WaveGroup> before_;
  std::vector<Signal> signals_;
};

}  // namespace tsuji
