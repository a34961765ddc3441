// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tsuji/graph/topology.h"
#include "tsuji/pins/pin_router.h"
#include "tsuji/routing/detour/detour_nf.h"
#include "tsuji/routing/detour/detour_ud.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/duato.h"
#include "tsuji/routing/routing.h"

namespace tsuji::router {

/// Routes of cube_routes.v by the models' routing algorithms: the router's place, and what its tables say,
/// are the rows that PinRouterConfig::routes currently has.
class CubeRoutes final : public routing::Routing,
                         public routing::TableReads,
                         public routing::DeadlockRecovery {
 public:
  /// `config` outlives it, and its rows may change.
  explicit CubeRoutes(const PinRouterConfig& config);
  void route(const routing::RouteQuery& query, routing::RouteSet& candidates) const override;
  bool reads_table(const routing::RouteQuery& query) const override;
  const routing::TableReads* table_reads() const override { return detour_ud_ ? this : nullptr; }
  const routing::DeadlockRecovery* recovery() const override { return detour_ud_ ? this : nullptr; }
  routing::VcMask recovery_vcs() const override { return detour_ud_->ud_vcs(); }
  /// Words come by the pins, and may lead anywhere.
  const char* broken_by(const routing::RouteQuery&, unsigned) const override { return nullptr; }
  routing::VcMask injection_vcs(End, End) const override { return routing::vc_range(0, config_.vcs); }
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return config_.candidates; }

 private:
  struct Words;
  bool place(const routing::RouteQuery& query, routing::RouteQuery& placed) const;

  const PinRouterConfig& config_;
  const graph::Topology topology_;
  std::unique_ptr<const routing::DimensionOrder> order_;  ///< one of the four; the others are null
  std::unique_ptr<const routing::Duato> duato_;
  std::unique_ptr<const routing::DetourNf> detour_nf_;
  std::unique_ptr<const routing::DetourUd> detour_ud_;
};

}  // namespace tsuji::router
