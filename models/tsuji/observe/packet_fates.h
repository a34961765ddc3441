// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tsuji/results/results.h"

namespace tsuji::observe {

/// Fates of all packets of a run: born + born_at_routers + replicated - merged = delivered + ended_at_routers
/// + dropped + under way. Each number is counted by itself.
struct PacketFates {
  std::uint64_t born = 0;  ///< by the sources; a multicast counts once
  std::uint64_t born_at_routers = 0, ended_at_routers = 0;
  std::uint64_t replicated = 0;  ///< further copies that switches made
  std::uint64_t merged = 0;      ///< packets that switches absorbed into others
  std::uint64_t delivered = 0;
  std::vector<std::pair<std::string, std::uint64_t>> dropped;  ///< by cause
  std::uint64_t under_way = 0;  ///< at the end of the run, waiting sources included

  /// The table `packet_fates`, or one of another name. ModelError, in the name of `part`, where the numbers
  /// do not add up.
  void add_to(Results& results, const std::string& part, const std::string& table = "packet_fates") const;
};

}  // namespace tsuji::observe
