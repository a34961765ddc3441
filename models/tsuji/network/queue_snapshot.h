// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "tsuji/core/units.h"
#include "tsuji/mpi/ranks.h"
#include "tsuji/network/vc_network.h"
#include "tsuji/routing/routing.h"

namespace tsuji::network {

/// Queues of all routers' outputs, taken before each cycle, so that no order of routers within a cycle shows.
///
/// Contract: take() before each cycle, once the network's modules are bound.
class QueueSnapshot final : public routing::NetworkQueues {
 public:
  explicit QueueSnapshot(const graph::Topology& topology) {
    for (graph::RouterId id = 0; id < topology.routers(); ++id) {
      first_port_.push_back(flits_.size());
      flits_.resize(flits_.size() + topology.ports(id));
    }
  }
  unsigned queue(graph::RouterId router, unsigned port) const override {
    return flits_[first_port_[router] + port];
  }
  /// Takes the queues at the end of the cycle before `now`.
  void take(VcNetwork& network, Cycle now) {
    for (graph::RouterId id = 0; id < first_port_.size(); ++id) take(network, id, now);
  }
  /// Likewise of routers that are divided among ranks, all of which call it. `is_here(router)` is true for
  /// those of this one.
  template <class IsHere>
  void take(VcNetwork& network, Cycle now, mpi::Ranks& ranks, const IsHere& is_here) {
    mpi::Bytes own;
    for (graph::RouterId id = 0; id < first_port_.size(); ++id) {
      if (!is_here(id)) continue;
      take(network, id, now);
      mpi::put(own, id);
      for (std::size_t at = first_port_[id]; at < end_port(id); ++at) mpi::put(own, flits_[at]);
    }
    for (mpi::Reader& of_rank : ranks.gather(own)) {
      while (!of_rank.at_end()) {
        const auto id = of_rank.get<graph::RouterId>();
        for (std::size_t at = first_port_.at(id); at < end_port(id); ++at)
          flits_[at] = of_rank.get<unsigned>();
      }
    }
  }

 private:
  std::size_t end_port(graph::RouterId id) const {
    return id + std::size_t{1} < first_port_.size() ? first_port_[id + 1] : flits_.size();
  }
  void take(VcNetwork& network, graph::RouterId id, Cycle now) {
    for (std::size_t at = first_port_[id]; at < end_port(id); ++at)
      flits_[at] = network.router(id).queue(static_cast<unsigned>(at - first_port_[id]), now);
  }

  std::vector<std::size_t> first_port_;  ///< [router]: first element of flits_
  std::vector<unsigned> flits_;          ///< [port]
};

}  // namespace tsuji::network
