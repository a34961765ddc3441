// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "tsuji/network/vc_network.h"
#include "tsuji/router/input_waits.h"

namespace tsuji::instruments {

/// Cycles of all input virtual channels of a network's routers by their state, which the routers count
/// (router::CountingRouter).
///
/// Contract: settle() between two cycles. The network outlives the object.
class PortWaits final {
 public:
  using Cycles = router::StateCycles;
  /// The part of a network that this process simulates, and the processes of the others, which make these
  /// objects alike.
  struct Share {
    mpi::Ranks* ranks = nullptr;  ///< null: all routers are here
    std::function<bool(graph::RouterId)> is_here = nullptr;
  };
  /// ModelError unless the routers count (VcNetwork::Parts::counts_waits).
  explicit PortWaits(network::VcNetwork& network) : network_(network) {}
  /// Of a network of which this process simulates a share.
  PortWaits(network::VcNetwork& network, Share share) : network_(network), share_(std::move(share)) {}

  /// Counts the cycles before `end`, of what is going on as well.
  void settle(Cycle end);
  /// Cycles of all input virtual channels up to the last settle().
  const Cycles& sums() const { return sums_; }
  /// Flits in the input buffers of the routers and on the way to them, at the last settle().
  std::uint64_t flits_held() const { return flits_held_; }
  /// Calls visit(port, vc, cycles) for every input virtual channel, by router, port and channel, with its
  /// cycles up to the last settle().
  void for_each(const std::function<void(const graph::PortRef&, unsigned, const Cycles&)>& visit) const;

 private:
  template <class Visit>
  void for_each_vc(const Visit& visit) const;
  router::CountingRouter& counting(graph::RouterId id) const;

  bool is_here(graph::RouterId id) const { return share_.ranks == nullptr || share_.is_here(id); }

  network::VcNetwork& network_;
  const Share share_;
  Cycle settled_to_ = 0;
  std::uint64_t flits_held_ = 0;
  Cycles sums_{};
};

}  // namespace tsuji::instruments
