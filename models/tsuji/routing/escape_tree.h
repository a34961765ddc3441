// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/living_network.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Routing on a spanning tree with interval labels: routers are numbered depth first, so a child covers an
/// interval of numbers and the parent all others. A router stores one interval per child. The tree is built
/// breadth first from the middle of a long shortest path. Keeps no reference to its arguments.
class EscapeTree {
 public:
  EscapeTree(const graph::Topology& topology, const graph::LivingNetwork& network);

  /// Port from a living router to another one.
  unsigned port(RouterId router, RouterId destination) const {
    const std::uint32_t number = number_[destination];
    for (std::uint32_t i = first_[router]; i < first_[router + 1]; ++i)
      if (number - children_[i].first <= children_[i].last - children_[i].first) return children_[i].port;
    return up_[router];
  }
  RouterId root() const { return root_; }
  /// Largest number of intervals of a router.
  unsigned most_intervals() const;

 private:
  struct Child {
    std::uint32_t first, last;  ///< numbers of the routers below it
    std::uint16_t port;
  };
  struct Link {
    RouterId child;
    std::uint16_t port;
  };
  void number(const std::vector<std::vector<Link>>& links);

  RouterId root_;
  std::vector<std::uint32_t> number_;  ///< [router]; none: dead
  std::vector<std::uint16_t> up_;      ///< [router]: port to the parent
  std::vector<std::uint32_t> first_;   ///< [router], with one more element: index into children_
  std::vector<Child> children_;
};

}  // namespace tsuji::routing
