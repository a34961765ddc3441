// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tsuji/core/random.h"
#include "tsuji/core/units.h"

namespace tsuji::workload {

/// Uses of random numbers in traffic. Each use has a separate stream, so that a run with another pattern or
/// other lengths has unchanged arrivals.
enum class RandomStream : std::uint8_t {
  arrivals = 1,
  destinations,
  lengths,
  permutation,
  multicasts,
  classes
};

/// Random stream of a node for one use. Components below 2^56 belong to the models (nodes, packets).
inline CounterRandom traffic_random(std::uint64_t seed, RandomStream stream, NodeId node) {
  return CounterRandom(seed, (static_cast<std::uint64_t>(stream) << 56) | node);
}

}  // namespace tsuji::workload
