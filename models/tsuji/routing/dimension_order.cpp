// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/dimension_order.h"

#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

constexpr unsigned first_class_bit = 32;  // bit of the packet's random number; lower bits choose directions

/// Bit d is set if the virtual channels of ring d are divided into classes.
std::uint32_t divided_rings(const CubeTables& cube, Dateline dateline) {
  std::uint32_t rings = 0;
  for (unsigned d = 0; d < cube.dimensions(); ++d) {
    const bool ring_of_three = cube.wraps(d) && cube.radix(d) == 3;
    const bool divided =
        cube.is_long_ring(d) || (dateline == Dateline::crossing_down_inverted && ring_of_three);
    if (dateline != Dateline::none && divided) rings |= std::uint32_t{1} << d;
  }
  return rings;
}

}  // namespace

DimensionOrder::DimensionOrder(const graph::Topology& topology, unsigned vcs,
                               const DimensionOrderConfig& config)
    : cube_(topology, "dimension_order"),
      config_(config),
      divided_(divided_rings(cube_, config.dateline)),
      vcs_needed_(divided_ != 0 ? 2 : 1),
      all_(require_vcs("dimension_order", vcs, vcs_needed_)),
      class_vcs_{vc_range(0, vcs - vcs / 2), vc_range(vcs - vcs / 2, vcs / 2)} {
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (config.ties != Ties::up && cube_.wraps(d) && cube_.radix(d) % 2 == 0)
      bits_.push_back(static_cast<std::uint8_t>(d));
    if (config.dateline == Dateline::balanced && cube_.is_long_ring(d))
      bits_.push_back(static_cast<std::uint8_t>(first_class_bit + d));
  }
}

[[gnu::always_inline]] inline bool DimensionOrder::goes_up(const RouteQuery& query, unsigned d,
                                                           unsigned to) const {
  // Counted from the source, so that the choice at a tie does not change.
  const CubeTables::Directions shortest = cube_.directions(d, cube_.node(query.source.node())[d], to);
  if (!shortest.up || !shortest.down || config_.ties == Ties::up) return shortest.up;
  return (query.random(0) >> d & 1) != 0;
}

[[gnu::always_inline]] inline VcMask DimensionOrder::class_vcs(const RouteQuery& query, unsigned d, bool up,
                                                               unsigned here, unsigned to) const {
  if (config_.dateline == Dateline::switching)
    return class_vcs_[CubeTables::dateline_ahead(up, here, to) ? 0 : 1];
  const unsigned from = cube_.node(query.source.node())[d];
  const bool crosses = CubeTables::dateline_ahead(up, from, to);
  if (config_.dateline == Dateline::crossing_down_inverted) return class_vcs_[crosses == up ? 1 : 0];
  if (crosses) return class_vcs_[1];
  if (config_.dateline == Dateline::crossing) return class_vcs_[0];
  const unsigned middle = (cube_.radix(d) - 1) / 2;
  if ((from <= middle) != (to <= middle)) return class_vcs_[0];
  return class_vcs_[query.random(0) >> (first_class_bit + d) & 1];
}

TableForm DimensionOrder::table_form() const {
  return keeps_class() && divided_ != 0 ? TableForm::port_and_vc_map : TableForm::port_and_vcs;
}

/// Entry for packets that come in by `in_port`. A packet that enters a dimension here gets the class of its
/// route. A packet that continues in its dimension may have crossed the dateline, which the destination does
/// not determine: its entry has both classes, from which vc_map() selects the packet's. The destination
/// determines the direction in both cases, as the shorter direction does not change along the route.
RouteCandidate DimensionOrder::table_entry(RouterId router, std::uint32_t in_port, NodeId destination) const {
  const std::uint16_t* here = cube_.router(router);
  const std::uint16_t* to = cube_.node(destination);
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (here[d] == to[d]) continue;
    const bool up = cube_.directions(d, here[d], to[d]).up;
    const auto port = static_cast<std::uint16_t>(up ? CubeShape::up_port(d) : CubeShape::down_port(d));
    if (!divides(d) || (keeps_class() && goes_straight(in_port, port))) return {port, all_, 0};
    const bool inverted = config_.dateline == Dateline::crossing_down_inverted && !up;
    return {
        port,
        class_vcs_[CubeTables::dateline_ahead(up, here[d], to[d]) == (keeps_class() && !inverted) ? 1 : 0],
        0};
  }
  return {static_cast<std::uint16_t>(cube_.node_port(destination)), all_, 0};
}

