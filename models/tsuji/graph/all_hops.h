// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/living_network.h"

namespace tsuji::graph {

/// Number of links of the shortest paths between all pairs of living routers, one byte each: routers^2 bytes.
/// Breadth-first searches from 512 routers at a time, one bit each. 16,384 routers take some seconds.
class AllHops {
 public:
  static constexpr std::uint8_t unreachable = 255;  ///< number of hops of a pair with a dead router
  static constexpr unsigned longest = 254;

  /// ConfigError (topology.kind) if a shortest path has more than `longest` links.
  explicit AllHops(const LivingNetwork& network);

  unsigned routers() const { return routers_; }
  unsigned operator()(RouterId from, RouterId to) const { return row(from)[to]; }
  /// [router]: hops from (and, since links are two-way, to) `router`.
  const std::uint8_t* row(RouterId router) const { return &hops_[std::size_t{router} * routers_]; }

 private:
  unsigned routers_;
  std::vector<std::uint8_t> hops_;
};

}  // namespace tsuji::graph
