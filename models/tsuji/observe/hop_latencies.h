// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/source_backlog.h"

namespace tsuji::observe {

/// Packets by the number of routers that they passed, and the least latency of each number.
class HopLatencies {
 public:
  struct OfHops {
    std::uint64_t packets = 0;
    Cycle least_latency = never;
  };

  void record(unsigned hops, Cycle latency) {
    if (hops >= of_.size()) of_.resize(hops + 1);
    OfHops& alike = of_[hops];
    ++alike.packets;
    alike.least_latency = std::min(alike.least_latency, latency);
  }
  const std::vector<OfHops>& of() const { return of_; }
  /// Sum over all packets of the least latency for their hops.
  std::uint64_t least_sum() const;
  /// Straight line through the least latencies, by least squares over the packets.
  UndisturbedLatency undisturbed() const;

 private:
  std::vector<OfHops> of_;  ///< [hops]
};

}  // namespace tsuji::observe
