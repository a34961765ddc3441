// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/duato.h"

#include "tsuji/routing/checks.h"
#include "tsuji/routing/routing_kinds.h"

namespace tsuji::routing {

Duato::Duato(const graph::Topology& topology, unsigned vcs, const DuatoConfig& config)
    : cube_(topology, "duato"),
      config_(config),
      escapes_(cube_.any_long_ring() ? 2 : 1),
      all_(require_vcs("duato", vcs, escapes_ + 1)),
      adaptive_(vc_range(escapes_, vcs - escapes_)) {}

void Duato::route(const RouteQuery& query, RouteSet& candidates) const {
  candidates.clear();
  const std::uint16_t* here = cube_.router(query.router);
  const std::uint16_t* to = cube_.node(query.destination.node());
  const bool adapts = !stays_on_escape(query);
  unsigned escape_port = graph::none;
  VcMask escape_vcs = 0;
  for (unsigned d = 0; d < cube_.dimensions(); ++d) {
    if (here[d] == to[d]) continue;
    const CubeTables::Directions shortest = cube_.directions(d, here[d], to[d]);
    if (shortest.up && adapts) candidates.add(CubeShape::up_port(d), adaptive_);
    if (shortest.down && adapts) candidates.add(CubeShape::down_port(d), adaptive_);
    if (escape_port != graph::none) continue;
    escape_port = shortest.up ? CubeShape::up_port(d) : CubeShape::down_port(d);
    const bool ahead = CubeTables::dateline_ahead(shortest.up, here[d], to[d]);
    escape_vcs = cube_.is_long_ring(d) ? vc_range(ahead ? 0 : 1, 1) : vc_range(0, escapes_);
  }
  if (escape_port == graph::none)
    candidates.add(cube_.node_port(query.destination.node()), all_);
  else
    candidates.add(escape_port, escape_vcs, 1);
}

void DuatoConfig::add_keys(config::KeyTable& keys) {
  keys.add("routing.escape_return", escape_return,
           "duato: whether a packet on an escape channel between routers may return to adaptive channels");
}

std::unique_ptr<const Routing> DuatoConfig::make(const RoutingParts& parts) const {
  return std::make_unique<Duato>(parts.topology, parts.vcs, *this);
}

void add_duato(RoutingKinds& kinds) {
  kinds.add<DuatoConfig>("duato", {{"adaptive", "min_adapt"}});
}

}  // namespace tsuji::routing
