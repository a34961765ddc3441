// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/minimal_routing.h"

namespace tsuji::routing {

/// Dimension order on a mesh with express links (Dally 1991): in each dimension towards the destination, by
/// an express link where one begins that does not lead past it. Needs one virtual channel and uses all, as
/// coordinates of a dimension only rise, or only fall.
class ExpressOrder final : public MinimalRouting, public TableImage {
 public:
  std::string stands_for() const override { return "dimension order with express links (Dally 1991)"; }
  ExpressOrder(const std::string& kind, const graph::Topology& topology, std::optional<unsigned> vcs);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  unsigned vcs_needed() const override { return 1; }
  unsigned max_candidates() const override { return 1; }
  unsigned hops(RouterId from, RouterId to) const override;
  unsigned longest() const override { return longest_; }

  const TableImage* table_image() const override { return this; }
  TableForm table_form() const override { return TableForm::port_and_vcs; }
  RouteCandidate table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const override {
    return only_candidate(*this, router, in_port, destination);
  }

 private:
  const std::uint16_t* place(RouterId router) const { return &places_[std::size_t{router} * dimensions_]; }
  bool is_interchange(unsigned coordinate) const { return interchange_[coordinate] != 0; }
  unsigned line_hops(unsigned from, unsigned to) const;

  unsigned dimensions_, interval_, longest_ = 0;
  VcMask all_;
  std::vector<std::uint8_t> interchange_;  ///< per coordinate
  std::vector<std::uint16_t> places_;      ///< coordinates, per router
  std::vector<graph::PortRef> nodes_;      ///< per node
};

}  // namespace tsuji::routing
