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

}  // namespace tsuji::routing
