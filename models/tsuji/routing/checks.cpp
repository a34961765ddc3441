// SPDX-License-Identifier: Apache-2.0
#include "tsuji/routing/checks.h"

#include <algorithm>

#include "tsuji/core/error.h"
#include "tsuji/routing/decision_checks.h"

namespace tsuji::routing {
namespace {

constexpr unsigned most_vcs = 16;
constexpr unsigned most_table_routers = 65'536;

}  // namespace

std::string router_name(graph::RouterId router) {
  return "router " + std::to_string(router);
}

void refuse_topology(const std::string& kind, const graph::Topology& topology, const std::string& accepted) {
  throw ConfigError("routing.kind", kind, "does not fit the topology " + topology.name(), accepted);
}

VcMask require_vcs(const std::string& kind, unsigned vcs, unsigned needed) {
  if (vcs >= needed && vcs <= most_vcs) return vc_range(0, vcs);
  throw ConfigError(
      "router.vcs", std::to_string(vcs),
      vcs > most_vcs ? "too many virtual channels" : "too few virtual channels for routing " + kind,
      std::to_string(needed) + ".." + std::to_string(most_vcs));
}

void require_candidates(const std::string& kind, unsigned candidates) {
  if (candidates <= RouteSet::capacity) return;
  throw ConfigError("routing.kind", kind, "would give a packet " + std::to_string(candidates) + " candidates",
                    "at most " + std::to_string(RouteSet::capacity));
}

void require_table_size(const std::string& kind, const graph::Topology& topology) {
  if (topology.routers() <= most_table_routers) return;
  throw ConfigError("routing.kind", kind,
                    "keeps an entry for every pair of " + std::to_string(topology.routers()) + " routers",
                    "at most " + std::to_string(most_table_routers) + " routers");
}

void refuse_router_destination(const RouteQuery& query) {
  (void)query.destination.node();
}

void require_possible(const RouteDecisions& decisions, const RouteQuery& query, Decision decision,
                      Cycle now) {
  const std::vector<RouteDecisions::Possible> possible = decisions.possible(query);
  const auto is_it = [decision](const RouteDecisions::Possible& one) { return one.decision == decision; };
  if (std::any_of(possible.begin(), possible.end(), is_it)) return;
  throw ModelError(
      router_name(query.router), now, packet_name(query.packet),
      "the routing decides " + std::to_string(decision) + ", which is not among RouteDecisions::possible()");
}

}  // namespace tsuji::routing
