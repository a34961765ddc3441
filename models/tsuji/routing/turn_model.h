// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Turns that are excluded so that the remaining turns form no cycle (Glass and Ni). East and north are
/// upwards in dimensions 0 and 1.
enum class Turns : std::uint8_t {
  negative_first,  ///< all hops downwards before any upwards; any number of dimensions
  west_first,      ///< 2-D: all hops west before any other
  north_last       ///< 2-D: no other hop after one north
};

/// Minimal adaptive routing on a mesh by a turn model: every shortest path that the turns allow, on all
/// virtual channels; one suffices.
class TurnModel final : public Routing {
 public:
  std::string stands_for() const override { return "minimal adaptive routing by a turn model"; }
  TurnModel(const graph::Topology& topology, unsigned vcs, Turns turns);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return cube_.dimensions(); }
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = true;
    return all;
  }

 private:
  CubeTables cube_;
  VcMask all_;
  /// Masks of ports: a packet with a productive port among `first_` may use only those; those of `last_` only
  /// if it has no other.
  std::uint32_t first_ = 0, last_ = 0;
};

}  // namespace tsuji::routing
