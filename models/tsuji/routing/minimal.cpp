// SPDX-License-Identifier: Apache-2.0
#include "tsuji/core/error.h"
#include "tsuji/graph/cube.h"
#include "tsuji/graph/dragonfly.h"
#include "tsuji/graph/dragonfly_plus.h"
#include "tsuji/graph/express_mesh.h"
#include "tsuji/graph/fat_tree.h"
#include "tsuji/graph/fly.h"
#include "tsuji/graph/hyperx.h"
#include "tsuji/routing/checks.h"
#include "tsuji/routing/cube_tables.h"
#include "tsuji/routing/dimension_order.h"
#include "tsuji/routing/distance_classes.h"
#include "tsuji/routing/express_order.h"
#include "tsuji/routing/group_minimal.h"
#include "tsuji/routing/hyperx_order.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

struct MinimalConfig {
  bool by_phase = false;

  void add_keys(config::KeyTable& keys) {
    keys.add(
        "routing.by_phase", by_phase,
        "minimal on dragonfly: whether a packet takes channel 0 up to its first global link and channel 1 "
        "from it on, also to its node with router.eject_routed_vcs (BookSim2); false: all channels that no "
        "cycle of local links forbids");
  }
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const {
    if (!by_phase) return make_minimal("minimal", parts.topology, parts.vcs);
    if (parts.topology.shape_as<graph::DragonflyShape>() == nullptr)
      throw ConfigError("routing.by_phase", "true", parts.topology.name() + " has no groups",
                        "false, or topology.kind dragonfly");
    return std::make_unique<GroupMinimal>("minimal", parts.topology, parts.vcs, GroupMinimal::Vcs::by_phase);
  }
};

/// Dimension order without random choices, by the packet's place only.
std::unique_ptr<const MinimalRouting> make_cube_order(const std::string& kind,
                                                      const graph::Topology& topology,
                                                      std::optional<unsigned> vcs) {
  constexpr DimensionOrderConfig by_place{Ties::up, Dateline::switching};
  const unsigned needed = CubeTables(topology, kind).any_long_ring() ? 2 : 1;
  if (vcs) require_vcs(kind, *vcs, needed);
  return std::make_unique<DimensionOrder>(topology, vcs.value_or(needed), by_place);
}

}  // namespace

std::unique_ptr<const MinimalRouting> make_minimal(const std::string& kind, const graph::Topology& topology,
                                                   std::optional<unsigned> vcs) {
  if (topology.shape_as<graph::CubeShape>() != nullptr) return make_cube_order(kind, topology, vcs);
  if (topology.shape_as<graph::ExpressShape>() != nullptr)
    return std::make_unique<ExpressOrder>(kind, topology, vcs);
  if (topology.shape_as<graph::HyperXShape>() != nullptr)
    return std::make_unique<HyperXOrder>(kind, topology, vcs);
  if (topology.shape_as<graph::DragonflyShape>() != nullptr ||
      topology.shape_as<graph::DragonflyPlusShape>() != nullptr)
    return std::make_unique<GroupMinimal>(kind, topology, vcs);
  if (topology.shape_as<graph::FatTreeShape>() != nullptr || topology.shape_as<graph::FlyShape>() != nullptr)
    refuse_topology(kind, topology, "a torus or mesh, or another topology without levels and stages");
  return std::make_unique<DistanceClasses>(kind, topology, vcs);
}

void add_minimal(RoutingKinds& kinds) {
  RoutingTraits traits;
  traits.also_called = {"min", "min_dragonflynew", "ran_min_flatfly", "dor_hyperx"};
  kinds.add<MinimalConfig>({{"minimal", &MinimalConfig::make, "by_phase", traits}});
}

}  // namespace tsuji::routing
