// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "router/rig.h"

namespace tsuji::router::test {

/// Router with stages of one cycle, VSA in one cycle, and a predictor at each of three inputs.
inline RigConfig predicting(const std::string& kind, std::vector<unsigned> straight = {1, 2, 0}) {
  RigConfig config;
  config.channel.vcs = 2;
  config.channel.depth_flits = 8;
  config.router.va_cycles = 0;  // VSA
  config.router.prediction.kind = kind;
  config.straight = std::move(straight);
  return config;
}

inline std::uint64_t visits(const Rig& rig, PredictionOutcome outcome) {
  return rig.state->prediction_counters().visits[static_cast<std::size_t>(outcome)];
}

using Cycles = std::vector<Cycle>;
constexpr Cycle link = 1;  ///< of the rig's channels

}  // namespace tsuji::router::test
