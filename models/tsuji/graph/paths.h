// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/graph/topology.h"

namespace tsuji::graph {

inline constexpr std::uint16_t unreachable = 0xFFFF;

/// Breadth-first search that reuses its memory.
class BreadthFirst {
 public:
  /// Number of links from any of `starts` to each of `routers` routers; `unreachable` without a path.
  /// neighbours(router, visit) calls visit(next) for each neighbour of `router`.
  template <class Neighbours>
  const std::vector<std::uint16_t>& search(unsigned routers, const std::vector<RouterId>& starts,
                                           const Neighbours& neighbours) {
    hops_.assign(routers, unreachable);
    order_.assign(starts.begin(), starts.end());
    for (RouterId start : starts) hops_[start] = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const auto further = static_cast<std::uint16_t>(hops_[order_[i]] + 1);
      neighbours(order_[i], [&](RouterId next) {
        if (hops_[next] != unreachable) return;
        hops_[next] = further;
        order_.push_back(next);
      });
    }
    return hops_;
  }
  const std::vector<std::uint16_t>& hops() const { return hops_; }
  /// Routers reached by the last search, nearest first.
  const std::vector<RouterId>& order() const { return order_; }

 private:
  std::vector<std::uint16_t> hops_;
  std::vector<RouterId> order_;
};

/// [router]: number of links to `router`, in the direction in which links carry flits; `unreachable`: no
/// path.
std::vector<std::uint16_t> hops_to(const Topology& topology, RouterId router);
/// [router]: number of links to the nearest of several routers.
std::vector<std::uint16_t> hops_to(const Topology& topology, const std::vector<RouterId>& routers);

inline constexpr Cycle unreachable_cycles = ~Cycle{0};

/// [router]: cycles of the fastest path to `router`: the latency of each link and `router_cycles` for each
/// router that it leaves; `unreachable_cycles`: no path.
std::vector<Cycle> cycles_to(const Topology& topology, RouterId router, Cycle router_cycles);

}  // namespace tsuji::graph
