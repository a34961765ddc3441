// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

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
  /// ModelError unless the routers count (VcNetwork::Parts::counts_waits).
  explicit PortWaits(network::VcNetwork& network) : network_(network) {}

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
  router::CountingRouter& counting(graph::RouterId id) const;

  network::VcNetwork& network_;
  Cycle settled_to_ = 0;
  std::uint64_t flits_held_ = 0;
  Cycles sums_{};
};

}  // namespace tsuji::instruments
