// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "common/stimulus.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/crc.h"

namespace tsuji::bench {

struct CrcPins {
  unsigned width;
  template <class Module>
  void list(Module& module, PinList& pins) const {
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("in_valid", 1, module.in_valid);
    pins.in("in_key", 64, module.in_key);
    pins.in("out_ready", 1, module.out_ready);
    pins.out("in_ready", 1, module.in_ready);
    pins.out("out_valid", 1, module.out_valid);
    pins.out("out_hash", width, module.out_hash);
  }
};

/// Stimulus: keys at random, single bits, all ones and zeros, dense ones; back to back, with gaps, and
/// stalled.
class CrcStimulus final : public Stimulus {
 public:
  CrcStimulus(const Drive& pins, std::uint64_t seed, const lookup::CrcSpec& spec);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  std::uint64_t key();
  CounterRandom random_;
  std::size_t reset_, valid_, key_, ready_;
  std::uint64_t dense_ = 0;
};

}  // namespace tsuji::bench
