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

/// Stimulus of messages that travel by any candidate port of the device, with the table entries of the
/// models: from any living node to any other, in recovery from the first router, from a later router, after
/// too many hops, or never. In between come heads at random routers and live ports, and cycles without a
/// head; resets occur at any time.
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
