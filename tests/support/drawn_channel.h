// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tsuji/core/random.h"
#include "tsuji/link/flit_channel.h"

namespace tsuji::test {

/// Channel with 1 to 4 virtual channels, buffers of 1 to 6 flits, and short latencies.
inline FlitChannelConfig drawn_channel(CounterRandom& random) {
  FlitChannelConfig config;
  config.vcs = 1 + static_cast<unsigned>(random.below(4));
  config.depth_flits = 1 + static_cast<unsigned>(random.below(6));
  config.latency_cycles = 1 + random.below(5);
  config.credit_latency_cycles = 1 + random.below(4);
  config.credit_process_cycles = random.below(2);
  return config;
}

}  // namespace tsuji::test
