// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "tsuji/config/key_table.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

struct DuatoConfig {
  /// A packet on an escape channel between routers may return to adaptive channels.
  bool escape_return = true;

  void add_keys(config::KeyTable& keys);
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const;
};

/// Duato's protocol on torus and mesh (rooms/routing.md, Where the paper is silent, 1): any shortest path on
/// the adaptive virtual channels (rank 0), or dimension order on the escape channels (rank 1). Packets may
/// return from escape to adaptive channels unless the configuration forbids it. Minimal. With a ring of four
/// or more routers, channels 0 and 1 are the escape channels (0 as long as the dateline between k-1 and 0 is
/// ahead, then 1; a dimension without such a ring uses both), otherwise channel 0; all others are adaptive.
/// Between opposite places of a ring, adaptive channels go in both directions, escape channels up.
class Duato final : public Routing {
 public:
  std::string stands_for() const override {
    return "fully adaptive routing by Duato's protocol (Yoshinaga 2004, section 4.2)";
  }
  Duato(const graph::Topology& topology, unsigned vcs, const DuatoConfig& config = {});

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  VcMask injection_vcs(End, End) const override { return all_; }
  unsigned vcs_needed() const override { return escapes_ + 1; }
  unsigned max_candidates() const override { return 2 * cube_.dimensions() + 1; }
  /// With atomic allocation: a head queued after the tail of another packet could not request its escape
  /// channel.
  RoutingPromises promises() const override {
    RoutingPromises all;
    all.place_decides = all.always_leads_on = all.needs_atomic_vcs = true;
    return all;
  }

 private:
  /// Returns true if only escape channels are candidates: the head came by one from another router.
  bool stays_on_escape(const RouteQuery& query) const {
    return !config_.escape_return && query.in_port < 2 * cube_.dimensions() && query.in_vc < escapes_;
  }

  CubeTables cube_;
  DuatoConfig config_;
  unsigned escapes_;
  VcMask all_, adaptive_;
};

}  // namespace tsuji::routing
