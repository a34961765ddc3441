// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/stimulus.h"
#include "detour/decision_pins.h"
#include "detour/fault_scenes.h"
#include "tsuji/core/random.h"
#include "tsuji/routing/detour/detour_generation.h"

namespace tsuji::bench {

/// Messages that go from router to router as the device decides, by any of its candidates, with the words
/// that the models' tables have there: from any living node to any other, in recovery from the beginning,
/// from some router on, or when they have gone too far, or never. Between them heads anywhere, by any port
/// that lives, and cycles without one; resets at any time.
class DecisionStimulus final : public Stimulus {
 public:
  DecisionStimulus(const Drive& pins, std::uint64_t seed, const routing::DecisionConfig& config);
  void drive(Cycle cycle, Drive& pins) override;

 private:
  struct Head {
    unsigned here, to, in_port;
    bool on_ud = false, recovers = false;
    unsigned hops = 0;
  };
  void go_on(const Drive& pins);
  void start(Cycle cycle);
  unsigned any_living(const routing::DetourGeneration& generation);
  void show(Drive& pins);
  unsigned one_of(std::uint64_t word);
  CounterRandom random_;
  const FaultScenes scenes_;
  std::vector<std::unique_ptr<const routing::DetourGeneration>> generations_;  ///< [scene]
  const routing::DetourGeneration* now_ = nullptr;
  std::optional<Head> head_;
  bool shown_ = false;
  const DecisionHandles at_;
};

}  // namespace tsuji::bench
