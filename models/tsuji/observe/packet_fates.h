// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Fates of all packets of a run. Invariant: born + born_at_routers + replicated - merged = delivered +
/// ended_at_routers + dropped + under_way. Each number is counted independently.
struct PacketFates {
  std::uint64_t born = 0;             ///< packets that sources created; a multicast counts once
  std::uint64_t born_at_routers = 0,  ///< packets that routers created
      ended_at_routers = 0;           ///< packets whose destination was a router
  std::uint64_t replicated = 0;       ///< additional copies that switches made
  std::uint64_t merged = 0;           ///< packets that switches combined with others
  std::uint64_t delivered = 0;        ///< packets that arrived at nodes
  std::vector<std::pair<std::string, std::uint64_t>> dropped;  ///< dropped packets by cause
  std::uint64_t under_way = 0;  ///< packets in flight or in source queues at the end of the run

  /// Adds the table `table`. Throws ModelError, with `part` as the place, if the invariant does not hold.
  void add_to(Results& results, const std::string& part, const std::string& table = "packet_fates") const;
};

}  // namespace tsuji::observe
