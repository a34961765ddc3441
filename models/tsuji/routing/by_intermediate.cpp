// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/by_intermediate.h"

#include "tsuji/core/error.h"
#include "tsuji/routing/checks.h"

namespace tsuji::routing {
namespace {

/// Dimension order within a half: no random choices, and a class that depends on the packet's place only.
constexpr DimensionOrderConfig by_place{Ties::up, Dateline::switching};

}  // namespace

ByIntermediate::ByIntermediate(const std::string& kind, const graph::Topology& topology, unsigned vcs)
    : cube_(topology, kind),
      all_(require_vcs(kind, vcs, vcs_needed(cube_))),
      lower_vcs_(vcs - vcs / 2),
      halves_{{{topology, lower_vcs_, by_place}, {topology, vcs / 2, by_place}}},
      nodes_of_(topology.routers()) {
  constexpr unsigned most_routers = 0x10000U - first_router;
  if (topology.routers() > most_routers)
    throw ConfigError(
        "routing.kind", kind,
        "a packet has 16 bits for one of " + std::to_string(topology.routers()) + " intermediate routers",
        "at most " + std::to_string(most_routers) + " routers");
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_of_[topology.node(node).eject.router] = node;
}

void ByIntermediate::route(const RouteQuery& query, RouteSet& candidates) const {
  RouteQuery leg = query;
  leg.source = nodes_of_[query.router];  // the shortest path from here: the beginning of the leg is not known
  if (query.decision >= first_router) {
    leg.destination = nodes_of_[query.decision - first_router];
    return halves_[0].route(leg, candidates);
  }
  VcMask vcs = 0;
  if (takes_lower(query)) {
    halves_[0].route(leg, candidates);
    vcs = candidates[0].vcs;
  }
  if (takes_upper(query)) {
    halves_[1].route(leg, candidates);
    vcs |= static_cast<VcMask>(candidates[0].vcs << lower_vcs_);
  }
  const unsigned port = candidates[0].port;
  candidates.clear();
  candidates.add(port, vcs);
}

unsigned ByIntermediate::first_port(const RouteQuery& query, Decision decision) const {
  RouteQuery decided = query;
  decided.decision = at(query.router, decision);
  RouteSet candidates;
  route(decided, candidates);
  return candidates[0].port;
}

Decision ByIntermediate::decide(const RouteQuery& query, const OutputBuffers& outputs) const {
  return at(query.router, query.decision == 0 ? choose(query, outputs) : query.decision);
}

std::vector<RouteDecisions::Possible> ByIntermediate::possible(const RouteQuery& query) const {
  if (query.decision != 0) return {{at(query.router, query.decision), 1.0}};
  const auto routers = static_cast<RouterId>(nodes_of_.size());
  const double share = chooses_by_credits() ? unknown_share : 1.0 / routers;
  std::vector<Possible> all;
  for (RouterId router = 0; router < routers; ++router) all.push_back({at(query.router, by(router)), share});
  if (chooses_by_credits()) all[query.router].decision = minimal;  // no longer path than the minimal one
  return all;
}

}  // namespace tsuji::routing
