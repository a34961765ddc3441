// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/minimal_routing.h"

namespace tsuji::routing {

/// Dimension order on a HyperX (Ahn 2009): one hop in each dimension in which the coordinates differ,
/// dimension 0 first, over any of the parallel links. Needs one virtual channel and uses all, as a packet
/// never returns to a dimension.
class HyperXOrder final : public MinimalRouting, public TableImage {
 public:
  std::string stands_for() const override { return "dimension order on HyperX (Ahn 2009)"; }
  HyperXOrder(const std::string& kind, const graph::Topology& topology, std::optional<unsigned> vcs);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return most_trunks_; }
  unsigned hops(RouterId from, RouterId to) const override;
  unsigned longest() const override { return dimensions_; }

  /// Only without parallel links.
  const TableImage* table_image() const override { return most_trunks_ == 1 ? this : nullptr; }
  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }

 private:
  const std::uint16_t* place(RouterId router) const { return &places_[std::size_t{router} * dimensions_]; }

  struct Axis {
    std::uint16_t first_port, trunks;
  };
  unsigned dimensions_, most_trunks_;
  VcMask all_;
  std::vector<Axis> axes_;
  std::vector<std::uint16_t> places_;  ///< coordinates, per router
  std::vector<graph::PortRef> nodes_;  ///< per node
};

}  // namespace tsuji::routing
