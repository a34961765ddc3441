// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Which turns are left out so that no cycle of turns remains (Glass and Ni). East and north are upwards in
/// dimensions 0 and 1.
enum class Turns : std::uint8_t {
  negative_first,  ///< all hops downwards before any upwards; any number of dimensions
  west_first,      ///< 2-D: all hops west before any other
  north_last       ///< 2-D: no other hop after one north
};

/// Minimal adaptive routing on a mesh that keeps to a turn model: every shortest route that the turns allow,
/// all virtual channels. One is enough.
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
  /// Ports as bits: a packet that has a productive one among `first_` takes only those, and those of `last_`
  /// only when it has no other.
  std::uint32_t first_ = 0, last_ = 0;
};

}  // namespace tsuji::routing
