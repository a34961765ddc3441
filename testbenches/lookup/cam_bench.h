// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "common/stimulus.h"
#include "tsuji/core/random.h"
#include "tsuji/lookup/cam.h"

namespace tsuji::bench {

struct CamPins {
  unsigned index_bits, key_bits;
  template <class Module>
  void list(Module& module, PinList& pins) const {
    pins.clock(module.clock);
    pins.in("reset", 1, module.reset);
    pins.in("request_valid", 1, module.request_valid);
    pins.in("request_operation", 2, module.request_operation);
    pins.in("request_index", index_bits, module.request_index);
    pins.in("request_key", key_bits, module.request_key);
    pins.in("request_mask", key_bits, module.request_mask);
    pins.in("request_value", 32, module.request_value);
    pins.out("request_ready", 1, module.request_ready);
    pins.out("answer_valid", 1, module.answer_valid);
    pins.out("answer_hit", 1, module.answer_hit);
    pins.out("answer_index", index_bits, module.answer_index);
    pins.out("answer_value", 32, module.answer_value);
  }
};

/// Stimulus: few keys, so that several rows match; keys that differ in a bit from one that is there; a memory
/// that is filled to its last row, and emptied; writes between searches; requests that do nothing; requests
/// while it is not ready.
class CamStimulus final : public Stimulus {
 public:
  CamStimulus(const Drive& pins, std::uint64_t seed, const lookup::CamConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  std::uint64_t key();
  std::uint64_t mask();
  CounterRandom random_;
  const lookup::CamConfig config_;
  const std::uint64_t all_bits_;
  std::size_t reset_, valid_, operation_, index_, key_, mask_, value_;
  std::vector<std::uint64_t> pool_;
  std::uint32_t next_row_ = 0;
};

}  // namespace tsuji::bench
