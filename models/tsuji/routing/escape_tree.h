// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/living_network.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Ways over a spanning tree with interval labels: routers are numbered depth first, so a child leads to all
/// numbers of an interval, and the parent to all others. A router keeps an interval for each child. The tree
/// is a breadth-first one, and its root the middle of a long shortest path. It keeps nothing of its
/// arguments.
class EscapeTree {
 public:
  EscapeTree(const graph::Topology& topology, const graph::LivingNetwork& network);

  /// From a living router towards another one.
  unsigned port(RouterId router, RouterId destination) const {
    const std::uint32_t number = number_[destination];
    for (std::uint32_t i = first_[router]; i < first_[router + 1]; ++i)
      if (number - children_[i].first <= children_[i].last - children_[i].first) return children_[i].port;
    return up_[router];
  }
  RouterId root() const { return root_; }
  /// Numbers of a router's intervals; that with the most of them.
  unsigned most_intervals() const;

 private:
  struct Child {
    std::uint32_t first, last;  ///< numbers of the routers that it leads to
    std::uint16_t port;
  };
  struct Link {
    RouterId child;
    std::uint16_t port;
  };
  void number(const std::vector<std::vector<Link>>& links);

  RouterId root_;
  std::vector<std::uint32_t> number_;  ///< per router; none: does not live
  std::vector<std::uint16_t> up_;      ///< port to the parent
  std::vector<std::uint32_t> first_;   ///< per router and one more, into children_
  std::vector<Child> children_;
};

}  // namespace tsuji::routing
