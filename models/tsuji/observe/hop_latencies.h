// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/observe/source_backlog.h"

namespace tsuji::observe {

/// Number of packets and least latency by number of hops (routers passed).
class HopLatencies {
 public:
  /// Packets with equal hops.
  struct OfHops {
    std::uint64_t packets = 0;    ///< number of packets
    Cycle least_latency = never;  ///< least latency in cycles; never: no packet
  };

  /// Counts a packet.
  void record(unsigned hops, Cycle latency) {
    if (hops >= of_.size()) of_.resize(hops + 1);
    OfHops& alike = of_[hops];
    ++alike.packets;
    alike.least_latency = std::min(alike.least_latency, latency);
  }
  /// [hops]: packets with this number of hops.
  const std::vector<OfHops>& of() const { return of_; }
  /// Sum over all packets of the least latency of packets with equal hops.
  std::uint64_t least_sum() const;
  /// Least-squares line of least latency over hops, weighted with the numbers of packets.
  UndisturbedLatency undisturbed() const;

 private:
  std::vector<OfHops> of_;  ///< [hops]
};

}  // namespace tsuji::observe
