// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tsuji/routing/minimal_routing.h"

namespace tsuji::routing {

/// Shortest paths on any topology, one for each pair of routers, by tables; hop i takes virtual channels of
/// class i, counted from 0 (distance classes, Gunther 1981). Needs as many virtual channels as the longest
/// path has links: 2 on a Slim Fly (Besta 2014) and a PolarFly. Of several shortest paths each router's next
/// hop is one of them, spread over the destinations.
class DistanceClasses final : public MinimalRouting, public TableImage {
 public:
  std::string stands_for() const override { return "shortest paths with a class of channels for each hop"; }
  DistanceClasses(const std::string& kind, const graph::Topology& topology, std::optional<unsigned> vcs);

  void route(const RouteQuery& query, RouteSet& candidates) const override;
  unsigned vcs_needed() const override { return classes_; }
  unsigned max_candidates() const override { return 1; }
  unsigned hops(RouterId from, RouterId to) const override;
  unsigned longest() const override { return classes_; }

  const TableImage* table_image() const override { return this; }
  TableForm table_form() const override { return TableForm::port_and_vc_map; }
  RouteCandidate table_entry(RouterId router, std::uint32_t, NodeId destination) const override;
  VcMap vc_map(RouterId router, std::uint32_t in_port, std::uint32_t in_vc,
               std::uint32_t out_port) const override;

 private:
  void find_ports(const graph::Topology& topology, RouterId to, const std::string& kind);
  std::size_t port_index(RouterId router, std::uint32_t port) const { return first_port_[router] + port; }

  RouterId routers_;
  unsigned classes_ = 1;
  VcMask all_;
  std::vector<VcMask> next_vcs_;           ///< per input virtual channel: those of the next hop
  VcMask first_vcs_;                       ///< those of the first hop
  std::vector<std::uint32_t> first_port_;  ///< per router
  std::vector<graph::RouterId> far_;       ///< per port: router at the other end; `none`: another thing
  std::vector<std::uint16_t> next_port_;   ///< per router and destination's router
  std::vector<graph::PortRef> nodes_;      ///< per node
};

}  // namespace tsuji::routing
