// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/turn_model.h"

#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {
namespace {

const char* name_of(Turns turns) {
  switch (turns) {
    case Turns::negative_first:
      return "negative_first";
    case Turns::west_first:
      return "west_first";
    case Turns::north_last:
      break;
  }
  return "north_last";
}

}  // namespace

TurnModel::TurnModel(const graph::Topology& topology, unsigned vcs, Turns turns)
    : cube_(topology, name_of(turns)), all_(require_vcs(name_of(turns), vcs, 1)) {
  if (cube_.any_wraps()) refuse_topology(name_of(turns), topology, "a mesh");
  if (turns != Turns::negative_first && cube_.dimensions() != 2)
    refuse_topology(name_of(turns), topology, "a mesh of two dimensions");
  if (turns == Turns::negative_first) {
    for (unsigned d = 0; d < cube_.dimensions(); ++d) first_ |= 1U << CubeShape::down_port(d);
  }
  if (turns == Turns::west_first) first_ = 1U << CubeShape::down_port(0);
  if (turns == Turns::north_last) last_ = 1U << CubeShape::up_port(1);
}

void TurnModel::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const std::uint16_t* here = cube_.router(query.router);
  const std::uint16_t* to = cube_.node(query.destination.node());
  std::uint32_t productive = 0;
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (here[d] < to[d]) productive |= 1U << CubeShape::up_port(d);
    if (here[d] > to[d]) productive |= 1U << CubeShape::down_port(d);
  }
  if (productive == 0) {
    candidates.add(cube_.node_port(query.destination.node()), all_);
    return;
  }
  if ((productive & first_) != 0) productive &= first_;
  if ((productive & ~last_) != 0) productive &= ~last_;
  for (; productive != 0; productive &= productive - 1)
    candidates.add(static_cast<unsigned>(__builtin_ctz(productive)), all_);
}

namespace {

template <Turns turns>
struct TurnModelConfig {
  std::unique_ptr<const Routing> make(const RoutingParts& parts) const {
    return std::make_unique<TurnModel>(parts.topology, parts.vcs, turns);
  }
};

}  // namespace

void add_turn_model(RoutingKinds& kinds) {
  kinds.add<TurnModelConfig<Turns::negative_first>>("negative_first");
  kinds.add<TurnModelConfig<Turns::west_first>>("west_first");
  kinds.add<TurnModelConfig<Turns::north_last>>("north_last");
}

}  // namespace tsuji::routing
