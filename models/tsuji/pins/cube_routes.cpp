// SPDX-License-Identifier: Apache-2.0
#include "tsuji/pins/cube_routes.h"

#include "tsuji/graph/cube.h"

namespace tsuji::router {

/// The words of the table for the query's destination.
struct CubeRoutes::Words {
  bool in_region;
  std::uint32_t row;
  bool has_torus() const { return in_region; }
  routing::PortWord torus() const { return row & 0xFU; }
  routing::PortWord up_down() const { return row >> 16 & 0xFU; }
};

CubeRoutes::CubeRoutes(const PinRouterConfig& config)
    : config_(config),
      topology_(config.wraps ? graph::make_torus(config.radices, 1, 1)
                             : graph::make_mesh(config.radices, 1, 1)) {
  switch (config.routing) {
    case PinRouting::table:
    case PinRouting::dimension_order:
      order_ = std::make_unique<routing::DimensionOrder>(
          topology_, config.vcs,
          routing::DimensionOrderConfig{routing::Ties::up, routing::Dateline::switching});
      break;
    case PinRouting::duato:
      duato_ = std::make_unique<routing::Duato>(topology_, config.vcs, routing::DuatoConfig{});
      break;
    case PinRouting::detour_nf:
      detour_nf_ = std::make_unique<routing::DetourNf>(topology_, config.vcs, graph::FaultSet{});
      break;
    case PinRouting::detour_ud:
      detour_ud_ = std::make_unique<routing::DetourUd>(
          topology_, config.vcs,
          std::make_shared<const routing::DetourGeneration>(topology_, graph::FaultSet{}), config.ud_vcs);
      break;
  }
}

/// Returns false for a destination outside of the network.
bool CubeRoutes::place(const routing::RouteQuery& query, routing::RouteQuery& placed) const {
  const std::uint32_t node = query.destination.node(), here = config_.routes[config_.nodes()];
  const auto number = [&](std::uint32_t pair) {
    const unsigned bits = config_.node_bits / 2;
    const std::uint32_t x = pair & ((1U << bits) - 1U), y = pair >> bits & ((1U << bits) - 1U);
    return x < config_.radices[0] && y < config_.radices[1] ? y * config_.radices[0] + x : graph::none;
  };
  placed = query;
  placed.router = number(here);
  const std::uint32_t to = number(node);
  if (placed.router == graph::none || to == graph::none) return false;
  placed.destination = to;
  return true;
}

void CubeRoutes::route(const routing::RouteQuery& query, routing::RouteSet& candidates) const {
  candidates.clear();
  routing::RouteQuery placed;
  if (!place(query, placed)) return;
  const std::uint32_t row = config_.routes[query.destination.node()];
  if (order_) {
    const routing::RouteCandidate entry =
        order_->table_entry(placed.router, placed.in_port, placed.destination.node());
    candidates.add(entry.port, entry.vcs);
  } else if (duato_) {
    duato_->route(placed, candidates);
  } else if (detour_nf_) {
    const routing::DetourNf::Plan plan{
        static_cast<std::uint8_t>(row & 3U),
        (row >> 2 & 1U) != 0,
        {static_cast<routing::PortWord>(row >> 3 & 0xFU), static_cast<routing::PortWord>(row >> 7 & 0xFU)}};
    const std::uint32_t lives = config_.routes[config_.nodes()] >> 27;
    detour_nf_->route_by(
        placed, plan, [&](unsigned port) { return (lives >> port & 1U) != 0; }, candidates);
  } else {
    detour_ud_->route_by(placed, Words{config_.in_region(), row}, candidates);
  }
}

bool CubeRoutes::reads_table(const routing::RouteQuery& query) const {
  routing::RouteQuery placed;
  return place(query, placed) && detour_ud_->reads_by(placed, Words{config_.in_region(), 0});
}

}  // namespace tsuji::router
