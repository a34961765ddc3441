// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tsuji/faults/fault_schedule.h"

namespace tsuji::faults {

/// The living links and routers during the events of a schedule. A link lives if itself and both of its
/// routers do.
class LivingLinks {
 public:
  /// `topology` outlives this object.
  explicit LivingLinks(const graph::Topology& topology)
      : topology_(topology), link_dead_(topology.links().size()), router_dead_(topology.routers()) {}

  /// Applies an event; returns the links that have failed or returned by it, ascending.
  std::vector<std::uint32_t> apply(const FaultEvent& event);
  bool lives(std::uint32_t link) const {
    const graph::RouterLink& ends = topology_.links()[link];
    return !link_dead_[link] && !router_dead_[ends.a.router] && !router_dead_[ends.b.router];
  }
  bool router_lives(graph::RouterId router) const { return !router_dead_[router]; }

 private:
  std::vector<std::uint32_t> links_of(const FaultEvent& event) const;

  const graph::Topology& topology_;
  std::vector<bool> link_dead_, router_dead_;
};

}  // namespace tsuji::faults