VcMap DimensionOrder::vc_map(RouterId, std::uint32_t in_port, std::uint32_t in_vc,
                             std::uint32_t out_port) const {
  if (!goes_straight(in_port, out_port) || !divides(out_port / 2)) return {};
  return {class_vcs_[class_vcs_[0] >> in_vc & 1 ? 0 : 1], 0};
}

/// Separate from route(), so that meshes run without this code.
void DimensionOrder::add_ring_candidate(const RouteQuery& query, RouteSet& candidates, unsigned d,
                                        unsigned here, unsigned to) const {
  const bool up = goes_up(query, d, to);
  candidates.add(up ? CubeShape::up_port(d) : CubeShape::down_port(d),
                 divides(d) ? class_vcs(query, d, up, here, to) : all_);
}

void DimensionOrder::route(const RouteQuery& query, RouteSet& candidates) const {
  if (query.destination.is_router()) return refuse_router_destination(query);
  const NodeId destination = query.destination.number();
  candidates.clear();
  const std::uint16_t* here = cube_.router(query.router);
  const std::uint16_t* to = cube_.node(destination);
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (here[d] == to[d]) continue;
    if (cube_.wraps(d)) return add_ring_candidate(query, candidates, d, here[d], to[d]);
    return candidates.add(here[d] < to[d] ? CubeShape::up_port(d) : CubeShape::down_port(d), all_);
  }
  candidates.add(cube_.node_port(destination), all_);
}

bool DimensionOrder::port_shares(const RouteQuery& query, PortShares& shares) const {
  shares.clear();
  const std::uint16_t* here = cube_.router(query.router);
  const std::uint16_t* to = cube_.node(query.destination.node());
  unsigned d = 0;
  while (d < cube_.dimensions() && here[d] == to[d]) ++d;
  if (d == cube_.dimensions()) {
    shares.add(cube_.node_port(query.destination.node()), all_, 1.0);
    return true;
  }
  const CubeTables::Directions shortest = cube_.directions(d, here[d], to[d]);
  const bool tie = shortest.up && shortest.down && config_.ties != Ties::up;
  if (shortest.up) shares.add(CubeShape::up_port(d), all_, tie ? 0.5 : 1.0);
  if (tie || !shortest.up) shares.add(CubeShape::down_port(d), all_, tie ? 0.5 : 1.0);
  return true;
}

std::uint64_t DimensionOrder::random_outcome(const RouteQuery& query) const {
  const std::uint64_t random = query.random(0);
  std::uint64_t outcome = 0;
  for (std::size_t i = 0; i < bits_.size(); ++i) outcome |= (random >> bits_[i] & 1) << i;
  return outcome;
}

void DimensionOrderConfig::add_keys(config::KeyTable& keys) {
  keys.add_choice("routing.ties", ties,
                  {{"auto", std::optional<Ties>()}, {"random", Ties::random}, {"fixed", Ties::up}},
                  "choice among routes of equal length; random: for each packet with dimension_order, for "
                  "each table entry with source_table; fixed: towards higher coordinates with "
                  "dimension_order, the lowest neighbour with source_table; auto: fixed for dimension_order "
                  "with look-up hardware, whose tables hold one route, else random");
  keys.add_choice("routing.dateline", dateline,
                  {{"crossing", Dateline::crossing},
                   {"crossing_down_inverted", Dateline::crossing_down_inverted},
                   {"balanced", Dateline::balanced},
                   {"switching", Dateline::switching},
                   {"none", Dateline::none}},
                  "dimension_order on rings: rule that assigns packets to two classes of virtual channels; "
                  "none: no classes, packets may deadlock");
}

std::unique_ptr<const Routing> DimensionOrderConfig::make(const RoutingParts& parts) const {
  return std::make_unique<DimensionOrder>(parts.topology, parts.vcs, *this);
}

void add_dimension_order(RoutingKinds& kinds) {
  kinds.add<DimensionOrderConfig>("dimension_order", {{"xy", "xyz", "dor", "dim_order", "e_cube", "ecube"}});
}

}  // namespace tsuji::routing
