// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/living_network.h"

namespace tsuji::graph {

/// Links of the shortest paths between all pairs of living routers, a byte each: routers^2 bytes. Searches
/// breadth first from 512 routers at a time, a bit each. 16,384 routers take some seconds.
class AllHops {
 public:
  static constexpr std::uint8_t unreachable = 255;  ///< from or to a router that does not live
  static constexpr unsigned longest = 254;

  /// ConfigError (topology.kind) where a shortest path has more than `longest` links.
  explicit AllHops(const LivingNetwork& network);

  unsigned routers() const { return routers_; }
  unsigned operator()(RouterId from, RouterId to) const { return row(from)[to]; }
  /// From (and, as links carry flits both ways, to) one router: by the other one.
  const std::uint8_t* row(RouterId router) const { return &hops_[std::size_t{router} * routers_]; }

 private:
  unsigned routers_;
  std::vector<std::uint8_t> hops_;
};

}  // namespace tsuji::graph
