// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tsuji/graph/topology.h"
#include "tsuji/routing/routing.h"

namespace tsuji::routing {

/// Name of a router in messages.
std::string router_name(graph::RouterId router);

/// Checks common to the constructors of routings; each throws ConfigError. `kind` is the routing's value of
/// routing.kind.

/// Refuses a topology that the routing is not made for; `accepted` names those that it is made for.
[[noreturn]] void refuse_topology(const std::string& kind, const graph::Topology& topology,
                                  const std::string& accepted);
/// Refuses numbers of virtual channels outside of needed..16 (key router.vcs). Returns the mask of all
/// virtual channels.
VcMask require_vcs(const std::string& kind, unsigned vcs, unsigned needed);
/// Refuses more candidates than a RouteSet holds.
void require_candidates(const std::string& kind, unsigned candidates);
/// Refuses more routers than a table with an entry for every pair is made for.
void require_table_size(const std::string& kind, const graph::Topology& topology);

/// ModelError for a packet to a router, in a routing for nodes only. Not [[noreturn]]: as the last call of
/// route() it is then a jump, and route() needs no stack frame.
void refuse_router_destination(const RouteQuery& query);

/// ModelError if a router's `number`-th decision, of a sample, is not one of RouteDecisions::possible(),
/// which the deadlock checker and the capacity bound rely on. possible() may list one decision per node: the
/// sample is the first 16, then one in 1,024.
inline bool is_sample(std::uint32_t number) {
  return number < 16 || number % 1024 == 0;
}
void require_possible(const RouteDecisions& decisions, const RouteQuery& query, Decision decision, Cycle now);
inline void check_sample(const RouteDecisions& decisions, const RouteQuery& query, Decision decision,
                         std::uint32_t number, Cycle now) {
  if (is_sample(number)) require_possible(decisions, query, decision, now);
}

}  // namespace tsuji::routing
